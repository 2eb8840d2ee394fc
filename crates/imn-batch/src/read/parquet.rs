//! Parquet, through Arrow and its JSON form: a batch of rows becomes lines of JSON, which are read as such.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_json::writer::{LineDelimited, WriterBuilder};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::object::{self, Keys};
use super::{Item, ReadSettings, Rows, column};
use crate::columns::{Header, distinct};
use crate::{InputError, Place, Reason, RowError};

/// Rows that are unpacked at a time: few, since each may be as large as a row may be.
const BATCH: usize = 64;

pub(super) struct ParquetRows {
    source: usize,
    name: String,
    batches: ParquetRecordBatchReader,
    header: Header,
    keys: Keys,
    limit: usize,
    /// The current batch as lines, and how much of them is used.
    lines: Vec<u8>,
    used: usize,
    row: u64,
    rows: u64,
    bytes: u64,
}

/// Runs what reads a file. The reader of Parquet panics on some kinds of damage, which must not be the end of the program.
fn unharmed<T>(name: &str, read: impl FnOnce() -> Result<T, InputError>) -> Result<T, InputError> {
    let done = catch_unwind(AssertUnwindSafe(read));
    done.unwrap_or_else(|_| {
        Err(InputError::Parquet {
            source_name: name.to_owned(),
            reason: "it is damaged".to_owned(),
        })
    })
}

impl ParquetRows {
    pub(super) fn open(
        path: &Path,
        settings: &ReadSettings,
        (source, name): (usize, String),
    ) -> Result<Self, InputError> {
        unharmed(&name.clone(), || {
            Self::begin(path, settings, (source, name))
        })
    }

    fn begin(
        path: &Path,
        settings: &ReadSettings,
        (source, name): (usize, String),
    ) -> Result<Self, InputError> {
        let damaged = |error: &dyn std::fmt::Display| InputError::Parquet {
            source_name: name.clone(),
            reason: error.to_string(),
        };
        let file = File::open(path).map_err(InputError::io(&name))?;
        let bytes = file.metadata().map_err(InputError::io(&name))?.len();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| damaged(&e))?;
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        let fields = builder.schema().fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        if distinct(names.clone()) != names {
            return Err(damaged(&"two columns have the same name"));
        }
        let chosen = column::choose(&names, settings, &name)?;
        let kind = |i: usize| passed(fields[i].data_type());
        let others = (0..names.len()).filter(|&i| i != chosen.text && Some(i) != chosen.id);
        let header = Header {
            id: chosen.id.map(kind),
            columns: others.map(|i| (names[i].clone(), kind(i))).collect(),
        };
        let keys = Keys {
            text: names[chosen.text].clone(),
            id: chosen.id.map(|id| names[id].clone()),
        };
        let batches = builder.with_batch_size(BATCH).build();
        Ok(Self {
            source,
            batches: batches.map_err(|e| damaged(&e))?,
            header,
            keys,
            limit: settings.max_bytes,
            lines: Vec::new(),
            used: 0,
            row: 0,
            rows,
            bytes,
            name,
        })
    }

    /// Whether there is another batch.
    fn fill(&mut self) -> Result<bool, InputError> {
        let damaged = |error: &dyn std::fmt::Display| InputError::Parquet {
            source_name: self.name.clone(),
            reason: error.to_string(),
        };
        let Some(batch) = self.batches.next() else {
            return Ok(false);
        };
        let batch: RecordBatch = batch.map_err(|e| damaged(&e))?;
        self.lines.clear();
        self.used = 0;
        let mut writer = WriterBuilder::new()
            .with_explicit_nulls(true)
            .build::<_, LineDelimited>(&mut self.lines);
        writer.write(&batch).map_err(|e| damaged(&e))?;
        writer.finish().map_err(|e| damaged(&e))?;
        Ok(true)
    }
}

/// The type that a column has after it has passed through JSON: its own where it is plain, text or JSON where it is not.
fn passed(kind: &DataType) -> DataType {
    match kind {
        DataType::Boolean
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Float32
        | DataType::Float64
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Decimal128(..) => kind.clone(),
        _ => DataType::Utf8,
    }
}

impl Rows for ParquetRows {
    fn header(&self) -> Option<Header> {
        Some(self.header.clone())
    }

    fn next_row(&mut self) -> Result<Option<Item>, InputError> {
        while self.used == self.lines.len() {
            let name = self.name.clone();
            if !unharmed(&name, || self.fill())? {
                return Ok(None);
            }
        }
        let rest = &self.lines[self.used..];
        let end = rest.iter().position(|&byte| byte == b'\n');
        let line = &rest[..end.unwrap_or(rest.len())];
        self.used += line.len() + usize::from(end.is_some());
        self.row += 1;
        let place = Place {
            source: self.source,
            row: self.row,
            line: None,
        };
        let item = object::parse(line)
            .map_err(|reason| RowError { place, reason })
            .and_then(|object| object::row(object, &self.keys, place));
        // Escapes make JSON longer than what it says: it is the row itself that counts.
        let limit = self.limit;
        Ok(Some(match item {
            Ok(row) if row.bytes() > limit => Err(RowError {
                place,
                reason: Reason::TooLong { limit },
            }),
            item => item,
        }))
    }

    fn bytes_read(&self) -> u64 {
        let share = self.row as f64 / self.rows.max(1) as f64;
        (share * self.bytes as f64) as u64
    }
}
