//! Shapes of values on a tape.

use std::ops::Range;
use std::sync::Arc;

use crate::Layout;

/// The rows of a value and what they represent.
#[derive(Debug, Clone)]
pub enum Rows {
    /// One row per token, packed: separator rows between sequences are zero.
    Tokens(Arc<Layout>),
    /// One number per ordered pair of tokens of a sequence: one column, with the `n × n` numbers of
    /// each sequence one after the other.
    Pairs(Arc<Layout>),
    /// A number of rows without further structure: one per sequence, or those of a parameter.
    Plain(usize),
}

impl Rows {
    /// Rows in memory, separators included.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Tokens(layout) => layout.rows(),
            Self::Pairs(layout) => layout.pair_count(),
            Self::Plain(rows) => *rows,
        }
    }

    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tokens(a), Self::Tokens(b)) | (Self::Pairs(a), Self::Pairs(b)) => {
                Arc::ptr_eq(a, b) || a == b
            }
            (Self::Plain(a), Self::Plain(b)) => a == b,
            _ => false,
        }
    }
}

/// Rows and columns of a value.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The rows.
    pub rows: Rows,
    /// Number of columns.
    pub cols: usize,
}

impl Shape {
    /// One row per token of `layout`.
    #[must_use]
    pub fn tokens(layout: &Arc<Layout>, cols: usize) -> Self {
        Self {
            rows: Rows::Tokens(Arc::clone(layout)),
            cols,
        }
    }

    /// One number per pair of tokens.
    #[must_use]
    pub fn pairs(layout: &Arc<Layout>) -> Self {
        Self {
            rows: Rows::Pairs(Arc::clone(layout)),
            cols: 1,
        }
    }

    /// Plain rows.
    #[must_use]
    pub fn plain(rows: usize, cols: usize) -> Self {
        Self {
            rows: Rows::Plain(rows),
            cols,
        }
    }

    /// The same rows with another number of columns.
    #[must_use]
    pub fn with_cols(&self, cols: usize) -> Self {
        Self {
            rows: self.rows.clone(),
            cols,
        }
    }

    /// Size in memory, separators included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.count() * self.cols
    }

    /// Whether it has no numbers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ranges of rows that are not separators.
    pub fn live_rows(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let (spans, whole): (&[Range<usize>], _) = match &self.rows {
            Rows::Tokens(layout) => (layout.spans(), None),
            rows => (&[], Some(0..rows.count())),
        };
        spans
            .iter()
            .cloned()
            .chain(whole)
            .filter(|range| !range.is_empty())
    }

    /// Ranges of numbers that are not in separator rows.
    pub fn live(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.live_rows()
            .map(|rows| rows.start * self.cols..rows.end * self.cols)
    }

    /// The layout of a value with one row per token.
    ///
    /// # Panics
    /// If the rows are of another kind.
    #[must_use]
    pub fn token_layout(&self) -> &Arc<Layout> {
        match &self.rows {
            Rows::Tokens(layout) => layout,
            other => panic!("expected one row per token, found {other:?}"),
        }
    }

    /// The layout of a value with one number per pair.
    ///
    /// # Panics
    /// If the rows are of another kind.
    #[must_use]
    pub fn pair_layout(&self) -> &Arc<Layout> {
        match &self.rows {
            Rows::Pairs(layout) => layout,
            other => panic!("expected one number per pair of tokens, found {other:?}"),
        }
    }

    pub(crate) fn assert_same_rows(&self, other: &Self) {
        assert!(
            self.rows.same(&other.rows),
            "rows differ: {:?} and {:?}",
            self.rows,
            other.rows
        );
    }

    pub(crate) fn assert_same(&self, other: &Self) {
        self.assert_same_rows(other);
        assert_eq!(self.cols, other.cols, "numbers of columns differ");
    }
}
