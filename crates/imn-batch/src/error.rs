//! What keeps a job from going on.

use std::io;
use std::path::{Path, PathBuf};

use crate::journal::JournalError;

/// Why a source cannot be read (on).
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The operating system refused, or a packed file is damaged.
    #[error("{source_name}: {error}")]
    Io {
        /// The source.
        source_name: String,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// Text in two bytes a character.
    #[error("{source_name}: this is UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)")]
    Utf16 {
        /// The source.
        source_name: String,
    },
    /// A first row that names no columns.
    #[error("{source_name}: the first row, which names the columns, cannot be read: {reason}")]
    Header {
        /// The source.
        source_name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No column holds the text.
    #[error("{source_name}: {} (--column names the one with the text); there are: {}",
        match asked {
            Some(asked) => format!("no column `{asked}`"),
            None => "cannot tell which column holds the text".to_owned(),
        },
        if columns.is_empty() { "none".to_owned() } else { columns.join(", ") })]
    NoTextColumn {
        /// The source.
        source_name: String,
        /// What was asked for.
        asked: Option<String>,
        /// What there is.
        columns: Vec<String>,
    },
    /// No column with ids.
    #[error("{source_name}: no column `{asked}` for ids; there are: {}", columns.join(", "))]
    NoIdColumn {
        /// The source.
        source_name: String,
        /// What was asked for.
        asked: String,
        /// What there is.
        columns: Vec<String>,
    },
    /// A Parquet file that is none, or is damaged.
    #[error("{source_name}: cannot be read as Parquet: {reason}")]
    Parquet {
        /// The source.
        source_name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A Parquet file, and a program without Parquet.
    #[error(
        "{source_name}: this program was built without Parquet (cargo feature `parquet`); convert \
         the file to CSV or JSONL"
    )]
    NoParquet {
        /// The source.
        source_name: String,
    },
    /// Parquet begins at its end, which a stream has not.
    #[error("{source_name}: Parquet can only be read from a file")]
    ParquetStream {
        /// The source.
        source_name: String,
    },
}

impl InputError {
    pub(crate) fn io(source_name: &str) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io {
            source_name: source_name.to_owned(),
            error,
        }
    }
}

/// Why a job cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// A source.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The output.
    #[error("writing {}: {error}", path.display())]
    Output {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// Standard output.
    #[error("standard output: {0}")]
    Stream(#[source] io::Error),
    /// Parquet refuses.
    #[error("writing {}: {reason}", path.display())]
    Parquet {
        /// Where.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Parquet is asked for, and the program has none.
    #[error(
        "writing {}: this program was built without Parquet (cargo feature `parquet`); use another \
         output format", path.display()
    )]
    NoParquet {
        /// Where.
        path: PathBuf,
    },
    /// What would be lost if the job began.
    #[error("{} exists; use --force to overwrite it{}", path.display(),
        if *resumable { ", or --resume to continue its job" } else { "" })]
    Exists {
        /// The output.
        path: PathBuf,
        /// Whether it is a job that was stopped.
        resumable: bool,
    },
    /// The output would destroy an input.
    #[error("{} is an input; name another file to write", path.display())]
    IsInput {
        /// The file.
        path: PathBuf,
    },
    /// A job that leaves nothing to go on from.
    #[error("only jobs that read files and write JSONL, CSV or Parquet to a file can be resumed")]
    NotResumable,
    /// A job that cannot go on.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A stage that stopped without a word.
    #[error("a thread stopped: {0}")]
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
