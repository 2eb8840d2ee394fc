//! Outputs that are bytes one after another: files, packed or not, and standard output.
//!
//! Every chunk is packed by itself: gzip members and zstd frames one after another are a file like any other, and can be cut off between them.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use imn::analyze::AnalyzedReview;
use imn_io::{AtomicFile, Compression};

use super::Encode;
use super::sink::{LeftOver, Sink};
use crate::BatchError;
use crate::journal::{Durable, JournalError};

/// Where bytes go.
pub(crate) enum Destination {
    /// Standard output.
    Stdout,
    /// A file that is cut off and gone on with when a job resumes, or something that is no file (a device, a named pipe).
    Direct(PathBuf, File),
    /// A file that takes its place when it is complete.
    Beside(PathBuf, AtomicFile),
}

impl Destination {
    /// A file that takes its place when it is complete.
    pub(crate) fn beside(path: &Path) -> Result<Self, BatchError> {
        let file = AtomicFile::create(path).map_err(BatchError::output(path))?;
        Ok(Self::Beside(path.to_owned(), file))
    }

    /// A device or a named pipe.
    pub(crate) fn device(path: &Path) -> Result<Self, BatchError> {
        let file = File::options().write(true).open(path);
        let file = file.map_err(BatchError::output(path))?;
        Ok(Self::Direct(path.to_owned(), file))
    }

    /// A file of which so many bytes stay.
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

    /// Moves a file that was written beside its place there.
    fn finish(self) -> Result<(), BatchError> {
        match self {
            Self::Stdout | Self::Direct(..) => Ok(()),
            Self::Beside(path, file) => file.commit().map_err(BatchError::output(&path)),
        }
    }
}

/// Opens a file to write on after its first bytes, which must be there.
pub(crate) fn open_after(path: &Path, bytes: u64) -> Result<File, BatchError> {
    let io = BatchError::output(path);
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path);
    let mut file = file.map_err(&io)?;
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
    /// A stream that goes on after so many bytes; the head is written where there are none.
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

    /// Writes what `fill` adds, after the head where nothing was written yet.
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
            pack(self.compression, &self.buffer)
        };
        let packed = encode().map_err(|error| self.to.error(error))?;
        let bytes = packed.as_deref().unwrap_or(&self.buffer);
        self.bytes += bytes.len() as u64;
        self.to.put(bytes)
    }
}

/// Bytes packed by themselves; `None` where they stay as they are.
fn pack(compression: Compression, bytes: &[u8]) -> io::Result<Option<Vec<u8>>> {
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
