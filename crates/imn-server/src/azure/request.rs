//! The body of `POST /language/:analyze-text`. Unknown fields are ignored, as in Azure.

use serde::{Deserialize, Serialize};

/// The body of a request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AzureRequest {
    /// `SentimentAnalysis`.
    pub kind: String,
    /// The documents.
    pub analysis_input: AnalysisInput,
    /// Options.
    #[serde(default)]
    pub parameters: Parameters,
}

/// The documents of a request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnalysisInput {
    /// The documents.
    pub documents: Vec<InputDocument>,
}

/// One document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputDocument {
    /// Its id; no other document of the request may have it.
    pub id: String,
    /// The text.
    pub text: String,
    /// Its language; only English is supported.
    #[serde(default)]
    pub language: Option<String>,
}

/// Options of a request.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Parameters {
    /// The name of a model of this server, `latest` or nothing.
    pub model_version: Option<String>,
    /// Whether targets and assessments are added.
    pub opinion_mining: bool,
    /// What offsets count.
    pub string_index_type: StringIndexType,
}

/// What offsets count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StringIndexType {
    /// Grapheme clusters, which readers perceive as one character.
    #[default]
    #[serde(
        rename = "TextElements_v8",
        alias = "TextElement_V8",
        alias = "TextElements_V8"
    )]
    TextElements,
    /// Unicode code points.
    UnicodeCodePoint,
    /// UTF-16 code units.
    Utf16CodeUnit,
}

/// Why a document in this language is refused.
#[must_use]
pub fn language_error(language: Option<&str>) -> Option<String> {
    let language = language?.trim();
    let base = language.split(['-', '_']).next().unwrap_or_default();
    let english = base.is_empty() || base.eq_ignore_ascii_case("en");
    (!english).then(|| format!("Language `{language}` is not supported; supported: en"))
}
