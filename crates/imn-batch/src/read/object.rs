//! A JSON object as a row. Values of other columns are never parsed, so they are written exactly as
//! they were read, digit for digit.

use imn::analyze::InputColumns;
use imn_io::encoding::decode;

use crate::{Place, Reason, Row, RowError};

/// The deepest nesting of objects and lists that other JSON parsers can be expected to accept.
const DEEPEST: usize = 128;

/// The keys of the text and of the id.
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
    serde_json::from_str(text).map_err(|error| Reason::Json(error.to_string()))
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

/// Builds a row from an object.
pub(super) fn row(object: InputColumns, keys: &Keys, place: Place) -> Result<Row, RowError> {
    let mut row = Row::of_text(place, String::new());
    let mut text = None;
    for (name, value) in object.0 {
        if name == keys.text {
            text = Some(value);
        } else if keys.id.as_ref() == Some(&name) {
            row.id = Some(value);
        } else {
            row.columns.0.push((name, value));
        }
    }
    let column = || keys.text.clone();
    let reason = match text {
        None => Reason::NoText { column: column() },
        Some(text) if !text.get().starts_with('"') => Reason::NotText {
            column: column(),
            found: kind(text.get()),
        },
        Some(text) => match serde_json::from_str(text.get()) {
            Ok(text) => {
                row.text = text;
                return Ok(row);
            }
            Err(error) => Reason::Json(error.to_string()),
        },
    };
    Err(RowError { place, reason })
}

fn kind(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "true or false",
        Some(b'[') => "a list",
        Some(b'{') => "an object",
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
    fn every_mistake_has_its_reason() {
        let error = |line: &str| of(line).unwrap_err().to_string();
        assert!(error("{\"text\":").contains("not a JSON object"));
        assert!(error("[1]").contains("not a JSON object"));
        assert!(error("{}").contains("no `text`"));
        assert!(error(r#"{"text":null}"#).contains("is null"));
        assert!(error(r#"{"text":{"a":1}}"#).contains("an object"));
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
