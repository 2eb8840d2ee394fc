//! Errors of reports.

use imn_io::encoding::StartError;

use crate::UnreadDates;

/// Examples of dates that cannot be parsed, and what to do about them.
fn details(unread: &UnreadDates) -> String {
    match (&unread.example, &unread.missing_day) {
        (Some(example), _) => format!(", such as `{example}`; {}", unread.advice()),
        (None, Some(day)) => format!(": there is no such day as `{day}`"),
        (None, None) => String::new(),
    }
}

/// Why a report cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The input cannot be opened or read.
    #[error("line {line}: cannot read further (is the file damaged or truncated?): {error}")]
    Io {
        /// The line that was being read.
        line: u64,
        /// The cause.
        error: std::io::Error,
    },
    /// The input is UTF-16.
    #[error("{}", StartError::Utf16)]
    Utf16,
    /// None of the lines is an analysed review.
    #[error(
        "line {line} is not an analysed review: {reason}. Create the file with `imn analyze \
         REVIEWS --out analysed.jsonl`"
    )]
    NotAnalysed {
        /// The first such line.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The file is empty.
    #[error("the file has no reviews. Create it with `imn analyze REVIEWS --out analysed.jsonl`")]
    Empty,
    /// No review has the date column.
    #[error("no review has a column `{column}`; columns: {known}")]
    NoDates {
        /// The requested column.
        column: String,
        /// The columns of the first reviews.
        known: String,
    },
    /// No date in the column can be parsed.
    #[error("no date in column `{column}` can be parsed{}", details(unread))]
    UnreadableDates {
        /// The column.
        column: String,
        /// Its values.
        unread: UnreadDates,
    },
    /// The date format is invalid or does not determine a day.
    #[error("`{format}` is not a date format: it needs a year, a month and a day, as in %Y-%m-%d")]
    DateFormat {
        /// The format.
        format: String,
    },
}
