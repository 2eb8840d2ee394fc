//! Files in, as text with line numbers.

use std::io::{BufRead, Read};
use std::path::Path;

use super::{DataError, Place};

/// Opens a file for reading, unpacked where it is packed.
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, DataError> {
    crate::io::open(path).map_err(DataError::io(path))
}

/// A whole file as text, without a byte-order mark.
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
