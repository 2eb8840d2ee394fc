//! y = γ ⊙ (x − mean) / √(variance + ε) + β

use crate::{Builder, Init, ParamId, Scalar, Tape, Var};

/// Layer normalisation over the columns of each row; γ is `gain`, β is `bias`.
#[derive(Debug, Clone, Copy)]
pub struct LayerNorm {
    gain: ParamId,
    bias: ParamId,
    epsilon: f64,
}

impl LayerNorm {
    /// A layer that begins with γ = 1 and β = 0.
    #[must_use]
    pub fn new<S: Scalar>(builder: &mut Builder<'_, S>, columns: usize, epsilon: f64) -> Self {
        Self {
            gain: builder.add("gain", &[columns], Init::Constant { value: 1.0 }),
            bias: builder.add("bias", &[columns], Init::Zeros),
            epsilon,
        }
    }

    /// γ
    #[must_use]
    pub fn gain(&self) -> ParamId {
        self.gain
    }

    /// β
    #[must_use]
    pub fn bias(&self) -> ParamId {
        self.bias
    }

    /// The norm of the sum of `residual` and of `x` after dropout with probability `p`, in one pass.
    pub fn forward_residual<S: Scalar>(
        &self,
        tape: &mut Tape<'_, S>,
        x: Var,
        residual: Var,
        p: f64,
    ) -> Var {
        tape.residual_norm(x, residual, p, (self.gain, self.bias, self.epsilon))
    }

    /// `[rows, columns]` → the same shape.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        tape.layer_norm(x, self.gain, self.bias, self.epsilon)
    }
}
