//! Transparent gzip and zstd compression.
//!
//! When reading, compression is detected from the first bytes, never from the name: a decompressed
//! file that kept its `.gz` and a compressed file without an extension are both common. When
//! writing, the extension decides, ignoring case.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::path::Path;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not compressed.
    None,
    /// RFC 1952, possibly with several members (as from `bgzip` or `cat a.gz b.gz`).
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Compression {
    /// Detects the compression from the first bytes of a file. Four bytes suffice.
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

    /// The compression for writing a file, from its extension.
    ///
    /// ```
    /// use imn_io::Compression;
    /// assert_eq!(Compression::of_name("reviews.jsonl.GZ".as_ref()), Compression::Gzip);
    /// assert_eq!(Compression::of_name("reviews.jsonl".as_ref()), Compression::None);
    /// ```
    #[must_use]
    pub fn of_name(path: &Path) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::None,
        }
    }

    /// Compresses bytes into one gzip member or zstd frame. Concatenated members or frames are a
    /// valid file, which can be truncated between any two of them.
    ///
    /// # Errors
    /// If the compressor fails.
    pub fn compress(self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::None => Ok(bytes.to_vec()),
            Self::Gzip => {
                let level = flate2::Compression::default();
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(bytes)?;
                encoder.finish()
            }
            Self::Zstd => zstd::stream::encode_all(bytes, 0),
        }
    }
}

/// The extension of a file name in lower case, ignoring a final `.gz` or `.zst`.
///
/// ```
/// assert_eq!(imn_io::extension("A.CSV.gz".as_ref()).as_deref(), Some("csv"));
/// assert_eq!(imn_io::extension("reviews".as_ref()), None);
/// ```
#[must_use]
pub fn extension(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let (_, extension) = without_compression(name).rsplit_once('.')?;
    Some(extension.to_ascii_lowercase())
}

/// A file name without a final `.gz` or `.zst`.
///
/// ```
/// assert_eq!(imn_io::without_compression("sentence.txt.GZ"), "sentence.txt");
/// assert_eq!(imn_io::without_compression("sentence.txt"), "sentence.txt");
/// ```
#[must_use]
pub fn without_compression(name: &str) -> &str {
    without_extension(name, &["gz", "zst"])
}

/// A file name without its extension, if that is one of `extensions`, ignoring case.
///
/// ```
/// assert_eq!(imn_io::without_extension("glove.6B.TXT", &["txt", "vec"]), "glove.6B");
/// assert_eq!(imn_io::without_extension("glove.6B", &["txt", "vec"]), "glove.6B");
/// ```
#[must_use]
pub fn without_extension<'a>(name: &'a str, extensions: &[&str]) -> &'a str {
    match name.rsplit_once('.') {
        Some((stem, last)) if extensions.iter().any(|e| e.eq_ignore_ascii_case(last)) => stem,
        _ => name,
    }
}

/// The buffer size: large enough that system calls do not slow down streaming gigabytes.
const BUFFER: usize = 1 << 18;

/// Opens a file for reading and decompresses gzip and zstd.
///
/// ```
/// use std::io::Read as _;
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("plain.txt");
/// std::fs::write(&path, "one\n")?;
/// let mut text = String::new();
/// imn_io::open(&path)?.read_to_string(&mut text)?;
/// assert_eq!(text, "one\n");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If the file cannot be opened or its first bytes cannot be read. Damage further on is reported
/// while reading.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    decompress(File::open(path)?)
}

/// Decompresses a stream, such as standard input, as [`open`] does with a file.
///
/// # Errors
/// If the first bytes cannot be read.
pub fn decompress(mut raw: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let mut start = Vec::with_capacity(4);
    raw.by_ref().take(4).read_to_end(&mut start)?;
    let compression = Compression::of_magic(&start);
    let whole = BufReader::with_capacity(BUFFER, io::Cursor::new(start).chain(raw));
    Ok(match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => {
            let unpacked = Unpacked(flate2::bufread::MultiGzDecoder::new(whole));
            Box::new(BufReader::with_capacity(BUFFER, unpacked))
        }
        Compression::Zstd => {
            let unpacked = Unpacked(zstd::stream::read::Decoder::with_buffer(whole)?);
            Box::new(BufReader::with_capacity(BUFFER, unpacked))
        }
    })
}

/// The contents of a compressed stream. The decoders report damage in terms of their algorithms.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| {
            // An error of the operating system or a signal is no damage.
            let is_damage = error.raw_os_error().is_none()
                && matches!(
                    error.kind(),
                    io::ErrorKind::UnexpectedEof
                        | io::ErrorKind::InvalidInput
                        | io::ErrorKind::InvalidData
                        | io::ErrorKind::Other
                );
            if !is_damage {
                return error;
            }
            let message = format!("the compressed file is cut off or damaged ({error})");
            io::Error::new(error.kind(), message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        decompress(io::Cursor::new(bytes.to_vec()))?.read_to_end(&mut out)?;
        Ok(out)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        Compression::Gzip.compress(bytes).unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        Compression::Zstd.compress(bytes).unwrap()
    }

    #[test]
    fn plain_gzip_and_zstd_read_alike() {
        let text = b"the waiter smiled\n".repeat(50_000);
        assert_eq!(read(&text).unwrap(), text);
        assert_eq!(read(&gzip(&text)).unwrap(), text);
        assert_eq!(read(&zstd(&text)).unwrap(), text);
    }

    #[test]
    fn every_gzip_member_and_zstd_frame_is_read() {
        for pack in [gzip, zstd] {
            let two = [pack(b"one\n"), pack(b"two\n")].concat();
            assert_eq!(read(&two).unwrap(), b"one\ntwo\n");
        }
    }

    #[test]
    fn files_shorter_than_a_magic_number_are_plain() {
        for short in [&b""[..], b"a", b"\x1f", b"\x28\xb5"] {
            assert_eq!(read(short).unwrap(), short);
        }
    }

    #[test]
    fn a_cut_off_file_is_an_error_not_a_short_file() {
        let text = b"a long enough text to be cut somewhere".repeat(100);
        for packed in [gzip(&text), zstd(&text)] {
            let error = read(&packed[..packed.len() / 2]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
            let expected = "the compressed file is cut off or damaged (";
            assert!(error.to_string().starts_with(expected), "{error}");
        }
        let mut packed = gzip(&text);
        packed[12] ^= 0xff;
        let error = read(&packed).unwrap_err().to_string();
        assert!(error.contains("damaged"), "{error}");
        // An error of the device is none of these.
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::from_raw_os_error(5))
            }
        }
        let start = gzip(&text)[..12].to_vec();
        let mut file = decompress(io::Cursor::new(start).chain(Failing)).unwrap();
        let error = file.read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(5), "{error}");
    }

    #[test]
    fn extensions_ignore_case() {
        for (name, compression, inner) in [
            ("x.jsonl.GZ", Compression::Gzip, "jsonl"),
            ("x.CSV.Zst", Compression::Zstd, "csv"),
            ("x.Tsv", Compression::None, "tsv"),
        ] {
            assert_eq!(Compression::of_name(Path::new(name)), compression);
            assert_eq!(extension(Path::new(name)).as_deref(), Some(inner));
        }
    }
}
