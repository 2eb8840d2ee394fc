//! Conversion between byte offsets and other units.
//!
//! Counting from the start of the text for every span would be quadratic. The index stores both
//! counts every [`STEP`] bytes: building it takes one pass, and a conversion takes one look-up and
//! at most [`STEP`] bytes of counting. ASCII text needs no index, because all units are equal.

use serde::{Deserialize, Serialize};

use super::Span;

/// Bytes between two stored counts.
const STEP: usize = 128;

/// The unit that an offset counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OffsetUnit {
    /// UTF-8 bytes, as Rust and Go count.
    #[default]
    Bytes,
    /// Unicode code points, as Python counts.
    Chars,
    /// UTF-16 code units, as JavaScript, Java and C# count.
    Utf16,
}

impl OffsetUnit {
    /// All units.
    pub const ALL: [Self; 3] = [Self::Bytes, Self::Chars, Self::Utf16];

    /// Name of the unit in records and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Chars => "chars",
            Self::Utf16 => "utf16",
        }
    }
}

/// Converts offsets into one text between units.
///
/// ```
/// use imn::text::{OffsetIndex, OffsetUnit};
///
/// let index = OffsetIndex::new("🍕 good");
/// assert_eq!(index.from_byte(5, OffsetUnit::Chars), Some(2));
/// assert_eq!(index.from_byte(5, OffsetUnit::Utf16), Some(3));
/// assert_eq!(index.to_byte(2, OffsetUnit::Chars), Some(5));
/// assert_eq!(index.from_byte(1, OffsetUnit::Chars), None); // inside the pizza
/// ```
#[derive(Debug, Clone)]
pub struct OffsetIndex<'a> {
    text: &'a str,
    /// `(byte, chars, utf16)` of the first character at or after each multiple of [`STEP`]; empty
    /// for ASCII.
    marks: Vec<(usize, usize, usize)>,
}

impl<'a> OffsetIndex<'a> {
    /// Builds the index of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let mut marks = Vec::new();
        if !text.is_ascii() {
            marks.reserve(text.len() / STEP + 1);
            let (mut chars, mut utf16, mut next) = (0, 0, 0);
            for (at, c) in text.char_indices() {
                if at >= next {
                    marks.push((at, chars, utf16));
                    next = at - at % STEP + STEP;
                }
                chars += 1;
                utf16 += c.len_utf16();
            }
        }
        Self { text, marks }
    }

    /// Converts a byte offset to `unit`. `None` if it is beyond the end or inside a character.
    #[must_use]
    pub fn from_byte(&self, byte: usize, unit: OffsetUnit) -> Option<usize> {
        if !self.text.is_char_boundary(byte) {
            return None;
        }
        if unit == OffsetUnit::Bytes || self.marks.is_empty() {
            return Some(byte);
        }
        let at = self.marks.partition_point(|m| m.0 <= byte).checked_sub(1)?;
        let &(from, chars, utf16) = self.marks.get(at)?;
        let between = self.text.get(from..byte)?;
        Some(match unit {
            OffsetUnit::Chars => chars + between.chars().count(),
            _ => utf16 + between.chars().map(char::len_utf16).sum::<usize>(),
        })
    }

    /// Converts an offset in `unit` to bytes. `None` if it is beyond the end or inside a character.
    #[must_use]
    pub fn to_byte(&self, offset: usize, unit: OffsetUnit) -> Option<usize> {
        if unit == OffsetUnit::Bytes || self.marks.is_empty() {
            return self.text.is_char_boundary(offset).then_some(offset);
        }
        let count = |m: &(usize, usize, usize)| if unit == OffsetUnit::Chars { m.1 } else { m.2 };
        let at = self
            .marks
            .partition_point(|m| count(m) <= offset)
            .checked_sub(1)?;
        let mark = self.marks.get(at)?;
        let (mut byte, mut seen) = (mark.0, count(mark));
        let mut rest = self.text.get(byte..)?.chars();
        while seen < offset {
            let c = rest.next()?;
            byte += c.len_utf8();
            seen += if unit == OffsetUnit::Chars {
                1
            } else {
                c.len_utf16()
            };
        }
        (seen == offset).then_some(byte)
    }

    /// Converts a byte span to `unit`. `None` if either end cannot be converted.
    #[must_use]
    pub fn span_from_bytes(&self, span: Span, unit: OffsetUnit) -> Option<Span> {
        Some(Span::new(
            self.from_byte(span.start, unit)?,
            self.from_byte(span.end, unit)?,
        ))
    }

    /// Converts a span in `unit` to bytes. `None` if either end cannot be converted, or if the span
    /// ends before it starts.
    #[must_use]
    pub fn span_to_bytes(&self, span: Span, unit: OffsetUnit) -> Option<Span> {
        let bytes = Span::new(
            self.to_byte(span.start, unit)?,
            self.to_byte(span.end, unit)?,
        );
        (bytes.start <= bytes.end).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_counting(text in ".{0,400}", byte in 0_usize..1700) {
            let index = OffsetIndex::new(&text);
            for unit in OffsetUnit::ALL {
                let counted = text.get(..byte).map(|head| match unit {
                    OffsetUnit::Bytes => byte,
                    OffsetUnit::Chars => head.chars().count(),
                    OffsetUnit::Utf16 => head.encode_utf16().count(),
                });
                prop_assert_eq!(index.from_byte(byte, unit), counted);
                if let Some(offset) = counted {
                    prop_assert_eq!(index.to_byte(offset, unit), Some(byte));
                }
            }
        }
    }

    #[test]
    fn no_byte_offset_inside_a_surrogate_pair() {
        let index = OffsetIndex::new("a😀b");
        assert_eq!(index.to_byte(2, OffsetUnit::Utf16), None);
        assert_eq!(index.to_byte(3, OffsetUnit::Utf16), Some(5));
        assert_eq!(index.to_byte(5, OffsetUnit::Utf16), None);
    }

    #[test]
    fn names_are_those_of_records() {
        for unit in OffsetUnit::ALL {
            assert_eq!(serde_json::to_value(unit).unwrap(), unit.name());
        }
    }
}
