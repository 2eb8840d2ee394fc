//! The matrix products that everything else is made of.
//!
//! Three shapes are enough:
//! - [`RowProduct`]: `C[r] (+)= A[r + shift] · B` for chosen rows `r`, where "row" of `A` is a *window* that may be
//!   longer than the distance between rows. With windows of `k · C` numbers over rows of `C` numbers this is a
//!   convolution without im2col; with a shift of one row it is a step of a recurrent network.
//! - [`GradientProduct`]: `C[t] += A[· + shift + t]ᵀ · B` over segments of rows, for every tap `t`: the gradient of the
//!   weights of either.
//! - [`gemm()`]: a small general product with strides, for attention within a sentence.
//!
//! `f32` on x86-64 with AVX2 and FMA has hand-written tiles (`avx2.rs`); everything else goes through the `gemm` crate
//! (`portable.rs`). The choice is made once at run time; [`force_portable`] overrides it.

#[cfg(target_arch = "x86_64")]
mod avx2;
pub(crate) mod portable;
pub(crate) mod winograd;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Scalar;

static PORTABLE_ONLY: AtomicBool = AtomicBool::new(false);

/// Makes matrices that are packed from now on use the portable kernels, as on a machine without AVX2.
///
/// For tests and benchmarks; matrices packed before keep the kernel that they were packed for.
pub fn force_portable(portable: bool) {
    PORTABLE_ONLY.store(portable, Ordering::SeqCst);
}

/// The name of the kernels that `f32` products use on this machine.
#[must_use]
pub fn backend() -> &'static str {
    if simd() { "avx2+fma" } else { "portable" }
}

#[cfg(target_arch = "x86_64")]
fn simd() -> bool {
    !PORTABLE_ONLY.load(Ordering::Relaxed)
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn simd() -> bool {
    let _ = &PORTABLE_ONLY;
    false
}

/// A right-hand side of `k` rows and `n` columns in the layout of the kernel that will read it.
#[derive(Debug, Clone)]
pub struct Packed<S> {
    k: usize,
    n: usize,
    data: Vec<S>,
    layout: PackedLayout,
}

/// How a packed matrix lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackedLayout {
    /// Row after row.
    RowMajor,
    /// Panels of 16 columns, each `k × 16`, the last one filled with zeros.
    #[cfg(target_arch = "x86_64")]
    Panels,
}

impl PackedLayout {
    /// Columns of a panel of a matrix of `n` columns: a matrix row after row is one panel.
    fn width(self, n: usize) -> usize {
        match self {
            Self::RowMajor => n,
            #[cfg(target_arch = "x86_64")]
            Self::Panels => PANEL,
        }
    }
}

impl<S: Scalar> Packed<S> {
    /// Rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.k, self.n)
    }

    /// A matrix whose numbers, but for those that fill the last panel up, are still to be written, in the memory of an earlier one.
    fn unwritten(k: usize, n: usize, layout: PackedLayout, earlier: Option<Self>) -> Self {
        let width = layout.width(n).max(1);
        let len = n.div_ceil(width) * width * k;
        let data = match earlier {
            // What fills up is zero already.
            Some(earlier) if (earlier.k, earlier.n, earlier.layout) == (k, n, layout) => {
                earlier.data
            }
            _ => vec![S::zero(); len],
        };
        Self { k, n, data, layout }
    }

    /// The transpose, packed for the same kernel, in the memory of an earlier one.
    pub(crate) fn transposed(&self, earlier: Option<Self>) -> Self {
        let (k, n) = (self.n, self.k);
        let mut packed = Self::unwritten(k, n, self.layout, earlier);
        let (width, to_width) = (self.layout.width(self.n), self.layout.width(n));
        // Squares of a few panels: both sides of each stay in the cache.
        for (from_panel, from) in self.data.chunks_exact((width * n).max(1)).enumerate() {
            let columns = width.min(k - from_panel * width);
            for (to_panel, square) in from.chunks(width * to_width).enumerate() {
                let at = (to_panel * k + from_panel * width) * to_width;
                let to = &mut packed.data[at..][..columns * to_width];
                for (i, row) in square.chunks_exact(width).enumerate() {
                    for (j, &value) in row[..columns].iter().enumerate() {
                        to[j * to_width + i] = value;
                    }
                }
            }
        }
        packed
    }
}

/// A matrix to be packed: blocks of rows below each other, all of one slice and with the same columns.
#[derive(Debug, Clone)]
pub struct Stacked<'a, S> {
    /// The numbers.
    pub data: &'a [S],
    /// Where each block is in `data`, from above.
    pub blocks: Vec<Strided>,
    /// Rows of a block.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
}

impl<'a, S> Stacked<'a, S> {
    /// One matrix, row after row.
    #[must_use]
    pub fn row_major(data: &'a [S], rows: usize, cols: usize) -> Self {
        Self {
            data,
            blocks: vec![Strided::rows(0, cols)],
            rows,
            cols,
        }
    }
}

/// Multiplications below which a second thread costs more than it saves.
pub(crate) const WORTH_A_THREAD: usize = 1 << 20;

/// Columns of a panel: two AVX registers of `f32`.
#[cfg(target_arch = "x86_64")]
const PANEL: usize = 16;

/// Rows of a matrix that take part in a product.
#[derive(Debug, Clone, Copy)]
pub enum RowSet<'a> {
    /// The rows `0..n`.
    First(usize),
    /// These rows; ascending runs are fastest.
    List(&'a [u32]),
}

impl RowSet<'_> {
    /// How many rows.
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
    fn get(self, i: usize) -> usize {
        match self {
            Self::First(_) => i,
            Self::List(rows) => rows[i] as usize,
        }
    }

    /// The smallest and the largest row.
    fn bounds(self) -> Option<(usize, usize)> {
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

/// `C[r] (+)= A[r + shift] · B`, then `+ bias`, then ReLU where asked.
#[derive(Debug)]
pub struct RowProduct<'a, S> {
    /// Rows of `C` that are computed; the others are not touched.
    pub rows: RowSet<'a>,
    /// Memory of `A`. The window of row `r` is `B.k` numbers from `(r + shift) · a_stride`.
    pub a: &'a [S],
    /// Numbers from one row of `A` to the next.
    pub a_stride: usize,
    /// Rows by which the window of `A` is ahead of the row of `C`.
    pub shift: isize,
    /// Right-hand side.
    pub b: &'a Packed<S>,
    /// Memory of `C`, `B.n` numbers a row.
    pub c: &'a mut [S],
    /// Add to what `C` holds instead of replacing it.
    pub accumulate: bool,
    /// Added to every row.
    pub bias: Option<&'a [S]>,
    /// Negative results become 0.
    pub relu: bool,
    /// Share columns out among the threads of the current pool; the result is the same.
    pub split: bool,
}

impl<S> RowProduct<'_, S> {
    /// Panics unless every row that the product touches is inside its memory: the kernels rely on it.
    fn check(&self) {
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
            "row {last} of {} numbers at stride {} is beyond {} numbers",
            self.b.k,
            self.a_stride,
            self.a.len()
        );
        assert!(
            fits(high, self.b.n, self.b.n, self.c.len()),
            "row {high} is beyond the output"
        );
        if let Some(bias) = self.bias {
            assert_eq!(bias.len(), self.b.n, "bias has another number of columns");
        }
    }
}

/// Whether `width` numbers from `row · stride` on are within `len`, without overflow.
fn fits(row: usize, stride: usize, width: usize, len: usize) -> bool {
    let end = row.checked_mul(stride).and_then(|at| at.checked_add(width));
    end.is_some_and(|end| end <= len)
}

/// `C[t] (+)= Σ_r A[r + shift + t]ᵀ · B[r]` for the rows `r` of the segments and every tap `t`.
///
/// `A` has `m` columns, `B` has `n`; `C` is `taps` matrices of `m × n`, one after the other.
#[derive(Debug)]
pub struct GradientProduct<'a, S> {
    /// Rows of `B` to sum over.
    pub segments: &'a [Range<usize>],
    /// Left-hand side, `m` numbers a row.
    pub a: &'a [S],
    /// Columns of `A`.
    pub m: usize,
    /// Rows by which `A` is ahead of `B` at tap 0.
    pub shift: isize,
    /// Number of taps.
    pub taps: usize,
    /// Right-hand side, `n` numbers a row.
    pub b: &'a [S],
    /// Columns of `B`.
    pub n: usize,
    /// The sums.
    pub c: &'a mut [S],
    /// Add to what `C` holds instead of replacing it.
    pub accumulate: bool,
}

impl<S> GradientProduct<'_, S> {
    /// Panics unless every row that the product touches is inside its memory: the kernels rely on it.
    fn check(&self) {
        let size = self
            .taps
            .checked_mul(self.m)
            .and_then(|rows| rows.checked_mul(self.n));
        assert_eq!(Some(self.c.len()), size, "output of another shape");
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
                "row {last} is beyond the left side"
            );
            assert!(
                fits(segment.end - 1, self.n, self.n, self.b.len()),
                "{segment:?} is beyond the right side"
            );
        }
    }
}

pub(crate) fn layout_f32() -> PackedLayout {
    #[cfg(target_arch = "x86_64")]
    if simd() {
        return PackedLayout::Panels;
    }
    PackedLayout::RowMajor
}

pub(crate) fn pack_f32(matrix: &Stacked<'_, f32>) -> Packed<f32> {
    #[cfg(target_arch = "x86_64")]
    if simd() {
        return avx2::pack(matrix);
    }
    portable::pack(matrix)
}

pub(crate) fn row_product_f32(product: RowProduct<'_, f32>) {
    match product.b.layout {
        PackedLayout::RowMajor => portable::row_product(product),
        #[cfg(target_arch = "x86_64")]
        PackedLayout::Panels => avx2::row_product(product),
    }
}

pub(crate) fn gradient_product_f32(product: GradientProduct<'_, f32>) {
    #[cfg(target_arch = "x86_64")]
    if simd() {
        return avx2::gradient_product(product);
    }
    portable::gradient_product(product);
}

/// A matrix inside a slice: `rows × cols` numbers at `start + i · row_stride + j · col_stride`.
#[derive(Debug, Clone, Copy)]
pub struct Strided {
    /// Where element (0, 0) is.
    pub start: usize,
    /// From one row to the next.
    pub row_stride: usize,
    /// From one column to the next.
    pub col_stride: usize,
}

impl Strided {
    /// Consecutive rows of `cols` numbers each.
    #[must_use]
    pub const fn rows(start: usize, cols: usize) -> Self {
        Self {
            start,
            row_stride: cols,
            col_stride: 1,
        }
    }

    /// The transpose.
    #[must_use]
    pub const fn t(self) -> Self {
        Self {
            start: self.start,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
        }
    }

    fn check(self, rows: usize, cols: usize, len: usize) {
        if rows > 0 && cols > 0 {
            let last_row = (rows - 1).checked_mul(self.row_stride);
            let last = last_row
                .and_then(|at| at.checked_add((cols - 1).checked_mul(self.col_stride)?))
                .and_then(|at| at.checked_add(self.start));
            assert!(
                last.is_some_and(|last| last < len),
                "matrix of {rows} × {cols} ({self:?}) is beyond {len} numbers"
            );
        }
    }
}

/// `C += A · B` with `A` of `m × k` and `B` of `k × n`.
pub fn gemm<S: Scalar>(
    (m, n, k): (usize, usize, usize),
    (a, a_view): (&[S], Strided),
    (b, b_view): (&[S], Strided),
    (c, c_view): (&mut [S], Strided),
) {
    portable::gemm((m, n, k), (a, a_view), (b, b_view), (c, c_view), true);
}

#[cfg(test)]
mod tests;
