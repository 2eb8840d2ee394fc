//! Outputs that are a sequence of bytes: files, compressed or not, and standard output.
//!
//! Every chunk is compressed separately. Concatenated gzip members or zstd frames are a valid file,
//! which can be truncated between any two of them.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use imn::analyze::AnalyzedReview;
use imn_io::{AtomicFile, Compression};

use super::Encode;
use super::sink::{LeftOver, Sink};
use crate::BatchError;
use crate::journal::{Durable, JournalError};

/// Where the bytes are written.
pub(crate) enum Destination {
    /// Standard output.
    Stdout,
    /// A file that a resumed job truncates and continues, or a device or named pipe.
    Direct(PathBuf, File),
    /// A temporary file that is moved to its path when it is complete.
    Beside(PathBuf, AtomicFile),
}

impl Destination {
    /// A temporary file that is moved to `path` when it is complete.
    pub(crate) fn beside(path: &Path) -> Result<Self, BatchError> {
        let file = AtomicFile::create(path).map_err(BatchError::output(path))?;
        Ok(Self::Beside(path.to_owned(), file))
    }

    /// A device or a named pipe.
    pub(crate) fn device(path: &Path) -> Result<Self, BatchError> {
        let opened = File::options().write(true).open(path);
        let file = opened.map_err(BatchError::output(path))?;
        Ok(Self::Direct(path.to_owned(), file))
    }

    /// A file whose first `bytes` bytes are kept.
    pub(crate) fn after(path: &Path, bytes: u64) -> Result<Self, BatchError> {
        Ok(Self::Direct(path.to_owned(), open_after(path, bytes)?))
    }

    fn error(&self, error: io::Error) -> BatchError {
        match self {
            Self::Stdout => BatchError::Stream(error),
            Self::Direct(path, _) | Self::Beside(path, _) => BatchError::Output {
                path: path.clone(),
                error,
            },
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), BatchError> {
        let done = match self {
            Self::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Self::Direct(_, file) => file.write_all(bytes),
            Self::Beside(_, file) => file.write_all(bytes),
        };
        done.map_err(|error| self.error(error))
    }

    /// Moves a temporary file to its path.
    fn finish(self) -> Result<(), BatchError> {
        match self {
            Self::Stdout | Self::Direct(..) => Ok(()),
            Self::Beside(path, file) => file.commit().map_err(BatchError::output(&path)),
        }
    }
}

/// Opens a file for writing after its first `bytes` bytes, which must exist. The rest is cut off.
pub(crate) fn open_after(path: &Path, bytes: u64) -> Result<File, BatchError> {
    let io = BatchError::output(path);
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(&io)?;
    let found = file.metadata().map_err(&io)?.len();
    if found < bytes {
        return Err(JournalError::Changed {
            path: path.to_owned(),
            found,
            expected: bytes,
        }
        .into());
    }
    file.set_len(bytes).map_err(&io)?;
    file.seek(SeekFrom::Start(bytes)).map_err(&io)?;
    Ok(file)
}

/// A stream of encoded chunks.
pub(crate) struct Stream {
    encoder: Box<dyn Encode>,
    compression: Compression,
    to: Destination,
    bytes: u64,
    buffer: Vec<u8>,
}

impl Stream {
    /// A stream that continues after `bytes` bytes. If there are none, it starts with the head.
    pub(crate) fn new(
        encoder: Box<dyn Encode>,
        compression: Compression,
        to: Destination,
        bytes: u64,
    ) -> Self {
        Self {
            encoder,
            compression,
            to,
            bytes,
            buffer: Vec::new(),
        }
    }

    /// Writes what `fill` appends, after the head if nothing was written yet.
    fn add(
        &mut self,
        fill: impl FnOnce(&mut dyn Encode, &mut Vec<u8>) -> io::Result<()>,
    ) -> Result<(), BatchError> {
        self.buffer.clear();
        let encode = || {
            if self.bytes == 0 {
                self.encoder.head(&mut self.buffer)?;
            }
            fill(self.encoder.as_mut(), &mut self.buffer)?;
            compress(self.compression, &self.buffer)
        };
        let compressed = encode().map_err(|error| self.to.error(error))?;
        let bytes = compressed.as_deref().unwrap_or(&self.buffer);
        self.bytes += bytes.len() as u64;
        self.to.put(bytes)
    }
}

/// The compressed bytes; `None` if they stay as they are.
fn compress(compression: Compression, bytes: &[u8]) -> io::Result<Option<Vec<u8>>> {
    if bytes.is_empty() || compression == Compression::None {
        return Ok(None);
    }
    compression.compress(bytes).map(Some)
}

impl Sink for Stream {
    fn write(&mut self, reviews: Vec<AnalyzedReview>) -> Result<(), BatchError> {
        self.add(|encoder, out| encoder.rows(reviews, out))
    }

    fn durable(&mut self) -> Result<Durable, BatchError> {
        if let Destination::Direct(_, file) = &self.to {
            file.sync_data().map_err(|error| self.to.error(error))?;
        }
        Ok(Durable::Bytes(self.bytes))
    }

    fn finish(mut self: Box<Self>) -> Result<LeftOver, BatchError> {
        self.add(|encoder, out| encoder.tail(out))?;
        self.to.finish()?;
        Ok(LeftOver::nothing())
    }
}
