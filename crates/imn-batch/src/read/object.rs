//! A JSON object as a row. Values of other columns are never parsed, so they are written exactly as
//! they were read, digit for digit.

use imn::analyze::{InputColumns, RawJson};
use imn_io::encoding::decode;
use imn_io::message::plain_json;

use super::path;
use crate::{Place, Reason, Row, RowError};

/// The deepest nesting of objects and lists that other JSON parsers can be expected to accept.
const DEEPEST: usize = 128;

/// The keys of the text and of the id, or the paths to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) text: String,
    pub(super) id: Option<String>,
}

/// Parses one line.
pub(super) fn parse(line: &[u8]) -> Result<InputColumns, Reason> {
    let text = decode(line)?;
    if depth(line) > DEEPEST {
        return Err(Reason::Nested { limit: DEEPEST });
    }
    serde_json::from_str(text).map_err(|error| {
        let column = Some(error.column()).filter(|_| !error.is_data());
        Reason::Json(match column {
            Some(column) => format!("{} at column {column}", without_place(&error)),
            // Valid JSON, or the start of it.
            None => format!("it is {}", kind(text.trim_start())),
        })
    })
}

/// The message of an error in the terms of JSON, without the position in the parsed text, whose
/// line number would contradict that in the file.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    plain_json(message.strip_suffix(&place).unwrap_or(&message))
}

/// The nesting depth of objects and lists.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for &byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Builds a row from an object. An object that the text or the id is taken out of stays a column.
pub(super) fn row(object: InputColumns, keys: &Keys, place: Place) -> Result<Row, RowError> {
    let mut row = Row::of_text(place, String::new());
    row.text = text(&object, &keys.text).map_err(|reason| RowError { place, reason })?;
    let id = keys.id.as_ref();
    row.id = id.and_then(|id| path::find(&object, id).ok());
    let is_other = |(name, _): &(String, RawJson)| *name != keys.text && Some(name) != id;
    row.columns.0 = object.0.into_iter().filter(is_other).collect();
    Ok(row)
}

/// The text of an object, under a key or a path of keys.
fn text(object: &InputColumns, key: &str) -> Result<String, Reason> {
    let value = path::find(object, key)?;
    let column = key.to_owned();
    match value.get().as_bytes() {
        [b'"', ..] => {
            let text = serde_json::from_str(value.get());
            text.map_err(|error| Reason::Json(without_place(&error)))
        }
        [b'{', ..] => Err(Reason::ObjectAsText {
            column,
            path: path::to_text(key, &value),
        }),
        _ => Err(Reason::NotText {
            column,
            found: kind(value.get()),
        }),
    }
}

/// What a JSON value is.
pub(super) fn kind(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "true or false",
        Some(b'[') => "a list",
        Some(b'{') => "an object",
        Some(b'"') => "a string",
        _ => "a number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Row, Reason> {
        let keys = Keys {
            text: "text".to_owned(),
            id: Some("id".to_owned()),
        };
        row(parse(line.as_bytes())?, &keys, Place::default()).map_err(|error| error.reason)
    }

    #[test]
    fn members_pass_through_as_they_are() {
        let row = of(r#"{"z":1.10,"text":"so\tgood","id":7,"a":{"b":[1,18446744073709551616]}}"#)
            .unwrap();
        assert_eq!(row.text, "so\tgood");
        assert_eq!(row.id.unwrap().get(), "7");
        let columns: Vec<_> = row
            .columns
            .iter()
            .map(|(name, value)| (name, value.get()))
            .collect();
        assert_eq!(
            columns,
            [("z", "1.10"), ("a", r#"{"b":[1,18446744073709551616]}"#)]
        );
    }

    #[test]
    fn paths_leave_the_objects_in_the_columns() {
        let keys = Keys {
            text: "review.body".to_owned(),
            id: Some("meta.id".to_owned()),
        };
        let of = |line: &str| row(parse(line.as_bytes()).unwrap(), &keys, Place::default());
        let nested = r#"{"review":{"body":"so\tgood","stars":5},"meta":{"id":7},"n":1.10}"#;
        let found = of(nested).unwrap();
        assert_eq!(found.text, "so\tgood");
        assert_eq!(found.id.unwrap().get(), "7");
        assert_eq!(serde_json::to_string(&found.columns).unwrap(), {
            r#"{"review":{"body":"so\tgood","stars":5},"meta":{"id":7},"n":1.10}"#
        });
        let found = of(r#"{"review.body":"x","review":{"body":"y"}}"#).unwrap();
        assert_eq!((found.text.as_str(), found.id), ("x", None));
        assert_eq!(found.columns.0.len(), 1);
        let error = |line: &str| of(line).unwrap_err().reason.to_string();
        assert_eq!(error("{\"n\":1}"), "no `review.body`");
        let reason = error(r#"{"review":{"body":null}}"#);
        assert_eq!(reason, "`review.body` is null, not a string");
        let reason = error(r#"{"review":null}"#);
        assert_eq!(reason, "no `review.body`: `review` is null");
    }

    #[test]
    fn a_reason_has_no_line_number_of_its_own() {
        for (line, expected) in [
            (
                "{\"text\" \"a\"}",
                "not a JSON object: expected `:` at column 9",
            ),
            ("soup", "not a JSON object: expected value at column 1"),
            (
                "not json",
                "not a JSON object: expected true, false or null at column 2",
            ),
            (
                "{\"text\":",
                "not a JSON object: the line ends inside a value at column 8",
            ),
            (
                r#"{"text":"\ud83d"}"#,
                "not a JSON object: a \\u escape is the first half of a pair, and the second half \
                 is missing",
            ),
            ("[{\"text\":\"a\"}]", "not a JSON object: it is a list"),
        ] {
            assert_eq!(of(line).unwrap_err().to_string(), expected);
        }
        let surrogate = of(r#"{"text":"\ud800"}"#).unwrap_err().to_string();
        assert!(!surrogate.contains(" line "), "{surrogate}");
    }

    #[test]
    fn every_mistake_has_its_reason() {
        let error = |line: &str| of(line).unwrap_err().to_string();
        assert!(error("{\"text\":").contains("not a JSON object"));
        assert_eq!(error("[1]"), "not a JSON object: it is a list");
        assert_eq!(error(" \"a\""), "not a JSON object: it is a string");
        assert!(error("{}").contains("no `text`"));
        assert!(error(r#"{"text":null}"#).contains("is null"));
        let object = error(r#"{"text":{"a":1,"body":"x"}}"#);
        assert!(
            object.starts_with("`text` is an object, not a string"),
            "{object}"
        );
        assert!(object.ends_with(" such as text.body"), "{object}");
        assert!(error(r#"{"text":"\ud800"}"#).contains("not a JSON object"));
        let deep = format!(
            r#"{{"text":"a","x":{}{}}}"#,
            "[".repeat(5000),
            "]".repeat(5000)
        );
        assert!(error(&deep).contains("128"));
        // Brackets inside a string do not count.
        assert!(of(&format!(r#"{{"text":"{}\"["}}"#, "[".repeat(5000))).is_ok());
    }
}
