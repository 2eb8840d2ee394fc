//! Pass 1: the counts of every group.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use imn::analyze::{AnalyzedReview, BadLine, RawJson};
use jiff::civil::Date;

use crate::grouping::group;
use crate::unread_dates::{UnreadDates, UnreadTally};
use crate::{DateColumn, Tally};

/// The maximum number of groups. Aspects of further groups are noise and are only counted together.
const MOST_GROUPS: usize = 500_000;
/// The number of bad lines that are reported in detail.
const NAMED: usize = 5;
/// The number of columns that the error for a missing date column lists.
const COLUMNS: usize = 20;

/// The numbers of the whole input.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportTotals {
    /// Reviews.
    pub reviews: u64,
    /// Reviews with at least one aspect.
    pub with_aspects: u64,
    /// Aspects, by sentiment.
    pub aspects: Tally,
    /// Opinion terms.
    pub opinions: u64,
    /// Reviews by the sentiment of the whole text, if known.
    pub texts: Tally,
    /// Lines that are not records.
    pub bad_lines: u64,
    /// The first of them.
    pub first_bad: Vec<BadLine>,
    /// Groups of aspects.
    pub groups: u64,
    /// Aspects without a group, because there were too many groups.
    pub ungrouped: u64,
}

/// How many reviews have a date.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DateCounts {
    /// Reviews with a valid date.
    pub read: u64,
    /// Reviews without a value in the date column.
    pub missing: u64,
    /// Reviews with a value that is not a date.
    pub unreadable: u64,
    /// What these values are.
    pub unread: UnreadDates,
}

/// The date of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dated {
    On(Date),
    Missing,
    Unreadable(String),
}

/// Parses the date column of a review.
pub(crate) fn dated(review: &AnalyzedReview, column: &DateColumn) -> Dated {
    // A number can be a date, too: 20240301.
    let text = review.columns.get(&column.name).map(RawJson::cell);
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return Dated::Missing;
    };
    match column.format.parse(&text) {
        Some(date) => Dated::On(date),
        None => Dated::Unreadable(text),
    }
}

/// The numbers of one group.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct GroupCount {
    pub(crate) aspects: Tally,
    pub(crate) reviews: u64,
}

/// The counts of pass 1.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) totals: ReportTotals,
    pub(crate) groups: HashMap<String, GroupCount>,
    pub(crate) dates: DateCounts,
    /// The values that are not dates.
    pub(crate) unread: UnreadTally,
    /// Aspects by day.
    pub(crate) days: BTreeMap<Date, Tally>,
    /// Column names, for an error message.
    pub(crate) columns: BTreeSet<String>,
}

impl Survey {
    pub(crate) fn take(&mut self, review: &AnalyzedReview, dates: Option<&DateColumn>) {
        let totals = &mut self.totals;
        totals.reviews += 1;
        totals.with_aspects += u64::from(!review.aspects.is_empty());
        totals.opinions += review.opinions.len() as u64;
        if let Some(sentiment) = review.sentiment {
            totals.texts.add(sentiment.polarity);
        }
        let mut here = Tally::default();
        let mut seen: Vec<String> = Vec::new();
        for aspect in &review.aspects {
            here.add(aspect.sentiment);
            let name = group(&aspect.term);
            if self.groups.len() >= MOST_GROUPS && !self.groups.contains_key(&name) {
                totals.ungrouped += 1;
                continue;
            }
            let count = self.groups.entry(name.clone()).or_default();
            count.aspects.add(aspect.sentiment);
            if !seen.contains(&name) {
                count.reviews += 1;
                seen.push(name);
            }
        }
        totals.aspects.merge(here);
        if let Some(column) = dates {
            self.date(review, column, here);
        }
    }

    fn date(&mut self, review: &AnalyzedReview, column: &DateColumn, aspects: Tally) {
        match dated(review, column) {
            Dated::On(date) => {
                self.dates.read += 1;
                self.days.entry(date).or_default().merge(aspects);
            }
            Dated::Missing => self.dates.missing += 1,
            Dated::Unreadable(text) => {
                self.dates.unreadable += 1;
                self.unread.add(&text, &column.format);
            }
        }
        for (name, _) in review.columns.iter() {
            if self.columns.len() < COLUMNS && !self.columns.contains(name) {
                self.columns.insert(name.to_owned());
            }
        }
    }

    pub(crate) fn skip(&mut self, bad: BadLine) {
        self.totals.bad_lines += 1;
        if self.totals.first_bad.len() < NAMED {
            self.totals.first_bad.push(bad);
        }
    }
}
