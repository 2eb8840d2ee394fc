//! The letters and digits of a text, which the cleaning of the labelled files preserved.

use crate::data::{AnnotatedSentence, Span};

/// The ASCII letters and digits of a text, lower-cased, with their byte offsets.
#[derive(Debug)]
pub(super) struct Letters {
    pub(super) key: String,
    pub(super) starts: Vec<usize>,
}

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        let (mut key, mut starts) = (String::new(), Vec::new());
        for (at, byte) in text.bytes().enumerate() {
            if byte.is_ascii_alphanumeric() {
                key.push(byte.to_ascii_lowercase() as char);
                starts.push(at);
            }
        }
        Self { key, starts }
    }

    /// The range of the letters inside `bytes`.
    pub(super) fn inside(&self, bytes: Span) -> Span {
        let start = self.starts.partition_point(|at| *at < bytes.start);
        Span::new(start, self.starts.partition_point(|at| *at < bytes.end))
    }
}

/// The letters of every token that has any, and their range.
pub(super) fn lettered_words<'a>(
    sentence: &AnnotatedSentence,
    letters: &'a Letters,
) -> Vec<(&'a str, Span)> {
    (sentence.tokens.iter())
        .map(|token| letters.inside(*token))
        .filter_map(|inside| Some((letters.key.get(inside.start..inside.end)?, inside)))
        .filter(|(word, _)| !word.is_empty())
        .collect()
}

pub(super) type Word<'a> = (&'a str, Span);

/// The common subsequence of two lists of words that has the most letters, as pairs.
pub(super) fn common_subsequence<'a>(a: &[Word<'a>], b: &[Word<'a>]) -> Vec<(Word<'a>, Word<'a>)> {
    // lengths[i][j]: letters of the best common subsequence of a[i..] and b[j..].
    let mut lengths = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
    let at = |table: &[Vec<usize>], i: usize, j: usize| {
        table.get(i).and_then(|r| r.get(j)).copied().unwrap_or(0)
    };
    for (i, x) in a.iter().enumerate().rev() {
        for (j, y) in b.iter().enumerate().rev() {
            let skip = at(&lengths, i + 1, j).max(at(&lengths, i, j + 1));
            let take = if x.0 == y.0 {
                at(&lengths, i + 1, j + 1) + x.0.len()
            } else {
                0
            };
            if let Some(slot) = lengths.get_mut(i).and_then(|row| row.get_mut(j)) {
                *slot = skip.max(take);
            }
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        if x.0 == y.0 && at(&lengths, i, j) == at(&lengths, i + 1, j + 1) + x.0.len() {
            pairs.push((*x, *y));
            (i, j) = (i + 1, j + 1);
        } else if at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
