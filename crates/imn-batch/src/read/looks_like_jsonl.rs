//! Whether text is in fact JSONL. Standard input is read as text unless the user names a format, so
//! a program can warn before every line of JSON becomes a review.

use std::fmt;

use imn_io::encoding::UTF8_MARK;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};

use super::column::usual_text_column;

/// Whether the first line of an input is a JSON object that has a key with a usual name for the
/// text, such as `text` or `review`. `start` may end anywhere, for instance inside the object.
///
/// ```
/// use imn_batch::read::looks_like_jsonl;
/// assert!(looks_like_jsonl(b"{\"id\": 1, \"text\": \"Good soup.\"}\n"));
/// assert!(looks_like_jsonl(b"{\"text\": \"Good so"));
/// assert!(!looks_like_jsonl(b"The {text} was good.\n"));
/// ```
#[must_use]
pub fn looks_like_jsonl(start: &[u8]) -> bool {
    let text = start.strip_prefix(UTF8_MARK).unwrap_or(start);
    let text = text.trim_ascii_start();
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or(text);
    let mut names = Vec::new();
    let mut json = serde_json::Deserializer::from_slice(line);
    let parsed = json.deserialize_map(Keys(&mut names));
    let is_object = match parsed.and_then(|()| json.end()) {
        Ok(()) => true,
        Err(error) => error.is_eof(),
    };
    is_object && usual_text_column(&names).is_some()
}

/// Collects the keys of an object, also of one that breaks off.
struct Keys<'a>(&'a mut Vec<String>);

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(name) = object.next_key()? {
            self.0.push(name);
            object.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_with_a_text_are_recognized() {
        for start in [
            "{\"text\":\"a\"}",
            "\u{feff}\r\n {\"id\":[1,{}],\"Review Text\":\"a\"}\r\nmore",
            "{\"stars\":5,\"comment\":\"it was ver",
            "{\"text\":\"a\",\"b",
        ] {
            assert!(looks_like_jsonl(start.as_bytes()), "{start}");
        }
        // The start may end inside a character.
        assert!(looks_like_jsonl(b"{\"text\":\"caf\xc3"));
    }

    #[test]
    fn other_text_is_not() {
        for start in [
            "",
            "{",
            "text\n{\"text\":\"a\"}\n",
            "{text} was good",
            "{\"text\" was good}",
            "{\"text\":\"a\"} was good",
            "{\"id\":1}\n",
            "{\"id\":{\"text\":\"a\"}}",
            "[{\"text\":\"a\"}]",
            "\"text\"",
            "The soup was great.\n",
        ] {
            assert!(!looks_like_jsonl(start.as_bytes()), "{start}");
        }
    }
}
