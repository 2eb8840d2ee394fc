//! Reads files as text with line numbers.

use std::io::{BufRead, Read};
use std::path::Path;

use super::{DataError, Place};

/// Whether a path is `-`, which stands for standard input or standard output.
///
/// ```
/// assert!(imn::data::is_standard_stream("-".as_ref()));
/// assert!(!imn::data::is_standard_stream("./-".as_ref()));
/// ```
#[must_use]
pub fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file for reading, or standard input if the path is `-`. Compressed data is decompressed.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.txt.gz");
/// let mut file = imn_io::OutputFile::create(&path)?;
/// std::io::Write::write_all(&mut file, b"one review")?;
/// file.finish()?;
/// let text = std::io::read_to_string(imn::data::open(&path)?)?;
/// assert_eq!(text, "one review");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be opened or read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, DataError> {
    if is_standard_stream(path) {
        imn_io::decompress(std::io::stdin())
    } else {
        imn_io::open(path)
    }
    .map_err(DataError::io(path))
}

/// Number of bytes from which the format is detected.
const HEAD: u64 = 1 << 20;

/// The first lines of a file as text, enough to detect its format.
pub(super) fn read_head(path: &Path) -> Result<String, DataError> {
    let mut bytes = Vec::new();
    open(path)?
        .take(HEAD)
        .read_to_end(&mut bytes)
        .map_err(DataError::io(path))?;
    if bytes.len() as u64 == HEAD {
        // The last line is incomplete, and may end inside a character.
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        bytes.truncate(end.unwrap_or(0));
    }
    decode(bytes, path)
}

/// The whole file as text, without a byte-order mark.
pub(super) fn read_text(path: &Path) -> Result<String, DataError> {
    let mut bytes = Vec::new();
    open(path)?
        .read_to_end(&mut bytes)
        .map_err(DataError::io(path))?;
    decode(bytes, path)
}

/// Bytes as text, without a byte-order mark.
pub(super) fn decode(bytes: Vec<u8>, path: &Path) -> Result<String, DataError> {
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let good = error
            .as_bytes()
            .get(..error.utf8_error().valid_up_to())
            .unwrap_or_default();
        let line = 1 + good.iter().filter(|b| **b == b'\n').count();
        DataError::Encoding {
            place: Place::new(path, line),
        }
    })?;
    if text.starts_with('\u{FEFF}') {
        text.drain(..'\u{FEFF}'.len_utf8());
    }
    Ok(text)
}

/// The lines of a text with their numbers, from 1; `\n` and `\r\n` end a line.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line))
}
