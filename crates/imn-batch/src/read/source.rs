//! The inputs of a job and their formats.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use imn_io::delimited::Dialect;
use imn_io::encoding::without_mark;
use imn_io::lines::Lines;
use serde::{Deserialize, Serialize};

use super::delimited::Delimited;
use super::jsonl::Jsonl;
use super::texts::{Given, TextLines, Whole};
use super::{ReadSettings, RowReader};
use crate::InputError;

/// An input without its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Literal texts.
    Texts(Arc<[String]>),
    /// Standard input: plain, gzip or zstd.
    Stdin,
    /// A file: plain, gzip or zstd.
    File(PathBuf),
    /// A file with a name for messages and outputs that differs from its path.
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

/// The format of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputFormat {
    /// One review per line.
    Txt,
    /// The whole file is one review.
    Whole,
    /// Comma-separated, with quoting as in RFC 4180.
    Csv,
    /// Tab-separated, without quoting.
    Tsv,
    /// One JSON object per line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
}

impl InputFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::Txt,
        Self::Whole,
        Self::Csv,
        Self::Tsv,
        Self::Jsonl,
        Self::Parquet,
    ];

    /// The name, as in `imn analyze --from` and in journals.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Txt => "txt",
            Self::Whole => "whole",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
        }
    }

    /// The format of a file extension, ignoring `.gz` and `.zst`.
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
pub struct InputSource {
    /// The input.
    pub input: Input,
    /// Its format.
    pub format: InputFormat,
}

impl InputSource {
    /// The name in messages and outputs.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.input {
            Input::Texts(_) => "arguments".to_owned(),
            Input::Stdin => "standard input".to_owned(),
            Input::File(path) => path.display().to_string(),
            Input::NamedFile { name, .. } => name.clone(),
        }
    }

    /// The size in bytes, if known.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        match &self.input {
            Input::Texts(_) => Some(0),
            Input::Stdin => None,
            Input::File(path) | Input::NamedFile { path, .. } => {
                let metadata = std::fs::metadata(path).ok()?;
                metadata.is_file().then_some(metadata.len())
            }
        }
    }

    /// Opens a reader; `number` is the index of the source.
    ///
    /// # Errors
    /// If the source cannot be opened, or its start (header, first object, schema, byte-order mark)
    /// is wrong.
    pub fn open(
        &self,
        number: usize,
        settings: &ReadSettings,
    ) -> Result<Box<dyn RowReader>, InputError> {
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
            Input::File(path) | Input::NamedFile { path, .. }
                if self.format == InputFormat::Parquet =>
            {
                return super::parquet::open(path, settings, (number, name));
            }
            Input::Stdin if self.format == InputFormat::Parquet => {
                return Err(InputError::ParquetStream { source_name: name });
            }
            Input::Stdin => Box::new(io::stdin()),
            Input::File(path) | Input::NamedFile { path, .. } => {
                Box::new(File::open(path).map_err(InputError::io(&name))?)
            }
        };
        Self::rows(raw, self.format, (number, name), settings)
    }

    /// A reader of a stream, in any format but Parquet.
    ///
    /// # Errors
    /// If the start of the stream (header, first object, byte-order mark) is wrong.
    pub fn rows(
        raw: Box<dyn Read + Send>,
        format: InputFormat,
        (number, name): (usize, String),
        settings: &ReadSettings,
    ) -> Result<Box<dyn RowReader>, InputError> {
        let read = Counter::default();
        let counted = Counted {
            raw,
            read: read.clone(),
        };
        let unpacked = imn_io::decompress(counted).map_err(InputError::io(&name))?;
        let file = without_mark(unpacked).map_err(InputError::start(&name))?;
        let file: Box<dyn BufRead + Send> = Box::new(file);
        let limit = settings.max_bytes;
        let table = |dialect, file, read| {
            Delimited::open(file, dialect, settings, (number, name.clone()), read)
        };
        Ok(match format {
            InputFormat::Txt => Box::new(TextLines {
                source: number,
                lines: Lines::new(file, limit),
                limit,
                read,
                name,
            }),
            InputFormat::Whole => Box::new(Whole {
                source: number,
                file: Some(file),
                limit,
                read,
                name,
            }),
            InputFormat::Csv => Box::new(table(Dialect::Csv, file, read)?),
            InputFormat::Tsv => Box::new(table(Dialect::Tsv, file, read)?),
            InputFormat::Jsonl => Box::new(Jsonl::open(file, settings, (number, name), read)?),
            InputFormat::Parquet => return Err(InputError::ParquetStream { source_name: name }),
        })
    }
}

/// The number of bytes that were read.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_journals() {
        for format in InputFormat::ALL {
            assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        }
    }
}
