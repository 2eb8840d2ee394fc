//! y = γ ⊙ (x − mean) / √(variance + ε) + β

use crate::{Builder, Init, ParamId, Scalar, Tape, Var};

/// y = γ ⊙ (x − mean) / √(variance + ε) + β, `[rows, columns]` → `[rows, columns]`, with mean and
/// variance over the columns of each row. γ is `gain` and β is `bias`.
///
/// ```
/// use imn_nn::{Params, Tape, layers::LayerNorm};
///
/// let mut params = Params::<f64>::new();
/// let norm = LayerNorm::new(&mut params.builder(1), 2, 0.0);
/// params.get_mut(norm.bias()).data_mut().copy_from_slice(&[0.0, 10.0]);
///
/// // The first row has mean 2 and variance 1, the second mean 0 and variance 16.
/// let mut tape = Tape::infer(&params);
/// let x = tape.plain(2, 2, &[1.0, 3.0, 4.0, -4.0]);
/// let y = norm.forward(&mut tape, x);
/// assert_eq!(tape.value(y), [-1.0, 11.0, 1.0, 9.0]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct LayerNorm {
    gain: ParamId,
    bias: ParamId,
    epsilon: f64,
}

impl LayerNorm {
    /// A layer with γ = 1 and β = 0.
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

    /// LayerNorm(`residual` + dropout(`x`)) with dropout probability `p`, fused.
    ///
    /// # Panics
    /// If `x` and `residual` do not have the same shape with as many columns as the layer, or `p`
    /// is not in 0 ..= 1.
    pub fn forward_residual<S: Scalar>(
        &self,
        tape: &mut Tape<'_, S>,
        x: Var,
        residual: Var,
        p: f64,
    ) -> Var {
        tape.residual_norm(x, residual, p, (self.gain, self.bias, self.epsilon))
    }

    /// `[rows, columns]` → `[rows, columns]`.
    ///
    /// # Panics
    /// If `x` has another number of columns.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        tape.layer_norm(x, self.gain, self.bias, self.epsilon)
    }
}
