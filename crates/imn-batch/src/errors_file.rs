//! The errors file: one JSON object per bad row, with file, row, line and reason.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::write::stream::open_after;
use crate::{BatchError, RowError};

#[derive(Serialize)]
struct BadRow<'a> {
    file: &'a str,
    row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    reason: String,
}

/// The errors file. It is created with its first row.
pub(crate) struct ErrorsFile {
    path: PathBuf,
    file: Option<File>,
    bytes: u64,
}

impl ErrorsFile {
    /// Opens the file and keeps its first `bytes` bytes. Without any, an existing file stays until
    /// its first row, or [`Self::remove_old`].
    pub(crate) fn open(path: &Path, bytes: u64) -> Result<Self, BatchError> {
        let metadata = fs::metadata(path).ok();
        let io = BatchError::output(path);
        let file = match metadata {
            Some(metadata) if !metadata.is_file() => {
                let device = File::options().write(true).open(path);
                Some(device.map_err(&io)?)
            }
            _ if bytes > 0 => Some(open_after(path, bytes)?),
            _ => None,
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            bytes,
        })
    }

    /// Removes the file of an earlier job, if this job has no row for it yet.
    pub(crate) fn remove_old(&self) -> Result<(), BatchError> {
        if self.file.is_some() {
            return Ok(());
        }
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(BatchError::output(&self.path)(error))
            }
            _ => Ok(()),
        }
    }

    /// Adds a bad row of a source.
    pub(crate) fn add(&mut self, source: &str, error: &RowError) -> Result<(), BatchError> {
        let record = BadRow {
            file: source,
            row: error.place.row,
            line: error.place.line,
            reason: error.reason.to_string(),
        };
        let io = BatchError::output(&self.path);
        let mut line = serde_json::to_vec(&record).map_err(|error| io(error.into()))?;
        line.push(b'\n');
        self.remove_old()?;
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(File::create(&self.path).map_err(&io)?),
        };
        file.write_all(&line).map_err(&io)?;
        self.bytes += line.len() as u64;
        Ok(())
    }

    /// Syncs the file and returns its length in bytes.
    pub(crate) fn durable(&mut self) -> Result<u64, BatchError> {
        if let Some(file) = &self.file
            && self.bytes > 0
        {
            // Terminals and pipes cannot be synced.
            let _ = file.sync_data();
        }
        Ok(self.bytes)
    }
}
