//! Parquet: one row per review, with aspects and opinions as lists of structs.
//!
//! A Parquet file is unreadable until its footer is written, so a job that can be resumed cannot
//! write a single file directly. Every chunk becomes a part file in the folder `OUT.parts`. At the
//! end the parts are merged into one file with larger row groups, and the folder is removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{ArrowError, SchemaRef};
use imn::analyze::AnalyzedReview;
use imn_io::AtomicFile;
use imn_io::atomic::{destination_of, remove_stale};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::arrow::{record_batch, schema};
use super::sink::{LeftOver, Sink};
use super::{Context, in_unit, parquet_parts};
use crate::BatchError;
use crate::journal::Durable;

/// The number of rows in a row group of the merged file.
const GROUP: usize = 1 << 14;

/// Writes part files and merges them at the end.
pub(crate) struct ParquetParts {
    context: Context,
    path: PathBuf,
    folder: PathBuf,
    parts: u64,
    schema: SchemaRef,
}

impl ParquetParts {
    /// Opens an output that already has `parts` part files. Later ones are removed.
    pub(crate) fn open(path: &Path, parts: u64, context: Context) -> Result<Self, BatchError> {
        let folder = parquet_parts(path);
        let io = BatchError::output(path);
        fs::create_dir_all(&folder).map_err(&io)?;
        for entry in fs::read_dir(&folder).map_err(&io)? {
            let name = entry.map_err(&io)?.file_name();
            // Files that this program did not write are left alone.
            let later = name.to_str().and_then(number_of);
            let stale = name.to_str().and_then(destination_of).and_then(number_of);
            if stale.is_some() || later.is_some_and(|number| number >= parts) {
                fs::remove_file(folder.join(name)).map_err(&io)?;
            }
        }
        remove_stale(path).map_err(&io)?;
        let schema = schema(&context.layout, context.settings.unit);
        Ok(Self {
            context,
            path: path.to_owned(),
            folder,
            parts,
            schema,
        })
    }

    /// The part files, to be removed once the job has finished.
    pub(crate) fn left_over(path: &Path) -> LeftOver {
        LeftOver::new(path, remove_parts)
    }

    fn part(&self, number: u64) -> PathBuf {
        self.folder.join(format!("part-{number:06}.parquet"))
    }

    fn writer(&self, file: File) -> Result<ArrowWriter<File>, BatchError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP))
            .build();
        ArrowWriter::try_new(file, Arc::clone(&self.schema), Some(properties))
            .map_err(|error| refused(&self.path, &error))
    }

    /// Writes a file atomically; `fill` writes its rows.
    fn write_whole(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut ArrowWriter<File>) -> Result<(), BatchError>,
    ) -> Result<(), BatchError> {
        let io = BatchError::output(path);
        let file = AtomicFile::create(path).map_err(&io)?;
        let mut writer = self.writer(file.try_clone_file().map_err(&io)?)?;
        fill(&mut writer)?;
        writer.close().map_err(|error| refused(path, &error))?;
        file.commit().map_err(&io)
    }
}

/// The number in the name of a part file.
fn number_of(name: &str) -> Option<u64> {
    let name = name.strip_prefix("part-")?.strip_suffix(".parquet")?;
    name.parse().ok()
}

fn refused(path: &Path, error: &dyn std::fmt::Display) -> BatchError {
    BatchError::Parquet {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

impl Sink for ParquetParts {
    fn write(&mut self, reviews: Vec<AnalyzedReview>) -> Result<(), BatchError> {
        if reviews.is_empty() {
            return Ok(());
        }
        let path = self.part(self.parts);
        let reviews = in_unit(&self.context, reviews);
        let batch = record_batch(&reviews, &self.context.layout, &self.schema)
            .map_err(|error| refused(&path, &error))?;
        self.write_whole(&path, |writer| {
            writer.write(&batch).map_err(|error| refused(&path, &error))
        })?;
        self.parts += 1;
        Ok(())
    }

    fn durable(&mut self) -> Result<Durable, BatchError> {
        Ok(Durable::Parts(self.parts))
    }

    fn discard(self: Box<Self>) -> Result<(), BatchError> {
        Self::left_over(&self.path).remove()
    }

    fn finish(self: Box<Self>) -> Result<LeftOver, BatchError> {
        self.write_whole(&self.path, |writer| {
            for part in (0..self.parts).map(|number| self.part(number)) {
                let file = File::open(&part).map_err(BatchError::output(&part))?;
                let batches = ParquetRecordBatchReaderBuilder::try_new(file)
                    .and_then(ParquetRecordBatchReaderBuilder::build)
                    .map_err(|error: ParquetError| refused(&part, &error))?;
                for batch in batches {
                    let batch = batch.map_err(|error: ArrowError| refused(&part, &error))?;
                    writer.write(&batch).map_err(|e| refused(&self.path, &e))?;
                }
            }
            Ok(())
        })?;
        Ok(Self::left_over(&self.path))
    }
}

/// Removes the part files and, unless it has files of others, their folder.
fn remove_parts(path: &Path) -> io::Result<()> {
    let folder = parquet_parts(path);
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name();
        if name.to_str().and_then(number_of).is_some() {
            fs::remove_file(folder.join(name))?;
        }
    }
    match fs::remove_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use imn::text::OffsetUnit;

    use super::*;
    use crate::columns::{TableHeader, TableLayout};
    use crate::write::{OutputFormat, RowPer, WriteSettings};

    #[test]
    fn only_files_of_ours_are_removed() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("out.parquet");
        let folder = parquet_parts(&path);
        fs::create_dir(&folder).unwrap();
        let ours = [".part-000001.parquet.x4BfQ2.partial", "part-000001.parquet"];
        let kept = [
            "download.partial",
            ".notes.x4BfQ2.partial",
            "part-000000.parquet",
        ];
        for name in ours.iter().chain(&kept) {
            fs::write(folder.join(name), "").unwrap();
        }
        let context = Context {
            settings: WriteSettings {
                format: OutputFormat::Parquet,
                per: RowPer::Review,
                unit: OffsetUnit::Bytes,
                color: false,
            },
            layout: TableLayout::of([Some(&TableHeader::texts_only())]),
        };
        ParquetParts::open(&path, 1, context).unwrap();
        assert!(ours.iter().all(|name| !folder.join(name).exists()));
        assert!(kept.iter().all(|name| folder.join(name).exists()));

        ParquetParts::left_over(&path).remove().unwrap();
        assert!(!folder.join("part-000000.parquet").exists());
        assert!(folder.join("download.partial").exists());
    }
}
