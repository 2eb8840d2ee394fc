//! The outputs of a job: its journal and its sink.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use imn_io::Compression;
use imn_io::output::is_device;
use serde_json::json;

use super::writing::WriteStage;
use super::{Job, OutputTarget};
use crate::errors_file::ErrorsFile;
use crate::journal::{Durable, Entry, Fingerprint, Journal, JournalError, Mark};
use crate::write::parquet::ParquetParts;
use crate::write::sink::Sink;
use crate::write::stream::{Destination, Stream};
use crate::write::{Context, OutputFormat, encoder};
use crate::{BatchError, JobTotals};

/// What there is to resume.
pub(super) enum Resumed {
    /// No journal and no output: the job starts.
    Start,
    /// A stopped job, which continues here.
    From(Mark),
    /// A finished job, which has done this.
    Nothing(JobTotals),
}

impl Job<'_> {
    /// Finds out where a job with this journal continues.
    pub(super) fn resumed(&self, journal: &Journal) -> Result<Resumed, BatchError> {
        let OutputTarget::File(path) = &self.output else {
            return Ok(Resumed::Start);
        };
        match journal.load()? {
            Some(Entry::Stopped(mark)) => Ok(Resumed::From(mark)),
            Some(Entry::Finished {
                bytes: expected,
                totals,
            }) => match fs::metadata(path) {
                Ok(metadata) if metadata.len() == expected => {
                    // A job that was killed at its very end leaves part files.
                    let _ = ParquetParts::left_over(path).remove();
                    Ok(Resumed::Nothing(totals))
                }
                Ok(metadata) => Err(JournalError::Changed {
                    path: path.clone(),
                    found: metadata.len(),
                    expected,
                }
                .into()),
                // A finished job whose output was removed starts over.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Resumed::Start),
                Err(error) => Err(BatchError::output(path)(error)),
            },
            None if path.is_file() => Err(JournalError::Missing {
                output: path.clone(),
            }
            .into()),
            None => match &self.errors {
                // Without a journal, nothing says that this job wrote the file.
                Some(errors) if errors.is_file() => Err(BatchError::Exists {
                    path: errors.clone(),
                    resumable: false,
                }),
                _ => Ok(Resumed::Start),
            },
        }
    }

    /// Removes the journal of a stopped job whose part files this job overwrites from the start.
    /// All other outputs are replaced at the end, and their journals with them.
    pub(super) fn forget_parts(&self) -> Result<(), BatchError> {
        match &self.output {
            OutputTarget::File(path)
                if self.write.format == OutputFormat::Parquet && Journal::unfinished(path) =>
            {
                Ok(Journal::remove(path)?)
            }
            _ => Ok(()),
        }
    }

    /// Whether a stopped job without a journal leaves everything as it was: it has no review, and
    /// an empty output would replace a file.
    pub(super) fn leaves_output(&self, totals: JobTotals) -> bool {
        let is_file = matches!(&self.output, OutputTarget::File(path) if !is_device(path));
        is_file && totals.reviews == 0
    }

    /// Completes the output, and records that in the journal; `last` is its last entry.
    pub(super) fn finish(
        &self,
        writing: WriteStage<'_>,
        last: Option<(&Journal, Mark)>,
    ) -> Result<(), BatchError> {
        if last.is_none() {
            self.remove_old(writing.errors.as_ref())?;
        }
        let left_over = writing.sink.finish()?;
        if let (Some((journal, mark)), OutputTarget::File(path)) = (last, &self.output) {
            let size = || {
                let file = File::options().write(true).open(path)?;
                file.sync_all()?;
                Ok(file.metadata()?.len())
            };
            let output = Durable::Bytes(size().map_err(BatchError::output(path))?);
            journal.finish(&Mark { output, ..mark })?;
        }
        left_over.remove()
    }

    /// Removes the errors file and the journal that belong to the output that is replaced.
    fn remove_old(&self, errors: Option<&ErrorsFile>) -> Result<(), BatchError> {
        if let Some(errors) = errors {
            errors.remove_old()?;
        }
        match &self.output {
            OutputTarget::File(path) => Ok(Journal::remove(path)?),
            OutputTarget::Stdout => Ok(()),
        }
    }

    /// The journal; `None` if the job cannot be resumed.
    pub(super) fn journal(&self) -> Result<Option<Journal>, BatchError> {
        let OutputTarget::File(out) = &self.output else {
            return Ok(None);
        };
        if !self.write.format.resumable() || is_device(out) {
            return Ok(None);
        }
        let mut inputs = Vec::new();
        for source in &self.sources {
            let (Some(path), Some(_)) = (source.input.path(), source.bytes()) else {
                return Ok(None);
            };
            let io = |error| JournalError::Io {
                path: path.to_owned(),
                error,
            };
            let path = fs::canonicalize(path).map_err(io)?;
            let print = Fingerprint::of(&path).map_err(io)?;
            inputs.push(json!({"file": print, "format": source.format}));
        }
        let job = json!({
            "inputs": inputs,
            "model": self.model,
            "column": self.read.column,
            "id": self.read.id,
            "max_bytes": self.read.max_bytes,
            "format": self.write.format,
            "per": self.write.per,
            "offsets": self.write.unit,
            "min_confidence": self.min_confidence,
            "explain": self.explain,
            "errors": self.errors,
            "schema": imn::analyze::SCHEMA,
        });
        Ok(Some(Journal::new(out, job)))
    }

    /// The sink that appends to the durable part of the output.
    pub(super) fn sink(
        &self,
        context: &Context,
        durable: Durable,
        journaled: bool,
    ) -> Result<Box<dyn Sink>, BatchError> {
        let path = match &self.output {
            OutputTarget::File(path) => Some(path.as_path()),
            OutputTarget::Stdout => None,
        };
        let bytes = match (durable, path) {
            (Durable::Parts(parts), Some(path)) if !is_device(path) => {
                return Ok(Box::new(ParquetParts::open(path, parts, context.clone())?));
            }
            (Durable::Bytes(bytes), _) => bytes,
            _ => 0,
        };
        let Some(encoder) = encoder(context) else {
            return Err(BatchError::Parquet {
                path: path.unwrap_or(Path::new("standard output")).to_owned(),
                reason: "Parquet can only be written to a file".to_owned(),
            });
        };
        let to = match path {
            None => Destination::Stdout,
            Some(path) if is_device(path) => Destination::device(path)?,
            Some(path) if journaled => Destination::after(path, bytes)?,
            Some(path) => Destination::beside(path)?,
        };
        let compression = path.map_or(Compression::None, Compression::of_name);
        Ok(Box::new(Stream::new(encoder, compression, to, bytes)))
    }
}
