//! What can be wrong with a file of word vectors.

use std::io;
use std::path::PathBuf;

/// What is wrong with a file of word vectors, and where. Lines and rows are numbered from 1.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds no vector.
    #[error("{}: no word vectors in it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The first row has no numbers behind its word.
    #[error("{}:{line}: no numbers after the word: not a file of word vectors", path.display())]
    NotVectors {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u64,
    },
    /// The file claims vectors that nobody makes: memory is taken by this number.
    #[error(
        "{}:1: vectors of {dimensions} dimensions: more than {most} are not read; is the first line a header?",
        path.display()
    )]
    TooWide {
        /// The file.
        path: PathBuf,
        /// What it claims.
        dimensions: usize,
        /// The most that is read.
        most: usize,
    },
    /// A row has another number of values than the header or the first row says.
    #[error(
        "{}:{line}: {found} values for a vector of {expected}: \
         remove the line, or cut the file before it if the rest is missing",
        path.display()
    )]
    Columns {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u64,
        /// Values a row.
        expected: usize,
        /// Values of this row.
        found: usize,
    },
    /// A value is no finite number.
    #[error("{}:{line}: value {column} is {text:?}, not a finite number", path.display())]
    Number {
        /// The file.
        path: PathBuf,
        /// The line, or the row of a binary file.
        line: u64,
        /// Which value, from 1.
        column: usize,
        /// What stands there.
        text: String,
    },
    /// A line or word is longer than any row can be.
    #[error("{}:{line}: longer than {limit} bytes: not a file of word vectors", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The line, or the row of a binary file.
        line: u64,
        /// The longest that is read.
        limit: usize,
    },
    /// A binary file ends before the number of rows in its header.
    #[error(
        "{}: ends in row {row} of {rows}: the file is cut off, fetch it again",
        path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The row that is not complete.
        row: u64,
        /// The rows that the header promises.
        rows: u64,
    },
    /// Two sources have one name.
    #[error("two vector files are named {name:?}: name them apart (name=file)")]
    SameName {
        /// The name.
        name: String,
    },
}
