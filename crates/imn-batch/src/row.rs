//! One row of the input, and why a row is rejected.

use imn::analyze::{AnalyzedReview, InputColumns, RawJson};
use imn_io::delimited::Dialect;
use imn_io::encoding::NotUtf8;

/// The location of a row in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The index of the source, from 0.
    pub source: usize,
    /// The row number, from 1: the line of a text or JSONL file, or the record of a table, not
    /// counting the header.
    pub row: u64,
    /// The line on which the row starts, in formats that have lines.
    pub line: Option<u64>,
}

/// A review with its id and its other columns.
#[derive(Debug, Clone)]
pub struct Row {
    /// The location in the input.
    pub place: Place,
    /// The text of the review.
    pub text: String,
    /// The id, if the source has an id column.
    pub id: Option<RawJson>,
    /// The other columns, in order.
    pub columns: InputColumns,
}

impl Row {
    /// A row that has only a text.
    #[must_use]
    pub fn of_text(place: Place, text: String) -> Self {
        Self {
            place,
            text,
            id: None,
            columns: InputColumns::default(),
        }
    }

    /// The size of the row in bytes, which bounds chunks and rows.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let size = |(name, value): (&str, &RawJson)| name.len() + value.get().len();
        self.text.len() + self.columns.iter().map(size).sum::<usize>()
    }

    /// The output record of this row; `found` is the analysis of its text.
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

/// A rejected row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    /// The location in the input.
    pub place: Place,
    /// Why it is rejected.
    pub reason: Reason,
}

impl From<NotUtf8> for Reason {
    fn from(NotUtf8 { at }: NotUtf8) -> Self {
        Self::Encoding { at }
    }
}

/// What to do about a row with too many or too few fields.
fn fix_of_fields(too_many: bool, dialect: Dialect) -> &'static str {
    match (too_many, dialect) {
        (true, Dialect::Csv) => "put a text with commas in double quotes",
        (true, Dialect::Semicolons) => "put a text with semicolons in double quotes",
        (true, Dialect::Tsv) => "a text in TSV cannot contain tabs",
        (false, Dialect::Csv | Dialect::Semicolons) => {
            "put a text with line breaks in double quotes"
        }
        (false, Dialect::Tsv) => "a text in TSV cannot contain line breaks",
    }
}

/// Why a row is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The row is not UTF-8.
    #[error(
        "not UTF-8: byte {at} of the row; if the file has another encoding, convert it first \
         (iconv -f WINDOWS-1252 -t UTF-8)"
    )]
    Encoding {
        /// The position of the first bad byte, from 1.
        at: usize,
    },
    /// The row is too long.
    #[error("longer than {limit} bytes, the limit for a row")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// A quoted field runs to the end of the file.
    #[error("a quotation mark is never closed, so the rest of the file belongs to this row")]
    OpenQuote,
    /// The number of fields differs from that of the header.
    #[error(
        "{found} field{}, but the header has {expected}; {}",
        if *found == 1 { "" } else { "s" },
        fix_of_fields(*found > *expected, *dialect)
    )]
    Fields {
        /// Fields in the header.
        expected: usize,
        /// Fields in the row.
        found: usize,
        /// How the fields are separated.
        dialect: Dialect,
    },
    /// The line is not a JSON object.
    #[error("not a JSON object: {0}")]
    Json(String),
    /// The JSON is nested too deeply.
    #[error("JSON nested deeper than {limit} levels")]
    Nested {
        /// The limit.
        limit: usize,
    },
    /// The object has no text.
    #[error("no `{column}`")]
    NoText {
        /// The text column.
        column: String,
    },
    /// The path to the text ends early.
    #[error("no `{column}`: `{reached}` is {found}")]
    NoPath {
        /// The path.
        column: String,
        /// How far it leads.
        reached: String,
        /// What is there.
        found: String,
    },
    /// The text column holds an object.
    #[error(
        "`{column}` is an object, not a string; name the text column by a path, such as {path}"
    )]
    ObjectAsText {
        /// The text column.
        column: String,
        /// The path of a string in the object.
        path: String,
    },
    /// The text column holds a value that is not a string.
    #[error("`{column}` is {found}, not a string")]
    NotText {
        /// The text column.
        column: String,
        /// The kind of the value.
        found: &'static str,
    },
}
