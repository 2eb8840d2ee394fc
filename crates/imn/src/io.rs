//! Opening files: plain, gzip and zstd alike.
//!
//! What a file to be read is, is told by its first bytes, never by its name: a `.gz` that somebody already unpacked and a compressed
//! file without an ending are both common.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// As it is.
    None,
    /// RFC 1952, possibly several members one after another (as `bgzip` and `cat a.gz b.gz` leave them).
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Compression {
    /// Tells the packing from a file's first bytes; four of them suffice.
    #[must_use]
    pub fn of_magic(start: &[u8]) -> Self {
        if start.starts_with(&[0x1f, 0x8b]) {
            Self::Gzip
        } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            Self::Zstd
        } else {
            Self::None
        }
    }

    /// Tells the packing that a file to be written should have, from its name.
    #[must_use]
    pub fn of_name(path: &Path) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::None,
        }
    }
}

/// Large enough that system calls do not count when gigabytes of word vectors stream through.
const BUFFER: usize = 1 << 18;

/// Opens a file for reading, unpacking gzip and zstd.
///
/// ```
/// use std::io::Read as _;
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("plain.txt");
/// std::fs::write(&path, "one\n")?;
/// let mut text = String::new();
/// imn::io::open(&path)?.read_to_string(&mut text)?;
/// assert_eq!(text, "one\n");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Where the file cannot be opened or its first bytes cannot be read. Damage further on shows while reading.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    decompress(File::open(path)?)
}

/// Unpacks a stream; what [`open`] does after opening, for standard input and the like.
///
/// # Errors
/// Where the first bytes cannot be read.
pub fn decompress(mut raw: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let mut start = Vec::with_capacity(4);
    raw.by_ref().take(4).read_to_end(&mut start)?;
    let compression = Compression::of_magic(&start);
    let whole = BufReader::with_capacity(BUFFER, io::Cursor::new(start).chain(raw));
    Ok(match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => {
            let unpacked = flate2::bufread::MultiGzDecoder::new(whole);
            Box::new(BufReader::with_capacity(BUFFER, unpacked))
        }
        Compression::Zstd => {
            let unpacked = zstd::stream::read::Decoder::with_buffer(whole)?;
            Box::new(BufReader::with_capacity(BUFFER, unpacked))
        }
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        decompress(io::Cursor::new(bytes.to_vec()))?.read_to_end(&mut out)?;
        Ok(out)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn plain_gzip_and_zstd_read_alike() {
        let text = b"the waiter smiled\n".repeat(50_000);
        assert_eq!(read(&text).unwrap(), text);
        assert_eq!(read(&gzip(&text)).unwrap(), text);
        let packed = zstd::stream::encode_all(&text[..], 1).unwrap();
        assert_eq!(read(&packed).unwrap(), text);
    }

    #[test]
    fn every_gzip_member_is_read() {
        let mut two = gzip(b"one\n");
        two.extend(gzip(b"two\n"));
        assert_eq!(read(&two).unwrap(), b"one\ntwo\n");
    }

    #[test]
    fn files_shorter_than_a_magic_number_are_plain() {
        for short in [&b""[..], b"a", b"\x1f", b"\x28\xb5"] {
            assert_eq!(read(short).unwrap(), short);
        }
    }

    #[test]
    fn a_cut_off_file_is_an_error_not_a_short_file() {
        let packed = gzip(&b"a long enough text to be cut somewhere".repeat(100));
        assert!(read(&packed[..packed.len() / 2]).is_err());
        let packed = zstd::stream::encode_all(&b"another text".repeat(100)[..], 1).unwrap();
        assert!(read(&packed[..packed.len() / 2]).is_err());
    }
}
