//! Which row of a file belongs to a wanted word.
//!
//! The row with exactly this form, otherwise the row that is the word in lower case, otherwise the
//! first row that differs from it in case only. Models use lower-cased words, and cased files
//! (GoogleNews, GloVe 840B) have some words only capitalised. Files are sorted by frequency, so the
//! first of several equal candidates is the most frequent one.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// Which rows match a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lookup {
    /// Only the exact form.
    Exact,
    /// The exact form, otherwise the lower-cased form, otherwise the first row that differs in case
    /// only.
    #[default]
    AnyCase,
}

/// How a word was found in a file. A smaller value is a better match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Match {
    /// In its exact form.
    Exact,
    /// In lower case.
    LowerCase,
    /// In another case.
    OtherCase,
    /// Not found.
    Missing,
}

/// How many words were found, by kind of match. Counts distinct words or occurrences, as the
/// weights given to [`Hits::count`] say.
///
/// ```
/// use imn::vectors::{Hits, Match};
///
/// let hits = Hits::count([(Match::Exact, 2), (Match::LowerCase, 1), (Match::Missing, 1)]);
/// assert_eq!(hits.total(), 4);
/// assert_eq!(hits.rate(), 75.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hits {
    /// Found in their exact form.
    pub exact: u64,
    /// Found in lower case or another case.
    pub other_case: u64,
    /// Not found.
    pub missing: u64,
}

impl Hits {
    /// Adds up the weights of the words, by kind of match.
    pub fn count(words: impl IntoIterator<Item = (Match, u64)>) -> Self {
        let mut hits = Self::default();
        for (found, weight) in words {
            match found {
                Match::Exact => hits.exact += weight,
                Match::LowerCase | Match::OtherCase => hits.other_case += weight,
                Match::Missing => hits.missing += weight,
            }
        }
        hits
    }

    /// Number of words, found or not.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.exact + self.other_case + self.missing
    }

    /// Hit rate in percent; 0 if there are no words.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let found = (self.exact + self.other_case) as f64;
        100.0 * found / self.total().max(1) as f64
    }
}

/// The wanted words, indexed by their lower-case form.
pub(super) struct Wanted<'a> {
    words: Vec<Cow<'a, str>>,
    by_lower_case: HashMap<String, Vec<usize>>,
    lookup: Lookup,
    lowered: String,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(words: impl IntoIterator<Item = &'a str>, lookup: Lookup) -> Self {
        let words = words.into_iter();
        let expected = words.size_hint().0;
        let mut wanted = Self {
            words: Vec::with_capacity(expected),
            by_lower_case: HashMap::with_capacity(expected),
            lookup,
            lowered: String::new(),
        };
        words.for_each(|word| wanted.add(Cow::Borrowed(word)));
        wanted
    }

    pub(super) fn add(&mut self, word: Cow<'a, str>) {
        let lower_case = word.to_lowercase();
        let places = self.by_lower_case.entry(lower_case).or_default();
        places.push(self.words.len());
        self.words.push(word);
    }

    pub(super) fn words(&self) -> &[Cow<'a, str>] {
        &self.words
    }

    /// The wanted words that the word of a row matches, and how.
    pub(super) fn matches<'s>(
        &'s mut self,
        word: &'s str,
    ) -> impl Iterator<Item = (usize, Match)> + 's {
        self.lowered.clear();
        if word.is_ascii() {
            // Most words are ASCII: no allocation for these.
            self.lowered.push_str(word);
            self.lowered.make_ascii_lowercase();
        } else {
            self.lowered = word.to_lowercase();
        }
        let (words, lowered, lookup) = (&self.words, &self.lowered, self.lookup);
        self.by_lower_case
            .get(lowered.as_str())
            .into_iter()
            .flatten()
            .filter_map(move |&at| {
                let found = if words.get(at).is_some_and(|wanted| *wanted == word) {
                    Match::Exact
                } else if word == lowered {
                    Match::LowerCase
                } else {
                    Match::OtherCase
                };
                (lookup == Lookup::AnyCase || found == Match::Exact).then_some((at, found))
            })
    }
}
