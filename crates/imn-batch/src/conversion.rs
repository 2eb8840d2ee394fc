//! The records of a finished job in another format, without analysing anything again.
//!
//! Records in JSONL hold everything but the types of the input's columns. Those come from the
//! header of the source, so the output is the one that the job would have written in that format.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use imn::analyze::AnalyzedReview;
use imn_io::Compression;

use crate::columns::TableLayout;
use crate::job::CHUNK_ROWS;
use crate::read::{InputSource, ReadSettings};
use crate::write::parquet::ParquetParts;
use crate::write::sink::Sink;
use crate::write::stream::{Destination, Stream};
use crate::write::{Context, WriteSettings, encoder};
use crate::{BatchError, InputError};

/// A conversion of records.
#[derive(Debug)]
pub struct Conversion {
    /// The source that the records are of; only its header is read.
    pub source: InputSource,
    /// How it was read.
    pub read: ReadSettings,
    /// JSONL that a job wrote.
    pub records: PathBuf,
    /// How the output is written.
    pub write: WriteSettings,
    /// Where it goes. It takes its place when it is complete.
    pub output: PathBuf,
}

impl Conversion {
    /// Writes the output and returns the number of records.
    ///
    /// # Errors
    /// If the source or the records cannot be read, or the output cannot be written.
    pub fn run(&self) -> Result<u64, BatchError> {
        let rows = self.source.open(0, &self.read)?;
        let context = Context {
            settings: self.write.clone(),
            layout: TableLayout::of([rows.header().as_ref()]),
        };
        drop(rows);
        let mut sink: Box<dyn Sink> = match encoder(&context) {
            None => Box::new(ParquetParts::open(&self.output, 0, context)?),
            Some(encoder) => {
                let compression = Compression::of_name(&self.output);
                let to = Destination::beside(&self.output)?;
                Box::new(Stream::new(encoder, compression, to, 0))
            }
        };
        let mut count = 0;
        let mut chunk = Vec::with_capacity(CHUNK_ROWS);
        for record in records(&self.records)? {
            chunk.push(record?);
            count += 1;
            if chunk.len() == CHUNK_ROWS {
                sink.write(std::mem::take(&mut chunk))?;
            }
        }
        if !chunk.is_empty() {
            sink.write(chunk)?;
        }
        sink.finish()?.remove()?;
        Ok(count)
    }
}

/// The records of a file, one at a time.
fn records(
    path: &Path,
) -> Result<impl Iterator<Item = Result<AnalyzedReview, BatchError>>, BatchError> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(InputError::io(&name))?;
    let lines = BufReader::new(file).split(b'\n');
    Ok(lines.map(move |line| {
        let line = line.map_err(InputError::io(&name))?;
        let record = serde_json::from_slice(&line);
        Ok(record.map_err(|error| InputError::io(&name)(error.into()))?)
    }))
}
