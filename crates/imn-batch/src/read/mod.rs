//! Readers of texts, text files, tables and JSONL, row by row.
//!
//! A bad row is a [`RowError`], and reading continues with the next row. Only what makes all
//! further rows unreadable (a damaged archive, a table without a text column) is an [`InputError`].
//! A reader holds at most one row of the maximum size and a buffer.

mod column;
mod column_note;
mod delimited;
mod jsonl;
mod looks_like;
mod object;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod path;
mod separators;
mod source;
mod texts;

#[cfg(test)]
mod tests;

pub(crate) use column::alike;
#[cfg(feature = "parquet")]
pub(crate) use column::{Chosen, choose};
pub use column_note::ColumnNote;
pub use looks_like::{LooksLike, looks_like};
pub use source::{Input, InputFormat, InputSource};

use crate::columns::TableHeader;
use crate::{InputError, Row, RowError};

/// How inputs are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadSettings {
    /// The column of the text, or the key or path of keys (`review.body`). Default: the first usual
    /// name, such as `text` or `review`.
    pub column: Option<String>,
    /// The same for the ids. Default: `id`, if there is such a column.
    pub id: Option<String>,
    /// The maximum size of a row in bytes, all columns together.
    pub max_bytes: usize,
}

impl Default for ReadSettings {
    fn default() -> Self {
        Self {
            column: None,
            id: None,
            max_bytes: 1 << 20,
        }
    }
}

/// A row, or why it is rejected.
pub type Item = Result<Row, RowError>;

/// Reads the rows of one source in order.
pub trait RowReader: Send {
    /// The columns other than the text, if the source has a header or a schema.
    fn header(&self) -> Option<TableHeader>;

    /// A remark on the text column, if it was not requested. It is known from the start.
    fn note(&self) -> Option<&ColumnNote> {
        None
    }

    /// The next row; `None` at the end.
    ///
    /// # Errors
    /// If the rest of the source cannot be read.
    fn next_row(&mut self) -> Result<Option<Item>, InputError>;

    /// How many bytes of the (compressed) source have been read.
    fn bytes_read(&self) -> u64;
}
