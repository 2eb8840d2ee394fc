use std::sync::OnceLock;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int32Type;
use arrow_array::{Array as _, DictionaryArray, Int32Array, LargeStringArray, StringArray};

use super::*;
use crate::read::InputFormat;

fn analyzer() -> &'static Analyzer {
    static ANALYZER: OnceLock<Analyzer> = OnceLock::new();
    ANALYZER.get_or_init(|| Analyzer::built_in().unwrap())
}

fn settings() -> BatchSettings {
    BatchSettings {
        read: ReadSettings::default(),
        min_confidence: 0.0,
        unit: OffsetUnit::Chars,
        reason: None,
    }
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

fn analyzed(batch: &RecordBatch, settings: BatchSettings) -> RecordBatch {
    let analysis = BatchAnalysis::new(&batch.schema(), settings).unwrap();
    let found = analysis.analyze(analyzer(), batch, 1, &mut || true);
    found.unwrap().unwrap()
}

const TEXTS: [Option<&str>; 4] = [
    Some("Great ramen! 🍜 The waiter was rude."),
    None,
    Some(""),
    Some("The crème brûlée was superb."),
];

#[test]
fn text_and_other_columns_are_shared_not_copied() {
    let text: ArrayRef = Arc::new(StringArray::from(TEXTS.to_vec()));
    let stars: ArrayRef = Arc::new(Int32Array::from(vec![5, 4, 3, 2]));
    let input = batch(vec![("stars", stars), ("text", text)]);
    let output = analyzed(&input, settings());
    let names: Vec<String> = output
        .schema()
        .fields()
        .iter()
        .map(|f| f.name().clone())
        .collect();
    let expected = [
        "row",
        "text",
        "stars",
        "text_sentiment",
        "text_confidence",
        "aspects",
        "opinions",
    ];
    assert_eq!(names, expected);
    let pointer = |batch: &RecordBatch| {
        let text = batch.column_by_name("text").unwrap();
        text.as_string::<i32>().value_data().as_ptr()
    };
    assert_eq!(pointer(&input), pointer(&output));
    let aspects = output.column_by_name("aspects").unwrap().as_list::<i32>();
    assert!(aspects.is_null(1) && aspects.is_valid(2));
    assert_eq!(aspects.value(2).len(), 0);
}

#[test]
fn every_kind_of_string_column_gives_the_same_result() {
    let utf8 = StringArray::from(TEXTS.to_vec());
    let large = LargeStringArray::from(TEXTS.to_vec());
    let view: arrow_array::StringViewArray = TEXTS.into_iter().collect();
    let dictionary: DictionaryArray<Int32Type> = TEXTS.into_iter().collect();
    let expected = analyzed(&batch(vec![("text", Arc::new(utf8))]), settings());
    let others: [ArrayRef; 3] = [Arc::new(large), Arc::new(view), Arc::new(dictionary)];
    for other in others {
        let found = analyzed(&batch(vec![("text", other)]), settings());
        for name in ["text_sentiment", "text_confidence", "aspects", "opinions"] {
            assert_eq!(
                found.column_by_name(name),
                expected.column_by_name(name),
                "{name}"
            );
        }
    }
}

#[test]
fn rows_that_cannot_be_analysed_have_a_reason() {
    let text: ArrayRef = Arc::new(StringArray::from(TEXTS.to_vec()));
    let settings = BatchSettings {
        read: ReadSettings {
            max_bytes: 30,
            ..ReadSettings::default()
        },
        reason: Some("reason".to_owned()),
        ..settings()
    };
    let output = analyzed(&batch(vec![("text", text)]), settings);
    let reasons = output.column_by_name("reason").unwrap().as_string::<i32>();
    assert!(reasons.value(0).starts_with("longer than 30 bytes"));
    assert_eq!(reasons.value(1), "`text` is null, not a string");
    assert!(reasons.is_null(2));
    assert!(output.column_by_name("text_sentiment").unwrap().is_null(0));
}

#[test]
fn unusable_columns_are_refused_with_a_reason() {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let error = |columns: Vec<(&str, ArrayRef)>| {
        let schema = batch(columns).schema();
        BatchAnalysis::new(&schema, settings())
            .unwrap_err()
            .to_string()
    };
    let found = error(vec![("text", Arc::clone(&numbers))]);
    assert_eq!(found, "Arrow data: `text` is a number, not a string");
    let found = error(vec![("a", numbers), ("b", text)]);
    assert!(
        found.contains("which column has the text (columns: `a`, `b`)"),
        "{found}"
    );
}

#[test]
fn the_analysis_stops_when_asked_to() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["Great ramen!"; 600]));
    let input = batch(vec![("text", text)]);
    let analysis = BatchAnalysis::new(&input.schema(), settings()).unwrap();
    let mut asked = 0;
    let mut once = || {
        asked += 1;
        asked < 2
    };
    let stopped = analysis.analyze(analyzer(), &input, 1, &mut once).unwrap();
    assert!(stopped.is_none() && asked == 2);
}

/// The same rows through a job give the same columns.
#[test]
fn a_job_gives_the_same_columns() {
    use crate::read::{Input, InputSource};
    use crate::write::{OutputFormat, RowPer, WriteSettings};
    use crate::{IfExists, Job, ModelIdentity, OutputTarget};

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.parquet");
    let texts: Vec<String> = TEXTS.into_iter().flatten().map(str::to_owned).collect();
    let job = Job {
        analyzer: analyzer(),
        model: ModelIdentity::new(analyzer(), "built-in", "", None),
        sources: vec![InputSource {
            input: Input::Texts(texts.clone().into()),
            format: InputFormat::Txt,
        }],
        read: ReadSettings::default(),
        write: WriteSettings {
            format: OutputFormat::Parquet,
            per: RowPer::Review,
            unit: OffsetUnit::Chars,
            color: false,
        },
        min_confidence: 0.0,
        explain: false,
        output: OutputTarget::File(out.clone()),
        errors: None,
        if_exists: IfExists::Refuse,
    };
    job.run(&Arc::default(), &mut |_| ()).unwrap();
    let file = std::fs::File::open(out).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file);
    let mut written = reader.unwrap().build().unwrap();
    let written = written.next().unwrap().unwrap();
    let column: ArrayRef = Arc::new(StringArray::from(texts));
    let found = analyzed(&batch(vec![("text", column)]), settings());
    assert_eq!(found.columns(), written.columns());
    let fields = |batch: &RecordBatch| batch.schema().fields().clone();
    assert_eq!(fields(&found), fields(&written));
}
