//! Document sets: whole reviews with one label, as TSV or CSV.
//!
//! Rows are read one at a time, so a file may have any size. The label is `pos`, `neg`, `neu` (or
//! spelt out), or a number of stars from 1 to 5: up to 2 is negative, from 4 positive, and between
//! them neutral.
//!
//! If the first row has column names (`label`, `sentiment`, `stars`, `rating`, ... and `text`,
//! `review`, ...), they are used. Otherwise there must be two columns, and the label is the column
//! that parses as one; in TSV with the label first, further tabs belong to the text. TSV has no
//! quoting. CSV has quoting, and its fields may contain line breaks.

mod label;
mod layout;
mod read;
mod write;

use std::path::Path;

use serde::Serialize;

pub use label::parse_label;
pub use read::{Documents, read_documents};
pub use write::{without_losses, write_documents};

use super::{DataError, Place, Problem, ProblemKind, Sentiment};

/// A labelled document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Sentiment of the document.
    pub label: Sentiment,
    /// The raw text.
    pub text: String,
    /// Number of its first line.
    pub line: usize,
    /// The label as written in the file: a name, or stars.
    pub raw_label: String,
    /// Number of columns other than label and text, which are not read.
    pub other_columns: usize,
}

/// A format of document sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentFormat {
    /// Columns separated by tabs, one document per line, no quoting.
    Tsv,
    /// Columns separated by commas, quoting as in RFC 4180.
    Csv,
}

impl DocumentFormat {
    /// The format of a path, from its extension (before `.gz` or `.zst`).
    ///
    /// ```
    /// use imn::data::DocumentFormat;
    ///
    /// assert_eq!(DocumentFormat::of_path("a.csv.gz".as_ref()), Some(DocumentFormat::Csv));
    /// assert_eq!(DocumentFormat::of_path("a.jsonl".as_ref()), None);
    /// ```
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        match imn_io::extension(path).as_deref() {
            Some("tsv") => Some(Self::Tsv),
            Some("csv") => Some(Self::Csv),
            _ => None,
        }
    }
}

fn refusal(place: Place, message: String, fix: &str) -> DataError {
    DataError::Content(Problem::new(place, ProblemKind::Malformed, message, fix))
}
