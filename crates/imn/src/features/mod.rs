//! Text as an encoder reads it: ids of words or subwords.
//!
//! ```text
//! text ─ tokenizer rules ─→ words ─ vocabulary ─→ Features ─→ model::Input (packed)
//!                                 └ or subwords ┘
//! ```
//!
//! [`Featurizer`] owns the tokenizer rules and the vocabulary of a model, so training, evaluation
//! and analysis convert words to ids in one place.

mod featurizer;
mod subwords;

use std::ops::Range;

pub use featurizer::{Featurizer, Lexicon, Piece};
pub use subwords::{SubwordError, SubwordTokenizer};

/// The ids before and after every sequence of subwords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Markers {
    /// `[CLS]` or `<s>`.
    pub begin: u32,
    /// `[SEP]` or `</s>`.
    pub end: u32,
}

/// How much of a text an encoder reads at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of words.
    pub words: usize,
    /// Maximum number of ids, not counting markers.
    pub ids: usize,
}

impl Limits {
    /// Limits of an encoder over words. Self-attention grows with the square of the length, so
    /// longer sentences are read in pieces (the longest sentence of the paper's sets has 82 words).
    pub const WORDS: Self = Self {
        words: 1000,
        ids: usize::MAX,
    };
}

/// A sentence or a document as the encoder reads it: one id per word, or the ids of the subwords
/// and where each word begins among them.
///
/// ```
/// let features = imn::features::Features::from(vec![7, 3, 9]);
/// assert_eq!(features.len(), 3);
/// assert_eq!(features.slice(1..3).ids(), [3, 9]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Features {
    ids: Vec<u32>,
    subwords: Option<Subwords>,
    /// Indices of the first words of all sentences but the first. A window never spans one of them.
    breaks: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Subwords {
    /// Where each word begins in `ids`.
    starts: Vec<u32>,
    markers: Markers,
}

impl Features {
    /// Features of words that have one or more subwords each.
    #[must_use]
    pub fn of_subwords<'w>(words: impl IntoIterator<Item = &'w [u32]>, markers: Markers) -> Self {
        let (mut ids, mut starts) = (Vec::new(), Vec::new());
        for word in words {
            starts.push(ids.len() as u32);
            ids.extend_from_slice(word);
        }
        Self {
            ids,
            subwords: Some(Subwords { starts, markers }),
            breaks: Vec::new(),
        }
    }

    /// Sets the indices of the words that begin a new sentence.
    #[must_use]
    pub fn with_breaks(mut self, breaks: Vec<u32>) -> Self {
        self.breaks = breaks;
        self
    }

    /// How many words it has.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.subwords {
            None => self.ids.len(),
            Some(subwords) => subwords.starts.len(),
        }
    }

    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids in the order of the text, without markers.
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// For subwords: where each word begins in [`Features::ids`], and the markers around the
    /// sequence.
    #[must_use]
    pub fn subwords(&self) -> Option<(&[u32], Markers)> {
        let subwords = self.subwords.as_ref()?;
        Some((&subwords.starts, subwords.markers))
    }

    /// Where the ids of the first `words` words end.
    fn end_of(&self, words: usize) -> usize {
        match &self.subwords {
            None => words,
            Some(subwords) => {
                let next = subwords.starts.get(words);
                next.map_or(self.ids.len(), |&start| start as usize)
            }
        }
    }

    /// The features of a range of words.
    ///
    /// # Panics
    ///
    /// If the range is out of bounds.
    #[must_use]
    pub fn slice(&self, words: Range<usize>) -> Self {
        let (from, to) = (self.end_of(words.start), self.end_of(words.end));
        let inside = |&&start: &&u32| words.start < start as usize && (start as usize) < words.end;
        let breaks = self.breaks.iter().filter(inside);
        let breaks = breaks.map(|&start| start - words.start as u32).collect();
        Self {
            breaks,
            ids: self.ids[from..to].to_vec(),
            subwords: self.subwords.as_ref().map(|subwords| Subwords {
                starts: subwords.starts[words]
                    .iter()
                    .map(|&start| start - from as u32)
                    .collect(),
                markers: subwords.markers,
            }),
        }
    }

    /// Appends the first `words` words of another text.
    pub fn extend(&mut self, other: &Self, words: usize) {
        let words = words.min(other.len());
        let own = self.len() as u32;
        let breaks = other
            .breaks
            .iter()
            .filter(|&&start| (start as usize) < words);
        self.breaks.extend(breaks.map(|&start| own + start));
        let from = self.ids.len() as u32;
        self.ids
            .extend_from_slice(&other.ids[..other.end_of(words)]);
        if let Some(added) = &other.subwords {
            let own = self.subwords.get_or_insert_with(|| Subwords {
                starts: Vec::new(),
                markers: added.markers,
            });
            let starts = added.starts[..words].iter();
            own.starts.extend(starts.map(|&start| from + start));
        }
    }

    /// The first words that fit within the limits: all of them, unless the text is very long.
    #[must_use]
    pub fn beginning(self, limits: Limits) -> Self {
        match self.windows(limits).as_slice() {
            [first, _, ..] => self.slice(first.clone()),
            _ => self,
        }
    }

    /// Ranges of words, each within the limits and within one sentence, that cover the text: one,
    /// unless it has several sentences or is very long.
    #[must_use]
    pub fn windows(&self, limits: Limits) -> Vec<Range<usize>> {
        let is_short = self.len() <= limits.words && self.ids.len() <= limits.ids;
        if is_short && self.breaks.is_empty() {
            let whole = 0..self.len();
            return vec![whole];
        }
        let mut windows: Vec<Range<usize>> = Vec::new();
        let mut breaks = self.breaks.iter().copied().peekable();
        let mut start = 0;
        for word in 0..self.len() {
            let ids = self.end_of(word + 1) - self.end_of(start);
            let begins = breaks.next_if_eq(&(word as u32)).is_some();
            let is_full = word - start >= limits.words || ids > limits.ids;
            if word > start && (begins || is_full) {
                windows.push(start..word);
                start = word;
            }
        }
        windows.push(start..self.len());
        windows
    }
}

impl From<Vec<u32>> for Features {
    fn from(ids: Vec<u32>) -> Self {
        Self {
            ids,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKERS: Markers = Markers {
        begin: 101,
        end: 102,
    };

    fn features() -> Features {
        Features::of_subwords([&[5, 6][..], &[7], &[8, 9, 10], &[11]], MARKERS)
    }

    #[test]
    fn words_keep_their_subwords() {
        let features = features();
        assert_eq!((features.len(), features.ids().len()), (4, 7));
        let slice = features.slice(1..3);
        assert_eq!(slice.ids(), [7, 8, 9, 10]);
        assert_eq!(slice.subwords(), Some((&[0, 1][..], MARKERS)));
        let mut joined = features.slice(0..1);
        joined.extend(&slice, 2);
        joined.extend(&features.slice(3..4), 9);
        assert_eq!(joined, features);
        let mut empty = Features::default();
        empty.extend(&features, 2);
        assert_eq!(empty, features.slice(0..2));
    }

    #[test]
    fn windows_cover_a_long_text_within_the_limits() {
        let windows = |words, ids| features().windows(Limits { words, ids });
        let (whole, none) = (0..4, 0..0);
        assert_eq!(windows(9, 9), [whole]);
        assert_eq!(windows(2, 9), [0..2, 2..4]);
        assert_eq!(windows(9, 4), [0..2, 2..4]);
        assert_eq!(windows(9, 3), [0..2, 2..3, 3..4]);
        let limits = Limits { words: 9, ids: 4 };
        assert_eq!(features().beginning(limits), features().slice(0..2));
        assert_eq!(features().beginning(Limits::WORDS), features());
        let sentences = features().with_breaks(vec![1, 3]);
        let limits = |words, ids| Limits { words, ids };
        assert_eq!(sentences.windows(limits(9, 9)), [0..1, 1..3, 3..4]);
        assert_eq!(sentences.windows(limits(9, 3)), [0..1, 1..2, 2..3, 3..4]);
        assert_eq!(sentences.slice(0..2).windows(limits(9, 9)), [0..1, 1..2]);
        assert_eq!(sentences.slice(1..3).windows(limits(9, 9)).len(), 1);
        let mut joined = sentences.slice(0..2);
        joined.extend(&sentences.slice(2..4), 2);
        assert_eq!(joined, sentences);
        // A word that is too long alone still gets a window.
        assert_eq!(windows(9, 1), [0..1, 1..2, 2..3, 3..4]);
        assert_eq!(
            Features::default().windows(Limits { words: 1, ids: 1 }),
            [none]
        );
    }
}
