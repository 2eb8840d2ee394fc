//! The options of a job, from query parameters or form fields.

use std::path::Path;

use imn::text::OffsetUnit;
use imn_batch::read::InputFormat;
use imn_batch::write::RowPer;
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ErrorKind};

/// Maximum number of characters of a file name. The name is displayed, never used as a path.
const LONGEST_NAME: usize = 200;

/// The options of a job.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct JobOptions {
    /// The name of the file, as the client calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The format of the file: `csv`, `tsv`, `jsonl`, `parquet`, `txt` or `whole`.
    pub format: Option<InputFormat>,
    /// The column, JSON key or path (`review.body`) with the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The column, JSON key or path with the ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The annotation scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// Terms with a smaller confidence are left out.
    #[serde(default)]
    pub min_confidence: f32,
    /// What offsets of results count: `bytes`, `chars` or `utf16`.
    #[serde(default)]
    pub offset_unit: OffsetUnit,
    /// What a row of CSV is: `aspect` or `review`.
    #[serde(default)]
    pub per: RowPer,
    /// Whether the predictions for every word are added to JSON, JSONL and HTML.
    #[serde(default)]
    pub explain: bool,
}

impl JobOptions {
    /// Sets an option by its name.
    ///
    /// # Errors
    /// If there is no such option, or the value is not one of its values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ApiError> {
        match name {
            "name" => self.name = Some(shown(value)),
            "format" => {
                self.format = Some(parse(
                    name,
                    value,
                    "csv, tsv, jsonl, parquet, txt or whole",
                )?)
            }
            "column" => self.column = some(value),
            "id" => self.id = some(value),
            "model" => self.model = some(value),
            "scheme" => self.scheme = some(value),
            "min_confidence" => {
                let number = value.parse::<f64>().ok();
                let number = number.filter(|number| (0.0..=1.0).contains(number));
                let error = || ApiError::validation("`min_confidence` must be from 0 to 1");
                self.min_confidence = number.ok_or_else(error)? as f32;
            }
            "offset_unit" => self.offset_unit = parse(name, value, "bytes, chars or utf16")?,
            "per" => self.per = parse(name, value, "aspect or review")?,
            "explain" => self.explain = boolean(name, value)?,
            _ => {
                let message = format!(
                    "no option `{}`; there are: name, format, column, id, model, scheme, \
                     min_confidence, offset_unit, per, explain",
                    shown(name)
                );
                return Err(ApiError::validation(message));
            }
        }
        Ok(())
    }

    /// The format of the file: the requested one, otherwise from its name or its media type.
    ///
    /// # Errors
    /// If none of them determines it.
    pub fn format_of(&self, media: Option<&str>) -> Result<InputFormat, ApiError> {
        let named = || InputFormat::of_name(Path::new(self.name.as_deref()?));
        let sent = || match media? {
            "text/csv" => Some(InputFormat::Csv),
            "text/tab-separated-values" => Some(InputFormat::Tsv),
            "application/jsonl" | "application/x-ndjson" | "application/x-jsonlines" => {
                Some(InputFormat::Jsonl)
            }
            "application/vnd.apache.parquet" => Some(InputFormat::Parquet),
            "text/plain" => Some(InputFormat::Txt),
            _ => None,
        };
        let extension = || imn_io::extension(Path::new(self.name.as_deref()?));
        self.format.or_else(named).or_else(sent).ok_or_else(|| {
            if media == Some("application/json") || extension().as_deref() == Some("json") {
                let message = "JSON arrays are not read; send JSONL, one object per line \
                               (`jq -c '.[]' file.json > file.jsonl` makes it)";
                return ApiError::new(ErrorKind::UnsupportedMediaType, message);
            }
            let message = "cannot tell the format of the file; add `format` (csv, tsv, jsonl, \
                           parquet, txt), a `name` with an extension, or a content type";
            ApiError::new(ErrorKind::UnsupportedMediaType, message)
        })
    }

    /// The name of the file in messages.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        self.name.as_deref().unwrap_or("the upload")
    }
}

/// Parses the value of an option by its serialized name.
pub(super) fn parse<T: for<'de> Deserialize<'de>>(
    name: &str,
    value: &str,
    values: &str,
) -> Result<T, ApiError> {
    let json = serde_json::Value::String(value.to_owned());
    let error = |_| ApiError::validation(format!("`{name}` must be {values}"));
    serde_json::from_value(json).map_err(error)
}

/// True or false.
///
/// # Errors
/// If it is neither.
pub fn boolean(name: &str, value: &str) -> Result<bool, ApiError> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(ApiError::validation(format!(
            "`{name}` must be true or false"
        ))),
    }
}

/// The value of an option; `None` if it is empty, as form fields that were not filled in are.
fn some(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| value.to_owned())
}

/// A name without control characters and folders, and not too long.
fn shown(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.chars().filter(|c| !c.is_control());
    name.take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_told_by_option_name_or_media_type() {
        let mut options = JobOptions::default();
        assert!(options.format_of(Some("application/octet-stream")).is_err());
        assert_eq!(
            options.format_of(Some("text/csv")).unwrap(),
            InputFormat::Csv
        );
        options.set("name", "a.json").unwrap();
        let error = options.format_of(None).unwrap_err();
        assert!(error.message.contains("send JSONL"), "{error}");
        options.set("name", "a.jsonl.gz").unwrap();
        assert_eq!(
            options.format_of(Some("text/csv")).unwrap(),
            InputFormat::Jsonl
        );
        options.set("format", "txt").unwrap();
        assert_eq!(
            options.format_of(Some("text/csv")).unwrap(),
            InputFormat::Txt
        );
    }

    #[test]
    fn names_lose_folders_and_control_characters() {
        let mut options = JobOptions::default();
        options.set("name", "../../etc/pass\r\nwd\0.csv").unwrap();
        assert_eq!(options.name.as_deref(), Some("passwd.csv"));
        options.set("name", "C:\\a\\b.csv").unwrap();
        assert_eq!(options.name.as_deref(), Some("b.csv"));
        options.set("name", &"é".repeat(1000)).unwrap();
        assert_eq!(options.name.unwrap().chars().count(), LONGEST_NAME);
    }

    #[test]
    fn bad_values_are_named() {
        let mut options = JobOptions::default();
        for (name, value) in [
            ("format", "xls"),
            ("min_confidence", "2"),
            ("min_confidence", "NaN"),
            ("offset_unit", "words"),
            ("per", "row"),
            ("explain", "yes"),
            ("other", ""),
        ] {
            let error = options.set(name, value).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Validation);
            assert!(error.message.contains(name), "{error}");
        }
    }
}
