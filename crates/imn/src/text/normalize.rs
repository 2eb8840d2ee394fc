//! Word normalisation: lower case, and one symbol for all numbers.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Normalisation settings, stored with the [`Vocabulary`](super::Vocabulary).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Normalizer {
    /// Lower-case every word.
    pub lowercase: bool,
    /// Replace words that match `^[+-]?[0-9]+\.?[0-9]*$` with [`Normalizer::NUMBER`].
    pub numbers: bool,
}

impl Default for Normalizer {
    /// Both enabled, as in the program of the paper's authors.
    fn default() -> Self {
        Self {
            lowercase: true,
            numbers: true,
        }
    }
}

impl Normalizer {
    /// The symbol that replaces a number.
    pub const NUMBER: &'static str = "<num>";

    /// The normalised form of a word. Allocates only if the word changes.
    ///
    /// ```
    /// let normalizer = imn::text::Normalizer::default();
    /// assert_eq!(normalizer.apply("Pizza"), "pizza");
    /// assert_eq!(normalizer.apply("-12.50"), "<num>");
    /// assert_eq!(normalizer.apply("1,200"), "1,200");
    /// ```
    #[must_use]
    pub fn apply<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if self.numbers && is_number(word) {
            return Cow::Borrowed(Self::NUMBER);
        }
        if !self.lowercase
            || word
                .bytes()
                .all(|b| b.is_ascii() && !b.is_ascii_uppercase())
        {
            return Cow::Borrowed(word);
        }
        if word.is_ascii() {
            Cow::Owned(word.to_ascii_lowercase())
        } else {
            Cow::Owned(word.to_lowercase())
        }
    }
}

/// `^[+-]?[0-9]+\.?[0-9]*$`
fn is_number(word: &str) -> bool {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    !whole.is_empty() && digits(whole) && digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for yes in ["5", "+5", "-5", "5.", "5.25", "007"] {
            assert!(is_number(yes), "{yes}");
        }
        for no in ["", "+", ".", ".5", "5.2.5", "1,000", "5x", "--5", "٣"] {
            assert!(!is_number(no), "{no}");
        }
    }

    #[test]
    fn choices_can_be_switched_off() {
        let none = Normalizer {
            lowercase: false,
            numbers: false,
        };
        assert_eq!(none.apply("Big"), "Big");
        assert_eq!(none.apply("7"), "7");
        assert_eq!(Normalizer::default().apply("ÉCLAIR"), "éclair");
    }
}
