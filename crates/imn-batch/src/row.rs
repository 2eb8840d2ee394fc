//! One review on its way through.

use imn::analyze::{AnalyzedReview, InputColumns, RawJson};
use imn_io::encoding::NotUtf8;

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Which source, from 0.
    pub source: usize,
    /// Which row of it, from 1: the line of a text or JSONL file, the record after the header of a table.
    pub row: u64,
    /// The line that it begins on, where there are lines.
    pub line: Option<u64>,
}

/// A review and what came with it.
#[derive(Debug, Clone)]
pub struct Row {
    /// Where it stands.
    pub place: Place,
    /// The review.
    pub text: String,
    /// Its id, where the source has one.
    pub id: Option<RawJson>,
    /// The other columns in their order.
    pub columns: InputColumns,
}

impl Row {
    /// A review alone.
    #[must_use]
    pub fn of_text(place: Place, text: String) -> Self {
        Self {
            place,
            text,
            id: None,
            columns: InputColumns::default(),
        }
    }

    /// Bytes that it holds, for chunks of even size.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let columns = self.columns.iter();
        let columns: usize = columns
            .map(|(name, value)| name.len() + value.get().len())
            .sum();
        self.text.len() + columns
    }

    /// The record of this row; `found` is what was found in its text.
    pub(crate) fn into_record(self, file: Option<&str>, found: AnalyzedReview) -> AnalyzedReview {
        AnalyzedReview {
            file: file.map(str::to_owned),
            row: Some(self.place.row),
            id: self.id,
            text: self.text,
            columns: self.columns,
            ..found
        }
    }
}

/// A row that cannot be analysed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    /// Where it stands.
    pub place: Place,
    /// Why not.
    pub reason: Reason,
}

impl From<NotUtf8> for Reason {
    fn from(NotUtf8 { at }: NotUtf8) -> Self {
        Self::Encoding { at }
    }
}

/// Why a row cannot be analysed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Bytes that are no text.
    #[error("not UTF-8: byte {at} of the row")]
    Encoding {
        /// The first bad byte, from 1.
        at: usize,
    },
    /// Larger than a row may be.
    #[error("longer than {limit} bytes, the most that a row may have (--max-bytes)")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// A quoted field that goes on to the end of the file.
    #[error("a quotation mark is never closed, so the rest of the file belongs to this row")]
    OpenQuote,
    /// Another number of fields than the header has.
    #[error("{found} fields, the header has {expected}")]
    Fields {
        /// In the header.
        expected: usize,
        /// In the row.
        found: usize,
    },
    /// Not JSON, or not an object.
    #[error("not a JSON object: {0}")]
    Json(String),
    /// Objects in objects in objects.
    #[error("JSON nested deeper than {limit} levels")]
    Nested {
        /// The limit.
        limit: usize,
    },
    /// The text is not there.
    #[error("no `{column}`")]
    NoText {
        /// Where it was looked for.
        column: String,
    },
    /// The text is something else.
    #[error("`{column}` is {found}, not a text")]
    NotText {
        /// Where it was looked for.
        column: String,
        /// What is there.
        found: &'static str,
    },
}
