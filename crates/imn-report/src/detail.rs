//! Pass 2: the members, opinions, trend and examples of the groups that are shown.

use std::collections::{BTreeMap, HashMap};

use imn::analyze::AnalyzedReview;
use imn::data::Sentiment;
use imn::text::shorten;
use jiff::civil::Date;

use crate::example::Examples;
use crate::grouping::{MAX_TERM, fold, group};
use crate::survey::{Dated, dated};
use crate::{DateColumn, Step, Tally};

/// The maximum number of distinct members, and of distinct opinions, that are counted per group.
const MAX_WORDS: usize = 5000;

/// The details of a group that is shown.
#[derive(Debug, Default)]
pub(crate) struct Detail {
    pub(crate) members: Counter,
    pub(crate) opinions: [Counter; Sentiment::CLASSES.len()],
    pub(crate) trend: BTreeMap<Date, Tally>,
    pub(crate) examples: Examples,
}

/// Counts words.
#[derive(Debug, Default)]
pub(crate) struct Counter(HashMap<String, u64>);

impl Counter {
    fn add(&mut self, word: String) {
        if self.0.len() < MAX_WORDS || self.0.contains_key(&word) {
            *self.0.entry(word).or_default() += 1;
        }
    }

    /// The most frequent words, and the number of distinct words.
    pub(crate) fn top(self, most: usize) -> (Vec<(String, u64)>, usize) {
        let different = self.0.len();
        let mut words: Vec<(String, u64)> = self.0.into_iter().collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.truncate(most);
        (words, different)
    }
}

/// The details of groups, by name.
pub(crate) struct Details<'a> {
    pub(crate) groups: HashMap<String, Detail>,
    pub(crate) dates: Option<(&'a DateColumn, Step)>,
}

impl Details<'_> {
    pub(crate) fn take(&mut self, review: &AnalyzedReview) {
        let date = self
            .dates
            .and_then(|(column, step)| match dated(review, column) {
                Dated::On(date) => Some((date, step.start(date))),
                Dated::Missing | Dated::Unreadable(_) => None,
            });
        for (i, aspect) in review.aspects.iter().enumerate() {
            let Some(detail) = self.groups.get_mut(&group(&aspect.term)) else {
                continue;
            };
            detail.members.add(listed(&aspect.term));
            for link in &aspect.opinions {
                if let Some(opinion) = review.opinions.get(link.opinion) {
                    detail.opinions[aspect.sentiment.index()].add(listed(&opinion.term));
                }
            }
            if let Some((_, start)) = date {
                detail.trend.entry(start).or_default().add(aspect.sentiment);
            }
            detail.examples.offer(review, i, date.map(|(date, _)| date));
        }
    }
}

impl Detail {
    /// Takes out the opinions about aspects with a sentiment.
    pub(crate) fn take_opinions(&mut self, sentiment: Sentiment) -> Counter {
        std::mem::take(&mut self.opinions[sentiment.index()])
    }
}

/// A term as it is listed: in lower case, and cut if it is long.
fn listed(term: &str) -> String {
    shorten(fold(term), MAX_TERM)
}
