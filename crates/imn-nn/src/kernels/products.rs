//! The two products over packed rows, as data that a kernel reads.

use std::ops::Range;

use super::Packed;
use crate::{Precision, Scalar};

/// The rows of a matrix that a product computes.
#[derive(Debug, Clone, Copy)]
pub enum RowSet<'a> {
    /// The rows `0..n`.
    First(usize),
    /// These rows. Runs of consecutive rows are fastest.
    List(&'a [u32]),
}

impl RowSet<'_> {
    /// Number of rows.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::First(n) => n,
            Self::List(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The `i`th row.
    #[inline]
    pub(super) fn get(self, i: usize) -> usize {
        match self {
            Self::First(_) => i,
            Self::List(rows) => rows[i] as usize,
        }
    }

    /// The smallest and the largest row.
    pub(super) fn bounds(self) -> Option<(usize, usize)> {
        match self {
            Self::First(0) => None,
            Self::First(n) => Some((0, n - 1)),
            Self::List(rows) => {
                let low = rows.iter().copied().min()?;
                let high = rows.iter().copied().max()?;
                Some((low as usize, high as usize))
            }
        }
    }
}

/// The function that a product applies to `x · B + bias` before it stores the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Epilogue {
    /// y
    Identity,
    /// max(0, y)
    Relu,
    /// y · Φ(y), see [`crate::Activation::Gelu`].
    Gelu,
}

impl Epilogue {
    /// [`Epilogue::Relu`] if `relu` is set, otherwise [`Epilogue::Identity`].
    pub(crate) fn relu(relu: bool) -> Self {
        if relu { Self::Relu } else { Self::Identity }
    }
}

/// `C[r] (+)= A[r + shift] · B`, then `+ bias`, then the epilogue.
#[derive(Debug)]
pub struct RowProduct<'a, S> {
    /// Rows of `C` to compute; the others are left alone.
    pub rows: RowSet<'a>,
    /// Memory of `A`. The window of row `r` is `B.k` numbers from `(r + shift) · a_stride`.
    pub a: &'a [S],
    /// Distance between rows of `A`.
    pub a_stride: usize,
    /// Row of `A` at which a window begins, minus the row of `C`.
    pub shift: isize,
    /// Right-hand side.
    pub b: &'a Packed<S>,
    /// Memory of `C`. Row `r` is `B.n` numbers from `r · c_stride`.
    pub c: &'a mut [S],
    /// Distance between rows of `C`, at least `B.n`.
    pub c_stride: usize,
    /// Add to the contents of `C` instead of overwriting them.
    pub accumulate: bool,
    /// Added to every row.
    pub bias: Option<&'a [S]>,
    /// Applied to the sum.
    pub epilogue: Epilogue,
    /// Split the columns over the threads of the current pool; the result is the same.
    pub split: bool,
    /// Precision of the factors.
    pub precision: Precision,
}

impl<S: Scalar> RowProduct<'_, S> {
    /// The bias, padded with zeros to whole panels of this width.
    pub(super) fn padded_bias(&self, width: usize) -> Option<Vec<S>> {
        self.bias.map(|bias| {
            let mut padded = bias.to_vec();
            padded.resize(bias.len().next_multiple_of(width), S::zero());
            padded
        })
    }
}

impl<S> RowProduct<'_, S> {
    /// Panics unless every row that the product touches is in bounds. The kernels rely on it.
    pub(super) fn check(&self) {
        let Some((low, high)) = self.rows.bounds() else {
            return;
        };
        let first = low.checked_add_signed(self.shift);
        let last = high.checked_add_signed(self.shift);
        let (Some(_), Some(last)) = (first, last) else {
            panic!("row {low} shifted by {} is before the matrix", self.shift);
        };
        assert!(
            fits(last, self.a_stride, self.b.k, self.a.len()),
            "row {last} of {} numbers at stride {} is out of range of {} numbers",
            self.b.k,
            self.a_stride,
            self.a.len()
        );
        assert!(
            self.c_stride >= self.b.n && fits(high, self.c_stride, self.b.n, self.c.len()),
            "row {high} is out of range of the output"
        );
        if let Some(bias) = self.bias {
            assert_eq!(bias.len(), self.b.n, "number of columns of the bias");
        }
    }
}

/// Whether `row · stride + width ≤ len`, without overflow.
fn fits(row: usize, stride: usize, width: usize, len: usize) -> bool {
    let end = row.checked_mul(stride).and_then(|at| at.checked_add(width));
    end.is_some_and(|end| end <= len)
}

/// `C[t] (+)= Σ_r A[r + shift + t]ᵀ · B[r]` for the rows `r` of the segments and every tap `t`.
///
/// `A` has `m` columns and `B` has `n`; `C` is `taps` consecutive matrices of `m × n`.
#[derive(Debug)]
pub struct GradientProduct<'a, S> {
    /// Rows of `B` to sum over.
    pub segments: &'a [Range<usize>],
    /// Left-hand side, `m` numbers per row.
    pub a: &'a [S],
    /// Columns of `A`.
    pub m: usize,
    /// Row of `A` minus row of `B` at tap 0.
    pub shift: isize,
    /// Number of taps.
    pub taps: usize,
    /// Right-hand side, `n` numbers per row.
    pub b: &'a [S],
    /// Columns of `B`.
    pub n: usize,
    /// The sums.
    pub c: &'a mut [S],
    /// Add to the contents of `C` instead of overwriting them.
    pub accumulate: bool,
    /// Precision of the factors.
    pub precision: Precision,
}

impl<S> GradientProduct<'_, S> {
    /// Panics unless every row that the product touches is in bounds. The kernels rely on it.
    pub(super) fn check(&self) {
        let size = self
            .taps
            .checked_mul(self.m)
            .and_then(|rows| rows.checked_mul(self.n));
        assert_eq!(Some(self.c.len()), size, "size of the output");
        for segment in self.segments.iter().filter(|segment| !segment.is_empty()) {
            let first = segment.start.checked_add_signed(self.shift);
            let last = (segment.end - 1)
                .saturating_add(self.taps.saturating_sub(1))
                .checked_add_signed(self.shift);
            let (Some(_), Some(last)) = (first, last) else {
                panic!(
                    "segment {segment:?} shifted by {} is before the matrix",
                    self.shift
                );
            };
            assert!(
                fits(last, self.m, self.m, self.a.len()),
                "row {last} is out of range of the left-hand side"
            );
            assert!(
                fits(segment.end - 1, self.n, self.n, self.b.len()),
                "{segment:?} is out of range of the right-hand side"
            );
        }
    }
}
