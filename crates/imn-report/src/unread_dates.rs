//! Dates that cannot be parsed: which format would parse them, and which days do not exist.
//!
//! `03/01/2024` may be in January or in March, but `15/04/2024` has only one reading, so the other
//! dates of the column are read in its order. The format that parses most values is suggested, with
//! a value that only this format parses as the example.

use imn::text::shorten;

use crate::DateFormat;
use crate::dates::{in_format, is_missing_day};

/// Most characters of an example.
const LONGEST: usize = 40;

/// The values of a date column that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnreadDates {
    /// Values in an unknown format.
    pub unknown: u64,
    /// One of them, if possible one that decides between day first and month first.
    pub example: Option<String>,
    /// The formats that parse most of them: one, or several that parse equally many.
    pub formats: Vec<String>,
    /// How many of them each of these formats parses.
    pub parsed: u64,
    /// Days that do not exist, such as 2024-02-30.
    pub missing_days: u64,
    /// The first of them.
    pub missing_day: Option<String>,
}

impl UnreadDates {
    /// What to do about the values in an unknown format.
    #[must_use]
    pub fn advice(&self) -> String {
        match &self.formats[..] {
            [] => {
                "give their format with --date-format, such as %d.%m.%Y for 31.12.2024".to_owned()
            }
            [format] if self.parsed == self.unknown => {
                format!("use --date-format {}", in_quotes(format))
            }
            [format] => format!(
                "--date-format {} parses {} of {}",
                in_quotes(format),
                self.parsed,
                self.unknown
            ),
            several => {
                let named: Vec<String> = several
                    .iter()
                    .map(|format| format!("{} ({} first)", in_quotes(format), first_part(format)))
                    .collect();
                format!("use --date-format with {}", named.join(" or "))
            }
        }
    }
}

/// A format as an argument in a shell.
fn in_quotes(format: &str) -> String {
    match format.contains(' ') {
        true => format!("\"{format}\""),
        false => format.to_owned(),
    }
}

fn first_part(format: &str) -> &'static str {
    match format.as_bytes() {
        [b'%', b'd', ..] => "day",
        [b'%', b'm', ..] => "month",
        _ => "year",
    }
}

/// Collects the values that cannot be parsed.
#[derive(Debug, Default)]
pub(crate) struct UnreadTally {
    dates: UnreadDates,
    candidates: Vec<Candidate>,
}

#[derive(Debug)]
struct Candidate {
    format: String,
    parsed: u64,
    /// A value that it parses, and whether no other candidate does.
    example: Option<(String, bool)>,
}

impl UnreadTally {
    /// Adds a value that cannot be parsed in `format`.
    pub(crate) fn add(&mut self, text: &str, format: &DateFormat) {
        let text = text.trim();
        if self.candidates.is_empty() {
            self.candidates = candidates();
        }
        let possible = |candidate: &Candidate| {
            // Skips most of them fast.
            let has_time = candidate.format.contains(':');
            let separator = candidate.format.chars().nth(2).unwrap_or('/');
            text.contains(separator) && text.contains(':') == has_time
        };
        let mut fitting = Vec::new();
        let mut is_missing = format.is_missing_day(text);
        for (i, candidate) in self.candidates.iter().enumerate() {
            if possible(candidate) {
                if in_format(&candidate.format, text).is_some() {
                    fitting.push(i);
                }
                is_missing |= is_missing_day(&candidate.format, text);
            }
        }
        if fitting.is_empty() && is_missing {
            self.dates.missing_days += 1;
            let example = || shorten(text.to_owned(), LONGEST);
            self.dates.missing_day.get_or_insert_with(example);
            return;
        }
        self.dates.unknown += 1;
        let example = shorten(text.to_owned(), LONGEST);
        let decides = fitting.len() == 1;
        for i in fitting {
            let candidate = &mut self.candidates[i];
            candidate.parsed += 1;
            if candidate
                .example
                .as_ref()
                .is_none_or(|(_, decided)| decides && !decided)
            {
                candidate.example = Some((example.clone(), decides));
            }
        }
        self.dates.example.get_or_insert(example);
    }

    pub(crate) fn finish(mut self) -> UnreadDates {
        let most = self
            .candidates
            .iter()
            .map(|candidate| candidate.parsed)
            .max();
        let Some(most) = most.filter(|&most| most > 0) else {
            return self.dates;
        };
        self.candidates.retain(|candidate| candidate.parsed == most);
        let examples = self.candidates.iter().filter_map(|it| it.example.clone());
        self.dates.example = examples.max_by_key(|(_, decides)| *decides).map(|it| it.0);
        self.dates.formats = self.candidates.into_iter().map(|it| it.format).collect();
        self.dates.parsed = most;
        self.dates
    }
}

/// Formats of numbers whose order is not known. Those with the year first and the month second are
/// read anyway, unless the user requests the other order.
fn candidates() -> Vec<Candidate> {
    let mut all = Vec::new();
    for separator in ['/', '.', '-'] {
        for time in ["", " %H:%M", " %H:%M:%S"] {
            for (a, b, c) in [
                ("%d", "%m", "%Y"),
                ("%m", "%d", "%Y"),
                ("%d", "%m", "%y"),
                ("%m", "%d", "%y"),
                ("%Y", "%d", "%m"),
                ("%Y", "%m", "%d"),
            ] {
                all.push(Candidate {
                    format: format!("{a}{separator}{b}{separator}{c}{time}"),
                    parsed: 0,
                    example: None,
                });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str], format: &DateFormat) -> UnreadDates {
        let mut tally = UnreadTally::default();
        for text in texts {
            assert_eq!(format.parse(text), None, "{text}");
            tally.add(text, format);
        }
        tally.finish()
    }

    #[test]
    fn the_format_that_parses_most_is_suggested() {
        for (texts, format, parsed, example) in [
            (
                &["03/01/2024", "15/04/2024"][..],
                "%d/%m/%Y",
                2,
                "15/04/2024",
            ),
            (
                &["03/01/2024", "04/15/2024", "x"],
                "%m/%d/%Y",
                2,
                "04/15/2024",
            ),
            (&["01.02.24", "31.12.23"], "%d.%m.%y", 2, "31.12.23"),
            (
                &["1-2-2024 10:00", "2-13-2024 23:59"],
                "%m-%d-%Y %H:%M",
                2,
                "2-13-2024 23:59",
            ),
            (&["2024-13-01"], "%Y-%d-%m", 1, "2024-13-01"),
            (
                &["15/04/2024", "16/04/2024", "04/17/2024"],
                "%d/%m/%Y",
                2,
                "15/04/2024",
            ),
        ] {
            let found = of(texts, &DateFormat::Common);
            assert_eq!(found.formats, [format], "{texts:?}");
            assert_eq!(found.parsed, parsed, "{texts:?}");
            assert_eq!(found.example.as_deref(), Some(example), "{texts:?}");
            assert!(found.advice().contains(format), "{}", found.advice());
        }
    }

    #[test]
    fn no_order_is_guessed() {
        let found = of(&["03/01/2024", "04/02/2024"], &DateFormat::Common);
        assert_eq!(
            found.advice(),
            "use --date-format with %d/%m/%Y (day first) or %m/%d/%Y (month first)"
        );
        let found = of(&["yesterday"], &DateFormat::Common);
        assert_eq!(found.example.as_deref(), Some("yesterday"));
        assert!(found.advice().starts_with("give their format"));
        let found = of(&["15/04/2024", "soon"], &DateFormat::Common);
        assert_eq!(found.advice(), "--date-format %d/%m/%Y parses 1 of 2");
    }

    #[test]
    fn the_wrong_order_is_noticed() {
        let month_first = DateFormat::strptime("%m/%d/%Y").unwrap();
        let found = of(&["15/04/2024"], &month_first);
        assert_eq!(found.formats, ["%d/%m/%Y"]);
        let year_day_month = DateFormat::strptime("%Y-%d-%m").unwrap();
        let found = of(&["2024-03-13"], &year_day_month);
        assert_eq!(found.formats, ["%Y-%m-%d"]);
    }

    #[test]
    fn days_that_do_not_exist_are_told_apart() {
        let day_first = DateFormat::strptime("%d/%m/%Y").unwrap();
        for (texts, format) in [
            (&["2024-02-30", "x"][..], &DateFormat::Common),
            (&["20240230", "x"], &DateFormat::Common),
            (&["31/06/2024", "x"], &DateFormat::Common),
            (&["30/02/2024", "x"], &day_first),
            (&["2024-02-30", "x"], &day_first),
            (&["30 February 2024", "x"], &DateFormat::Common),
        ] {
            let found = of(texts, format);
            assert_eq!((found.missing_days, found.unknown), (1, 1), "{texts:?}");
            assert_eq!(found.missing_day.as_deref(), Some(texts[0]));
            assert_eq!(found.example.as_deref(), Some("x"));
        }
    }
}
