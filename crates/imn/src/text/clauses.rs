//! Long sentences in parts. Some reviews have no full stops, and a network that learned from
//! sentences of some 15 words overlooks aspects in one of 100. So [`parts`] cuts a sentence of more
//! than 50 words where a clause probably begins. Shorter sentences are read whole, because their
//! sentiments may depend on words far away.

use std::ops::Range;

use super::Span;

/// Sentences of more words are cut.
const LONGEST: usize = 50;

/// A part has at least this many words, so that clauses keep their context.
const SHORTEST: usize = 18;

/// Words that begin a clause, alphabetically.
const CONJUNCTIONS: &[&str] = &[
    "although", "because", "but", "however", "though", "whereas", "while", "yet",
];

/// Words that begin a clause or continue a list, alphabetically.
const LINKS: &[&str] = &["also", "and", "or", "plus", "so", "then"];

/// Words that begin a clause if they follow one of [`LINKS`], alphabetically.
const BEGINNINGS: &[&str] = &[
    "a", "an", "he", "her", "his", "i", "it", "its", "my", "our", "she", "that", "the", "their",
    "there", "these", "they", "this", "those", "we", "you", "your",
];

/// The parts of a sentence, as ranges of its tokens.
///
/// ```
/// use imn::text::{parts, tokenize};
///
/// let text = "the soup was hot and the waiter was kind";
/// assert_eq!(parts(text, &tokenize(text)), [0..9]);
/// let long = [text; 9].join(" and "); // 89 words
/// let tokens = tokenize(&long);
/// let parts = parts(&long, &tokens);
/// assert_eq!(parts.len(), 2);
/// let starts = parts.iter().skip(1).map(|part| &long[tokens[part.start].start..]);
/// assert!(starts.into_iter().all(|rest| rest.starts_with("and the")));
/// ```
#[must_use]
pub fn parts(text: &str, tokens: &[Span]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    while tokens.len() - start > LONGEST {
        let last = (start + LONGEST).min(tokens.len() - SHORTEST);
        let cut = (start + SHORTEST..=last).max_by_key(|&at| (strength(text, tokens, at), at));
        let end = cut.unwrap_or(last);
        parts.push(start..end);
        start = end;
    }
    parts.push(start..tokens.len());
    parts
}

/// How much speaks for a clause that begins at the token `at`, which is not the first.
fn strength(text: &str, tokens: &[Span], at: usize) -> u8 {
    let word = |i: usize| tokens.get(i).and_then(|token| token.of(text)).unwrap_or("");
    let is = |i: usize, list: &[&str]| list.iter().any(|entry| word(i).eq_ignore_ascii_case(entry));
    let between = &text[tokens[at - 1].end..tokens[at].start];
    let before = word(at - 1);
    let is_comma = before == ",";
    if between.contains('\n') || before.starts_with([';', ':', '.', '!', '?', '…', '–', '—'])
    {
        4
    } else if is(at, CONJUNCTIONS) || is_comma && is(at, LINKS) {
        3
    } else if is(at, LINKS) && is(at + 1, BEGINNINGS) {
        2
    } else {
        u8::from(is_comma || is(at, LINKS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenize;

    /// The first three words of every part but the first, joined by spaces.
    fn beginnings(text: &str) -> Vec<String> {
        let tokens = tokenize(text);
        let parts = parts(text, &tokens);
        let ends: Vec<usize> = parts.iter().map(|part| part.end).collect();
        assert_eq!(parts[0].start, 0);
        assert_eq!(ends.last(), Some(&tokens.len()));
        assert!(parts.windows(2).all(|two| two[0].end == two[1].start));
        assert!(parts.iter().all(|part| part.len() <= LONGEST));
        let beginning = |part: &Range<usize>| {
            let words = tokens[part.start..part.end].iter().take(3);
            words.filter_map(|token| token.of(text)).collect::<Vec<_>>()
        };
        let later = parts.iter().skip(1);
        later.map(|part| beginning(part).join(" ")).collect()
    }

    #[test]
    fn the_strongest_sign_of_a_clause_decides() {
        let words = |count: usize| vec!["word"; count].join(" ");
        let text = |signs: &str| format!("{} {signs} {}", words(20), words(35));
        for (signs, beginning) in [
            (", and the bar but our bed\nthe spa", "the spa word"),
            ("; we left, and the bar but our bed", "we left ,"),
            ("and the bar but our bed", "but our bed"),
            ("and bread , and the bar", "and the bar"),
            (", bread and the bar", "and the bar"),
            (", bread and word", "and word word"),
        ] {
            assert_eq!(beginnings(&text(signs)), [beginning], "{signs}");
        }
    }

    #[test]
    fn sentences_without_signs_are_cut_too() {
        assert_eq!(beginnings(&vec!["word"; 50].join(" ")).len(), 0);
        assert_eq!(beginnings(&vec!["word"; 51].join(" ")).len(), 1);
        assert!(beginnings(&vec!["word"; 500].join(" ")).len() >= 9);
        assert_eq!(parts("", &[]).len(), 1);
    }
}
