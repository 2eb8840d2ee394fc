//! Files in, plain or compressed: gzip and zstd are told by their first bytes, never by the name.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::{DataError, Place};

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, with any number of members.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// Told by the first bytes of a file.
    #[must_use]
    pub fn of_magic(head: &[u8]) -> Self {
        if head.starts_with(&[0x1f, 0x8b]) {
            Self::Gzip
        } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            Self::Zstd
        } else {
            Self::None
        }
    }

    /// Told by a file's name, for writing.
    #[must_use]
    pub fn of_name(path: &Path) -> Self {
        match path.extension().and_then(|e| e.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::None,
        }
    }
}

/// Opens a file for reading, unpacked where it is packed.
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, DataError> {
    let file = File::open(path).map_err(DataError::io(path))?;
    unpack(BufReader::with_capacity(1 << 16, file)).map_err(DataError::io(path))
}

/// Reads what `source` holds, unpacked where it is packed.
fn unpack(mut source: impl BufRead + Send + 'static) -> std::io::Result<Box<dyn BufRead + Send>> {
    Ok(match Compression::of_magic(source.fill_buf()?) {
        Compression::None => Box::new(source),
        Compression::Gzip => Box::new(BufReader::with_capacity(
            1 << 16,
            flate2::bufread::MultiGzDecoder::new(source),
        )),
        Compression::Zstd => Box::new(BufReader::with_capacity(
            1 << 16,
            zstd::Decoder::with_buffer(source)?,
        )),
    })
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
