//! The parts of a word that the Treebank makes separate tokens: quotes, clitics, and words that are
//! written as one.

use super::chars::{Class, class};

/// Length in bytes of the apostrophes that open a quotation at the start of `word`. The apostrophe
/// of a shortened word or year (`'til`, `'90s`) or of a separate clitic (`'s`) opens none.
pub(super) fn opening_quote(word: &str) -> Option<usize> {
    const SHORTENED: &[&str] = &[
        "bout", "cause", "cuz", "d", "em", "ll", "m", "n", "nuff", "re", "round", "s", "t", "til",
        "tis", "twas", "ve",
    ];
    let rest = word.trim_start_matches(|c| class(c) == Class::Apostrophe);
    let length = word.len() - rest.len();
    if length == 0 || rest.is_empty() {
        return None;
    }
    let one = word.chars().next().is_some_and(|c| c.len_utf8() == length);
    if one {
        let letters = rest.trim_end_matches(|c| class(c) == Class::Dot);
        if rest.starts_with(|c| class(c) == Class::Digit)
            || (letters.len() <= 5
                && SHORTENED
                    .binary_search(&letters.to_ascii_lowercase().as_str())
                    .is_ok())
        {
            return None;
        }
    }
    Some(length)
}

/// Length in bytes of the clitic at the end of `stem`: `'s`, `'m`, `'d`, `'ll`, `'re`, `'ve`,
/// `n't`.
pub(super) fn clitic(stem: &str) -> Option<usize> {
    let mut back = stem.char_indices().rev();
    let mut letters = ['\0'; 2];
    for taken in 0..3 {
        let (at, c) = back.next()?;
        if class(c) == Class::Apostrophe {
            let suffix = match (taken, letters[0]) {
                (1, 's' | 'm' | 'd') => at,
                // "n't" takes the letter before the apostrophe too.
                (1, 't') => back.next().filter(|(_, n)| matches!(n, 'n' | 'N'))?.0,
                (2, _) if matches!(letters, ['l', 'l'] | ['e', 'r'] | ['e', 'v']) => at,
                _ => return None,
            };
            // Two apostrophes are a quotation mark, not a clitic.
            let doubled =
                stem.get(..suffix)?.chars().next_back().map(class) == Some(Class::Apostrophe);
            return (!doubled).then_some(stem.len() - suffix);
        }
        if let Some(slot) = letters.get_mut(taken) {
            *slot = c.to_ascii_lowercase();
        }
    }
    None
}

/// Where to split the words that the Treebank reads as two.
pub(super) fn two_words(stem: &str) -> Option<usize> {
    const PAIRS: &[(&str, usize)] = &[
        ("cannot", 3),
        ("gimme", 3),
        ("gonna", 3),
        ("gotta", 3),
        ("lemme", 3),
        ("wanna", 3),
    ];
    if !(5..=6).contains(&stem.len()) {
        return None;
    }
    PAIRS
        .iter()
        .find(|(word, _)| stem.eq_ignore_ascii_case(word))
        .map(|&(_, cut)| cut)
}
