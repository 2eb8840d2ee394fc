//! Abbreviations: words that keep their full stop.
//!
//! The Penn Treebank leaves the stop on an abbreviation unless it ends the sentence. Reviews use
//! few abbreviations; a short list and two patterns (`u.s`, `J`) cover them without a model.

/// Known abbreviations: sorted, lower-case, without the last stop.
const KNOWN: &[&str] = &[
    "approx", "apr", "apt", "aug", "ave", "blvd", "capt", "co", "corp", "dec", "dept", "dr", "est",
    "etc", "feb", "ft", "gen", "gov", "inc", "jan", "jr", "jul", "jun", "ltd", "mr", "mrs", "ms",
    "mt", "nov", "oct", "oz", "ph.d", "pls", "prof", "rd", "rep", "rev", "sept", "sgt", "sr", "st",
    "tel", "vol", "vs",
];

/// The entries of [`KNOWN`] that precede a name or a number and so never end a sentence.
const BEFORE_NAMES: &[&str] = &[
    "approx", "capt", "dr", "gen", "gov", "mr", "mrs", "ms", "mt", "prof", "rev", "sgt", "st", "vs",
];

/// Longer words (in bytes) are never looked up, so hostile input takes linear time.
const LONGEST: usize = 12;

/// Whether `word`, which is followed by a full stop, is an abbreviation. `next` is the first
/// character after the stop and the white space that follows it.
pub(super) fn is_abbreviation(word: &str, next: Option<char>) -> bool {
    if word.is_empty() || word.len() > LONGEST || !word.is_ascii() {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    KNOWN.binary_search(&lower.as_str()).is_ok()
        || is_initials(word)
        || (lower == "no" && next.is_some_and(|c| c.is_ascii_digit()))
}

/// Whether `word` and its stop can never end a sentence.
pub(super) fn is_title(word: &str) -> bool {
    if word.len() > LONGEST {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    BEFORE_NAMES.binary_search(&lower.as_str()).is_ok()
        || (word.len() == 1 && is_initials(word))
        || lower == "e.g"
        || lower == "i.e"
}

/// Single letters between stops (`u.s`, `a.m`, `e.g`), or one capital letter, which is an initial
/// unless it is "I".
fn is_initials(word: &str) -> bool {
    let bytes = word.as_bytes();
    match bytes {
        [b'I'] => false,
        [one] => one.is_ascii_uppercase(),
        _ => {
            bytes.len() % 2 == 1
                && bytes.iter().enumerate().all(|(i, b)| {
                    if i % 2 == 0 {
                        b.is_ascii_alphabetic()
                    } else {
                        *b == b'.'
                    }
                })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(KNOWN.is_sorted());
        assert!(BEFORE_NAMES.is_sorted());
    }

    #[test]
    fn patterns() {
        for yes in ["Mr", "etc", "U.S", "a.m", "e.g", "J"] {
            assert!(is_abbreviation(yes, None), "{yes}");
        }
        for no in ["", "I", "food", "x", "a.mm", "ab.c", ".a"] {
            assert!(!is_abbreviation(no, None), "{no}");
        }
        assert!(is_abbreviation("No", Some('7')));
        assert!(!is_abbreviation("no", Some('t')));
    }
}
