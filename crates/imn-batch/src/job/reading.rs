//! The reading stage: turns sources into chunks of rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use super::chunk::Chunk;
use super::sources::OpenSource;
use crate::InputError;
use crate::journal::Position;
use crate::read::ReadSettings;

/// A chunk is full at this many bytes, however few rows it has.
pub(crate) const CHUNK_BYTES: usize = 1 << 18;

/// A message of the reading stage.
pub(super) enum Read {
    Chunk(Chunk),
    Failed(InputError),
    End,
}

/// The reading stage.
pub(super) struct ReadStage {
    pub(super) rows_together: usize,
    pub(super) settings: ReadSettings,
    pub(super) from: Position,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) send: SyncSender<Read>,
}

impl ReadStage {
    pub(super) fn run(self, sources: Vec<OpenSource>) {
        let last = match self.read(sources) {
            Ok(true) => Read::End,
            Ok(false) => return,
            Err(error) => Read::Failed(error),
        };
        // Sending fails if the job has already ended.
        let _ = self.send.send(last);
    }

    /// Sends all chunks. Returns `false` if the job stopped before the last one.
    fn read(&self, sources: Vec<OpenSource>) -> Result<bool, InputError> {
        let mut chunk = Chunk {
            rows: Vec::new(),
            errors: Vec::new(),
            end: self.from,
            bytes: 0,
        };
        let mut size = 0;
        let mut bytes_before = 0;
        for (number, source) in sources.into_iter().enumerate() {
            let before = bytes_before;
            bytes_before += source.bytes.unwrap_or(0);
            if number < self.from.source {
                continue;
            }
            let done = if number == self.from.source {
                self.from.rows
            } else {
                0
            };
            let mut rows = source.into_rows(number, &self.settings)?;
            let mut read = 0;
            while let Some(item) = rows.next_row()? {
                read += 1;
                if read <= done {
                    continue;
                }
                match item {
                    Ok(row) => {
                        size += row.bytes();
                        chunk.rows.push(row);
                    }
                    Err(error) => chunk.errors.push(error),
                }
                chunk.end = Position {
                    source: number,
                    rows: read,
                };
                chunk.bytes = before + rows.bytes_read();
                if chunk.rows.len() + chunk.errors.len() >= self.rows_together
                    || size >= CHUNK_BYTES
                {
                    let next = Chunk {
                        rows: Vec::new(),
                        errors: Vec::new(),
                        ..chunk
                    };
                    let full = std::mem::replace(&mut chunk, next);
                    size = 0;
                    if self.stop.load(Ordering::Relaxed)
                        || self.send.send(Read::Chunk(full)).is_err()
                    {
                        return Ok(false);
                    }
                }
            }
        }
        if !chunk.rows.is_empty() || !chunk.errors.is_empty() {
            let _ = self.send.send(Read::Chunk(chunk));
        }
        Ok(true)
    }
}
