//! The precision of matrix products.

use serde::{Deserialize, Serialize};

use crate::kernels;

/// The precision of the factors in the products of linear layers and, for [`Precision::Int8`], of
/// convolutions. Sums, weights and all other operations, such as attention, are `f32` in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// 24 bits.
    #[default]
    F32,
    /// Rounded to bfloat16, with 8 bits: half as many instructions, on machines that have them. For
    /// training too, so convolutions stay in `f32`: their tiles would amplify the errors.
    Bf16,
    /// Integers from −127 to 127, with a scale for every 64 numbers of a row or column: a quarter
    /// of the instructions where the machine has AVX512-VNNI, half with AVX2. For inference only.
    Int8,
}

impl Precision {
    /// Every precision.
    pub const ALL: [Self; 3] = [Self::F32, Self::Bf16, Self::Int8];

    /// The name in configurations and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::Int8 => "int8",
        }
    }

    /// Whether this machine has instructions for it (AVX512-BF16 for [`Precision::Bf16`]).
    ///
    /// ```
    /// assert!(imn_nn::Precision::F32.is_available());
    /// ```
    #[must_use]
    pub fn is_available(self) -> bool {
        kernels::has_precision(self)
    }

    /// This precision if the machine has instructions that make it faster, otherwise
    /// [`Precision::F32`].
    #[must_use]
    pub fn if_accelerated(self) -> Self {
        match kernels::is_accelerated(self) {
            true => self,
            false => Self::F32,
        }
    }
}
