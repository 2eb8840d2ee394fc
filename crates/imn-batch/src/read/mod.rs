//! Rows out of texts, text files, tables and JSONL, one at a time.
//!
//! A row that cannot be read is a [`RowError`] and the next one follows; only what makes all following rows unreadable (a damaged archive, a table
//! without the column) is an [`InputError`]. No reader ever holds more than one row of the largest size that is allowed, and a buffer.

mod column;
mod delimited;
mod jsonl;
mod object;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod source;
mod texts;

#[cfg(test)]
mod tests;

pub use source::{Input, InputFormat, InputSource};

use crate::columns::TableHeader;
use crate::{InputError, Row, RowError};

/// What readers must know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadSettings {
    /// The column (or key) with the text; found by its name where not said.
    pub column: Option<String>,
    /// The column (or key) with ids; `id` where there is one and nothing is said.
    pub id: Option<String>,
    /// Bytes that a row may have, all columns together.
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

/// A row, or why there is none.
pub type Item = Result<Row, RowError>;

/// The rows of one source, in order.
pub trait RowReader: Send {
    /// What columns there are besides the text, where the source says so at its beginning.
    fn header(&self) -> Option<TableHeader>;

    /// The next row; `None` at the end.
    ///
    /// # Errors
    /// If nothing more can be read.
    fn next_row(&mut self) -> Result<Option<Item>, InputError>;

    /// Bytes of the file that have been read, packed as they are.
    fn bytes_read(&self) -> u64;
}
