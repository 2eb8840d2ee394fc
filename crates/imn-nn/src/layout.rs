//! Packed batches: sequences laid end to end with zero rows between them.
//!
//! ```text
//! row   0  1  2  3  4  5  6  7  8  9 10
//!       ·  ·  a  b  c  ·  ·  d  e  ·  ·      two sequences (3 and 2 tokens), gap 2
//! ```
//!
//! A convolution of width `2c + 1 ≤ 2 · gap + 1` sees zeros beyond both ends of a sequence, as in a
//! padded batch, and nothing else needs padding. Separator rows are zero in every value and every
//! gradient.

use std::ops::Range;

use crate::kernels::RowSet;

/// Where each sequence of a packed batch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    gap: usize,
    spans: Vec<Range<usize>>,
    rows: usize,
    token_rows: Vec<u32>,
    pair_starts: Vec<usize>,
}

impl Layout {
    /// Sequences of these lengths, with `gap` zero rows before, between and after them.
    ///
    /// # Panics
    /// If the batch has more than `u32::MAX` rows.
    ///
    /// ```
    /// let layout = imn_nn::Layout::new([3, 0, 2], 2);
    /// assert_eq!(layout.span(0), 2..5);
    /// assert_eq!(layout.span(2), 9..11);
    /// assert_eq!((layout.sequences(), layout.tokens(), layout.rows()), (3, 5, 13));
    /// ```
    #[must_use]
    pub fn new(lengths: impl IntoIterator<Item = usize>, gap: usize) -> Self {
        let mut spans = Vec::new();
        let mut pair_starts = vec![0];
        let (mut row, mut pairs) = (gap, 0);
        for length in lengths {
            spans.push(row..row + length);
            row += length + gap;
            pairs += length * length;
            pair_starts.push(pairs);
        }
        let rows = u32::try_from(row).expect("a batch has fewer than 2^32 rows");
        let mut token_rows = Vec::new();
        for span in &spans {
            token_rows.extend((0..rows).skip(span.start).take(span.len()));
        }
        Self {
            gap,
            spans,
            rows: row,
            token_rows,
            pair_starts,
        }
    }

    /// Zero rows before, between and after sequences.
    #[must_use]
    pub fn gap(&self) -> usize {
        self.gap
    }

    /// Number of sequences.
    #[must_use]
    pub fn sequences(&self) -> usize {
        self.spans.len()
    }

    /// Rows of the packed matrix, separators included.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of tokens of all sequences.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.token_rows.len()
    }

    /// The rows of sequence `i`.
    #[must_use]
    pub fn span(&self, i: usize) -> Range<usize> {
        self.spans[i].clone()
    }

    /// The rows of every sequence.
    #[must_use]
    pub fn spans(&self) -> &[Range<usize>] {
        &self.spans
    }

    /// The rows that hold tokens, in order.
    #[must_use]
    pub fn token_rows(&self) -> &[u32] {
        &self.token_rows
    }

    /// The range of the `n × n` numbers of sequence `i` in a value with one number per pair.
    #[must_use]
    pub fn pairs(&self, i: usize) -> Range<usize> {
        self.pair_starts[i]..self.pair_starts[i + 1]
    }

    /// Size of a value with one number per pair: the sum of `n²` over the sequences.
    #[must_use]
    pub fn pair_count(&self) -> usize {
        self.pair_starts[self.spans.len()]
    }

    pub(crate) fn row_set(&self) -> RowSet<'_> {
        RowSet::List(&self.token_rows)
    }
}
