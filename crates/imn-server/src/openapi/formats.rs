//! Named values of parameters and fields: formats, units, rows.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What offsets count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OffsetUnit {
    /// UTF-8 bytes.
    Bytes,
    /// Unicode code points.
    Chars,
    /// UTF-16 code units.
    Utf16,
}

/// The format of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UploadFormat {
    /// Commas between columns.
    Csv,
    /// Tabs between columns.
    Tsv,
    /// One JSON object per line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// One text per line.
    Txt,
    /// The whole file is one text.
    Whole,
}

/// The format of a result.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResultFormat {
    /// One JSON object per line.
    Jsonl,
    /// One JSON array.
    Json,
    /// Commas between columns.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// A page with highlighted terms.
    Html,
    /// Text for people.
    Pretty,
}

/// What a row of CSV is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RowPer {
    /// An aspect.
    Aspect,
    /// A review.
    Review,
}
