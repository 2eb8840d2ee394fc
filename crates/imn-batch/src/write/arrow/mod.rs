//! Records as Arrow: the schema, and the conversion of records to a [`RecordBatch`].
//!
//! One row per review. `aspects` and `opinions` are lists of structs with the same fields as in
//! JSON. The metadata of the schema holds the version of the record (`imn.schema`) and the unit of
//! offsets (`imn.offset_unit`).

mod copied;
mod found;

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use imn::analyze::{AnalyzedReview, RawJson, SCHEMA};
use imn::text::OffsetUnit;

pub(crate) use found::{found_columns, found_fields};

use crate::TableLayout;
use crate::columns::{ColumnType, Columns, OURS};

/// The schema of records with offsets in this unit.
#[must_use]
pub fn schema(layout: &TableLayout, unit: OffsetUnit) -> SchemaRef {
    let mut fields = Vec::new();
    fields.extend(layout.file.then(|| field("file", DataType::Utf8)));
    fields.push(field("row", DataType::Int64));
    fields.extend(layout.id.as_ref().map(|kind| field("id", data_type(kind))));
    fields.push(field("text", DataType::Utf8));
    match &layout.columns {
        Columns::Json => fields.push(field("columns", DataType::Utf8)),
        Columns::Named(columns) => fields.extend(
            columns
                .iter()
                .map(|(name, kind)| field(&TableLayout::name_beside(name, &OURS), data_type(kind))),
        ),
    }
    fields.extend(found_fields());
    Arc::new(Schema::new(fields).with_metadata(metadata(unit)))
}

/// The metadata of a schema of records with offsets in this unit.
pub(crate) fn metadata(unit: OffsetUnit) -> [(String, String); 2] {
    [
        ("imn.schema".to_owned(), SCHEMA.to_string()),
        ("imn.offset_unit".to_owned(), unit.name().to_owned()),
    ]
}

/// Converts records to a batch; `schema` is the [`schema`] for the same layout and unit.
///
/// # Errors
/// If a copied value does not have the type of its column.
pub fn record_batch(
    reviews: &[AnalyzedReview],
    layout: &TableLayout,
    schema: &SchemaRef,
) -> Result<RecordBatch, ArrowError> {
    let mut arrays: Vec<ArrayRef> = Vec::new();
    if layout.file {
        arrays.push(texts(reviews.iter().map(|review| review.file.as_deref())));
    }
    let rows = reviews
        .iter()
        .map(|review| review.row.map(|row| row as i64));
    arrays.push(Arc::new(Int64Array::from_iter(rows)));
    if let Some(kind) = &layout.id {
        let ids = reviews.iter().map(|review| review.id.as_ref());
        arrays.push(copied_column("id", kind, ids)?);
    }
    arrays.push(texts(reviews.iter().map(|review| Some(&*review.text))));
    match &layout.columns {
        Columns::Json => {
            let objects: Result<Vec<Option<String>>, _> = reviews
                .iter()
                .map(|review| match &review.columns {
                    columns if columns.is_empty() => Ok(None),
                    columns => serde_json::to_string(columns).map(Some),
                })
                .collect();
            let objects = objects.map_err(|error| ArrowError::JsonError(error.to_string()))?;
            arrays.push(Arc::new(StringArray::from(objects)));
        }
        Columns::Named(columns) => {
            for (number, (name, kind)) in columns.iter().enumerate() {
                let values = reviews.iter().map(|review| {
                    let value = review.columns.0.get(number);
                    value.map(|(_, value)| value)
                });
                arrays.push(copied_column(name, kind, values)?);
            }
        }
    }
    arrays.extend(found_columns(reviews.iter().map(Some)));
    RecordBatch::try_new(Arc::clone(schema), arrays)
}

pub(crate) fn field(name: &str, kind: DataType) -> Field {
    Field::new(name, kind, true)
}

fn data_type(kind: &ColumnType) -> DataType {
    match kind {
        ColumnType::Text => DataType::Utf8,
        ColumnType::Arrow(kind) => kind.clone(),
    }
}

pub(crate) fn texts<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(values.collect::<StringArray>())
}

/// A copied input column.
fn copied_column<'a>(
    name: &str,
    kind: &ColumnType,
    values: impl Iterator<Item = Option<&'a RawJson>>,
) -> Result<ArrayRef, ArrowError> {
    let known = values.map(|value| value.filter(|value| !value.is_null()));
    match kind {
        ColumnType::Text => {
            let cells = known.map(|value| value.map(RawJson::cell));
            Ok(Arc::new(cells.collect::<StringArray>()))
        }
        ColumnType::Arrow(kind) => copied::array(name, kind, known),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array as _;
    use arrow_array::cast::AsArray as _;
    use arrow_schema::TimeUnit;
    use imn::analyze::{Analysis, FoundAspect, FoundOpinion, InputColumns, LinkedOpinion};
    use imn::data::Sentiment;

    use super::*;

    fn review(row: u64, columns: &[(&str, &str)]) -> AnalyzedReview {
        let aspect = FoundAspect {
            term: "tea".to_owned(),
            start: 5,
            end: 8,
            sentiment: Sentiment::Positive,
            span_confidence: 0.5,
            sentiment_confidence: 0.25,
            opinions: vec![LinkedOpinion {
                opinion: 0,
                weight: 1.0,
            }],
        };
        let opinion = FoundOpinion {
            term: "warm".to_owned(),
            start: 0,
            end: 4,
            confidence: 0.75,
        };
        let analysis = Analysis {
            aspects: vec![aspect; row as usize % 3],
            opinions: vec![opinion],
            ..Analysis::default()
        };
        let json = |json: &str| RawJson::of_json(json.to_owned()).unwrap();
        let columns = columns
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json(value)));
        AnalyzedReview {
            row: Some(row),
            columns: InputColumns(columns.collect()),
            ..AnalyzedReview::new("warm tea", analysis)
        }
    }

    #[test]
    fn records_become_rows_with_lists_of_structs() {
        let layout = TableLayout {
            file: false,
            id: None,
            columns: Columns::Json,
        };
        let reviews: Vec<AnalyzedReview> = (0..4).map(|row| review(row, &[("a", "1")])).collect();
        let batch = record_batch(&reviews, &layout, &schema(&layout, OffsetUnit::Bytes)).unwrap();
        let aspects = batch.column_by_name("aspects").unwrap().as_list::<i32>();
        let lengths: Vec<usize> = (0..4).map(|i| aspects.value(i).len()).collect();
        assert_eq!(lengths, [0, 1, 2, 0]);
        let second = aspects.value(2);
        let links = second.as_struct().column_by_name("opinions").unwrap();
        assert_eq!(links.as_list::<i32>().value(1).len(), 1);
        let columns = batch.column_by_name("columns").unwrap();
        assert_eq!(columns.as_string::<i32>().value(0), r#"{"a":1}"#);
        assert!(batch.column_by_name("text_sentiment").unwrap().is_null(0));
        let schema = batch.schema();
        assert_eq!(schema.metadata()["imn.schema"], "1");
        assert_eq!(schema.metadata()["imn.offset_unit"], "bytes");
    }

    #[test]
    fn copied_columns_keep_their_types() {
        let micros = DataType::Timestamp(TimeUnit::Microsecond, Some("+02:00".into()));
        let kinds = [
            ("int", DataType::Int16, "-7"),
            ("float", DataType::Float64, "1.5"),
            ("bool", DataType::Boolean, "true"),
            ("day", DataType::Date32, "\"2024-03-01\""),
            ("time", micros, "\"2024-03-01T12:00:00.5+02:00\""),
            ("price", DataType::Decimal128(10, 2), "-0.05"),
        ];
        let columns = kinds.iter().map(|(name, kind, _)| {
            let kind = ColumnType::Arrow(kind.clone());
            ((*name).to_owned(), kind)
        });
        let layout = TableLayout {
            file: false,
            id: None,
            columns: Columns::Named(columns.collect()),
        };
        let values: Vec<(&str, &str)> =
            kinds.iter().map(|(name, _, json)| (*name, *json)).collect();
        let nulls: Vec<(&str, &str)> = kinds.iter().map(|(name, ..)| (*name, "null")).collect();
        let reviews = [review(1, &values), review(2, &nulls)];
        let batch = record_batch(&reviews, &layout, &schema(&layout, OffsetUnit::Bytes)).unwrap();
        for (name, kind, _) in &kinds {
            let column = batch.column_by_name(name).unwrap();
            assert_eq!(column.data_type(), kind);
            assert!(!column.is_null(0) && column.is_null(1), "{name}");
        }
        let price = batch.column_by_name("price").unwrap();
        let price = price.as_primitive::<arrow_array::types::Decimal128Type>();
        assert_eq!(price.value(0), -5);
        let time = batch.column_by_name("time").unwrap();
        let time = time.as_primitive::<arrow_array::types::TimestampMicrosecondType>();
        assert_eq!(time.value(0), 1_709_287_200_500_000);
        // The error names the column of a value with another type.
        let wrong = [review(1, &[("int", "\"x\"")])];
        let error = record_batch(&wrong, &layout, &schema(&layout, OffsetUnit::Bytes)).unwrap_err();
        assert!(error.to_string().contains("`int`"), "{error}");
    }
}
