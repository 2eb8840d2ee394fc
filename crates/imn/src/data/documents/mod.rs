//! Whole reviews with one label: TSV and CSV, read one at a time so that any size will do.
//!
//! The label is `pos`, `neg`, `neu` (or spelt out), or stars from 1 to 5: up to 2 is negative, from 4 on positive, between
//! them neutral. A first row with column names (`label`, `sentiment`, `stars`, `rating`, ... and `text`, `review`, ...) is
//! used; without one there are two columns, and the label is whichever reads as one (in TSV with the label first, further tabs
//! are the text's). TSV has no quoting (a quotation mark is a quotation mark); CSV has, and may hold line breaks.

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
    /// The label.
    pub label: Sentiment,
    /// The raw text.
    pub text: String,
    /// The line that it starts on.
    pub line: usize,
    /// The label as it stands in the file: a name, or stars.
    pub raw_label: String,
    /// Columns besides label and text, which are not read.
    pub other_columns: usize,
}

/// A format of document sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentFormat {
    /// Tabs between columns, a document a line, no quoting.
    Tsv,
    /// Commas between columns, quoting as in RFC 4180.
    Csv,
}

impl DocumentFormat {
    /// The format that a file's name says, if it says one.
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
