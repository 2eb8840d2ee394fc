//! Why there is no report.

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The input cannot be opened or read on.
    #[error("line {line}: cannot be read on (is it damaged or cut off?): {error}")]
    Io {
        /// The line that was being read.
        line: u64,
        /// Why.
        error: std::io::Error,
    },
    /// None of the lines is an analysed review.
    #[error(
        "line {line} is not an analysed review: {reason}. Make the file with `imn analyze REVIEWS --out analysed.jsonl`"
    )]
    NotAnalysed {
        /// The first line that is none.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// There are no lines.
    #[error("no reviews in it. Make the file with `imn analyze REVIEWS --out analysed.jsonl`")]
    Empty,
    /// No review has the column of dates.
    #[error("no review has a column `{column}` for the dates; there is {known}")]
    NoDates {
        /// The column that was asked for.
        column: String,
        /// The columns of the first reviews.
        known: String,
    },
    /// No date of the column can be read.
    #[error(
        "no date of column `{column}` can be read, such as `{example}`; say its form with --date-format, for instance %m/%d/%Y"
    )]
    UnreadableDates {
        /// The column.
        column: String,
        /// The first date that cannot be read.
        example: String,
    },
    /// The form of dates has no day, month and year, or is none.
    #[error("`{form}` is not a form of dates: it needs a year, a month and a day, as in %Y-%m-%d")]
    DateForm {
        /// The form.
        form: String,
    },
}
