//! Parquet, by way of Arrow. The text is read as it is; every other value is converted to JSON.

mod json;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use imn::analyze::RawJson;
use imn_io::columns::distinct;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::column::Chosen;
use super::{ColumnNote, Item, ReadSettings, RowReader, column};
use crate::columns::{ColumnType, TableHeader};
use crate::{InputError, Place, Reason, Row, RowError};

/// How many rows are decoded together: few, because each may have the maximum size.
const BATCH: usize = 64;

struct ParquetRows {
    source: usize,
    name: String,
    batches: ParquetRecordBatchReader,
    names: Vec<String>,
    chosen: Chosen,
    note: Option<ColumnNote>,
    header: TableHeader,
    limit: usize,
    /// The current batch, of which `used` rows were returned.
    batch: Option<RecordBatch>,
    used: usize,
    row: u64,
    rows: u64,
    bytes: u64,
}

/// Runs code that reads a file. The Parquet reader panics on some kinds of damage; here a panic is
/// an error.
fn guarded<T>(name: &str, read: impl FnOnce() -> Result<T, InputError>) -> Result<T, InputError> {
    let done = catch_unwind(AssertUnwindSafe(read));
    done.unwrap_or_else(|_| Err(damaged(name, &"it is damaged")))
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> InputError {
    InputError::Parquet {
        source_name: name.to_owned(),
        reason: error.to_string(),
    }
}

pub(super) fn open(
    path: &Path,
    settings: &ReadSettings,
    (source, name): (usize, String),
) -> Result<Box<dyn RowReader>, InputError> {
    guarded(&name.clone(), || {
        let rows = ParquetRows::open(path, settings, (source, name))?;
        Ok(Box::new(rows) as Box<dyn RowReader>)
    })
}

impl ParquetRows {
    fn open(
        path: &Path,
        settings: &ReadSettings,
        (source, name): (usize, String),
    ) -> Result<Self, InputError> {
        let file = File::open(path).map_err(InputError::io(&name))?;
        let bytes = file.metadata().map_err(InputError::io(&name))?.len();
        let builder =
            ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| damaged(&name, &e))?;
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        let fields = builder.schema().fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        if distinct(names.clone()) != names {
            return Err(damaged(&name, &"two columns have the same name"));
        }
        if let Some(field) = fields.iter().find(|f| !json::is_supported(f.data_type())) {
            let (column, kind) = (field.name(), field.data_type());
            let reason = format!("column `{column}` has the type {kind}, which is not supported");
            return Err(damaged(&name, &reason));
        }
        let chosen = column::choose(&names, settings, &name)?;
        let kind = |i: usize| copied_type(fields[i].data_type());
        let others = (0..names.len()).filter(|&i| i != chosen.text && Some(i) != chosen.id);
        let header = TableHeader {
            id: chosen.id.map(kind),
            columns: others.map(|i| (names[i].clone(), kind(i))).collect(),
        };
        let batches = builder.with_batch_size(BATCH).build();
        Ok(Self {
            source,
            batches: batches.map_err(|e| damaged(&name, &e))?,
            note: ColumnNote::of(&names, chosen, settings),
            names,
            chosen,
            header,
            limit: settings.max_bytes,
            batch: None,
            used: 0,
            row: 0,
            rows,
            bytes,
            name,
        })
    }

    /// Converts row `i` of a batch.
    fn read(&self, batch: &RecordBatch, i: usize, place: Place) -> Result<Row, Reason> {
        let column = |number: usize| batch.column(number).as_ref();
        let mut row = Row::of_text(place, String::new());
        row.text = json::text(column(self.chosen.text), i).map_err(|found| Reason::NotText {
            column: self.names[self.chosen.text].clone(),
            found,
        })?;
        for (number, name) in self.names.iter().enumerate() {
            if number == self.chosen.text {
                continue;
            }
            let mut value = String::new();
            json::append(column(number), i, &mut value);
            let value = RawJson::of_json(value).map_err(|e| Reason::Json(e.to_string()))?;
            if Some(number) == self.chosen.id {
                row.id = Some(value);
            } else {
                row.columns.0.push((name.clone(), value));
            }
        }
        let limit = self.limit;
        if row.bytes() > limit {
            return Err(Reason::TooLong { limit });
        }
        Ok(row)
    }

    fn next(&mut self) -> Result<Option<Item>, InputError> {
        loop {
            if let Some(batch) = &self.batch
                && self.used < batch.num_rows()
            {
                self.row += 1;
                let place = Place {
                    source: self.source,
                    row: self.row,
                    line: None,
                };
                let item = self.read(batch, self.used, place);
                self.used += 1;
                return Ok(Some(item.map_err(|reason| RowError { place, reason })));
            }
            let Some(batch) = self.batches.next() else {
                return Ok(None);
            };
            self.batch = Some(batch.map_err(|e| damaged(&self.name, &e))?);
            self.used = 0;
        }
    }
}

/// The type of a column after conversion to JSON and back: its own if it is primitive, otherwise
/// text.
fn copied_type(kind: &DataType) -> ColumnType {
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
        | DataType::Decimal128(..) => ColumnType::Arrow(kind.clone()),
        _ => ColumnType::Text,
    }
}

impl RowReader for ParquetRows {
    fn header(&self) -> Option<TableHeader> {
        Some(self.header.clone())
    }

    fn note(&self) -> Option<&ColumnNote> {
        self.note.as_ref()
    }

    fn next_row(&mut self) -> Result<Option<Item>, InputError> {
        let name = self.name.clone();
        guarded(&name, || self.next())
    }

    fn bytes_read(&self) -> u64 {
        let share = self.row as f64 / self.rows.max(1) as f64;
        (share * self.bytes as f64) as u64
    }
}
