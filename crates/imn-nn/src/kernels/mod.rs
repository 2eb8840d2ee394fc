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
//! `f32` on x86-64 with AVX2 and FMA has hand-written tiles (`avx2`), and larger ones where AVX-512 is there (`avx512.rs`);
//! everything else goes through the `gemm` crate
//! (`portable.rs`). The choice is made once at run time; [`force_portable`] overrides it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod elementwise;
mod packed;
pub(crate) mod portable;
pub(crate) mod winograd;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

pub use packed::{Packed, PackedLayout, Stacked};

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
    match (use_avx2(), has_avx512()) {
        (true, true) => "avx512",
        (true, false) => "avx2+fma",
        (false, _) => "portable",
    }
}

/// Whether panels may be read by the tiles of AVX-512.
#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
fn use_avx2() -> bool {
    !PORTABLE_ONLY.load(Ordering::Relaxed)
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn use_avx2() -> bool {
    let _ = &PORTABLE_ONLY;
    false
}

/// Multiplications below which a second thread costs more than it saves.
pub(crate) const PARALLEL_THRESHOLD: usize = 1 << 20;

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

/// The function that a product applies to `x · B + bias` before it stores the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Epilogue {
    /// The result as it is.
    Identity,
    /// max(0, y)
    Relu,
    /// y · Φ(y), see [`crate::Activation::Gelu`].
    Gelu,
}

impl Epilogue {
    /// [`Epilogue::Relu`] where it is asked for.
    pub(crate) fn relu(relu: bool) -> Self {
        if relu { Self::Relu } else { Self::Identity }
    }
}

/// `C[r] (+)= A[r + shift] · B`, then `+ bias`, then the epilogue.
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
    /// Memory of `C`. Row `r` is `B.n` numbers from `r · c_stride`.
    pub c: &'a mut [S],
    /// Numbers from one row of `C` to the next, at least `B.n`.
    pub c_stride: usize,
    /// Add to what `C` holds instead of replacing it.
    pub accumulate: bool,
    /// Added to every row.
    pub bias: Option<&'a [S]>,
    /// Applied to the sum.
    pub epilogue: Epilogue,
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
            self.c_stride >= self.b.n && fits(high, self.c_stride, self.b.n, self.c.len()),
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
    if use_avx2() {
        return PackedLayout::Panels;
    }
    PackedLayout::RowMajor
}

pub(crate) fn pack_f32(matrix: &Stacked<'_, f32>) -> Packed<f32> {
    #[cfg(target_arch = "x86_64")]
    if use_avx2() {
        return avx2::pack(matrix);
    }
    portable::pack(matrix)
}

pub(crate) fn repack_f32(
    packed: &mut Packed<f32>,
    data: &[f32],
    view: Strided,
    size: (usize, usize),
    width: usize,
) {
    #[cfg(target_arch = "x86_64")]
    if use_avx2() {
        return avx2::repack(packed, data, view, size, width);
    }
    portable::repack(packed, data, view, size, width);
}

pub(crate) fn transpose_f32(from: (&[f32], usize), size: (usize, usize), out: (&mut [f32], usize)) {
    #[cfg(target_arch = "x86_64")]
    if use_avx2() {
        return avx2::transpose(from, size, out);
    }
    portable::transpose(from, size, out);
}

pub(crate) fn row_product_f32(product: RowProduct<'_, f32>) {
    match product.b.layout {
        PackedLayout::RowMajor => portable::row_product(product),
        #[cfg(target_arch = "x86_64")]
        PackedLayout::Panels => avx2::row_product(product, has_avx512()),
    }
}

pub(crate) fn gradient_product_f32(product: GradientProduct<'_, f32>) {
    #[cfg(target_arch = "x86_64")]
    if use_avx2() {
        return avx2::gradient_product(product, has_avx512());
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
