//! Offsets and lengths in the units of Azure Language.

use unicode_segmentation::UnicodeSegmentation as _;

use super::StringIndexType;

/// Counts positions of one text.
#[derive(Debug)]
pub(super) struct Units<'a> {
    text: &'a str,
    unit: StringIndexType,
    /// Ends of text elements, in bytes; empty for other units.
    elements: Vec<usize>,
}

impl<'a> Units<'a> {
    pub(super) fn new(text: &'a str, unit: StringIndexType) -> Self {
        let elements = match unit {
            StringIndexType::TextElements if !text.is_ascii() || text.contains('\r') => {
                let elements = text.grapheme_indices(true);
                elements.map(|(at, element)| at + element.len()).collect()
            }
            _ => Vec::new(),
        };
        Self {
            text,
            unit,
            elements,
        }
    }

    /// The position of a byte. Inside a text element it is the position of that element.
    fn position(&self, byte: usize) -> usize {
        let before = self.text.get(..byte).unwrap_or(self.text);
        match self.unit {
            StringIndexType::UnicodeCodePoint => before.chars().count(),
            StringIndexType::Utf16CodeUnit => before.chars().map(char::len_utf16).sum(),
            StringIndexType::TextElements if self.elements.is_empty() => before.len(),
            StringIndexType::TextElements => self.elements.partition_point(|&end| end <= byte),
        }
    }

    /// Offset and length of a span of bytes. A span that ends inside a text element covers it.
    pub(super) fn span(&self, start: usize, end: usize) -> (usize, usize) {
        let offset = self.position(start);
        let inside = !self.elements.is_empty() && self.elements.binary_search(&end).is_err();
        let after = self.position(end) + usize::from(inside && end > start);
        (offset, after - offset)
    }

    /// The length of the whole text.
    pub(super) fn length(&self) -> usize {
        self.position(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_units_count_what_they_say() {
        let text = "👍🏽 crème brûlée";
        let at = text.find("brûlée").unwrap();
        for (unit, offset, length) in [
            (StringIndexType::TextElements, 8, 6),
            (StringIndexType::UnicodeCodePoint, 9, 6),
            (StringIndexType::Utf16CodeUnit, 11, 6),
        ] {
            let units = Units::new(text, unit);
            assert_eq!(units.span(at, text.len()), (offset, length), "{unit:?}");
        }
        let decomposed = "cafe\u{301} was fine";
        let units = Units::new(decomposed, StringIndexType::TextElements);
        assert_eq!(units.span(0, 6), (0, 4));
        // A term that ends before the accent covers the element.
        assert_eq!(units.span(0, 4), (0, 4));
        let lines = Units::new("a\r\nb", StringIndexType::TextElements);
        assert_eq!(lines.span(3, 4), (2, 1));
        assert_eq!(lines.length(), 3);
    }
}
