//! The matrix products that every operation is built from.
//!
//! Three kinds are enough:
//! - [`RowProduct`]: `C[r] (+)= A[r + shift] · B` for chosen rows `r`. A "row" of `A` is a *window*
//!   that may be longer than the distance between rows. With windows of `taps · inputs` numbers
//!   over rows of `inputs` numbers this is a convolution without im2col; with a shift of one row it
//!   is a step of a recurrent network.
//! - [`GradientProduct`]: `C[t] += A[· + shift + t]ᵀ · B` over segments of rows, for every tap `t`.
//!   This is the gradient of the weights of a row product.
//! - [`gemm()`]: a general product with strides, for the small matrices of attention within a
//!   sentence.
//!
//! On x86-64 with AVX2 and FMA, `f32` products use hand-written tiles (`avx2`), and larger tiles if
//! the machine has AVX-512 (`avx512.rs`). Everything else uses the `gemm` crate (`portable.rs`).
//! The choice is made at run time; [`force_portable`] overrides it. Products whose precision is
//! [`Precision::Bf16`] round their factors (`bf16.rs`); those of [`Precision::Int8`] multiply
//! integers (`int8`).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod bf16;
pub(crate) mod elementwise;
mod int8;
mod output;
mod packed;
pub(crate) mod portable;
mod products;
mod strided;
pub(crate) mod winograd;

use std::sync::atomic::{AtomicBool, Ordering};

pub use packed::{Packed, PackedLayout, Stacked};
pub use products::{Epilogue, GradientProduct, RowProduct, RowSet};
pub use strided::Strided;

use crate::{Precision, Scalar};

static PORTABLE_ONLY: AtomicBool = AtomicBool::new(false);

/// Makes matrices that are packed from now on use the portable kernels, as on a machine without
/// AVX2.
///
/// For tests and benchmarks. Matrices that are packed already keep their kernel.
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

/// Whether this machine can run the AVX-512 tiles.
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

/// Whether products of this precision can be computed on this machine.
pub(crate) fn has_precision(precision: Precision) -> bool {
    match precision {
        Precision::F32 | Precision::Int8 => true,
        #[cfg(target_arch = "x86_64")]
        Precision::Bf16 => use_avx2() && bf16::is_available(),
        #[cfg(not(target_arch = "x86_64"))]
        Precision::Bf16 => false,
    }
}

/// Whether products of this precision are faster than those of [`Precision::F32`] on this machine.
pub(crate) fn is_accelerated(precision: Precision) -> bool {
    match precision {
        Precision::F32 => false,
        Precision::Bf16 => has_precision(precision),
        // Other machines have only plain loops over integers (`int8/portable.rs`).
        Precision::Int8 => use_avx2(),
    }
}

/// Number of multiplications below which a second thread costs more than it saves.
pub(crate) const PARALLEL_THRESHOLD: usize = 1 << 20;

/// Columns of a panel: two AVX2 registers of `f32`.
#[cfg(target_arch = "x86_64")]
const PANEL: usize = 16;

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

/// Whether a product of this precision has rounded factors. A machine without the instructions
/// computes it in full precision.
#[cfg(target_arch = "x86_64")]
fn uses_bf16(precision: Precision) -> bool {
    precision == Precision::Bf16 && bf16::is_available()
}

pub(crate) fn row_product_f32(product: RowProduct<'_, f32>) {
    if product.precision == Precision::Int8 && int8::is_worth_it(product.b) {
        return int8::row_product(product);
    }
    match product.b.layout {
        PackedLayout::RowMajor => portable::row_product(product),
        #[cfg(target_arch = "x86_64")]
        PackedLayout::Panels if uses_bf16(product.precision) => bf16::row_product(product),
        #[cfg(target_arch = "x86_64")]
        PackedLayout::Panels => avx2::row_product(product, avx2::Instructions::best()),
    }
}

pub(crate) fn gradient_product_f32(product: GradientProduct<'_, f32>) {
    #[cfg(target_arch = "x86_64")]
    if use_avx2() {
        if product.taps == 1 && uses_bf16(product.precision) {
            return bf16::gradient_product(product);
        }
        return avx2::gradient_product(product, avx2::Instructions::best());
    }
    portable::gradient_product(product);
}

/// `C += A · B` with `A` of `m × k` and `B` of `k × n`.
///
/// # Panics
/// If a view is out of range of its slice.
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
