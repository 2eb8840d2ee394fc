//! Analysis of Arrow record batches: columns in, columns out, without copying text.
//!
//! ```text
//! batch ─ text column ─→ &str per row ─ Analyzer ─→ new columns ─┐
//!    └──────────── text and other columns, shared ───────────────┴→ batch
//! ```
//!
//! The columns have the names and the order of the Parquet output of a job. The text and the other
//! input columns are those of the input batch, so they also keep its types. A job leaves out rows
//! that it cannot analyse; here every row is kept, and such a row is null in the new columns.

mod texts;

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use imn::analyze::{AnalyzedReview, Analyzer};
use imn::text::OffsetUnit;
use imn_io::columns::distinct;

use crate::columns::{OURS, TableLayout};
use crate::job::{CHUNK_BYTES, CHUNK_ROWS};
use crate::read::{Chosen, ReadSettings, choose};
use crate::write::arrow::{field, found_columns, found_fields, metadata, texts};
use crate::{InputError, Reason};
use texts::{TextColumn, type_problem};

/// The name of the input in errors.
const SOURCE: &str = "Arrow data";

/// How record batches are analysed.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchSettings {
    /// The text and id columns, and the maximum size of a text. Other columns do not count.
    pub read: ReadSettings,
    /// Terms with a lower confidence are left out.
    pub min_confidence: f32,
    /// The unit of offsets.
    pub unit: OffsetUnit,
    /// The name of an additional column that says why a row was not analysed.
    pub reason: Option<String>,
}

/// Analyses the record batches of one schema.
#[derive(Debug, Clone)]
pub struct BatchAnalysis {
    settings: BatchSettings,
    chosen: Chosen,
    text_name: String,
    /// The indexes of the other input columns.
    others: Vec<usize>,
    schema: SchemaRef,
}

impl BatchAnalysis {
    /// Finds the columns of the input and determines the schema of the output.
    ///
    /// # Errors
    /// If the text or id column is missing, the text column does not hold strings, or two columns
    /// have the same name.
    pub fn new(input: &Schema, settings: BatchSettings) -> Result<Self, InputError> {
        let fields = input.fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let unusable = |reason: String| InputError::Arrow { reason };
        if distinct(names.clone()) != names {
            return Err(unusable("two columns have the same name".to_owned()));
        }
        let chosen = choose(&names, &settings.read, SOURCE)?;
        let text_name = names[chosen.text].clone();
        if let Some(found) = type_problem(fields[chosen.text].data_type()) {
            return Err(unusable(format!("`{text_name}` is {found}, not a string")));
        }
        let others: Vec<usize> = (0..names.len())
            .filter(|&i| i != chosen.text && Some(i) != chosen.id)
            .collect();
        let mut ours = OURS.to_vec();
        ours.extend(settings.reason.as_deref());
        let named = |i: usize, name: &str| Field::clone(&fields[i]).with_name(name);
        let mut all = vec![field("row", DataType::Int64)];
        all.extend(chosen.id.map(|id| named(id, "id")));
        all.push(named(chosen.text, "text"));
        let beside = |&i: &usize| named(i, &TableLayout::name_beside(&names[i], &ours));
        all.extend(others.iter().map(beside));
        all.extend(found_fields());
        let reason = settings.reason.as_deref();
        all.extend(reason.map(|name| field(name, DataType::Utf8)));
        let schema = Schema::new(all).with_metadata(metadata(settings.unit));
        Ok(Self {
            settings,
            chosen,
            text_name,
            others,
            schema: Arc::new(schema),
        })
    }

    /// The schema of the output.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Analyses a batch, whose first row has the number `first_row`, on all threads of the current
    /// rayon pool. `proceed` is asked after every few hundred rows; if it answers `false`, the
    /// result is `None`.
    ///
    /// # Errors
    /// If the batch does not have the schema of the input, or its text column is damaged.
    pub fn analyze(
        &self,
        analyzer: &Analyzer,
        batch: &RecordBatch,
        first_row: u64,
        proceed: &mut dyn FnMut() -> bool,
    ) -> Result<Option<RecordBatch>, ArrowError> {
        let column = batch.columns().get(self.chosen.text);
        let column = column
            .ok_or_else(|| ArrowError::SchemaError("a batch has too few columns".to_owned()))?;
        // Strings from another library were not checked by this one.
        column.to_data().validate_full()?;
        let column = TextColumn::new(column.as_ref())?;
        let rows: Vec<Result<&str, Reason>> = (0..batch.num_rows())
            .map(|i| self.text(&column, i))
            .collect();
        let mut found: Vec<Option<AnalyzedReview>> = Vec::with_capacity(rows.len());
        while found.len() < rows.len() {
            let chunk = next_chunk(&rows[found.len()..]);
            let analyzable: Vec<&str> = chunk
                .iter()
                .filter_map(|row| row.as_ref().ok())
                .copied()
                .collect();
            let mut analyses = analyzer.analyze_all(&analyzable).into_iter();
            found.extend(chunk.iter().map(|row| {
                let text = row.as_ref().ok()?;
                let analysis = analyses.next()?.in_unit(text, self.settings.unit);
                // The batch has the text already, so the record does not copy it.
                let mut record = AnalyzedReview {
                    offset_unit: self.settings.unit,
                    ..AnalyzedReview::new("", analysis)
                };
                record.retain_confident(self.settings.min_confidence);
                Some(record)
            }));
            if !proceed() {
                return Ok(None);
            }
        }
        let reasons = rows.iter().map(|row| row.as_ref().err());
        self.assemble(batch, first_row, &found, reasons).map(Some)
    }

    /// The text of a row, or why it is not analysed.
    fn text<'a>(&self, column: &TextColumn<'a>, i: usize) -> Result<&'a str, Reason> {
        let limit = self.settings.read.max_bytes;
        match column.get(i) {
            None => Err(Reason::NotText {
                column: self.text_name.clone(),
                found: "null",
            }),
            Some(text) if text.len() > limit => Err(Reason::TooLong { limit }),
            Some(text) => Ok(text),
        }
    }

    fn assemble<'a>(
        &self,
        batch: &RecordBatch,
        first_row: u64,
        found: &[Option<AnalyzedReview>],
        reasons: impl Iterator<Item = Option<&'a Reason>>,
    ) -> Result<RecordBatch, ArrowError> {
        let shared = |i: usize| Arc::clone(batch.column(i));
        let numbers = (first_row..).take(found.len()).map(|row| row as i64);
        let mut arrays: Vec<ArrayRef> = vec![Arc::new(Int64Array::from_iter_values(numbers))];
        arrays.extend(self.chosen.id.map(shared));
        arrays.push(shared(self.chosen.text));
        arrays.extend(self.others.iter().copied().map(shared));
        arrays.extend(found_columns(found.iter().map(Option::as_ref)));
        if self.settings.reason.is_some() {
            let reasons: Vec<Option<String>> = reasons
                .map(|reason| reason.map(ToString::to_string))
                .collect();
            arrays.push(texts(reasons.iter().map(Option::as_deref)));
        }
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
    }
}

/// The leading rows that are analysed together: as many as a job would.
fn next_chunk<'r, 'a>(rows: &'r [Result<&'a str, Reason>]) -> &'r [Result<&'a str, Reason>] {
    let mut bytes = 0;
    let fits = rows.iter().take(CHUNK_ROWS).take_while(|row| {
        let before = bytes;
        bytes += row.as_ref().map_or(0, |text| text.len());
        before < CHUNK_BYTES
    });
    &rows[..fits.count()]
}

#[cfg(test)]
mod tests;
