//! Errors that end a job. A bad row does not: see [`crate::RowError`].

use std::io;
use std::path::{Path, PathBuf};

use imn_io::encoding::StartError;

use crate::journal::JournalError;
use crate::read::alike;

/// Why a source cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// An I/O error, or a damaged compressed file.
    #[error("{source_name}: {error}")]
    Io {
        /// The name of the source.
        source_name: String,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// The source starts with a byte-order mark of UTF-16.
    #[error("{source_name}: {}", StartError::Utf16)]
    Utf16 {
        /// The name of the source.
        source_name: String,
    },
    /// A line of stored records is not a record.
    #[error("{source_name}:{line}: {reason}")]
    Record {
        /// The name of the source.
        source_name: String,
        /// The line number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The header row cannot be read.
    #[error("{source_name}: cannot read the header row: {reason}")]
    Header {
        /// The name of the source.
        source_name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The header of a CSV file is a single column with tabs.
    #[error(
        "{source_name}:{line}: the header has tabs and no commas: read tab-separated columns with \
         --from tsv (over HTTP, format=tsv); a single column needs --column"
    )]
    TabsInHeader {
        /// The name of the source.
        source_name: String,
        /// The line of the header, from 1.
        line: u64,
    },
    /// The header of a CSV file is a single column with vertical bars.
    #[error(
        "{source_name}:{line}: the header has `|` and no commas: convert the file to CSV or TSV \
         first (tr '|' '\\t' makes TSV if no field is quoted); a single column needs --column"
    )]
    PipesInHeader {
        /// The name of the source.
        source_name: String,
        /// The line of the header, from 1.
        line: u64,
    },
    /// The first line of a CSV file declares a separator with which it cannot be read.
    #[error(
        "{source_name}:1: the line `sep={separator}` says that `{separator}` separates the \
         columns; only commas, semicolons and tabs can: convert the file to one of them first"
    )]
    Separator {
        /// The name of the source.
        source_name: String,
        /// The separator.
        separator: char,
    },
    /// The text column is missing, or none of the columns has a usual name.
    #[error("{source_name}: {} (columns: {})",
        match asked {
            Some(asked) => format!("no column `{asked}`{}", suggestion(asked, columns)),
            None => "cannot tell which column has the text".to_owned(),
        },
        quoted(columns))]
    NoTextColumn {
        /// The name of the source.
        source_name: String,
        /// The requested column.
        asked: Option<String>,
        /// The columns of the source.
        columns: Vec<String>,
        /// Where the text probably is.
        guess: Option<TextGuess>,
    },
    /// The id column is missing.
    #[error(
        "{source_name}: no id column `{asked}`{} (columns: {})",
        suggestion(asked, columns),
        quoted(columns)
    )]
    NoIdColumn {
        /// The name of the source.
        source_name: String,
        /// The requested column.
        asked: String,
        /// The columns of the source.
        columns: Vec<String>,
    },
    /// A JSON array instead of JSONL.
    #[error(
        "{source_name}:{line}: JSON arrays are not read; convert the file to JSONL with \
         `jq -c '.[]' FILE > lines.jsonl`"
    )]
    JsonArray {
        /// The name of the source.
        source_name: String,
        /// The line on which it starts, from 1.
        line: u64,
    },
    /// Not a Parquet file, or a damaged one.
    #[error("{source_name}: cannot be read as Parquet: {reason}")]
    Parquet {
        /// The name of the source.
        source_name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Arrow data that cannot be analysed.
    #[error("Arrow data: {reason}")]
    Arrow {
        /// What is wrong with it.
        reason: String,
    },
    /// A Parquet file, but the program was built without Parquet.
    #[error(
        "{source_name}: this program was built without Parquet (cargo feature `parquet`); convert \
         the file to CSV or JSONL"
    )]
    NoParquet {
        /// The name of the source.
        source_name: String,
    },
    /// Reading Parquet starts at the end of the file, so a stream cannot be read.
    #[error("{source_name}: Parquet can only be read from a file")]
    ParquetStream {
        /// The name of the source.
        source_name: String,
    },
}

/// Where the text of a source probably is that has no text column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextGuess {
    /// At a path in nested JSON.
    Path(String),
    /// In the first row already: it looks like a review, so the table may have no header.
    FirstRow,
}

/// Names of columns for a message. A name may contain a comma.
fn quoted(columns: &[String]) -> String {
    if columns.is_empty() {
        return "none".to_owned();
    }
    let columns: Vec<String> = columns.iter().map(|name| format!("`{name}`")).collect();
    columns.join(", ")
}

/// The column that a user probably meant.
fn suggestion(asked: &str, columns: &[String]) -> String {
    let meant = alike(asked, columns);
    meant.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

impl InputError {
    pub(crate) fn io(source_name: &str) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io {
            source_name: source_name.to_owned(),
            error,
        }
    }

    pub(crate) fn start(source_name: &str) -> impl Fn(StartError) -> Self {
        move |error| match error {
            StartError::Io(error) => Self::io(source_name)(error),
            StartError::Utf16 => Self::Utf16 {
                source_name: source_name.to_owned(),
            },
        }
    }
}

/// Why a job failed.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// A source cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The output cannot be written.
    #[error("writing {}: {error}", path.display())]
    Output {
        /// The output.
        path: PathBuf,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// Standard output cannot be written.
    #[error("standard output: {0}")]
    Stream(#[source] io::Error),
    /// The Parquet writer failed.
    #[error("writing {}: {reason}", path.display())]
    Parquet {
        /// The output.
        path: PathBuf,
        /// What the writer reported.
        reason: String,
    },
    /// Parquet output, but the program was built without Parquet.
    #[error(
        "writing {}: this program was built without Parquet (cargo feature `parquet`); use another \
         output format", path.display()
    )]
    NoParquet {
        /// The output.
        path: PathBuf,
    },
    /// The job would overwrite its output or its errors file.
    #[error("{} exists; use --force to overwrite it{}", path.display(),
        if *resumable { ", or --resume to continue its job" } else { "" })]
    Exists {
        /// The file.
        path: PathBuf,
        /// Whether the output belongs to a stopped job, which can be resumed.
        resumable: bool,
    },
    /// The folder of the output or of the errors file does not exist.
    #[error("{}: the folder {} does not exist", path.display(), folder.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// The output or the errors file is one of the inputs.
    #[error("{} is an input; write to another file", path.display())]
    IsInput {
        /// The file.
        path: PathBuf,
    },
    /// The errors file and the output are the same file.
    #[error("{} and {} are the same file; write the errors to another file",
        errors.display(), output.display())]
    ErrorsToOutput {
        /// The output.
        output: PathBuf,
        /// The errors file.
        errors: PathBuf,
    },
    /// `--resume` with a job that keeps no journal.
    #[error("only jobs that read files and write JSONL, CSV or Parquet to a file can be resumed")]
    NotResumable,
    /// The journal does not fit, or cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A stage ended without reporting an error, for instance by a panic.
    #[error("the {0} thread stopped unexpectedly")]
    Thread(&'static str),
}

impl BatchError {
    pub(crate) fn output(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Output {
            path: path.to_owned(),
            error,
        }
    }
}
