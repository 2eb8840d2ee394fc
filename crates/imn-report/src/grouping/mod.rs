//! Groups terms that refer to the same thing: `Battery`, `batteries`, `battery life` → *battery*.
//!
//! The rules:
//!
//! 1. The term is put in lower case. Articles, pronouns and the like (`the`, `my`, `some`),
//!    numbers, punctuation and a possessive `'s` are removed.
//! 2. The term ends before its first preposition other than `of` (`service at the bar` →
//!    `service`).
//! 3. The head is the last word (`chicken soup` → `soup`), in the singular.
//! 4. A head that names a property or a portion (`life`, `quality`, `size`, `selection`, `glass`,
//!    …) is replaced by the head after its `of` (`quality of the food` → `food`), or by the word
//!    before it (`battery life` → `battery`). Alone, it is the group (`quality`). With any other
//!    head, the words after `of` are dropped (`view of the sea` → `view`).
//! 5. If no word remains, the whole term is the group.

mod singular;
mod words;

pub use singular::singular;

use imn::text::{blank_tags, shorten};

/// Most characters of a term, so that the size of the page is bounded.
pub(crate) const MAX_TERM: usize = 60;

/// The group of a term.
///
/// ```
/// use imn_report::grouping::group;
///
/// assert_eq!(group("Batteries"), "battery");
/// assert_eq!(group("battery life"), "battery");
/// assert_eq!(group("quality of the food"), "food");
/// ```
#[must_use]
pub fn group(term: &str) -> String {
    let term = fold(term);
    let words: Vec<&str> = term.split(' ').map(bare).collect();
    let phrase = words
        .split(|word| words::PREPOSITIONS.contains(word))
        .find(|part| part.iter().any(|word| is_noun_like(word)));
    let parts: Vec<Vec<&str>> = phrase
        .unwrap_or_default()
        .split(|word| *word == "of")
        .map(|part| {
            part.iter()
                .copied()
                .filter(|word| is_noun_like(word))
                .collect()
        })
        .filter(|part: &Vec<&str>| !part.is_empty())
        .collect();
    let found = parts.iter().find_map(|part| referent(part));
    // If every part is a property, the first one is the group.
    let property = || Some(singular(parts.first()?.last()?).into_owned());
    let group = found.or_else(property).unwrap_or(term);
    shorten(group, MAX_TERM)
}

/// The thing that a part of a term refers to: its head, or the word before a head that is a
/// property. `None` for a property alone.
fn referent(part: &[&str]) -> Option<String> {
    let (last, before) = part.split_last()?;
    let head = singular(last);
    let of = if words::PROPERTIES.contains(&head.as_ref()) {
        singular(before.last()?)
    } else {
        head
    };
    Some(of.into_owned())
}

/// A term in lower case with single spaces and without HTML tags.
#[must_use]
pub fn fold(term: &str) -> String {
    let term = blank_tags(term);
    let words: Vec<&str> = term.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// A word without surrounding punctuation and without a possessive `'s`.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let word = word
        .strip_suffix("'s")
        .or_else(|| word.strip_suffix("’s"))
        .unwrap_or(word);
    // Tokenized text has the possessive as a separate word.
    if word == "s" { "" } else { word }
}

fn is_noun_like(word: &str) -> bool {
    word.chars().any(char::is_alphabetic) && !words::SMALL.contains(&word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn terms_of_one_thing_are_in_one_group() {
        for (expected, terms) in [
            (
                "battery",
                &[
                    "Battery",
                    "batteries",
                    "BATTERY  LIFE",
                    "the battery's life",
                    "life of the battery",
                    "my batteries",
                    "battery</b> life",
                ][..],
            ),
            (
                "food",
                &[
                    "food",
                    "Foods",
                    "quality of the food",
                    "food quality",
                    "the food here",
                    "amount of food",
                ],
            ),
            (
                "soup",
                &["chicken soup", "soups", "bowl of soup", "soup of the day"],
            ),
            (
                "service",
                &[
                    "Service",
                    "customer service",
                    "service at the bar",
                    "quality of service",
                ],
            ),
            (
                "screen",
                &[
                    "screen",
                    "screen resolution",
                    "size of the screen",
                    "\"screen\"",
                ],
            ),
            (
                "wine",
                &[
                    "glass of wine",
                    "wines",
                    "wine list",
                    "selection of wines",
                    "choice of red wine",
                ],
            ),
            ("view", &["view of the sea", "views"]),
            ("quality", &["quality", "the quality", "qualities"]),
            (
                "drive",
                &[
                    "hard drive",
                    "hard drives",
                    "hard-disk drive",
                    "drive space",
                ],
            ),
            (
                "battery",
                &["battery life of the laptop", "quality of the battery life"],
            ),
            ("menu", &["on the menu", "menu", "menus", "wine menus"]),
            ("bus", &["bus", "buses", "shuttle buses"]),
            ("lens", &["lens", "lenses", "camera lens"]),
            ("tofu", &["tofu", "tofus"]),
            ("emu", &["emu", "emus"]),
            ("price", &["price", "prices", "price of the room"]),
            ("windows", &["Windows", "windows 8"]),
        ] {
            for term in terms {
                assert_eq!(group(term), expected, "{term}");
            }
        }
    }

    #[test]
    fn what_is_no_word_is_its_own_group() {
        for (term, expected) in [
            ("", ""),
            ("7", "7"),
            ("!!", "!!"),
            ("the", "the"),
            ("of", "of"),
            ("👍", "👍"),
            ("烤鸭", "烤鸭"),
            ("i7", "i7"),
        ] {
            assert_eq!(group(term), expected);
        }
    }

    proptest! {
        #[test]
        fn any_term_has_a_group_and_case_does_not_count(term in ".{0,40}") {
            let grouped = group(&term);
            prop_assert_eq!(&grouped, &group(&fold(&term)));
            prop_assert!(!grouped.is_empty() || fold(&term).is_empty());
        }
    }
}
