//! Output files: compressed according to their extension, and written atomically.
//!
//! Devices and pipes (`/dev/stdout`) cannot be replaced, so they are written directly.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::{AtomicFile, Compression};

/// Whether a path exists and is neither a file nor a folder: a terminal, a pipe, a device.
#[must_use]
pub fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// An output file, compressed according to its extension. An existing file is replaced only by
/// [`OutputFile::finish`].
///
/// ```
/// use std::io::{Read as _, Write as _};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.txt.gz");
/// let mut file = imn_io::OutputFile::create(&path)?;
/// file.write_all(b"compressed")?;
/// file.finish()?;
/// let mut text = String::new();
/// imn_io::open(&path)?.read_to_string(&mut text)?;
/// assert_eq!(text, "compressed");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct OutputFile(Encoder);

enum Encoder {
    Plain(BufWriter<Raw>),
    Gzip(flate2::write::GzEncoder<BufWriter<Raw>>),
    Zstd(zstd::Encoder<'static, BufWriter<Raw>>),
}

enum Raw {
    Atomic(AtomicFile),
    Device(File),
}

impl std::fmt::Debug for OutputFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OutputFile")
    }
}

impl OutputFile {
    /// Creates a new file for `path`, or opens the device there.
    ///
    /// # Errors
    /// If it cannot be created or opened.
    pub fn create(path: &Path) -> io::Result<Self> {
        let raw = if is_device(path) {
            Raw::Device(File::options().write(true).open(path)?)
        } else {
            Raw::Atomic(AtomicFile::create(path)?)
        };
        let raw = BufWriter::new(raw);
        Ok(Self(match Compression::of_name(path) {
            Compression::None => Encoder::Plain(raw),
            Compression::Gzip => {
                let level = flate2::Compression::default();
                Encoder::Gzip(flate2::write::GzEncoder::new(raw, level))
            }
            Compression::Zstd => Encoder::Zstd(zstd::Encoder::new(raw, 0)?),
        }))
    }

    /// Ends the compressed stream and moves the file to its path.
    ///
    /// # Errors
    /// If the rest cannot be written or the file cannot be moved.
    pub fn finish(self) -> io::Result<()> {
        let raw = match self.0 {
            Encoder::Plain(raw) => raw,
            Encoder::Gzip(encoder) => encoder.finish()?,
            Encoder::Zstd(encoder) => encoder.finish()?,
        };
        match raw.into_inner().map_err(io::IntoInnerError::into_error)? {
            Raw::Atomic(file) => file.commit(),
            Raw::Device(_) => Ok(()),
        }
    }

    fn encoder(&mut self) -> &mut dyn Write {
        match &mut self.0 {
            Encoder::Plain(raw) => raw,
            Encoder::Gzip(encoder) => encoder,
            Encoder::Zstd(encoder) => encoder,
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.encoder().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder().flush()
    }
}

impl Write for Raw {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Atomic(file) => file.write(bytes),
            Self::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Atomic(file) => file.flush(),
            Self::Device(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_extension_decides_ignoring_case() {
        let here = tempfile::tempdir().unwrap();
        for (name, compression) in [
            ("a.jsonl", Compression::None),
            ("a.jsonl.GZ", Compression::Gzip),
            ("a.jsonl.zst", Compression::Zstd),
        ] {
            let path = here.path().join(name);
            let mut file = OutputFile::create(&path).unwrap();
            file.write_all(b"some text").unwrap();
            assert!(!path.exists(), "{name}");
            file.finish().unwrap();
            let bytes = fs::read(&path).unwrap();
            assert_eq!(Compression::of_magic(&bytes), compression, "{name}");
            let mut text = String::new();
            let mut reader = crate::open(&path).unwrap();
            reader.read_to_string(&mut text).unwrap();
            assert_eq!(text, "some text", "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_directly() {
        let mut file = OutputFile::create(Path::new("/dev/null")).unwrap();
        file.write_all(b"x").unwrap();
        file.finish().unwrap();
        assert!(is_device(Path::new("/dev/null")));
    }
}
