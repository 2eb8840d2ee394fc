//! Rows that cannot be read, a JSON object a line: file, row, line, reason.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::write::stream::open_after;
use crate::{BatchError, RowError};

#[derive(Serialize)]
struct Record<'a> {
    file: &'a str,
    row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    reason: String,
}

/// The file; it comes into being with its first row.
pub(crate) struct ErrorsFile {
    path: PathBuf,
    file: Option<File>,
    bytes: u64,
}

impl ErrorsFile {
    /// A file of which so many bytes stay.
    pub(crate) fn open(path: &Path, bytes: u64) -> Result<Self, BatchError> {
        let there = fs::metadata(path).ok();
        let io = BatchError::output(path);
        let file = match there {
            Some(about) if !about.is_file() => {
                let device = File::options().write(true).open(path);
                Some(device.map_err(&io)?)
            }
            _ if bytes > 0 => Some(open_after(path, bytes)?),
            Some(_) => {
                fs::remove_file(path).map_err(&io)?;
                None
            }
            None => None,
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            bytes,
        })
    }

    /// Writes down rows of a source.
    pub(crate) fn add(&mut self, source: &str, error: &RowError) -> Result<(), BatchError> {
        let record = Record {
            file: source,
            row: error.place.row,
            line: error.place.line,
            reason: error.reason.to_string(),
        };
        let io = BatchError::output(&self.path);
        let mut line = serde_json::to_vec(&record).map_err(|error| io(error.into()))?;
        line.push(b'\n');
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(File::create(&self.path).map_err(&io)?),
        };
        file.write_all(&line).map_err(&io)?;
        self.bytes += line.len() as u64;
        Ok(())
    }

    /// Brings everything so far to the disk and says how much it is.
    pub(crate) fn durable(&mut self) -> Result<u64, BatchError> {
        if let Some(file) = &self.file
            && self.bytes > 0
        {
            // A terminal or a pipe cannot be brought anywhere.
            let _ = file.sync_data();
        }
        Ok(self.bytes)
    }
}
