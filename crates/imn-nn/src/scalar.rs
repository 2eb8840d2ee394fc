//! The number type of a computation.
//!
//! Everything above the kernels is generic over [`Scalar`]: `f32` is what models are trained and run in, `f64` is
//! what the derivatives are checked in, by the very same code.

use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{AddAssign, MulAssign, SubAssign};

use crate::kernels::{self, GradientProduct, Packed, PackedLayout, RowProduct, Stacked};

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
    /// Bytes of one number.
    const BYTES: usize;

    /// Rounds to this type.
    fn of(value: f64) -> Self;

    /// The value as `f64`.
    fn wide(self) -> f64;

    /// The Gauss error function.
    fn erf(self) -> Self;

    /// The same number with its bytes in little-endian order.
    fn to_le(self) -> Self;

    /// Reads [`Self::BYTES`] little-endian bytes; `bytes` must hold exactly that many.
    fn read_le(bytes: &[u8]) -> Self;

    /// The layout of [`Scalar::pack`].
    fn packed_layout() -> PackedLayout {
        PackedLayout::RowMajor
    }

    /// Lays a matrix out as this type's row product wants its right-hand side.
    fn pack(matrix: &Stacked<'_, Self>) -> Packed<Self> {
        kernels::portable::pack(matrix)
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

    fn of(value: f64) -> Self {
        value
    }

    fn wide(self) -> f64 {
        self
    }

    fn erf(self) -> Self {
        libm::erf(self)
    }

    fn to_le(self) -> Self {
        Self::from_ne_bytes(self.to_le_bytes())
    }

    fn read_le(bytes: &[u8]) -> Self {
        let mut array = [0; 8];
        array.copy_from_slice(bytes);
        Self::from_le_bytes(array)
    }
}

impl Scalar for f32 {
    const DTYPE: safetensors::Dtype = safetensors::Dtype::F32;
    const BYTES: usize = 4;
    fn of(value: f64) -> Self {
        value as Self
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }

    fn erf(self) -> Self {
        libm::erff(self)
    }

    fn to_le(self) -> Self {
        Self::from_ne_bytes(self.to_le_bytes())
    }

    fn read_le(bytes: &[u8]) -> Self {
        let mut array = [0; 4];
        array.copy_from_slice(bytes);
        Self::from_le_bytes(array)
    }

    fn packed_layout() -> PackedLayout {
        kernels::layout_f32()
    }

    fn pack(matrix: &Stacked<'_, Self>) -> Packed<Self> {
        kernels::pack_f32(matrix)
    }

    fn row_product(product: RowProduct<'_, Self>) {
        kernels::row_product_f32(product);
    }

    fn gradient_product(product: GradientProduct<'_, Self>) {
        kernels::gradient_product_f32(product);
    }
}
