//! What is wrong with a line of our JSONL that cannot be read, and what to do about it.

use serde_json::Value;

use super::json_object::plain_message;
use crate::data::Polarity;

const ONE_OBJECT: &str = "one JSON object per line";

/// The message and the fix.
pub(super) fn explain(line: &str, error: &serde_json::Error) -> (String, String) {
    let value = serde_json::from_str(line).ok();
    if value.as_ref().is_some_and(is_analysis) {
        let message = "this is output of `imn analyze`, not a labelled sentence";
        let fix = "`imn evaluate MODEL TEXTS.jsonl --write labels.jsonl` writes predictions as \
                   labels";
        return (message.to_owned(), fix.to_owned());
    }
    let message = plain_message(error);
    let fix = match &value {
        // Not JSON, or not an object.
        None => ONE_OBJECT.to_owned(),
        Some(value) if !value.is_object() => ONE_OBJECT.to_owned(),
        Some(value) => fix(value, &message),
    };
    (message, fix)
}

/// Whether a value is a record of `imn analyze`.
fn is_analysis(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    let is_number = value.get("schema").is_some_and(Value::is_u64);
    is_number && has("text") && (has("row") || has("offset_unit") || has("sentiment"))
}

/// What to do about an object that is not a labelled sentence.
fn fix(object: &Value, message: &str) -> String {
    // The name in the first back quotes, which is the field or value that does not fit.
    let named = message.split('`').nth(1).unwrap_or_default();
    let fix = if message.starts_with("unknown field") {
        "fields of your own belong into \"meta\" of the sentence"
    } else if message.starts_with("unknown polarity") {
        return Polarity::from_name(named).map_or_else(String::new, |p| format!("write \"{p}\""));
    } else if message.starts_with("duplicate field") {
        "remove one of them"
    } else if message.starts_with("missing field") {
        match named {
            "text" => "every sentence needs it",
            "category" => "every category needs it",
            _ => "aspects and opinions need \"start\" and \"end\"",
        }
    } else if message.starts_with("expected value") {
        // Only polarities are read from a set of names.
        "a polarity is \"positive\", \"negative\", \"neutral\" or \"conflict\""
    } else if message.contains("expected a string") {
        // The message does not name the field, and `text` comes to mind first.
        let numbers = ["text", "id", "review"].into_iter().filter_map(|name| {
            let value = object.get(name)?;
            (!value.is_string()).then_some((name, value))
        });
        match numbers.take(2).collect::<Vec<_>>()[..] {
            [(name, Value::Number(number))] => return format!("write \"{name}\":\"{number}\""),
            _ => "write it in double quotes",
        }
    } else if message.contains("expected a whole number") {
        "offsets and indices count from 0 and have no quotes"
    } else if message.contains("expected a pair of numbers") {
        "write a pair such as [0, 0]"
    } else {
        ""
    };
    fix.to_owned()
}

#[cfg(test)]
mod tests {
    use crate::data::formats::jsonl::parse_line;

    #[test]
    fn every_mistake_has_its_own_fix() {
        let aspect = |fields: &str| format!("{{\"text\":\"ab\",\"aspects\":[{{{fields}}}]}}");
        for (line, fix) in [
            (r#"{"text":"ab","id":7}"#.to_owned(), r#"(write "id":"7")"#),
            (r#"{"id":1,"txt":"ab"}"#.to_owned(), r#"(write "id":"1")"#),
            (
                r#"{"text":"ab","stars":3}"#.to_owned(),
                r#"(fields of your own belong into "meta" of the sentence)"#,
            ),
            (r#"{"id":"7"}"#.to_owned(), "(every sentence needs it)"),
            (r#"{"text":5}"#.to_owned(), r#"(write "text":"5")"#),
            (
                r#"{"text":5,"id":7}"#.to_owned(),
                "(write it in double quotes)",
            ),
            (r#"{"text":"ab""#.to_owned(), "(one JSON object per line)"),
            ("[1]".to_owned(), "(one JSON object per line)"),
            ("the soup".to_owned(), "(one JSON object per line)"),
            (
                r#"{"text":"a","text":"b"}"#.to_owned(),
                "(remove one of them)",
            ),
            (
                aspect(r#""start":0,"end":2,"polarity":"Positive""#),
                r#"(write "positive")"#,
            ),
            (
                aspect(r#""start":0,"end":2,"polarity":"neg""#),
                r#"(write "negative")"#,
            ),
            (
                aspect(r#""start":0,"end":2,"polarity":1"#),
                r#"(a polarity is "positive", "negative", "neutral" or "conflict")"#,
            ),
            (
                aspect(r#""start":"0","end":2"#),
                "(offsets and indices count from 0 and have no quotes)",
            ),
            (
                aspect(r#""end":2"#),
                r#"(aspects and opinions need "start" and "end")"#,
            ),
            (
                r#"{"text":"ab","links":[0]}"#.to_owned(),
                "(write a pair such as [0, 0])",
            ),
            (
                r#"{"schema":1,"offset_unit":"bytes","row":1,"text":"ab","aspects":[]}"#.to_owned(),
                "output of `imn analyze`, not a labelled sentence \
                 (`imn evaluate MODEL TEXTS.jsonl --write labels.jsonl` writes predictions as \
                 labels)",
            ),
        ] {
            let error = parse_line(&line).unwrap_err().to_string();
            assert!(error.ends_with(fix), "{line}: {error}");
        }
        // The message names the polarities that there are.
        let line = aspect(r#""start":0,"end":2,"polarity":"good""#);
        let error = parse_line(&line).unwrap_err().to_string();
        assert!(error.contains("`neutral`"), "{error}");
        assert!(!error.contains("meta"), "{error}");
    }
}
