//! What the rows of a value stand for.

use std::ops::Range;
use std::sync::Arc;

use crate::Layout;

/// What the rows of a value stand for.
#[derive(Debug, Clone)]
pub enum Rows {
    /// One row a token, packed: separator rows between sequences are zero.
    Tokens(Arc<Layout>),
    /// One number for every ordered pair of tokens of a sequence: `n × n` blocks, one after the other, one column.
    Pairs(Arc<Layout>),
    /// So many rows with no more structure: one a sequence, or a parameter's.
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
    /// What the rows stand for.
    pub rows: Rows,
    /// Numbers a row.
    pub cols: usize,
}

impl Shape {
    /// One row a token of `layout`.
    #[must_use]
    pub fn tokens(layout: &Arc<Layout>, cols: usize) -> Self {
        Self {
            rows: Rows::Tokens(Arc::clone(layout)),
            cols,
        }
    }

    /// One number a pair of tokens.
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

    /// Numbers in memory.
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

    /// Ranges of numbers that are not in separators.
    pub fn live(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.live_rows()
            .map(|rows| rows.start * self.cols..rows.end * self.cols)
    }

    /// The packed layout of a value with one row a token.
    ///
    /// # Panics
    /// If the value has other rows.
    #[must_use]
    pub fn token_layout(&self) -> &Arc<Layout> {
        match &self.rows {
            Rows::Tokens(layout) => layout,
            other => panic!("expected one row a token, found {other:?}"),
        }
    }

    /// The packed layout of a value with one number a pair.
    ///
    /// # Panics
    /// If the value has other rows.
    #[must_use]
    pub fn pair_layout(&self) -> &Arc<Layout> {
        match &self.rows {
            Rows::Pairs(layout) => layout,
            other => panic!("expected one number a pair of tokens, found {other:?}"),
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
