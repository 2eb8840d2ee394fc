//! Reads a file of word vectors one row at a time.
//!
//! The format is detected from the beginning of the file. A first line of two whole numbers is a
//! header (rows, dimensions), as fastText and word2vec write it. If the first row after a header
//! does not end in a number, the file is in word2vec's binary format. A file without a header is
//! text, as GloVe has it. Compressed files are decompressed.

use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};

use imn_io::encoding::UTF8_MARK;

use super::{VectorError, binary, text};

/// Format of a file of word vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorFormat {
    /// Text: `word 0.1 -0.2 …`, one row per line.
    Text,
    /// word2vec's binary format: `word`, a space, little-endian 32-bit floats.
    Word2VecBinary,
}

/// Reads a file of word vectors row by row. Only one row is in memory.
///
/// ```
/// use imn::vectors::VectorRows;
///
/// # fn main() -> Result<(), imn::vectors::VectorError> {
/// let text = "2 3\ntea 0.5 -1 2\ncup 1 1 1\n";
/// let mut rows = VectorRows::from_reader("drinks.vec".as_ref(), Box::new(text.as_bytes()))?;
/// assert_eq!((rows.stated_rows(), rows.dimensions()), (Some(2), 3));
/// let mut values = Vec::new();
/// let row = rows.next_row()?.unwrap();
/// row.read_into(&mut values)?;
/// assert_eq!((row.word, values), ("tea", vec![0.5, -1.0, 2.0]));
/// # Ok(())
/// # }
/// ```
pub struct VectorRows {
    pub(super) path: PathBuf,
    pub(super) input: Box<dyn BufRead + Send>,
    format: VectorFormat,
    pub(super) dimensions: usize,
    pub(super) stated_rows: Option<u64>,
    /// Number of the current line (text) or row (binary), from 1.
    pub(super) line: u64,
    pub(super) buffer: Vec<u8>,
    rows_read: u64,
    unreadable_words: u64,
}

/// One row. Its values are parsed only by [`read_into`](Self::read_into).
pub struct VectorRow<'a> {
    /// The word as the file has it. Words of text files may contain spaces.
    pub word: &'a str,
    values: &'a [u8],
    format: VectorFormat,
    dimensions: usize,
    path: &'a Path,
    line: u64,
}

/// Positions of the word and the values of a row in the buffer.
pub(super) struct RowParts {
    pub(super) word_end: usize,
    pub(super) values_start: usize,
}

/// Number of bytes from which the format is detected.
const HEAD: usize = 1 << 16;

/// Most dimensions that are read: a damaged header could state any number.
const MOST_DIMENSIONS: usize = 1 << 16;

impl VectorRows {
    /// Opens a file and detects its format and dimensions.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or does not begin with word vectors.
    pub fn open(path: &Path) -> Result<Self, VectorError> {
        #[cfg(test)]
        opened::count(path);
        let input = imn_io::open(path).map_err(|source| VectorError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::from_reader(path, input)
    }

    /// Reads decompressed bytes. `path` is used only in errors.
    ///
    /// # Errors
    ///
    /// If the input cannot be read or does not begin with word vectors.
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
        if head.starts_with(UTF8_MARK) {
            head.drain(..UTF8_MARK.len());
        }
        let line_end = head
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(head.len());
        let header = text::header(&head[..line_end]);
        let body = head.get(line_end + 1..).unwrap_or_default();
        let format = match &header {
            Some(header) if binary::looks_binary(body, header.dimensions) => {
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

    /// Number of values per row.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The detected format.
    #[must_use]
    pub fn format(&self) -> VectorFormat {
        self.format
    }

    /// Number of rows according to the header; `None` if there is no header.
    #[must_use]
    pub fn stated_rows(&self) -> Option<u64> {
        self.stated_rows
    }

    /// Number of rows read so far.
    #[must_use]
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    /// Number of rows skipped because their word is not UTF-8.
    #[must_use]
    pub fn unreadable_words(&self) -> u64 {
        self.unreadable_words
    }

    /// The next row; `None` after the last one. Rows whose word is not UTF-8 are skipped.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or if a row has a different number of values than the first one.
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
            return Ok(None); // checked above; the borrow checker needs it twice
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
    /// Parses the values into `out`, replacing its contents.
    ///
    /// # Errors
    ///
    /// If a value is not a finite number, or if the number of values is wrong.
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

/// Counts how often each file was opened, for tests that large files are read only once.
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
