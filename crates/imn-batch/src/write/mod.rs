//! Records out: for people (a terminal, a page), for programs (JSON, JSONL, Parquet) and for
//! spreadsheets (CSV).

#[cfg(feature = "parquet")]
pub mod arrow;
mod csv;
mod html;
mod json;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
pub(crate) mod parquet;
mod pretty;
mod segments;
pub(crate) mod sink;
pub(crate) mod stream;

use std::path::Path;

use imn::analyze::AnalyzedReview;
use imn::text::OffsetUnit;
use serde::{Deserialize, Serialize};

use crate::TableLayout;

/// The form of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    /// Texts with their aspects, for a terminal.
    Pretty,
    /// One JSON array.
    Json,
    /// A JSON object a line.
    Jsonl,
    /// A table of text.
    Csv,
    /// Apache Parquet, a row a review.
    Parquet,
    /// A page.
    Html,
}

impl OutputFormat {
    /// What a name says, an ending of packing put aside.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        match imn_io::extension(path)?.as_str() {
            "txt" => Some(Self::Pretty),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "csv" => Some(Self::Csv),
            "parquet" => Some(Self::Parquet),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }

    /// Whether what is written can be cut off at the end of a chunk and gone on with.
    #[must_use]
    pub fn resumable(self) -> bool {
        matches!(self, Self::Jsonl | Self::Csv | Self::Parquet)
    }
}

/// What a row of CSV is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowPer {
    /// An aspect; a review without aspects has a row too.
    #[default]
    Aspect,
    /// A review, its aspects and opinions as JSON.
    Review,
}

/// How analyses are written.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteSettings {
    /// The form.
    pub format: OutputFormat,
    /// What a row of CSV is.
    pub per: RowPer,
    /// What offsets count.
    pub unit: OffsetUnit,
    /// Whether a terminal gets colours.
    pub color: bool,
}

/// What encoders must know of the whole job.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) settings: WriteSettings,
    pub(crate) layout: TableLayout,
}

/// The records with offsets in the unit that was asked for.
fn in_unit(context: &Context, reviews: Vec<AnalyzedReview>) -> Vec<AnalyzedReview> {
    let unit = context.settings.unit;
    reviews
        .into_iter()
        .map(|review| review.in_unit(unit))
        .collect()
}

/// Records as bytes: a head, rows, a tail. Offsets of the records it takes are bytes.
pub(crate) trait Encode: Send {
    /// What stands before all rows.
    fn head(&mut self, out: &mut Vec<u8>) -> std::io::Result<()>;
    /// Some rows.
    fn rows(&mut self, reviews: Vec<AnalyzedReview>, out: &mut Vec<u8>) -> std::io::Result<()>;
    /// What stands after all rows.
    fn tail(&mut self, out: &mut Vec<u8>) -> std::io::Result<()>;
}

/// The encoder of a format; none for Parquet, which is more than bytes one after another.
pub(crate) fn encoder(context: &Context) -> Option<Box<dyn Encode>> {
    let context = context.clone();
    Some(match context.settings.format {
        OutputFormat::Pretty => Box::new(pretty::Pretty::new(context)),
        OutputFormat::Json => Box::new(json::Json::new(context)),
        OutputFormat::Jsonl => Box::new(json::Jsonl::new(context)),
        OutputFormat::Csv => Box::new(csv::Csv::new(context)),
        OutputFormat::Html => Box::new(html::Html::new(context)),
        OutputFormat::Parquet => return None,
    })
}
