//! Half-open ranges, of bytes in a text or of tokens in a sentence.

use serde::{Deserialize, Serialize};

/// A half-open range `start..end`, of bytes or of tokens as documented where it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First position in the range.
    pub start: usize,
    /// First position after the range.
    pub end: usize,
}

impl Span {
    /// The range `start..end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Number of positions in the range.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether the range is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Whether the two ranges share a position.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The slice of `text` that a span of bytes covers; `None` if it is out of bounds or cuts a
    /// character.
    ///
    /// ```
    /// use imn::text::Span;
    ///
    /// assert_eq!(Span::new(4, 8).of("hot soup"), Some("soup"));
    /// assert_eq!(Span::new(4, 9).of("hot soup"), None);
    /// ```
    #[must_use]
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.start..self.end)
    }
}
