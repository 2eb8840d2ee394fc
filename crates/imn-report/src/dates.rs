//! Dates of reviews, and the time periods of trends.

use jiff::civil::{Date, date};
use jiff::fmt::rfc2822;
use jiff::{Timestamp, ToSpan as _};

use crate::ReportError;

/// The column of the dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateColumn {
    /// The name of the column.
    pub name: String,
    /// The format of the dates.
    pub format: DateFormat,
}

/// A date format.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DateFormat {
    /// Any of the common unambiguous formats: `2024-03-01` with or without a time, `2024/03/01`,
    /// `20240301`, `2024-03`, `1 March 2024`, `Mar 1, 2024`, `Fri, 1 Mar 2024 10:00:00 +0000`.
    #[default]
    Common,
    /// A `strptime` format, such as `%m/%d/%Y`. Dates that do not match it are read as
    /// [`DateFormat::Common`]: one column may have dates in several formats. If the format is
    /// `%Y-%d-%m` or the like, this does not apply to dates that begin with a year, because
    /// `2024-03-13` would be read in another order than `2024-03-12`.
    Strptime(String),
}

/// The range of valid years. Anything else is a mistake in the data.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;

impl DateFormat {
    /// Checks a `strptime` format.
    ///
    /// # Errors
    /// If the format does not determine a year, a month and a day.
    pub fn strptime(format: &str) -> Result<Self, ReportError> {
        // The day cannot be mistaken for a month, and the hour is the same on a 12-hour clock.
        let day = date(2024, 11, 29);
        let written = jiff::fmt::strtime::format(format, Timestamp::constant(1_732_875_630, 0));
        match written {
            Ok(written) if in_format(format, &written) == Some(day) => {
                Ok(Self::Strptime(format.to_owned()))
            }
            _ => Err(ReportError::DateFormat {
                format: format.to_owned(),
            }),
        }
    }

    /// Parses a date.
    pub(crate) fn parse(&self, text: &str) -> Option<Date> {
        let text = text.trim();
        match self {
            // The format comes first: for `%Y-%d-%m`, 2024-03-01 is a day in January.
            Self::Strptime(format) => in_format(format, text).or_else(|| {
                let contradicts = contradicts(format, text);
                if contradicts { None } else { common(text) }
            }),
            Self::Common => common(text),
        }
    }

    /// Whether a text that is not a date is one of a day that does not exist, such as 2024-02-30.
    pub(crate) fn is_missing_day(&self, text: &str) -> bool {
        let text = text.trim();
        if let Self::Strptime(format) = self {
            if is_missing_day(format, text) {
                return true;
            }
            if contradicts(format, text) {
                return false;
            }
        }
        let day = date_part(text);
        SEPARATED.iter().any(|format| is_missing_day(format, day))
            || day.len() == 8 && is_missing_day("%Y%m%d", day)
            || NAMED.iter().any(|format| is_missing_day(format, text))
    }
}

/// Whether a text could be a common date, but one in another order than the format.
fn contradicts(format: &str, text: &str) -> bool {
    let begins_with_year = text.bytes().take(4).all(|byte| byte.is_ascii_digit());
    begins_with_year && is_year_day_month(format)
}

/// Whether a format that determines a day has the year first and the day before the month.
fn is_year_day_month(format: &str) -> bool {
    let written = jiff::fmt::strtime::format(format, date(2024, 11, 29)).unwrap_or_default();
    format.starts_with("%Y") && written.find("29") < written.find("11")
}

/// Parses a date in one format.
pub(crate) fn in_format(format: &str, text: &str) -> Option<Date> {
    Date::strptime(format, text).ok().filter(is_valid)
}

/// Whether a text matches a format, but its month does not have that day.
pub(crate) fn is_missing_day(format: &str, text: &str) -> bool {
    jiff::fmt::strtime::parse(format, text).is_ok_and(|parsed| parsed.to_date().is_err())
}

/// Parses a date in any of the common formats.
fn common(text: &str) -> Option<Date> {
    any_common(text).filter(is_valid)
}

fn is_valid(date: &Date) -> bool {
    YEARS.contains(&date.year())
}

/// Formats of numbers in the only common order with the year first.
const SEPARATED: [&str; 3] = ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d"];
/// Formats with the name of the month.
const NAMED: [&str; 7] = [
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%B %d %Y",
    "%b %d %Y",
    "%d-%b-%Y",
];

/// The date of a timestamp, which is taken as written, without converting its time zone.
fn date_part(text: &str) -> &str {
    text.split(['T', 't', ' ']).next().unwrap_or(text)
}

fn any_common(text: &str) -> Option<Date> {
    let day = date_part(text);
    if let Some(date) = SEPARATED
        .iter()
        .find_map(|format| Date::strptime(format, day).ok())
    {
        return Some(date);
    }
    if day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit()) {
        return Date::strptime("%Y%m%d", day).ok();
    }
    if day.len() == 7 {
        let month = ["%Y-%m-%d", "%Y/%m-%d"];
        let first = format!("{day}-01");
        return month
            .iter()
            .find_map(|format| Date::strptime(format, &first).ok());
    }
    NAMED
        .iter()
        .find_map(|format| Date::strptime(format, text).ok())
        .or_else(|| Some(rfc2822::parse(text).ok()?.date()))
}

/// The length of the time periods in a trend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A day.
    Day,
    /// A week, starting on Monday.
    Week,
    /// A month.
    Month,
    /// A year.
    Year,
}

impl Step {
    /// The period length that gives a readable number of points between two dates.
    pub(crate) fn between(first: Date, last: Date) -> Self {
        let days = first.until(last).map_or(0, |span| span.get_days());
        match days {
            ..=62 => Self::Day,
            63..=540 => Self::Week,
            541..=14_600 => Self::Month,
            _ => Self::Year,
        }
    }

    /// `day`, `week`, `month` or `year`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The first day of the period that contains a date.
    pub(crate) fn start(self, date: Date) -> Date {
        match self {
            Self::Day => date,
            Self::Week => {
                let after_monday = i64::from(date.weekday().to_monday_zero_offset());
                date.saturating_sub(after_monday.days())
            }
            Self::Month => date.first_of_month(),
            Self::Year => date.first_of_year(),
        }
    }

    /// The first day of the next period.
    pub(crate) fn next(self, start: Date) -> Date {
        match self {
            Self::Day => start.saturating_add(1.day()),
            Self::Week => start.saturating_add(1.week()),
            Self::Month => start.saturating_add(1.month()),
            Self::Year => start.saturating_add(1.year()),
        }
    }

    /// The label of the period that starts on this day.
    pub(crate) fn label(self, start: Date) -> String {
        match self {
            Self::Day | Self::Week => start.to_string(),
            Self::Month => start.strftime("%b %Y").to_string(),
            Self::Year => start.year().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_formats_are_read_and_ambiguous_ones_are_not() {
        let day = date(2024, 3, 1);
        for text in [
            "2024-03-01",
            " 2024-03-01T23:59:59+09:00",
            "2024-03-01 10:00",
            "2024-03-01T10:00:00.123Z",
            "2024/03/01",
            "2024.03.01",
            "20240301",
            "2024-03",
            "1 March 2024",
            "01 Mar 2024",
            "March 1, 2024",
            "Mar 1, 2024",
            "Fri, 1 Mar 2024 10:00:00 +0000",
            "01-Mar-2024",
        ] {
            assert_eq!(DateFormat::Common.parse(text), Some(day), "{text}");
        }
        for text in [
            "03/01/2024",
            "01.03.2024",
            "24-03-01",
            "2024-13-01",
            "2024-02-30",
            "0001-01-01",
            "",
            "yesterday",
            "1709251200",
            "９９",
        ] {
            assert_eq!(DateFormat::Common.parse(text), None, "{text}");
        }
    }

    #[test]
    fn formats_must_determine_a_day() {
        let format = DateFormat::strptime("%m/%d/%Y").unwrap();
        assert_eq!(format.parse("03/01/2024"), Some(date(2024, 3, 1)));
        let with_time = DateFormat::strptime("%d.%m.%Y %H:%M").unwrap();
        assert_eq!(with_time.parse("01.03.2024 10:30"), Some(date(2024, 3, 1)));
        for bad in ["", "%Y", "%m/%d", "date", "%Q"] {
            assert!(DateFormat::strptime(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn unambiguous_dates_need_no_format() {
        let day = date(2024, 3, 1);
        for (format, texts) in [
            (
                "%d/%m/%Y",
                &[
                    "01/03/2024",
                    "2024-03-01",
                    "2024-03-01T23:59:59+09:00",
                    "2024-03-01 10:00",
                    "20240301",
                    "1 March 2024",
                ][..],
            ),
            ("%m/%d/%Y", &["03/01/2024", "2024-03-01"]),
            // No year has a month 24.
            ("%d%m%Y", &["01032024", "20240301"]),
            ("%Y-%d-%m", &["2024-01-03", "1 March 2024"]),
        ] {
            let format = DateFormat::strptime(format).unwrap();
            for text in texts {
                assert_eq!(format.parse(text), Some(day), "{format:?} {text}");
            }
        }
        let format = DateFormat::strptime("%d/%m/%Y").unwrap();
        for text in [
            "03/13/2024",
            "01.03.2024",
            "01/03/24",
            "yesterday",
            "",
            "01/03/1024",
        ] {
            assert_eq!(format.parse(text), None, "{text}");
        }
        // Read as a date of the other order, half of a column would be wrong unnoticed.
        let format = DateFormat::strptime("%Y-%d-%m").unwrap();
        for text in ["2024-03-13", "2024/03/13", "20240313"] {
            assert_eq!(format.parse(text), None, "{text}");
        }
    }

    #[test]
    fn steps_fit_the_range() {
        let first = date(2024, 1, 31);
        for (last, step, start, next) in [
            (date(2024, 3, 1), Step::Day, first, date(2024, 2, 1)),
            (
                date(2024, 9, 1),
                Step::Week,
                date(2024, 1, 29),
                date(2024, 2, 5),
            ),
            (
                date(2027, 1, 1),
                Step::Month,
                date(2024, 1, 1),
                date(2024, 2, 1),
            ),
            (
                date(2199, 1, 1),
                Step::Year,
                date(2024, 1, 1),
                date(2025, 1, 1),
            ),
        ] {
            assert_eq!(Step::between(first, last), step);
            assert_eq!((step.start(first), step.next(start)), (start, next));
        }
    }
}
