//! The columns of an analysis: `text_sentiment`, `text_confidence`, `aspects` and `opinions`.
//!
//! A record that does not exist, because its text could not be analysed, is null in all of them.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Int64Array, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use imn::analyze::{AnalyzedReview, FoundAspect, FoundOpinion};

use super::{field, texts};

/// The fields of the columns of an analysis.
pub(crate) fn found_fields() -> [Field; 4] {
    [
        field("text_sentiment", DataType::Utf8),
        field("text_confidence", DataType::Float32),
        field("aspects", list_of(aspect_fields())),
        field("opinions", list_of(opinion_fields())),
    ]
}

/// The columns of the analyses of records; `None` is null.
pub(crate) fn found_columns<'a>(
    records: impl Iterator<Item = Option<&'a AnalyzedReview>> + Clone,
) -> [ArrayRef; 4] {
    let sentiments = records.clone().map(|record| record?.sentiment);
    let polarities = sentiments.clone().map(|found| Some(found?.polarity.name()));
    let confidences = sentiments.map(|found| Some(found?.confidence));
    [
        texts(polarities),
        Arc::new(Float32Array::from_iter(confidences)),
        aspects(records.clone()),
        opinions(records),
    ]
}

fn item(fields: Fields) -> FieldRef {
    Arc::new(field("item", DataType::Struct(fields)))
}

fn list_of(fields: Fields) -> DataType {
    DataType::List(item(fields))
}

fn aspect_fields() -> Fields {
    [
        field("term", DataType::Utf8),
        field("start", DataType::Int64),
        field("end", DataType::Int64),
        field("sentiment", DataType::Utf8),
        field("span_confidence", DataType::Float32),
        field("sentiment_confidence", DataType::Float32),
        field("opinions", list_of(link_fields())),
    ]
    .into_iter()
    .collect()
}

fn link_fields() -> Fields {
    [
        field("opinion", DataType::Int64),
        field("weight", DataType::Float32),
    ]
    .into_iter()
    .collect()
}

fn opinion_fields() -> Fields {
    [
        field("term", DataType::Utf8),
        field("start", DataType::Int64),
        field("end", DataType::Int64),
        field("confidence", DataType::Float32),
    ]
    .into_iter()
    .collect()
}

fn integers(values: impl Iterator<Item = usize>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(
        values.map(|value| value as i64),
    ))
}

fn floats(values: impl Iterator<Item = f32>) -> ArrayRef {
    Arc::new(Float32Array::from_iter_values(values))
}

/// Lists of structs, from the columns of all items in sequence and the length of each list; a list
/// without a length is null.
fn lists(
    fields: Fields,
    columns: Vec<ArrayRef>,
    lengths: impl Iterator<Item = Option<usize>> + Clone,
) -> ArrayRef {
    let items = StructArray::new(fields.clone(), columns, None);
    let offsets = OffsetBuffer::from_lengths(lengths.clone().map(Option::unwrap_or_default));
    let nulls: NullBuffer = lengths.map(|length| length.is_some()).collect();
    let nulls = (nulls.null_count() > 0).then_some(nulls);
    Arc::new(ListArray::new(
        item(fields),
        offsets,
        Arc::new(items),
        nulls,
    ))
}

fn aspects<'a>(records: impl Iterator<Item = Option<&'a AnalyzedReview>> + Clone) -> ArrayRef {
    let all = || records.clone().flatten().flat_map(|record| &record.aspects);
    let about = |aspect: &FoundAspect| Some(aspect.opinions.len());
    let all_links = || all().flat_map(|aspect| &aspect.opinions);
    let links = lists(
        link_fields(),
        vec![
            integers(all_links().map(|link| link.opinion)),
            floats(all_links().map(|link| link.weight)),
        ],
        all().map(about),
    );
    lists(
        aspect_fields(),
        vec![
            texts(all().map(|aspect| Some(&*aspect.term))),
            integers(all().map(|aspect| aspect.start)),
            integers(all().map(|aspect| aspect.end)),
            texts(all().map(|aspect| Some(aspect.sentiment.name()))),
            floats(all().map(|aspect| aspect.span_confidence)),
            floats(all().map(|aspect| aspect.sentiment_confidence)),
            links,
        ],
        records.clone().map(|record| Some(record?.aspects.len())),
    )
}

fn opinions<'a>(records: impl Iterator<Item = Option<&'a AnalyzedReview>> + Clone) -> ArrayRef {
    let all = || {
        records
            .clone()
            .flatten()
            .flat_map(|record| &record.opinions)
    };
    let confidence = |opinion: &FoundOpinion| opinion.confidence;
    lists(
        opinion_fields(),
        vec![
            texts(all().map(|opinion| Some(&*opinion.term))),
            integers(all().map(|opinion| opinion.start)),
            integers(all().map(|opinion| opinion.end)),
            floats(all().map(confidence)),
        ],
        records.clone().map(|record| Some(record?.opinions.len())),
    )
}
