//! Bodies of requests and answers of our own routes.

use imn::analyze::{AnalyzedReview, RawJson};
use imn::text::OffsetUnit;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::error::{ApiError, ErrorKind};

/// The body of `POST /analyze`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyzeRequest {
    /// One text, or a list of texts.
    pub inputs: Inputs,
    /// The model.
    #[serde(default)]
    pub model: Option<String>,
    /// What counts as an aspect.
    #[serde(default)]
    pub scheme: Option<String>,
    /// Terms with a smaller confidence are left out.
    #[serde(default)]
    pub min_confidence: Confidence,
    /// What offsets count.
    #[serde(default)]
    pub offset_unit: OffsetUnit,
    /// Whether the predictions for every word are added.
    #[serde(default)]
    pub explain: bool,
}

/// The body of `POST /explain`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainRequest {
    /// The text.
    pub inputs: Inputs,
    /// The model.
    #[serde(default)]
    pub model: Option<String>,
    /// What counts as an aspect.
    #[serde(default)]
    pub scheme: Option<String>,
    /// Terms with a smaller confidence are left out.
    #[serde(default)]
    pub min_confidence: Confidence,
    /// What offsets count.
    #[serde(default)]
    pub offset_unit: OffsetUnit,
}

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Confidence(pub f32);

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // In double precision, or a number a little above 1 would be rounded to 1.
        let number = f64::deserialize(deserializer)?;
        if (0.0..=1.0).contains(&number) {
            return Ok(Self(number as f32));
        }
        let error = "min_confidence must be a number from 0 to 1";
        Err(serde::de::Error::custom(error))
    }
}

/// A text of a request.
#[derive(Debug)]
pub struct InputText {
    /// The text, or why it is invalid.
    pub text: Result<String, ApiError>,
    /// Its id, if it has a valid one.
    pub id: Option<RawJson>,
}

/// The texts of a request.
#[derive(Debug)]
pub enum Inputs {
    /// One text. If it is refused, the whole request is.
    One(InputText),
    /// Any number of texts. The result of a refused text is an error.
    Many(Vec<InputText>),
}

impl<'de> Deserialize<'de> for Inputs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if !raw.get().starts_with('[') {
            return Ok(Self::One(input_text(&raw)));
        }
        let items: Vec<&RawValue> =
            serde_json::from_str(raw.get()).map_err(serde::de::Error::custom)?;
        Ok(Self::Many(items.into_iter().map(input_text).collect()))
    }
}

/// A text: a string, or an object with `text` and `id`.
fn input_text(raw: &RawValue) -> InputText {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Object {
        text: String,
        #[serde(default)]
        id: Option<RawJson>,
    }
    let refused = |message: String, id| InputText {
        text: Err(ApiError::validation(message)),
        id,
    };
    let json = raw.get();
    if json.starts_with('"') {
        return InputText {
            text: serde_json::from_str(json).map_err(|e| text_error(&e)),
            id: None,
        };
    }
    if !json.starts_with('{') {
        let message = "a text must be a string, or an object with `text` and optionally `id`";
        return refused(message.to_owned(), None);
    }
    match serde_json::from_str::<Object>(json) {
        Ok(Object { text, id }) => match &id {
            Some(value) if !is_scalar(value) => {
                refused("`id` must be a string or a number".to_owned(), None)
            }
            _ => InputText {
                text: Ok(text),
                id: id.filter(|id| !id.is_null()),
            },
        },
        Err(error) => InputText {
            text: Err(text_error(&error)),
            id: None,
        },
    }
}

/// The message without a position, which would count from the start of the text, not of the body.
fn text_error(error: &serde_json::Error) -> ApiError {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    ApiError::validation(message.to_owned())
}

fn is_scalar(value: &RawJson) -> bool {
    let first = value.get().as_bytes().first();
    value.is_null() || first.is_some_and(|&c| c == b'"' || c == b'-' || c.is_ascii_digit())
}

/// The answer of `POST /analyze`.
#[derive(Debug, Serialize)]
pub struct AnalyzeResponse<'a> {
    /// The model that answered.
    pub model: &'a str,
    /// Its annotation scheme, if it has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<&'a str>,
    /// One result per text, in the order of the request.
    pub results: Vec<TextResult>,
}

/// The result for one text.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum TextResult {
    /// What was found.
    Found(Box<AnalyzedReview>),
    /// Why the text was refused.
    Refused(RefusedText),
}

/// A refused text. The other texts of the request are answered.
#[derive(Debug, Serialize)]
pub struct RefusedText {
    /// Its id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<RawJson>,
    /// What is wrong, for people.
    pub error: String,
    /// What is wrong, for programs.
    pub error_type: ErrorKind,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(json: &str) -> Inputs {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn texts_are_strings_or_objects_and_bad_ones_stand_alone() {
        let json = r#"["a", {"text": "b", "id": 18446744073709551616}, 7,
            {"text": 7, "id": 1}, {"text": "c", "id": []}, {"text": "d", "extra": 1}, "\ud800"]"#;
        let Inputs::Many(texts) = inputs(json) else {
            panic!("a list")
        };
        let good: Vec<bool> = texts.iter().map(|text| text.text.is_ok()).collect();
        assert_eq!(good, [true, true, false, false, false, false, false]);
        assert_eq!(texts[1].id.as_ref().unwrap().get(), "18446744073709551616");
        assert!(matches!(
            inputs(r#""a""#),
            Inputs::One(InputText { text: Ok(_), .. })
        ));
        assert!(matches!(
            inputs("null"),
            Inputs::One(InputText { text: Err(_), .. })
        ));
    }
}
