//! Parquet files with every type, and damaged ones.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    DurationMicrosecondArray, Float64Array, Int32Array, RecordBatch, StringArray, StructArray,
    Time64MicrosecondArray, TimestampMicrosecondArray, TimestampMillisecondArray,
};
use arrow_schema::{DataType, Field};

use crate::InputError;
use crate::read::{Input, InputFormat, InputSource, Item, ReadSettings};

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn reviews(path: &Path) {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int32Array::from(vec![7, 8, 9]))),
        (
            "review",
            Arc::new(StringArray::from(vec![Some("good"), None, Some("bad\n")])),
        ),
        (
            "stars",
            Arc::new(Int32Array::from(vec![Some(5), Some(1), None])),
        ),
    ];
    write(path, columns);
}

fn of_file(path: &Path) -> Result<Vec<Item>, InputError> {
    let source = InputSource {
        input: Input::File(path.to_owned()),
        format: InputFormat::Parquet,
    };
    let settings = ReadSettings {
        max_bytes: 1000,
        ..ReadSettings::default()
    };
    let mut rows = source.open(0, &settings)?;
    let mut found = Vec::new();
    while let Some(item) = rows.next_row()? {
        found.push(item);
    }
    Ok(found)
}

#[test]
fn parquet_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    reviews(&path);
    let found = of_file(&path).unwrap();
    let first = found[0].as_ref().unwrap();
    assert_eq!(first.text, "good");
    assert_eq!(first.id.as_ref().unwrap().get(), "7");
    assert_eq!(first.columns.0[0].0, "stars");
    let error = found[1].as_ref().unwrap_err();
    assert!(error.reason.to_string().contains("null"), "{error:?}");
    let last = found[2].as_ref().unwrap();
    assert_eq!(
        (last.text.as_str(), last.columns.0[0].1.get()),
        ("bad\n", "null")
    );
}

#[test]
fn damaged_parquet_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    reviews(&path);
    let whole = std::fs::read(&path).unwrap();
    let mut refused = 0;
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&path, &bytes).unwrap();
        refused += usize::from(of_file(&path).is_err());
        if at % 20 == 0 {
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(of_file(&path).is_err(), "cut off at {at}");
        }
    }
    assert!(refused > 0);
}

#[test]
fn every_type_has_a_json_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.append_value([Some("a\"b"), None]);
    let mut maps = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    maps.keys().append_value("k");
    maps.values().append_value("v");
    maps.append(true).unwrap();
    let part = Arc::new(Field::new("n", DataType::Int32, true));
    let part_values = Arc::new(Int32Array::from(vec![Some(4)])) as ArrayRef;
    let structure = StructArray::from(vec![(part, part_values)]);
    let zoned = TimestampMillisecondArray::from(vec![1_709_287_200_500]).with_timezone("UTC");
    let offset = TimestampMicrosecondArray::from(vec![1_709_287_200_500_000]);
    let price = Decimal128Array::from(vec![-5]).with_precision_and_scale(10, 2);
    let category: DictionaryArray<Int8Type> = [Some("x")].into_iter().collect();
    let columns: Vec<(&str, ArrayRef, &str)> = vec![
        ("float", Arc::new(Float64Array::from(vec![1.5])), "1.5"),
        ("nan", Arc::new(Float64Array::from(vec![f64::NAN])), "null"),
        ("flag", Arc::new(BooleanArray::from(vec![true])), "true"),
        (
            "bytes",
            Arc::new(BinaryArray::from(vec![&b"\x01\xff"[..]])),
            "\"01ff\"",
        ),
        (
            "day",
            Arc::new(Date32Array::from(vec![19_783])),
            "\"2024-03-01\"",
        ),
        (
            "clock",
            Arc::new(Time64MicrosecondArray::from(vec![3_600_000_000])),
            "\"01:00:00\"",
        ),
        (
            "span",
            Arc::new(DurationMicrosecondArray::from(vec![90_500_000])),
            "\"PT90.5S\"",
        ),
        ("utc", Arc::new(zoned), "\"2024-03-01T10:00:00.500Z\""),
        (
            "local",
            Arc::new(offset.clone()),
            "\"2024-03-01T10:00:00.500\"",
        ),
        (
            "offset",
            Arc::new(offset.with_timezone("+02:00")),
            "\"2024-03-01T12:00:00.500+02:00\"",
        ),
        ("price", Arc::new(price.unwrap()), "-0.05"),
        ("category", Arc::new(category), "\"x\""),
        ("list", Arc::new(lists.finish()), "[\"a\\\"b\",null]"),
        ("map", Arc::new(maps.finish()), "{\"k\":\"v\"}"),
        ("struct", Arc::new(structure), "{\"n\":4}"),
    ];
    let text: ArrayRef = Arc::new(StringArray::from(vec!["good"]));
    let mut all = vec![("text", text)];
    all.extend(
        columns
            .iter()
            .map(|(name, array, _)| (*name, Arc::clone(array))),
    );
    write(&path, all);
    let found = of_file(&path).unwrap();
    let row = found[0].as_ref().unwrap();
    for (name, _, json) in &columns {
        assert_eq!(row.columns.get(name).unwrap().get(), *json, "{name}");
    }
}
