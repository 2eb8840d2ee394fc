//! The part of JSON Schema that `openapi.json` uses. Keywords that are not known here are a
//! failure, so nothing of the document is passed over.

use serde_json::Value;

/// Keywords that say nothing about values.
const NOTES: [&str; 4] = [
    "description",
    "example",
    "contentMediaType",
    "contentSchema",
];

/// Why a value does not fit a schema; empty if it does. `document` resolves references.
pub fn errors(document: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    let empty = serde_json::Map::new();
    let keywords = schema.as_object().unwrap_or(&empty);
    for (keyword, rule) in keywords {
        let fits = match keyword.as_str() {
            "$ref" => {
                let target = document.pointer(&rule.as_str().unwrap()[1..]).unwrap();
                found.extend(errors(document, target, value, at));
                true
            }
            "type" => match rule {
                Value::Array(types) => types.iter().any(|one| is_a(value, one)),
                one => is_a(value, one),
            },
            "enum" => rule.as_array().unwrap().contains(value),
            "const" => rule == value,
            "anyOf" => {
                let options = rule.as_array().unwrap().iter();
                { options }.any(|option| errors(document, option, value, at).is_empty())
            }
            "minimum" => value.as_f64().is_none_or(|n| n >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|n| n <= rule.as_f64().unwrap()),
            "minItems" => value
                .as_array()
                .is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
            "minLength" => value
                .as_str()
                .is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()),
            "pattern" => value
                .as_str()
                .is_none_or(|text| matches(text, rule.as_str().unwrap())),
            "format" => match rule.as_str().unwrap() {
                "date-time" => value.as_str().unwrap().parse::<jiff::Timestamp>().is_ok(),
                "binary" => true,
                other => panic!("format {other} is not known"),
            },
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(errors(document, rule, item, &format!("{at}/{i}")));
                }
                true
            }
            "properties" => {
                for (name, rule) in rule.as_object().unwrap() {
                    if let Some(member) = value.get(name) {
                        found.extend(errors(document, rule, member, &format!("{at}/{name}")));
                    }
                }
                true
            }
            "required" => {
                let mut names = rule.as_array().unwrap().iter();
                names.all(|name| value.get(name.as_str().unwrap()).is_some())
            }
            "additionalProperties" => {
                assert_eq!(rule, &Value::Bool(false));
                let known = &schema["properties"];
                let mut names = value.as_object().into_iter().flat_map(|it| it.keys());
                names.all(|name| known.get(name).is_some())
            }
            note if NOTES.contains(&note) => true,
            other => panic!("keyword {other} is not known"),
        };
        if !fits {
            found.push(format!("{at}: {keyword} {rule}: {value}"));
        }
    }
    found
}

fn is_a(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("type {other} is not known"),
    }
}

fn matches(text: &str, pattern: &str) -> bool {
    let is_hex = |length: usize| {
        let digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        text.len() == length && text.chars().all(digit)
    };
    match pattern {
        "\\S" => !text.trim().is_empty(),
        "^[0-9a-f]{32}$" => is_hex(32),
        "^[0-9a-f]{64}$" => is_hex(64),
        other => panic!("pattern {other} is not known"),
    }
}
