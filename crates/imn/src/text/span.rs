//! Half-open ranges, of bytes in a text or of tokens in a sentence.

use serde::{Deserialize, Serialize};

/// A half-open range `start..end`. Whether it counts bytes or tokens is said where it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First position inside.
    pub start: usize,
    /// First position after.
    pub end: usize,
}

impl Span {
    /// The range `start..end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Number of positions inside.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether nothing is inside.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Whether the two ranges share a position.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The part of `text` inside, where this counts bytes.
    #[must_use]
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.start..self.end)
    }
}
