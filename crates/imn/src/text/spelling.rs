//! Spelling correction: the known word that an unknown one most likely stands for. "delicous" is
//! *delicious*, "sooooo" is *so*, "battery-life" is closest to *life*.
//!
//! Tried in this order:
//!
//! 1. Runs of one letter shortened to two, then to one.
//! 2. One letter wrong, missing, added, or two exchanged, if the word has five letters or more and
//!    the first one is right (it nearly always is). Of several such words, the most frequent one.
//! 3. The last known part of a compound.

use serde::{Deserialize, Serialize};

/// How a word that is not in the vocabulary is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spelling {
    /// As the unknown word (the paper).
    #[default]
    Exact,
    /// As the known word that is spelt almost like it, or as the unknown word if there is none.
    Nearest,
}

/// Fewest bytes of a corrected word: shorter words have too many neighbours.
const SHORTEST: usize = 5;
/// Most bytes of a corrected word: longer strings are not words.
const LONGEST: usize = 24;

/// Id of the known word that `word` most likely stands for. Smaller ids are more frequent words.
pub(super) fn nearest(word: &str, known: impl Fn(&str) -> Option<u32>) -> Option<u32> {
    // A compound may be longer than any word. Beyond this, nothing is tried.
    if word.len() > 4 * LONGEST {
        return None;
    }
    [2, 1]
        .iter()
        .find_map(|&most| known(&shortened(word, most)?))
        .or_else(|| one_letter_off(word, &known))
        .or_else(|| {
            let mut parts = word.rsplit(['-', '/', '_', '.']);
            parts.find_map(|part| (part.len() < word.len()).then(|| known(part))?)
        })
}

/// The word with no letter more than `most` times in a row; `None` if no run is longer than two.
fn shortened(word: &str, most: usize) -> Option<String> {
    let mut short = String::with_capacity(word.len());
    let mut run = 0;
    let mut before = None;
    let mut longest = 0;
    for c in word.chars() {
        run = if before == Some(c) { run + 1 } else { 1 };
        longest = longest.max(run);
        before = Some(c);
        if run <= most {
            short.push(c);
        }
    }
    // Two equal letters in a row are ordinary; only longer runs are shortened.
    (longest > 2).then_some(short)
}

/// The most frequent word that differs by one letter after the first.
fn one_letter_off(word: &str, known: impl Fn(&str) -> Option<u32>) -> Option<u32> {
    let usable = (SHORTEST..=LONGEST).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'');
    if !usable {
        return None;
    }
    let mut best: Option<u32> = None;
    let mut candidate = String::with_capacity(word.len() + 1);
    let mut consider = |parts: &[&str]| {
        candidate.clear();
        parts.iter().for_each(|part| candidate.push_str(part));
        if let Some(id) = known(&candidate) {
            best = Some(best.map_or(id, |best| best.min(id)));
        }
    };
    for at in 1..=word.len() {
        let (head, tail) = word.split_at(at);
        let mut letters = tail.char_indices().map(|(i, c)| i + c.len_utf8());
        let (first, second) = (letters.next(), letters.next());
        if let Some(first) = first {
            consider(&[head, &tail[first..]]);
            if let Some(second) = second {
                consider(&[head, &tail[first..second], &tail[..first], &tail[second..]]);
            }
        }
        for letter in b'a'..=b'z' {
            let letter = [letter];
            let Ok(letter) = std::str::from_utf8(&letter) else {
                continue;
            };
            consider(&[head, letter, tail]);
            if let Some(first) = first {
                consider(&[head, letter, &tail[first..]]);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORDS: [&str; 8] = [
        "so",
        "good",
        "food",
        "delicious",
        "waiter",
        "waited",
        "life",
        "laptop",
    ];

    fn of(word: &str) -> Option<&'static str> {
        let known = |word: &str| {
            let at = WORDS.iter().position(|&known| known == word)?;
            u32::try_from(at).ok()
        };
        nearest(word, known).map(|id| WORDS[id as usize])
    }

    #[test]
    fn common_mistakes_find_their_word() {
        for (word, meant) in [
            ("sooooo", "so"),
            ("gooood", "good"),
            ("delicous", "delicious"),
            ("deliciouss", "delicious"),
            ("delicuois", "delicious"),
            ("delixious", "delicious"),
            ("wiater", "waiter"),
            ("battery-life", "life"),
        ] {
            let found = of(word);
            // Two mistakes are too many.
            let expected = (word != "delicuois").then_some(meant);
            assert_eq!(found, expected, "{word}");
        }
        // Both are one letter away: the more frequent one.
        assert_eq!(of("waite"), Some("waiter"));
    }

    #[test]
    fn other_words_stay_unknown() {
        for word in [
            "",
            "gold",
            "foood-",
            "daiter",
            "xyzzy",
            "日本語日本語",
            "-",
            "a/b",
        ] {
            assert_eq!(of(word), None, "{word}");
        }
        assert_eq!(of(&"z".repeat(100_000)), None);
    }

    proptest! {
        #[test]
        fn anything_is_taken(word in ".{0,40}") {
            of(&word);
        }
    }
}
