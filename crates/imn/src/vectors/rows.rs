//! A file of word vectors, one row at a time.
//!
//! Which form a file has is told by its beginning: a first line of two whole numbers is a header (rows, dimensions), as fastText
//! and word2vec write it; if the bytes after the first word are then not the characters of decimal numbers, the file
//! is word2vec's binary form. Everything else is text without a header, as GloVe has it. Packed files are unpacked.

use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};

use super::{VectorError, binary, text};

/// How a file of word vectors is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorFormat {
    /// `word 0.1 -0.2 …`, one row a line.
    Text,
    /// word2vec's binary form: `word`, a space, little-endian 32-bit floats.
    Word2VecBinary,
}

/// A file of word vectors that is read row by row; only one row is in memory.
pub struct VectorRows {
    pub(super) path: PathBuf,
    pub(super) input: Box<dyn BufRead + Send>,
    format: VectorFormat,
    pub(super) dimensions: usize,
    pub(super) stated_rows: Option<u64>,
    /// Lines (text) or rows (binary) begun so far.
    pub(super) line: u64,
    pub(super) buffer: Vec<u8>,
    rows_read: u64,
    unreadable_words: u64,
}

/// One row. Its numbers are parsed only when asked for.
pub struct VectorRow<'a> {
    /// The word as the file has it; words of text files may contain spaces.
    pub word: &'a str,
    values: &'a [u8],
    format: VectorFormat,
    dimensions: usize,
    path: &'a Path,
    line: u64,
}

/// Where the two parts of a row are in the buffer.
pub(super) struct RowParts {
    pub(super) word_end: usize,
    pub(super) values_start: usize,
}

/// How much of a file is looked at to tell its form.
const HEAD: usize = 1 << 16;

/// The widest vectors that are read; a header could claim anything.
const MOST_DIMENSIONS: usize = 1 << 16;

impl VectorRows {
    /// Opens a file and tells its form and dimensions.
    ///
    /// # Errors
    /// Where it cannot be read or does not begin like word vectors.
    pub fn open(path: &Path) -> Result<Self, VectorError> {
        #[cfg(test)]
        opened::count(path);
        let input = imn_io::open(path).map_err(|source| VectorError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::from_reader(path, input)
    }

    /// Reads from anything unpacked; `path` stands in errors only.
    ///
    /// # Errors
    /// Where it cannot be read or does not begin like word vectors.
    pub fn from_reader(
        path: &Path,
        mut input: Box<dyn BufRead + Send>,
    ) -> Result<Self, VectorError> {
        let io_error = |source| VectorError::Io {
            path: path.to_owned(),
            source,
        };
        let mut head = Vec::with_capacity(HEAD);
        input
            .by_ref()
            .take(HEAD as u64)
            .read_to_end(&mut head)
            .map_err(io_error)?;
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3);
        }
        let line_end = head
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(head.len());
        let header = text::header(&head[..line_end]);
        let format = match header {
            Some(_) if binary::looks_binary(head.get(line_end + 1..).unwrap_or_default()) => {
                VectorFormat::Word2VecBinary
            }
            _ => VectorFormat::Text,
        };
        let mut rows = Self {
            path: path.to_owned(),
            input: Box::new(io::Cursor::new(head).chain(input)),
            format,
            dimensions: 0,
            stated_rows: header.map(|header| header.rows),
            line: 0,
            buffer: Vec::new(),
            rows_read: 0,
            unreadable_words: 0,
        };
        match header {
            Some(header) => {
                rows.dimensions = header.dimensions;
                rows.input.skip_until(b'\n').map_err(io_error)?;
                rows.line = u64::from(format == VectorFormat::Text);
            }
            None => rows.dimensions = text::dimensions_of_first_row(&mut rows)?,
        }
        if rows.dimensions > MOST_DIMENSIONS {
            return Err(VectorError::TooWide {
                path: rows.path,
                dimensions: rows.dimensions,
                most: MOST_DIMENSIONS,
            });
        }
        Ok(rows)
    }

    /// Numbers a row.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How the file is written.
    #[must_use]
    pub fn format(&self) -> VectorFormat {
        self.format
    }

    /// The number of rows that the header promises, where there is one.
    #[must_use]
    pub fn stated_rows(&self) -> Option<u64> {
        self.stated_rows
    }

    /// Rows read so far.
    #[must_use]
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    /// Rows passed over because their word is not UTF-8.
    #[must_use]
    pub fn unreadable_words(&self) -> u64 {
        self.unreadable_words
    }

    /// The next row, `None` after the last.
    ///
    /// # Errors
    /// With the line where the file cannot be read or has another number of values than before.
    pub fn next_row(&mut self) -> Result<Option<VectorRow<'_>>, VectorError> {
        let parts = loop {
            let parts = match self.format {
                VectorFormat::Text => text::next(self)?,
                VectorFormat::Word2VecBinary => binary::next(self)?,
            };
            let Some(parts) = parts else {
                return Ok(None);
            };
            self.rows_read += 1;
            if std::str::from_utf8(&self.buffer[..parts.word_end]).is_ok() {
                break parts;
            }
            self.unreadable_words += 1;
        };
        let Ok(word) = std::str::from_utf8(&self.buffer[..parts.word_end]) else {
            return Ok(None); // checked above; the borrow checker wants it twice
        };
        Ok(Some(VectorRow {
            word,
            values: &self.buffer[parts.values_start..],
            format: self.format,
            dimensions: self.dimensions,
            path: &self.path,
            line: self.line,
        }))
    }
}

impl VectorRow<'_> {
    /// Puts the numbers into `out`, replacing what it holds.
    ///
    /// # Errors
    /// Where a value is no finite number.
    pub fn read_into(&self, out: &mut Vec<f32>) -> Result<(), VectorError> {
        out.clear();
        out.reserve(self.dimensions);
        let bad = match self.format {
            VectorFormat::Text => text::parse(self.values, out),
            VectorFormat::Word2VecBinary => binary::parse(self.values, out),
        };
        if let Err(text) = bad {
            return Err(VectorError::Number {
                path: self.path.to_owned(),
                line: self.line,
                column: out.len() + 1,
                text,
            });
        }
        if out.len() == self.dimensions {
            return Ok(());
        }
        Err(VectorError::Columns {
            path: self.path.to_owned(),
            line: self.line,
            expected: self.dimensions,
            found: out.len(),
        })
    }
}

/// How often each file was opened, for tests of who reads large files more often than needed.
#[cfg(test)]
pub(crate) mod opened {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};
    use std::sync::{LazyLock, Mutex, PoisonError};

    static TIMES: LazyLock<Mutex<HashMap<PathBuf, usize>>> = LazyLock::new(Mutex::default);

    pub(super) fn count(path: &Path) {
        let mut times = TIMES.lock().unwrap_or_else(PoisonError::into_inner);
        *times.entry(path.to_owned()).or_default() += 1;
    }

    pub(crate) fn times(path: &Path) -> usize {
        let times = TIMES.lock().unwrap_or_else(PoisonError::into_inner);
        times.get(path).copied().unwrap_or(0)
    }
}
