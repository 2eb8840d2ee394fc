//! Parquet: a row a review, aspects and opinions as lists of structures.
//!
//! A Parquet file is of no use before its end is written, so a job that may be killed cannot write one file. Every chunk becomes a part file in
//! the folder `OUT.parts`; at the end the parts are put together with row groups of a useful size, and the folder goes away.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_json::ReaderBuilder;
use arrow_json::reader::Decoder;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use imn::analyze::{FoundAspect, FoundOpinion, SCHEMA};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::record::{Members, field, in_unit};
use super::sink::Sink;
use super::{Analysed, Context};
use crate::columns::Columns;
use crate::journal::Durable;
use crate::{BatchError, Layout};

/// Rows of a row group of the whole file.
const GROUP: usize = 1 << 14;

/// Our columns beside those that pass through.
const OURS: [&str; 9] = [
    "file",
    "row",
    "id",
    "text",
    "columns",
    "text_sentiment",
    "text_confidence",
    "aspects",
    "opinions",
];

/// Parts in a folder, one file in the end.
pub(crate) struct Parts {
    context: Context,
    path: PathBuf,
    folder: PathBuf,
    parts: u64,
    schema: SchemaRef,
    decoder: Decoder,
}

/// The folder of an output's parts.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".parts");
    PathBuf::from(name)
}

impl Parts {
    /// An output of which so many parts are there; all others are removed.
    pub(crate) fn open(path: &Path, parts: u64, context: Context) -> Result<Self, BatchError> {
        let folder = folder_of(path);
        let io = BatchError::output(path);
        fs::create_dir_all(&folder).map_err(&io)?;
        for entry in fs::read_dir(&folder).map_err(&io)? {
            let name = entry.map_err(&io)?.file_name();
            let number = name.to_str().and_then(number_of);
            // Only what this program puts there is its to remove.
            let partial = name.to_str().is_some_and(|name| name.ends_with(".partial"));
            if partial || number.is_some_and(|number| number >= parts) {
                fs::remove_file(folder.join(name)).map_err(&io)?;
            }
        }
        let schema = Arc::new(schema(&context.layout));
        let decoder = ReaderBuilder::new(Arc::clone(&schema))
            .with_coerce_primitive(true)
            .build_decoder()
            .map_err(|error| refused(path, &error))?;
        Ok(Self {
            context,
            path: path.to_owned(),
            folder,
            parts,
            schema,
            decoder,
        })
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

    /// A file written by `fill` beside its place, then moved there.
    fn whole(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut ArrowWriter<File>) -> Result<(), BatchError>,
    ) -> Result<(), BatchError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        let partial = PathBuf::from(name);
        let io = BatchError::output(path);
        let mut writer = self.writer(File::create(&partial).map_err(&io)?)?;
        fill(&mut writer)?;
        let file = writer.into_inner().map_err(|error| refused(path, &error))?;
        file.sync_all().map_err(&io)?;
        fs::rename(&partial, path).map_err(&io)
    }
}

/// The number of a part by its name.
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

impl Sink for Parts {
    fn write(&mut self, rows: Vec<Analysed>) -> Result<(), BatchError> {
        if rows.is_empty() {
            return Ok(());
        }
        let path = self.part(self.parts);
        let mut lines = Vec::new();
        let mut batches = Vec::new();
        for analysed in rows {
            let analysed = in_unit(&self.context, analysed);
            lines.clear();
            let flat = Flat(&self.context, &analysed);
            serde_json::to_writer(&mut lines, &flat).map_err(|error| refused(&path, &error))?;
            lines.push(b'\n');
            let mut left = lines.as_slice();
            while !left.is_empty() {
                let used = self
                    .decoder
                    .decode(left)
                    .map_err(|error| refused(&path, &error))?;
                left = &left[used..];
                // A full decoder takes nothing more.
                if used == 0 {
                    batches.extend(self.flush()?);
                }
            }
        }
        batches.extend(self.flush()?);
        self.whole(&path, |writer| {
            let mut batches = batches.iter();
            batches.try_for_each(|batch| writer.write(batch).map_err(|e| refused(&path, &e)))
        })?;
        self.parts += 1;
        Ok(())
    }

    fn durable(&mut self) -> Result<Durable, BatchError> {
        Ok(Durable::Parts(self.parts))
    }

    fn finish(self: Box<Self>) -> Result<(), BatchError> {
        self.whole(&self.path, |writer| {
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
        })
    }
}

impl Parts {
    fn flush(&mut self) -> Result<Option<arrow_array::RecordBatch>, BatchError> {
        let batch = self.decoder.flush();
        batch.map_err(|error| refused(&self.path, &error))
    }
}

/// Removes the parts of a finished output.
pub(crate) fn remove_parts(path: &Path) -> io::Result<()> {
    let folder = folder_of(path);
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name();
        if name.to_str().and_then(number_of).is_some() {
            fs::remove_file(folder.join(name))?;
        }
    }
    fs::remove_dir(folder)
}

/// The columns of an output.
fn schema(layout: &Layout) -> Schema {
    let field = |name: &str, kind: DataType| Field::new(name, kind, true);
    let list = |of: Vec<Field>| {
        let item = Field::new("item", DataType::Struct(of.into()), true);
        DataType::List(Arc::new(item))
    };
    let place = || {
        [
            field("term", DataType::Utf8),
            field("start", DataType::Int64),
            field("end", DataType::Int64),
        ]
    };
    let link = list(vec![
        field("opinion", DataType::Int64),
        field("weight", DataType::Float32),
    ]);
    let mut aspect = place().to_vec();
    aspect.extend([
        field("sentiment", DataType::Utf8),
        field("span_confidence", DataType::Float32),
        field("sentiment_confidence", DataType::Float32),
        field("opinions", link),
    ]);
    let mut opinion = place().to_vec();
    opinion.push(field("confidence", DataType::Float32));

    let mut fields = Vec::new();
    fields.extend(layout.file.then(|| field("file", DataType::Utf8)));
    fields.push(field("row", DataType::Int64));
    fields.extend(layout.id.clone().map(|kind| field("id", kind)));
    fields.push(field("text", DataType::Utf8));
    match &layout.columns {
        Columns::Json => fields.push(field("columns", DataType::Utf8)),
        Columns::Named(columns) => fields.extend(
            columns
                .iter()
                .map(|(name, kind)| field(&Layout::name_beside(name, &OURS), kind.clone())),
        ),
    }
    fields.push(field("text_sentiment", DataType::Utf8));
    fields.push(field("text_confidence", DataType::Float32));
    fields.push(field("aspects", list(aspect)));
    fields.push(field("opinions", list(opinion)));
    let about = [("imn.schema".to_owned(), SCHEMA.to_string())];
    Schema::new(fields).with_metadata(about)
}

/// A review as an object of the schema.
struct Flat<'a>(&'a Context, &'a Analysed);

impl Serialize for Flat<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(context, Analysed { row, analysis, .. }) = self;
        let layout = &context.layout;
        let mut map = serializer.serialize_map(None)?;
        if let Some(file) = context.file(row) {
            map.serialize_entry("file", file)?;
        }
        map.serialize_entry("row", &row.place.row)?;
        if let (Some(kind), Some(id)) = (&layout.id, &row.id) {
            entry(&mut map, "id", id, kind)?;
        }
        map.serialize_entry("text", &row.text)?;
        match &layout.columns {
            Columns::Json if row.columns.is_empty() => {}
            Columns::Json => {
                let json = serde_json::to_string(&Members(&row.columns));
                let json = json.map_err(serde::ser::Error::custom)?;
                map.serialize_entry("columns", &json)?;
            }
            Columns::Named(columns) => {
                for ((name, value), (_, kind)) in row.columns.iter().zip(columns) {
                    entry(&mut map, &Layout::name_beside(name, &OURS), value, kind)?;
                }
            }
        }
        if let Some(sentiment) = analysis.sentiment {
            map.serialize_entry("text_sentiment", &sentiment.polarity)?;
            map.serialize_entry("text_confidence", &sentiment.confidence)?;
        }
        let aspects: &[FoundAspect] = &analysis.aspects;
        let opinions: &[FoundOpinion] = &analysis.opinions;
        map.serialize_entry("aspects", aspects)?;
        map.serialize_entry("opinions", opinions)?;
        map.end()
    }
}

/// A passed-through value: columns of text hold the JSON of whatever is no text.
fn entry<M: SerializeMap>(
    map: &mut M,
    name: &str,
    value: &RawValue,
    kind: &DataType,
) -> Result<(), M::Error> {
    match kind {
        DataType::Utf8 if value.get() == "null" => Ok(()),
        DataType::Utf8 if !value.get().starts_with('"') => map.serialize_entry(name, &field(value)),
        _ => map.serialize_entry(name, value),
    }
}
