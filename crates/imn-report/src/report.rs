//! The content of a report, before it is rendered.

use std::collections::{BTreeMap, HashMap};

use imn::data::Sentiment;
use jiff::civil::Date;

use crate::detail::{Detail, Details};
use crate::review::{self, OpenReviews};
use crate::survey::{DateCounts, GroupCount, ReportTotals, Survey};
use crate::{DateColumn, Example, ReportError, Step, Tally};

/// The number of members, and of opinions per sentiment, that are listed for a group.
const LISTED: usize = 12;

/// The settings of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportSettings {
    /// The title of the page.
    pub title: String,
    /// The date column, for trends.
    pub dates: Option<DateColumn>,
    /// The minimum number of aspects in a group that is shown.
    pub min_count: u64,
    /// The maximum number of groups that are shown.
    pub top: usize,
    /// Aspects and opinions with a lower confidence are left out, as in `imn analyze`.
    pub min_confidence: f32,
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self {
            title: "What the reviews say".to_owned(),
            dates: None,
            min_count: 1,
            top: 100,
            min_confidence: 0.0,
        }
    }
}

/// A report on analysed reviews.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The title of the page.
    pub title: String,
    /// The numbers of the whole input.
    pub totals: ReportTotals,
    /// The groups that are shown, the largest first.
    pub groups: Vec<Group>,
    /// Aspects in groups that are not shown.
    pub unshown: Tally,
    /// Aspects over time, if there is a date column.
    pub trend: Option<Trend>,
}

/// Aspects that refer to the same thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The head word.
    pub name: String,
    /// The number of aspects, by sentiment.
    pub aspects: Tally,
    /// The number of reviews that mention it.
    pub reviews: u64,
    /// Its terms and their counts, the most frequent first.
    pub members: Vec<(String, u64)>,
    /// The number of distinct terms.
    pub different_members: usize,
    /// Opinions about its aspects, by the sentiment of the aspects, the most frequent first.
    pub opinions: Vec<(Sentiment, Vec<(String, u64)>)>,
    /// Its aspects over time, one point for each of [`Trend::points`].
    pub trend: Vec<TrendPoint>,
    /// Example sentences.
    pub examples: Vec<Example>,
}

/// Aspects over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// How many dates could be parsed.
    pub dates: DateCounts,
    /// The date of the first and of the last review.
    pub range: (Date, Date),
    /// The period of a point.
    pub step: Step,
    /// The points from the first to the last date, including empty periods.
    pub points: Vec<TrendPoint>,
}

/// Aspects in one period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrendPoint {
    /// The first day of the period.
    pub start: Date,
    /// The aspects of its reviews.
    pub aspects: Tally,
}

impl Report {
    /// Makes a report. `source` is opened and read twice.
    ///
    /// # Errors
    /// If the input cannot be read, has no analysed reviews, or has no dates in the date column.
    pub fn make(source: &OpenReviews<'_>, settings: &ReportSettings) -> Result<Self, ReportError> {
        let mut survey = Survey::default();
        let min_confidence = settings.min_confidence;
        review::each(source, min_confidence, |line| match line {
            Ok(review) => survey.take(&review, settings.dates.as_ref()),
            Err(bad) => survey.skip(bad),
        })?;
        let Survey {
            mut totals,
            groups,
            mut dates,
            unread,
            days,
            columns,
        } = survey;
        dates.unread = unread.finish();
        totals.groups = groups.len() as u64;

        let step = match (
            &settings.dates,
            days.first_key_value(),
            days.last_key_value(),
        ) {
            (None, ..) => None,
            (Some(column), Some((&first, _)), Some((&last, _))) => {
                Some((column, (first, last), Step::between(first, last)))
            }
            (Some(column), ..) => {
                let column = column.name.clone();
                return Err(if dates.unreadable > 0 {
                    let unread = dates.unread;
                    ReportError::UnreadableDates { column, unread }
                } else {
                    ReportError::NoDates {
                        column,
                        known: listed(columns),
                    }
                });
            }
        };
        let trend = step.map(|(_, range, step)| Trend {
            dates,
            range,
            step,
            points: points(step, &days),
        });

        let (shown, unshown) = largest(groups, settings);
        let names = shown
            .iter()
            .map(|(name, _)| (name.clone(), Detail::default()));
        let mut details = Details {
            groups: names.collect(),
            dates: step.map(|(column, _, step)| (column, step)),
        };
        review::each(source, min_confidence, |line| {
            line.iter().for_each(|review| details.take(review))
        })?;
        let axis: Vec<Date> = trend
            .iter()
            .flat_map(|trend| &trend.points)
            .map(|point| point.start)
            .collect();
        let with_detail = |(name, count): (String, GroupCount)| {
            let detail = details.groups.remove(&name).unwrap_or_default();
            detailed(name, count, detail, &axis)
        };
        Ok(Self {
            title: settings.title.clone(),
            totals,
            groups: shown.into_iter().map(with_detail).collect(),
            unshown,
            trend,
        })
    }
}

/// The groups to show, the largest first, and the aspects of the others.
fn largest(
    groups: HashMap<String, GroupCount>,
    settings: &ReportSettings,
) -> (Vec<(String, GroupCount)>, Tally) {
    let mut shown: Vec<(String, GroupCount)> = groups.into_iter().collect();
    shown.sort_by(|a, b| {
        let size = |group: &(String, GroupCount)| group.1.aspects.total();
        size(b).cmp(&size(a)).then_with(|| a.0.cmp(&b.0))
    });
    let enough = shown.partition_point(|(_, count)| count.aspects.total() >= settings.min_count);
    let mut unshown = Tally::default();
    for (_, count) in shown.drain(enough.min(settings.top)..) {
        unshown.merge(count.aspects);
    }
    (shown, unshown)
}

fn detailed(name: String, count: GroupCount, mut detail: Detail, axis: &[Date]) -> Group {
    let opinions =
        Tally::ORDER.map(|polarity| (polarity, detail.take_opinions(polarity).top(LISTED).0));
    let (members, different_members) = detail.members.top(LISTED);
    let point = |&start: &Date| TrendPoint {
        start,
        aspects: detail.trend.get(&start).copied().unwrap_or_default(),
    };
    Group {
        name,
        aspects: count.aspects,
        reviews: count.reviews,
        members,
        different_members,
        opinions: opinions
            .into_iter()
            .filter(|(_, said)| !said.is_empty())
            .collect(),
        trend: axis.iter().map(point).collect(),
        examples: detail.examples.choose(count.aspects),
    }
}

/// The periods from the first to the last day, including empty ones.
fn points(step: Step, days: &BTreeMap<Date, Tally>) -> Vec<TrendPoint> {
    let mut points: Vec<TrendPoint> = Vec::new();
    for (&day, &aspects) in days {
        let start = step.start(day);
        let mut next = points.last().map_or(start, |last| step.next(last.start));
        while next <= start && points.last().is_none_or(|last| last.start < start) {
            points.push(TrendPoint {
                start: next,
                aspects: Tally::default(),
            });
            next = step.next(next);
        }
        if let Some(last) = points.last_mut() {
            last.aspects.merge(aspects);
        }
    }
    points
}

fn listed(columns: impl IntoIterator<Item = String>) -> String {
    let quoted: Vec<String> = columns
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect();
    if quoted.is_empty() {
        "none".to_owned()
    } else {
        quoted.join(", ")
    }
}
