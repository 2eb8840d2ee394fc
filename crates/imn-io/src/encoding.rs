//! UTF-8 and byte-order marks.

use std::io::{self, BufRead, Chain, Cursor, Read as _};

/// Bytes that are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not UTF-8: byte {at}")]
pub struct NotUtf8 {
    /// The first bad byte, counted from 1.
    pub at: usize,
}

/// Decodes UTF-8, or returns the position of the first bad byte.
///
/// # Errors
/// If the bytes are not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str, NotUtf8> {
    std::str::from_utf8(bytes).map_err(|error| NotUtf8 {
        at: error.valid_up_to() + 1,
    })
}

/// The byte-order mark of UTF-8.
pub const UTF8_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// Why the start of a stream is refused.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An I/O error, or damaged compressed data.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The stream starts with the byte-order mark of UTF-16.
    #[error("this is UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)")]
    Utf16,
}

/// A stream whose first bytes were read and are read again.
pub type WithoutMark<R> = Chain<Cursor<Vec<u8>>, R>;

/// Removes a byte-order mark of UTF-8 from the start of a stream.
///
/// # Errors
/// If the first bytes cannot be read, or are the byte-order mark of UTF-16.
pub fn without_mark<R: BufRead>(mut source: R) -> Result<WithoutMark<R>, StartError> {
    let mut start = Vec::with_capacity(UTF8_MARK.len());
    source
        .by_ref()
        .take(UTF8_MARK.len() as u64)
        .read_to_end(&mut start)?;
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        return Err(StartError::Utf16);
    }
    if start == UTF8_MARK {
        start.clear();
    }
    Ok(Cursor::new(start).chain(source))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn read(bytes: &'static [u8]) -> Result<Vec<u8>, StartError> {
        let mut rest = Vec::new();
        without_mark(bytes)?.read_to_end(&mut rest)?;
        Ok(rest)
    }

    #[test]
    fn marks_are_removed_or_refused() {
        assert_eq!(read(b"\xef\xbb\xbfa").unwrap(), b"a");
        assert_eq!(read(b"\xef\xbb").unwrap(), b"\xef\xbb");
        assert_eq!(read(b"").unwrap(), b"");
        for utf16 in [&b"\xff\xfea\0"[..], b"\xfe\xff\0a"] {
            assert!(matches!(read(utf16), Err(StartError::Utf16)));
        }
    }

    #[test]
    fn the_first_bad_byte_is_named() {
        assert_eq!(decode("né".as_bytes()), Ok("né"));
        assert_eq!(decode(b"ab\xff"), Err(NotUtf8 { at: 3 }));
    }
}
