//! Converts the records of a finished job to another format, without a new analysis.
//!
//! Records in JSONL hold everything but the types of the input's columns. Those come from the
//! header of the source, so the output is the one that the job would have written in that format.

use std::path::{Path, PathBuf};

use imn::analyze::{AnalyzedReview, StoredError, StoredReviews};
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
    /// The source of the records; only its header is read.
    pub source: InputSource,
    /// How it was read.
    pub read: ReadSettings,
    /// JSONL that a job wrote.
    pub records: PathBuf,
    /// How the output is written.
    pub write: WriteSettings,
    /// The output file, which appears when it is complete.
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
    let file = imn_io::open(path).map_err(InputError::io(&name))?;
    let reviews = StoredReviews::new(file).map_err(InputError::start(&name))?;
    Ok(reviews.map(move |review| {
        review.map_err(|error| match error {
            StoredError::Io { error, .. } => InputError::io(&name)(error).into(),
            StoredError::Line(bad) => InputError::Record {
                source_name: name.clone(),
                line: bad.line,
                reason: bad.reason,
            }
            .into(),
        })
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use imn::text::OffsetUnit;

    use super::*;
    use crate::read::{Input, InputFormat};
    use crate::write::{OutputFormat, RowPer};

    /// Converts the records in this file to CSV.
    fn convert(file: &str) -> Result<(u64, String), BatchError> {
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().join("records.jsonl");
        let output = folder.path().join("out.csv");
        std::fs::write(&records, file).unwrap();
        let conversion = Conversion {
            source: InputSource {
                input: Input::Texts(Arc::from(Vec::new())),
                format: InputFormat::Txt,
            },
            read: ReadSettings::default(),
            records,
            write: WriteSettings {
                format: OutputFormat::Csv,
                per: RowPer::Review,
                unit: OffsetUnit::Bytes,
                color: false,
            },
            output: output.clone(),
        };
        let count = conversion.run()?;
        Ok((count, std::fs::read_to_string(output).unwrap()))
    }

    fn record(schema: u32, text: &str) -> String {
        format!(r#"{{"schema":{schema},"row":1,"text":"{text}","aspects":[],"opinions":[]}}"#)
    }

    #[test]
    fn a_byte_order_mark_and_blank_lines_are_skipped() {
        let file = format!("\u{feff}{}\n\n{}\r\n", record(1, "One"), record(1, "Two"));
        let (count, table) = convert(&file).unwrap();
        assert_eq!(count, 2);
        assert!(table.contains("One") && table.contains("Two"), "{table}");
    }

    #[test]
    fn a_record_of_another_schema_is_an_error_with_its_line() {
        let file = format!("{}\n{}\n", record(1, "One"), record(2, "Two"));
        let error = convert(&file).unwrap_err().to_string();
        assert!(
            error.contains("records.jsonl:2: its schema is 2"),
            "{error}"
        );
    }
}
