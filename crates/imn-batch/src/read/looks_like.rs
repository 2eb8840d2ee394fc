//! Whether text is in fact a table or JSON. Standard input is read as text unless the user names a
//! format, so a program can warn before every line of a table becomes a review.

use std::fmt;
use std::io::Cursor;

use imn_io::delimited::{DelimitedRows, Dialect};
use imn_io::encoding::UTF8_MARK;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};

use super::column::usual_text_column;
use super::column_note::{ends_like_sentence, looks_like_review};
use super::separators::{Unread, declared, of_header};

/// A format with structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LooksLike {
    /// CSV with commas or semicolons.
    Csv,
    /// Columns separated by tabs.
    Tsv,
    /// One JSON object per line.
    Jsonl,
    /// A JSON array, which is not read.
    JsonArray,
}

/// The format that the beginning of an input looks like, if it is not text: a JSON array, or a
/// first line that is a JSON object or a header with a usual name for the text, such as `text` or
/// `review`. `start` may end anywhere, for instance inside an object.
///
/// ```
/// use imn_batch::read::{LooksLike, looks_like};
/// assert_eq!(looks_like(b"id,text,stars\n1,Good soup.,5\n"), Some(LooksLike::Csv));
/// assert_eq!(looks_like(b"{\"id\": 1, \"text\": \"Good so"), Some(LooksLike::Jsonl));
/// assert_eq!(looks_like(b"[\n  {\"text\": \"Good soup.\"}"), Some(LooksLike::JsonArray));
/// assert_eq!(looks_like(b"The {text} was good, and cheap.\n"), None);
/// ```
#[must_use]
pub fn looks_like(start: &[u8]) -> Option<LooksLike> {
    let text = start.strip_prefix(UTF8_MARK).unwrap_or(start);
    let mut lines = text.split_inclusive(|&byte| byte == b'\n');
    let line = lines.find(|line| !line.trim_ascii().is_empty())?;
    if is_array(text) {
        Some(LooksLike::JsonArray)
    } else if is_object(line.trim_ascii_start()) {
        Some(LooksLike::Jsonl)
    } else {
        table(line)
    }
}

/// Whether JSON is an array of objects or strings, or of something on the next line. Reviews may
/// start with `[`, too.
pub(super) fn is_array(json: &[u8]) -> bool {
    let Some(inside) = json.trim_ascii_start().strip_prefix(b"[") else {
        return false;
    };
    matches!(inside.trim_ascii_start(), [] | [b'{' | b'"', ..])
}

/// Whether a line is a JSON object that has a text.
fn is_object(line: &[u8]) -> bool {
    let mut names = Vec::new();
    let mut json = serde_json::Deserializer::from_slice(line);
    let parsed = json.deserialize_map(Keys(&mut names));
    let is_object = match parsed.and_then(|()| json.end()) {
        Ok(()) => true,
        Err(error) => error.is_eof(),
    };
    is_object && usual_text_column(&names).is_some()
}

/// The format of a table with this first line, if it is the header of one.
fn table(line: &[u8]) -> Option<LooksLike> {
    if declared(line).is_some() {
        return Some(LooksLike::Csv);
    }
    let (dialect, format) = match of_header(line, None) {
        (dialect, None) => (dialect, LooksLike::Csv),
        (_, Some(Unread::Tab)) => (Dialect::Tsv, LooksLike::Tsv),
        (_, Some(Unread::Pipe)) => return None,
    };
    let mut rows = DelimitedRows::new(Box::new(Cursor::new(line.to_vec())), dialect, line.len());
    let fields = rows.next().ok()??.fields.ok()?.decode().ok()?;
    let names: Vec<String> = fields.iter().map(str::to_owned).collect();
    // In prose, a space follows the only comma.
    let is_split = match &names[..] {
        [] | [_] => false,
        [_, second] => !second.starts_with(' '),
        _ => true,
    };
    let is_prose = ends_like_sentence(std::str::from_utf8(line).ok()?)
        || names.iter().any(|name| looks_like_review(name));
    let is_header = is_split && !is_prose;
    (is_header && usual_text_column(&names).is_some()).then_some(format)
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
            assert_eq!(
                looks_like(start.as_bytes()),
                Some(LooksLike::Jsonl),
                "{start}"
            );
        }
        // The start may end inside a character.
        assert_eq!(looks_like(b"{\"text\":\"caf\xc3"), Some(LooksLike::Jsonl));
    }

    #[test]
    fn arrays_are_recognized() {
        for start in [
            "[{\"text\":\"a\"}]",
            "\u{feff}\n[\r\n  {\"text\":\"a\"}",
            "[ \"Good soup.\", \"Bad tea.\"]",
            "[\n",
        ] {
            let found = looks_like(start.as_bytes());
            assert_eq!(found, Some(LooksLike::JsonArray), "{start}");
        }
    }

    #[test]
    fn headers_with_a_text_are_recognized() {
        for (header, expected) in [
            (
                "Review ID,Date of Visit,Stars,\"Review, full text\",Text\r\n",
                LooksLike::Csv,
            ),
            ("\u{feff}review,sentiment\nGood soup.,1\n", LooksLike::Csv),
            (",text,label\n", LooksLike::Csv),
            ("id, comment, stars\n", LooksLike::Csv),
            ("\"Review Text\";stars\n", LooksLike::Csv),
            ("sep=;\ntext;stars\n", LooksLike::Csv),
            ("id\tbody\n", LooksLike::Tsv),
            ("\ttext\n0\tGood soup.\n", LooksLike::Tsv),
        ] {
            assert_eq!(looks_like(header.as_bytes()), Some(expected), "{header:?}");
        }
    }

    #[test]
    fn other_text_is_not() {
        for start in [
            "",
            "\n\n",
            "{",
            "text\n{\"text\":\"a\"}\n",
            "{text} was good",
            "{\"text\" was good}",
            "{\"text\":\"a\"} was good",
            "{\"id\":1}\n",
            "{\"id\":{\"text\":\"a\"}}",
            "\"text\"",
            "The soup was great.\n",
            "[Update] The soup was great, twice.\n",
            "[5/5] Great.\n",
            "text\nGood soup.\n",
            "stars,words,price\n",
            "id|text|stars\n",
            "Great content, friendly staff, good soup\n",
            "Review, five stars\n",
            "The soup was cold, the tea was not, comment, body.\n",
            "\"text,review\n",
        ] {
            assert_eq!(looks_like(start.as_bytes()), None, "{start}");
        }
    }
}
