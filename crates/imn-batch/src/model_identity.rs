//! The identity of the model of a job.

use imn::analyze::Analyzer;
use imn::bundle::Precision;
use serde::{Deserialize, Serialize};

/// Identity of a model, recorded in the journal of a job. A job is resumed only with the same
/// model, because other weights, another scheme or another precision give other results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelIdentity {
    /// The name, for messages; models with different names can be the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// SHA-256 of the model file, in hexadecimal.
    pub sha256: String,
    /// The requested annotation scheme; `None` for the default.
    pub scheme: Option<String>,
    /// The precision of matrix products. `f32` is left out: older journals do not have this field.
    #[serde(default, skip_serializing_if = "is_default")]
    pub precision: Precision,
}

impl ModelIdentity {
    /// The identity of the model of an analyzer, with the analyzer's precision.
    #[must_use]
    pub fn new(analyzer: &Analyzer, name: &str, sha256: &str, scheme: Option<&str>) -> Self {
        Self {
            name: Some(name.to_owned()),
            sha256: sha256.to_owned(),
            scheme: scheme.map(str::to_owned),
            precision: analyzer.part().params.precision(),
        }
    }
}

fn is_default(precision: &Precision) -> bool {
    *precision == Precision::default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Journals of earlier versions have these objects, and their jobs must stay resumable.
    #[test]
    fn the_json_form_is_that_of_earlier_journals() {
        let stored = [
            json!({"name": "reviews", "sha256": "aa", "scheme": null}),
            json!({"name": "a.imn", "sha256": "aa", "scheme": "terms", "precision": "bf16"}),
            json!({"sha256": "aa", "scheme": "judged"}),
        ];
        for json in stored {
            let identity: ModelIdentity = serde_json::from_value(json.clone()).unwrap();
            assert_eq!(serde_json::to_value(identity).unwrap(), json);
        }
    }

    #[test]
    fn the_precision_is_that_of_the_analyzer() {
        let model = || imn::bundle::Model::built_in().unwrap();
        for precision in Precision::ALL.into_iter().filter(|p| p.is_available()) {
            let analyzer = Analyzer::new(model().in_precision(precision).unwrap()).unwrap();
            let identity = ModelIdentity::new(&analyzer, "a", "aa", None);
            assert_eq!(identity.precision, precision);
            let json = serde_json::to_value(identity).unwrap();
            let expected = match precision {
                Precision::F32 => Value::Null,
                other => other.name().into(),
            };
            assert_eq!(json["precision"], expected);
        }
    }
}
