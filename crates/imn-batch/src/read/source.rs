//! Where reviews come from, and in which form.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use imn_io::delimited::Dialect;
use imn_io::encoding::{StartError, without_mark};
use imn_io::lines::Lines;
use serde::{Deserialize, Serialize};

use super::delimited::Delimited;
use super::jsonl::Jsonl;
use super::texts::{Given, TextLines, Whole};
use super::{ReadSettings, Rows};
use crate::InputError;

/// Where reviews come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// These.
    Texts(Arc<[String]>),
    /// Standard input, plain, gzip or zstd.
    Stdin,
    /// A file, plain, gzip or zstd.
    File(PathBuf),
    /// A file that messages and outputs call by another name than its path.
    NamedFile {
        /// Where it is.
        path: PathBuf,
        /// What it is called.
        name: String,
    },
}

impl Input {
    /// The file, if it is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Texts(_) | Self::Stdin => None,
            Self::File(path) | Self::NamedFile { path, .. } => Some(path),
        }
    }
}

/// The form of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A review a line.
    Txt,
    /// The whole file is a review.
    Whole,
    /// Commas between columns, quoting as in RFC 4180.
    Csv,
    /// Tabs between columns, no quoting.
    Tsv,
    /// A JSON object a line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// What a name says, an ending of packing put aside.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        match imn_io::extension(path)?.as_str() {
            "txt" | "text" => Some(Self::Txt),
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// A source of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it is.
    pub input: Input,
    /// Its form.
    pub format: Format,
}

impl Source {
    /// What it is called in messages and outputs.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.input {
            Input::Texts(_) => "arguments".to_owned(),
            Input::Stdin => "standard input".to_owned(),
            Input::File(path) => path.display().to_string(),
            Input::NamedFile { name, .. } => name.clone(),
        }
    }

    /// The bytes that will be read, where that is known.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        match &self.input {
            Input::Texts(_) => Some(0),
            Input::Stdin => None,
            Input::File(path) | Input::NamedFile { path, .. } => {
                let about = std::fs::metadata(path).ok()?;
                about.is_file().then_some(about.len())
            }
        }
    }

    /// Its rows; `number` is its place among the sources.
    ///
    /// # Errors
    /// If it cannot be opened, or does not begin as it must.
    pub fn open(
        &self,
        number: usize,
        settings: &ReadSettings,
    ) -> Result<Box<dyn Rows>, InputError> {
        let name = self.name();
        let raw: Box<dyn Read + Send> = match &self.input {
            Input::Texts(texts) => {
                return Ok(Box::new(Given {
                    source: number,
                    texts: Arc::clone(texts),
                    read: 0,
                    limit: settings.max_bytes,
                }));
            }
            Input::File(path) | Input::NamedFile { path, .. } if self.format == Format::Parquet => {
                return super::parquet::open(path, settings, (number, name));
            }
            Input::Stdin if self.format == Format::Parquet => {
                return Err(InputError::ParquetStream { source_name: name });
            }
            Input::Stdin => Box::new(io::stdin()),
            Input::File(path) | Input::NamedFile { path, .. } => {
                Box::new(File::open(path).map_err(InputError::io(&name))?)
            }
        };
        Self::rows(raw, self.format, (number, name), settings)
    }

    /// The rows of a stream in a form that needs no file.
    ///
    /// # Errors
    /// If it does not begin as it must.
    pub fn rows(
        raw: Box<dyn Read + Send>,
        format: Format,
        (number, name): (usize, String),
        settings: &ReadSettings,
    ) -> Result<Box<dyn Rows>, InputError> {
        let read = Counter::default();
        let counted = Counted {
            raw,
            read: read.clone(),
        };
        let unpacked = imn_io::decompress(counted).map_err(InputError::io(&name))?;
        let file = without_mark(unpacked).map_err(|error| match error {
            StartError::Io(error) => InputError::io(&name)(error),
            StartError::Utf16 => InputError::Utf16 {
                source_name: name.clone(),
            },
        })?;
        let limit = settings.max_bytes;
        let table = |dialect, file, read| {
            Delimited::open(file, dialect, settings, (number, name.clone()), read)
        };
        Ok(match format {
            Format::Txt => Box::new(TextLines {
                source: number,
                lines: Lines::new(file, limit),
                limit,
                read,
                name,
            }),
            Format::Whole => Box::new(Whole {
                source: number,
                file: Some(file),
                limit,
                read,
                name,
            }),
            Format::Csv => Box::new(table(Dialect::Csv, file, read)?),
            Format::Tsv => Box::new(table(Dialect::Tsv, file, read)?),
            Format::Jsonl => Box::new(Jsonl {
                source: number,
                lines: Lines::new(file, limit),
                settings: settings.clone(),
                keys: None,
                read,
                name,
            }),
            Format::Parquet => return Err(InputError::ParquetStream { source_name: name }),
        })
    }
}

/// Counts bytes that went by.
#[derive(Debug, Clone, Default)]
pub(super) struct Counter(Arc<AtomicU64>);

impl Counter {
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

struct Counted {
    raw: Box<dyn Read + Send>,
    read: Counter,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = loop {
            match self.raw.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.read.0.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
