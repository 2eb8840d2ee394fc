//! The number type of a computation.
//!
//! Everything above the kernels is generic over [`Scalar`]. Models are trained and run in `f32`;
//! derivatives are checked in `f64` by the same code.

use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{AddAssign, MulAssign, SubAssign};

use crate::kernels::portable::GemmKernel;
use crate::kernels::{self, GradientProduct, Packed, PackedLayout, RowProduct, Stacked, Strided};

/// `f32` or `f64`.
pub trait Scalar:
    num_traits::Float
    + bytemuck::Pod
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
    + Default
    + Debug
    + Display
    + Send
    + Sync
    + 'static
{
    /// How `safetensors` names this type.
    const DTYPE: safetensors::Dtype;
    /// Size of a number in bytes.
    const BYTES: usize;

    /// Rounds to this type.
    fn from_f64(value: f64) -> Self;

    /// The value as `f64`.
    fn as_f64(self) -> f64;

    /// e^x to about seven digits for `f32`, where x is clamped to −87 ..= 88; exact for `f64`.
    fn fast_exp(self) -> Self;

    /// 1 / (1 + e^−x), in loops that the compiler vectorizes.
    #[inline(always)]
    fn fast_sigmoid(self) -> Self {
        Self::one() / (Self::one() + (-self).fast_exp())
    }

    /// tanh x = 2 σ(2x) − 1, in loops that the compiler vectorizes. For `f32`, the error is below
    /// 3e-7, but not relative to a small result.
    #[inline(always)]
    fn fast_tanh(self) -> Self {
        let sigmoid = (self + self).fast_sigmoid();
        sigmoid + sigmoid - Self::one()
    }

    /// x · Φ(x) and its derivative.
    fn gelu(self) -> (Self, Self);

    /// The number whose native bytes are the little-endian bytes of this one.
    fn to_le(self) -> Self;

    /// Reads a number from exactly [`Self::BYTES`] little-endian bytes.
    ///
    /// # Panics
    /// If `bytes` has another length.
    fn read_le(bytes: &[u8]) -> Self;

    /// The matrix product of the `gemm` crates.
    fn gemm_kernel() -> GemmKernel<Self>;

    /// The layout that [`Scalar::pack`] produces.
    fn packed_layout() -> PackedLayout {
        PackedLayout::RowMajor
    }

    /// Copies a matrix into the layout of the right-hand side of [`Scalar::row_product`].
    fn pack(matrix: &Stacked<'_, Self>) -> Packed<Self> {
        kernels::portable::pack(matrix)
    }

    /// Replaces a packed matrix by `k × n` numbers of `data`, padded with zero columns to `width`.
    fn repack(
        packed: &mut Packed<Self>,
        data: &[Self],
        view: Strided,
        (k, n): (usize, usize),
        width: usize,
    ) {
        kernels::portable::repack(packed, data, view, (k, n), width);
    }

    /// `out[j][i] = from[i][j]` for `i < rows` and `j < cols`. Both sides are given with the
    /// strides of their rows. Rows of `out` have room for a multiple of eight numbers; those from
    /// `rows` on become zero or are left alone.
    fn transpose(from: (&[Self], usize), size: (usize, usize), out: (&mut [Self], usize)) {
        kernels::portable::transpose(from, size, out);
    }

    /// `C[r] (+)= A[r + shift] · B` for a list of rows. See [`RowProduct`].
    fn row_product(product: RowProduct<'_, Self>) {
        kernels::portable::row_product(product);
    }

    /// `C += Aᵀ · B` over segments of rows. See [`GradientProduct`].
    fn gradient_product(product: GradientProduct<'_, Self>) {
        kernels::portable::gradient_product(product);
    }
}

impl Scalar for f64 {
    const DTYPE: safetensors::Dtype = safetensors::Dtype::F64;
    const BYTES: usize = 8;

    fn from_f64(value: f64) -> Self {
        value
    }

    fn as_f64(self) -> f64 {
        self
    }

    #[inline(always)]
    fn fast_exp(self) -> Self {
        self.exp()
    }

    #[inline(always)]
    fn gelu(self) -> (Self, Self) {
        let cdf = 0.5 * (1.0 + libm::erf(self * std::f64::consts::FRAC_1_SQRT_2));
        let density = (-0.5 * self * self).exp() * 0.398_942_280_401_432_7;
        (self * cdf, cdf + self * density)
    }

    fn to_le(self) -> Self {
        Self::from_ne_bytes(self.to_le_bytes())
    }

    fn read_le(bytes: &[u8]) -> Self {
        let mut array = [0; 8];
        array.copy_from_slice(bytes);
        Self::from_le_bytes(array)
    }

    fn gemm_kernel() -> GemmKernel<Self> {
        gemm_f64::gemm::f64::get_gemm_fn()
    }
}

impl Scalar for f32 {
    const DTYPE: safetensors::Dtype = safetensors::Dtype::F32;
    const BYTES: usize = 4;

    fn from_f64(value: f64) -> Self {
        value as Self
    }

    fn as_f64(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn fast_exp(self) -> Self {
        kernels::elementwise::exp(self)
    }

    #[inline(always)]
    fn gelu(self) -> (Self, Self) {
        kernels::elementwise::gelu_f32(self)
    }

    fn to_le(self) -> Self {
        Self::from_ne_bytes(self.to_le_bytes())
    }

    fn read_le(bytes: &[u8]) -> Self {
        let mut array = [0; 4];
        array.copy_from_slice(bytes);
        Self::from_le_bytes(array)
    }

    fn gemm_kernel() -> GemmKernel<Self> {
        gemm_f32::gemm::f32::get_gemm_fn()
    }

    fn packed_layout() -> PackedLayout {
        kernels::layout_f32()
    }

    fn pack(matrix: &Stacked<'_, Self>) -> Packed<Self> {
        kernels::pack_f32(matrix)
    }

    fn repack(
        packed: &mut Packed<Self>,
        data: &[Self],
        view: Strided,
        (k, n): (usize, usize),
        width: usize,
    ) {
        kernels::repack_f32(packed, data, view, (k, n), width);
    }

    fn transpose(from: (&[Self], usize), size: (usize, usize), out: (&mut [Self], usize)) {
        kernels::transpose_f32(from, size, out);
    }

    fn row_product(product: RowProduct<'_, Self>) {
        kernels::row_product_f32(product);
    }

    fn gradient_product(product: GradientProduct<'_, Self>) {
        kernels::gradient_product_f32(product);
    }
}
