//! Products with the kernels of the `gemm` crates, for `f64` and for machines without a kernel of
//! our own. `gemm` itself would also compile kernels for complex numbers.
#![allow(unsafe_code)]

use gemm_common::Parallelism;

use super::elementwise::gelu;
use super::packed::Copies;
use super::{Epilogue, GradientProduct, Packed, PackedLayout, RowProduct, Stacked, Strided};
use crate::Scalar;

/// A kernel of the `gemm` crates: m, n, k; destination with the strides of columns and rows;
/// whether it is added to; the two factors with their strides; α, β; conjugations; threads.
pub type GemmKernel<S> = unsafe fn(
    usize,
    usize,
    usize,
    *mut S,
    isize,
    isize,
    bool,
    *const S,
    isize,
    isize,
    *const S,
    isize,
    isize,
    S,
    S,
    bool,
    bool,
    bool,
    Parallelism,
);

/// `C = A · B` or `C += A · B`.
pub(super) fn gemm<S: Scalar>(
    (m, n, k): (usize, usize, usize),
    (a, a_view): (&[S], Strided),
    (b, b_view): (&[S], Strided),
    (c, c_view): (&mut [S], Strided),
    accumulate: bool,
) {
    a_view.check(m, k, a.len());
    b_view.check(k, n, b.len());
    c_view.check(m, n, c.len());
    if m == 0 || n == 0 {
        return;
    }
    let stride =
        |stride: usize| isize::try_from(stride).expect("a slice is at most isize::MAX long");
    let strides = |view: Strided| (stride(view.col_stride), stride(view.row_stride));
    // The start of an empty factor can be outside its slice.
    let start = |view: Strided| if k == 0 { 0 } else { view.start };
    let (c_cols, c_rows) = strides(c_view);
    let (a_cols, a_rows) = strides(a_view);
    let (b_cols, b_rows) = strides(b_view);
    // SAFETY: the first element of each view is inside its slice, as checked above.
    let (c, a, b) = unsafe {
        (
            c.as_mut_ptr().add(c_view.start),
            a.as_ptr().add(start(a_view)),
            b.as_ptr().add(start(b_view)),
        )
    };
    // The kernels prefer destinations with contiguous columns: Cᵀ = Bᵀ · Aᵀ.
    let transposed = c_cols < c_rows;
    let (m, n, c_cols, c_rows, a, a_cols, a_rows, b, b_cols, b_rows) = if transposed {
        (n, m, c_rows, c_cols, b, b_rows, b_cols, a, a_rows, a_cols)
    } else {
        (m, n, c_cols, c_rows, a, a_cols, a_rows, b, b_cols, b_rows)
    };
    let kernel = S::gemm_kernel();
    let (one, plain, threads) = (S::one(), false, Parallelism::None);
    // SAFETY: the first and last element of each view are inside its slice, as checked above, and
    // strides are not negative, so all elements are. `c` is borrowed mutably, so it does not alias
    // `a` or `b`.
    unsafe {
        kernel(
            m, n, k, c, c_cols, c_rows, accumulate, a, a_cols, a_rows, b, b_cols, b_rows, one, one,
            plain, plain, plain, threads,
        );
    }
}

/// Row-major copy.
pub(crate) fn pack<S: Scalar>(matrix: &Stacked<'_, S>) -> Packed<S> {
    let (rows, n) = (matrix.rows, matrix.cols);
    let mut data = Vec::with_capacity(rows * matrix.blocks.len() * n);
    for view in &matrix.blocks {
        for i in 0..rows {
            let at = |j| view.start + i * view.row_stride + j * view.col_stride;
            data.extend((0..n).map(|j| matrix.data[at(j)]));
        }
    }
    Packed {
        k: rows * matrix.blocks.len(),
        n,
        data,
        layout: PackedLayout::RowMajor,
        copies: Copies::default(),
    }
}

/// See [`Packed::refill`].
pub(crate) fn repack<S: Scalar>(
    packed: &mut Packed<S>,
    data: &[S],
    view: Strided,
    (k, n): (usize, usize),
    width: usize,
) {
    packed.data.clear();
    packed.data.resize(k * width, S::zero());
    (packed.k, packed.n, packed.layout) = (k, width, PackedLayout::RowMajor);
    for (i, row) in packed.data.chunks_exact_mut(width.max(1)).enumerate() {
        for (j, to) in row[..n].iter_mut().enumerate() {
            *to = data[view.start + i * view.row_stride + j * view.col_stride];
        }
    }
}

/// `out[j][i] = data[i][j]` for `i < rows` and `j < cols`.
pub(crate) fn transpose<S: Scalar>(
    (data, stride): (&[S], usize),
    (rows, cols): (usize, usize),
    (out, out_stride): (&mut [S], usize),
) {
    for i in 0..rows {
        for (j, &x) in data[i * stride..][..cols].iter().enumerate() {
            out[j * out_stride + i] = x;
        }
    }
}

/// One product for every run of consecutive rows.
pub(crate) fn row_product<S: Scalar>(product: RowProduct<'_, S>) {
    product.check();
    let RowProduct {
        rows,
        a,
        a_stride,
        shift,
        b,
        c,
        c_stride,
        accumulate,
        bias,
        epilogue,
        split: _,
        precision: _,
    } = product;
    let (k, n) = (b.k, b.n);
    let mut i = 0;
    while i < rows.len() {
        let first = rows.get(i);
        let mut run = 1;
        while i + run < rows.len() && rows.get(i + run) == first + run {
            run += 1;
        }
        let window = first.checked_add_signed(shift).expect("checked above");
        let a_view = Strided {
            start: window * a_stride,
            row_stride: a_stride,
            col_stride: 1,
        };
        let c_view = Strided::rows(first * c_stride, c_stride);
        gemm(
            (run, n, k),
            (a, a_view),
            (&b.data, Strided::rows(0, n)),
            (c, c_view),
            accumulate,
        );
        for row in first..first + run {
            let row = &mut c[row * c_stride..][..n];
            if let Some(bias) = bias {
                row.iter_mut().zip(bias).for_each(|(c, &b)| *c += b);
            }
            match epilogue {
                Epilogue::Identity => {}
                // Not `max`, which would replace a NaN by 0.
                Epilogue::Relu => row
                    .iter_mut()
                    .filter(|c| **c < S::zero())
                    .for_each(|c| *c = S::zero()),
                Epilogue::Gelu => gelu(row),
            }
        }
        i += run;
    }
}

/// One product per segment and tap.
pub(crate) fn gradient_product<S: Scalar>(product: GradientProduct<'_, S>) {
    product.check();
    let GradientProduct {
        segments,
        a,
        m,
        shift,
        taps,
        b,
        n,
        c,
        accumulate,
        precision: _,
    } = product;
    if !accumulate {
        c.fill(S::zero());
    }
    for segment in segments.iter().filter(|segment| !segment.is_empty()) {
        for tap in 0..taps {
            let row = (segment.start + tap)
                .checked_add_signed(shift)
                .expect("checked above");
            gemm(
                (m, n, segment.len()),
                (a, Strided::rows(row * m, m).t()),
                (b, Strided::rows(segment.start * n, n)),
                (c, Strided::rows(tap * m * n, n)),
                true,
            );
        }
    }
}
