//! Which row of a file belongs to a wanted word.
//!
//! First the row with exactly this form, then the row that is the word in lower case, then the first row that equals it in any
//! case: models work on lower-cased words, and cased files (GoogleNews, GloVe 840B) have some words only capitalised. Files are
//! ordered by frequency, so of several equal candidates the first is the commonest.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// Which rows count as a word's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lookup {
    /// Only the exact form.
    Exact,
    /// The exact form, else the lower-cased form, else the first row that differs in case only.
    #[default]
    AnyCase,
}

/// How a word was found in a file; the smaller the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Match {
    /// In exactly this form.
    Exact,
    /// In lower case.
    LowerCase,
    /// In another case.
    OtherCase,
    /// Not at all.
    Missing,
}

/// How many words were found, by how; the numbers may count words or their occurrences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hits {
    /// In exactly their form.
    pub exact: u64,
    /// In lower case or another case.
    pub other_case: u64,
    /// Not at all.
    pub missing: u64,
}

impl Hits {
    /// Counts each word as often as its weight says.
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

    /// All words.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.exact + self.other_case + self.missing
    }

    /// Words found, in percent; 0 of none.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let found = (self.exact + self.other_case) as f64;
        100.0 * found / self.total().max(1) as f64
    }
}

/// The wanted words, findable by the words of a file.
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

    /// Appends a word.
    pub(super) fn add(&mut self, word: Cow<'a, str>) {
        let lower_case = word.to_lowercase();
        let places = self.by_lower_case.entry(lower_case).or_default();
        places.push(self.words.len());
        self.words.push(word);
    }

    pub(super) fn words(&self) -> &[Cow<'a, str>] {
        &self.words
    }

    /// The wanted words that a file's word may serve, and how well it does.
    pub(super) fn served_by<'s>(
        &'s mut self,
        word: &'s str,
    ) -> impl Iterator<Item = (usize, Match)> + 's {
        self.lowered.clear();
        if word.is_ascii() {
            // Most words, without an allocation each.
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
