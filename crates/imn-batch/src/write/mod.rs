//! Writers of records: for people (terminal, HTML), for programs (JSON, JSONL, Parquet) and for
//! spreadsheets (CSV).

#[cfg(feature = "parquet")]
pub mod arrow;
mod csv;
mod html;
mod json;
mod notebook;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
pub(crate) mod parquet;
mod pretty;
mod segments;
pub(crate) mod sink;
pub(crate) mod stream;

use std::path::{Path, PathBuf};

pub use notebook::notebook_html;

use imn::analyze::AnalyzedReview;
use imn::text::OffsetUnit;
use serde::{Deserialize, Serialize};

use crate::TableLayout;

/// The folder of the part files of a Parquet output that is not complete yet.
#[must_use]
pub fn parquet_parts(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".parts");
    PathBuf::from(name)
}

/// The format of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    /// Texts with their aspects, for reading in a terminal.
    Pretty,
    /// One JSON array.
    Json,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values.
    Csv,
    /// Apache Parquet, one row per review.
    Parquet,
    /// A self-contained HTML page.
    Html,
}

impl OutputFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::Pretty,
        Self::Json,
        Self::Jsonl,
        Self::Csv,
        Self::Parquet,
        Self::Html,
    ];

    /// The name, as in `imn analyze --to` and in journals.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pretty => "pretty",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Html => "html",
        }
    }

    /// The format of a file extension, ignoring `.gz` and `.zst`.
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

    /// Whether the output can be truncated after a chunk and continued from there.
    #[must_use]
    pub fn resumable(self) -> bool {
        matches!(self, Self::Jsonl | Self::Csv | Self::Parquet)
    }
}

/// What a row of CSV holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowPer {
    /// One aspect. A review without aspects has one row.
    #[default]
    Aspect,
    /// One review, with its aspects and opinions as JSON.
    Review,
}

impl RowPer {
    /// All kinds of rows.
    pub const ALL: [Self; 2] = [Self::Aspect, Self::Review];

    /// The name, as in `imn analyze --per` and in journals.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aspect => "aspect",
            Self::Review => "review",
        }
    }
}

/// How records are written.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteSettings {
    /// The format.
    pub format: OutputFormat,
    /// What a row of CSV holds.
    pub per: RowPer,
    /// The unit of offsets.
    pub unit: OffsetUnit,
    /// Whether the terminal format has colours.
    pub color: bool,
}

/// What encoders need to know about the job.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) settings: WriteSettings,
    pub(crate) layout: TableLayout,
}

/// Converts offsets to the requested unit.
fn in_unit(context: &Context, reviews: Vec<AnalyzedReview>) -> Vec<AnalyzedReview> {
    let unit = context.settings.unit;
    reviews
        .into_iter()
        .map(|review| review.in_unit(unit))
        .collect()
}

/// Encodes records as bytes: a head, rows, a tail. Records come with offsets in bytes.
pub(crate) trait Encode: Send {
    /// Appends what comes before all rows.
    fn head(&mut self, out: &mut Vec<u8>) -> std::io::Result<()>;
    /// Appends rows.
    fn rows(&mut self, reviews: Vec<AnalyzedReview>, out: &mut Vec<u8>) -> std::io::Result<()>;
    /// Appends what comes after all rows.
    fn tail(&mut self, out: &mut Vec<u8>) -> std::io::Result<()>;
}

/// The encoder of a format; `None` for Parquet, which is not a plain sequence of bytes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_journals() {
        for format in OutputFormat::ALL {
            assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        }
        for row in RowPer::ALL {
            assert_eq!(serde_json::to_value(row).unwrap(), row.name());
        }
    }
}
