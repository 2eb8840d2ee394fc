//! Values inside nested JSON objects, by a path of keys such as `review.body`. A key that contains
//! the dots itself takes precedence over a path.

use imn::analyze::{InputColumns, RawJson};

use super::column::usual_text_column;
use super::object::kind;
use crate::Reason;

/// Follows a path. The reason for a failure is about the first part of the path that exists.
pub(super) fn find(object: &InputColumns, path: &str) -> Result<RawJson, Reason> {
    let missing = || Reason::NoText {
        column: path.to_owned(),
    };
    follow(object, path, 0).map_err(|reason| reason.unwrap_or_else(missing))
}

/// Whether a path leads to a value, or ends early at a value that is not an object. Such a row, for
/// instance one with null, may stand before rows where the path goes on.
pub(super) fn may_lead(object: &InputColumns, path: &str) -> bool {
    object.get(path).is_some()
        || splits(path, 0).any(|dot| {
            object.get(&path[..dot]).is_some_and(|value| {
                let inner = serde_json::from_str(value.get());
                inner.map_or(true, |inner| may_lead(&inner, &path[dot + 1..]))
            })
        })
}

/// The paths of all values in an object, without those of objects that are not empty.
pub(super) fn all(object: &InputColumns) -> Vec<String> {
    leaves(object).into_iter().map(|leaf| leaf.path).collect()
}

/// The path of a string whose key is a usual name for the text.
pub(super) fn usual_text(object: &InputColumns) -> Option<String> {
    let mut strings = leaves(object);
    strings.retain(|leaf| leaf.is_string);
    let keys: Vec<&str> = strings.iter().map(|leaf| leaf.key.as_str()).collect();
    let found = usual_text_column(&keys)?;
    Some(strings.swap_remove(found).path)
}

/// A value that is not an object with keys.
struct Leaf {
    path: String,
    /// The last key of the path.
    key: String,
    is_string: bool,
}

fn leaves(object: &InputColumns) -> Vec<Leaf> {
    let mut found = Vec::new();
    for (key, value) in object.iter() {
        let inner: InputColumns = serde_json::from_str(value.get()).unwrap_or_default();
        if inner.0.is_empty() {
            found.push(Leaf {
                path: key.to_owned(),
                key: key.to_owned(),
                is_string: value.get().starts_with('"'),
            });
        }
        found.extend(leaves(&inner).into_iter().map(|leaf| Leaf {
            path: format!("{key}.{}", leaf.path),
            ..leaf
        }));
    }
    found
}

/// The positions of the dots at or after `from`.
fn splits(path: &str, from: usize) -> impl Iterator<Item = usize> + '_ {
    let dots = path[from..].match_indices('.');
    dots.map(move |(at, _)| from + at)
}

/// Follows the rest of a path, which starts at `from`. Without a reason, its first key is missing.
fn follow(object: &InputColumns, path: &str, from: usize) -> Result<RawJson, Option<Reason>> {
    if let Some(value) = object.get(&path[from..]) {
        return Ok(value.clone());
    }
    let mut failure = None;
    for dot in splits(path, from) {
        let Some(value) = object.get(&path[from..dot]) else {
            continue;
        };
        let (reached, rest) = (&path[..dot], &path[dot + 1..]);
        let found = match serde_json::from_str(value.get()) {
            Ok(inner) => match follow(&inner, path, dot + 1) {
                Ok(value) => return Ok(value),
                Err(Some(reason)) => {
                    failure.get_or_insert(reason);
                    continue;
                }
                Err(None) => format!("an object without `{rest}`"),
            },
            Err(_) => kind(value.get()).to_owned(),
        };
        failure.get_or_insert_with(|| Reason::NoPath {
            column: path.to_owned(),
            reached: reached.to_owned(),
            found,
        });
    }
    Err(failure)
}

/// The path of a string in the object `value`, which is the value of `key`: probably the
/// text.
pub(super) fn to_text(key: &str, value: &RawJson) -> String {
    let object: InputColumns = serde_json::from_str(value.get()).unwrap_or_default();
    let strings = object
        .iter()
        .filter(|(_, value)| value.get().starts_with('"'));
    let names: Vec<String> = strings.map(|(name, _)| name.to_owned()).collect();
    let text = names.get(usual_text_column(&names).unwrap_or(0));
    format!("{key}.{}", text.map_or("KEY", String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: &str) -> InputColumns {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn keys_with_dots_take_precedence_at_every_level() {
        let nested = r#"{"a":{"b.c":1,"b":{"c":2}},"a.b":{"c":3,"d":{"e":4}}}"#;
        for (json, path, expected) in [
            (r#"{"a.b":1,"a":{"b":2}}"#, "a.b", "1"),
            (r#"{"a":{"b":2}}"#, "a.b", "2"),
            (nested, "a.b.c", "1"),
            (nested, "a.b.d.e", "4"),
            (r#"{"a":{"b":1},"a":{"b":2}}"#, "a.b", "2"),
            (r#"{"":{"":5}}"#, ".", "5"),
        ] {
            assert_eq!(find(&object(json), path).unwrap().get(), expected, "{path}");
        }
    }

    #[test]
    fn a_path_that_ends_early_says_where() {
        for (json, path, expected) in [
            ("{}", "a", "no `a`"),
            ("{}", "a.b", "no `a.b`"),
            (r#"{"a":null}"#, "a.b", "no `a.b`: `a` is null"),
            (r#"{"a":"x"}"#, "a.b", "no `a.b`: `a` is a string"),
            (r#"{"a":[1]}"#, "a.b.c", "no `a.b.c`: `a` is a list"),
            (
                r#"{"a":{"x":1}}"#,
                "a.b.c",
                "no `a.b.c`: `a` is an object without `b.c`",
            ),
            (
                r#"{"a":{"b":{"x":1}}}"#,
                "a.b.c",
                "no `a.b.c`: `a.b` is an object without `c`",
            ),
            (r#"{"a":{"b":7}}"#, "a.b.c", "no `a.b.c`: `a.b` is a number"),
        ] {
            let reason = find(&object(json), path).unwrap_err().to_string();
            assert_eq!(reason, expected, "{json}");
        }
    }

    #[test]
    fn a_path_may_lead_on_unless_an_object_lacks_its_key() {
        for (json, path, expected) in [
            (r#"{"a":{"b":1}}"#, "a.b", true),
            (r#"{"a":null}"#, "a.b", true),
            (r#"{"a":1}"#, "a.b", true),
            (r#"{"a":{"b":null}}"#, "a.b.c", true),
            (r#"{"a":{"x":1},"a.b":null}"#, "a.b.c", true),
            (r#"{"a":1}"#, "b.a", false),
            (r#"{"a":{"x":1}}"#, "a.b", false),
            (r#"{"a":{"b":{"x":1}}}"#, "a.b.c", false),
            (r#"{"a":{}}"#, "a.b", false),
        ] {
            assert_eq!(may_lead(&object(json), path), expected, "{json} {path}");
        }
    }

    #[test]
    fn every_value_has_a_path() {
        let nested = r#"{"id":1,"r":{"t":"x","Review Text":"y","m":{"l":[{"a":1}],"e":{}}}}"#;
        let paths = ["id", "r.t", "r.Review Text", "r.m.l", "r.m.e"];
        assert_eq!(all(&object(nested)), paths);
        for path in paths {
            assert!(find(&object(nested), path).is_ok(), "{path}");
        }
        assert_eq!(
            usual_text(&object(nested)).as_deref(),
            Some("r.Review Text")
        );
        // Of several, the most usual name; never a number.
        let several = r#"{"a":{"body":"x"},"b":{"text":1,"review":"y"}}"#;
        assert_eq!(usual_text(&object(several)).as_deref(), Some("b.review"));
        assert_eq!(usual_text(&object(r#"{"a":{"words":"x"}}"#)), None);
    }

    #[test]
    fn the_probable_text_is_suggested() {
        for (json, expected) in [
            (r#"{"id":1,"title":"x","body":"y"}"#, "r.body"),
            (r#"{"text":1,"words":"x"}"#, "r.words"),
            (r#"{"a":1}"#, "r.KEY"),
        ] {
            let value = RawJson::of_json(json.to_owned()).unwrap();
            assert_eq!(to_text("r", &value), expected);
        }
    }
}
