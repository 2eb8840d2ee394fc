//! What differs between the job of a journal and another one, in words.

use imn::bundle::Precision;
use serde::Deserialize as _;
use serde_json::Value;

use crate::ModelIdentity;

/// Describes the first difference between two jobs; `None` if they are the same. Models are the
/// same if their bytes, schemes and precisions are, whatever their names.
pub(crate) fn difference(before: &Value, now: &Value) -> Option<String> {
    inputs(&before["inputs"], &now["inputs"])
        .or_else(|| model(&before["model"], &now["model"]))
        .or_else(|| setting(before, now))
}

fn inputs(before: &Value, now: &Value) -> Option<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (before, now) = (list(before), list(now));
    if before.len() != now.len() {
        let (before, now) = (before.len(), now.len());
        return Some(differs("the number of inputs", before, now));
    }
    before.iter().zip(&now).find_map(|(before, now)| {
        let (old, new) = (&before["file"], &now["file"]);
        let path = shown(&new["path"]);
        if old["path"] != new["path"] {
            return Some(differs("an input", shown(&old["path"]), path));
        }
        if old["size"] != new["size"] {
            let sizes = format!("{} bytes before, {} now", old["size"], new["size"]);
            return Some(format!("the input {path} has changed ({sizes})"));
        }
        if old["ends"] != new["ends"] {
            return Some(format!("the input {path} has changed (its content)"));
        }
        if old != new {
            return Some(format!(
                "the input {path} has changed (its modification time)"
            ));
        }
        let what = format!("the format of the input {path}");
        changed(&what, &before["format"], &now["format"])
    })
}

fn model(before: &Value, now: &Value) -> Option<String> {
    let identity = |value| ModelIdentity::deserialize(value).ok();
    let (Some(old), Some(new)) = (identity(before), identity(now)) else {
        // A newer program may have identified the model by something unknown here.
        return changed("the model", before, now);
    };
    if old.sha256 != new.sha256 {
        return Some(match (old.name, new.name) {
            (Some(old), Some(new)) if old == new => format!("the model {new} has changed"),
            (Some(old), Some(new)) => differs("the model", old, new),
            _ => "the model is another one".to_owned(),
        });
    }
    let scheme = |identity: ModelIdentity| identity.scheme.unwrap_or_else(not_set);
    if old.precision != new.precision {
        let [old, new] = [old.precision, new.precision].map(Precision::name);
        return Some(differs("the precision", old, new));
    }
    (old.scheme != new.scheme).then(|| differs("the annotation scheme", scheme(old), scheme(new)))
}

/// The first different setting. A setting without a description here is called by its key.
fn setting(before: &Value, now: &Value) -> Option<String> {
    let (Value::Object(before), Value::Object(now)) = (before, now) else {
        return changed("the job", before, now);
    };
    let mut keys = before.keys().chain(now.keys());
    keys.find_map(|key| {
        let what = match key.as_str() {
            "inputs" | "model" => return None,
            "column" => "the text column",
            "id" => "the id column",
            "max_bytes" => "the maximum size of a row",
            "format" => "the output format",
            "per" => "the meaning of a row of CSV",
            "offsets" => "the unit of offsets",
            "min_confidence" => "the minimum confidence",
            "explain" => "whether records are explained",
            "errors" => "the file for rows that cannot be read",
            "schema" => "the version of the output",
            other => other,
        };
        let missing = Value::Null;
        let (before, now) = (before.get(key), now.get(key));
        changed(what, before.unwrap_or(&missing), now.unwrap_or(&missing))
    })
}

fn changed(what: &str, before: &Value, now: &Value) -> Option<String> {
    (before != now).then(|| differs(what, shown(before), shown(now)))
}

fn differs(what: &str, before: impl std::fmt::Display, now: impl std::fmt::Display) -> String {
    format!("{what} differs: it was {before} and is now {now}")
}

fn not_set() -> String {
    "not set".to_owned()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => not_set(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn job() -> Value {
        json!({
            "inputs": [{
                "file": {"path": "/a.csv", "size": 5, "modified": 1, "ends": "00"},
                "format": "csv",
            }],
            "model": {"name": "reviews", "sha256": "aa", "scheme": null},
            "column": null,
            "min_confidence": 0.0,
        })
    }

    #[test]
    fn differences_are_in_words() {
        assert_eq!(difference(&job(), &job()), None);
        for (pointer, value, words) in [
            (
                "/inputs",
                json!([]),
                "the number of inputs differs: it was 1",
            ),
            (
                "/inputs/0/file/path",
                json!("/b"),
                "it was /a.csv and is now /b",
            ),
            (
                "/inputs/0/file/size",
                json!(6),
                "/a.csv has changed (5 bytes",
            ),
            (
                "/inputs/0/file/ends",
                json!("01"),
                "/a.csv has changed (its content)",
            ),
            (
                "/inputs/0/file/modified",
                json!(2),
                "(its modification time)",
            ),
            (
                "/inputs/0/format",
                json!("tsv"),
                "it was csv and is now tsv",
            ),
            (
                "/model/scheme",
                json!("terms"),
                "scheme differs: it was not set",
            ),
            (
                "/model/sha256",
                json!("bb"),
                "the model reviews has changed",
            ),
            (
                "/column",
                json!("body"),
                "text column differs: it was not set",
            ),
            (
                "/min_confidence",
                json!(0.5),
                "the minimum confidence differs",
            ),
        ] {
            let mut other = job();
            *other.pointer_mut(pointer).unwrap() = value;
            let found = difference(&job(), &other).unwrap();
            assert!(found.contains(words), "{pointer}: {found}");
        }
    }

    #[test]
    fn models_are_named_but_only_their_bytes_count() {
        let mut other = job();
        other["model"]["name"] = json!("fast");
        assert_eq!(difference(&job(), &other), None);
        other["model"]["sha256"] = json!("bb");
        let words = "the model differs: it was reviews and is now fast";
        assert_eq!(difference(&job(), &other).unwrap(), words);
        other["model"]["name"] = Value::Null;
        assert_eq!(
            difference(&job(), &other).unwrap(),
            "the model is another one"
        );
    }

    /// A journal without a precision is one of `f32`.
    #[test]
    fn another_precision_is_another_model() {
        let mut other = job();
        other["model"]["precision"] = json!("f32");
        assert_eq!(difference(&job(), &other), None);
        other["model"]["precision"] = json!("bf16");
        let words = "the precision differs: it was f32 and is now bf16";
        assert_eq!(difference(&job(), &other).unwrap(), words);
        other["model"]["precision"] = json!("f8");
        let unknown = difference(&job(), &other).unwrap();
        assert!(unknown.starts_with("the model differs"), "{unknown}");
    }
}
