//! Errors of reading word vectors.

use std::io;
use std::path::PathBuf;

/// Why a file of word vectors cannot be read, and where. Lines and rows are numbered from 1.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file has no vectors.
    #[error("{}: no word vectors in this file", path.display())]
    Empty {
        /// Path of the file.
        path: PathBuf,
    },
    /// The first row has no numbers after its word.
    #[error("{}:{line}: no numbers after the word: not a file of word vectors", path.display())]
    NotVectors {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line.
        line: u64,
    },
    /// The file states more dimensions than any real file has. Memory is allocated by this number.
    #[error(
        "{}:1: {dimensions} dimensions, but at most {most} are supported: \
         is the first line a header?",
        path.display()
    )]
    TooWide {
        /// Path of the file.
        path: PathBuf,
        /// The stated number.
        dimensions: usize,
        /// The largest number that is read.
        most: usize,
    },
    /// A row has a different number of values than the header or the first row.
    #[error(
        "{}:{line}: {found} values for a vector of {expected}: \
         remove the line, or cut the file before it if the rest is missing",
        path.display()
    )]
    Columns {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line.
        line: u64,
        /// Values per row.
        expected: usize,
        /// Values of this row.
        found: usize,
    },
    /// A value is not a finite number.
    #[error("{}:{line}: value {column} is {text:?}, not a finite number", path.display())]
    Number {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, or of the row of a binary file.
        line: u64,
        /// Number of the value in its row, from 1.
        column: usize,
        /// The text found instead.
        text: String,
    },
    /// A line or word is longer than any row can be.
    #[error("{}:{line}: longer than {limit} bytes: not a file of word vectors", path.display())]
    TooLong {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, or of the row of a binary file.
        line: u64,
        /// Most bytes that are read.
        limit: usize,
    },
    /// A binary file ends before the number of rows in its header.
    #[error(
        "{}: ends in row {row} of {rows}: the file is truncated, download it again",
        path.display()
    )]
    Truncated {
        /// Path of the file.
        path: PathBuf,
        /// The first incomplete row.
        row: u64,
        /// Number of rows according to the header.
        rows: u64,
    },
    /// Two sources have the same name.
    #[error("two vector files are named {name:?}: give each its own name (name=file)")]
    SameName {
        /// The name of both.
        name: String,
    },
}
