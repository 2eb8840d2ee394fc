//! h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}: a gated recurrent unit, see [`Tape::gru`].

use super::Linear;
use crate::{Builder, Direction, Init, ParamId, Scalar, Tape, Var};

/// h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}, `[tokens, inputs]` → `[tokens, hidden]`, with
/// r, z = σ(x_t W + b + h_{t−1} U + b') and n = tanh(x_t W + b + r ⊙ (h_{t−1} U + b')): a GRU that
/// reads each sequence in one direction.
///
/// The layer `input` is W and b with the columns r, z, n. U is `recurrent` of shape
/// `[hidden, 3 hidden]`, and b' is `recurrent_bias`.
///
/// ```
/// use std::sync::Arc;
/// use imn_nn::{Direction, Layout, Params, Tape, layers::Gru};
///
/// let mut params = Params::<f64>::new();
/// let gru = Gru::new(&mut params.builder(1), 1, 1, Direction::Forward);
/// // Without recurrent weights and with r = z = ½, h_t = ½ tanh(x_t) + ½ h_{t−1}.
/// for (name, values) in [("input.kernel", [0.0, 0.0, 1.0]), ("recurrent", [0.0; 3])] {
///     let id = params.find(name).unwrap();
///     params.get_mut(id).data_mut().copy_from_slice(&values);
/// }
/// let layout = Arc::new(Layout::new([2], 1));
/// let mut tape = Tape::infer(&params);
/// let x = tape.tokens(&layout, 1, &[1.0, 0.0]);
/// let h = gru.forward(&mut tape, x);
/// let first = 0.5 * 1.0_f64.tanh();
/// for (h, expected) in tape.token_values(h).iter().zip([first, 0.5 * first]) {
///     assert!((h - expected).abs() < 1e-12, "{h}, expected {expected}");
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Gru {
    input: Linear,
    recurrent: ParamId,
    recurrent_bias: ParamId,
    direction: Direction,
}

impl Gru {
    /// A layer with Glorot uniform input weights, orthogonal recurrent weights and zero biases.
    #[must_use]
    pub fn new<S: Scalar>(
        builder: &mut Builder<'_, S>,
        inputs: usize,
        hidden: usize,
        direction: Direction,
    ) -> Self {
        Self {
            input: Linear::new(&mut builder.scope("input"), inputs, 3 * hidden),
            recurrent: builder.add("recurrent", &[hidden, 3 * hidden], Init::Orthogonal),
            recurrent_bias: builder.add("recurrent_bias", &[3 * hidden], Init::Zeros),
            direction,
        }
    }

    /// `[tokens, inputs]` → `[tokens, hidden]`.
    ///
    /// # Panics
    /// If `x` does not have `inputs` columns, or its layout has no gap between sequences.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        let gates = self.input.forward(tape, x);
        tape.gru(gates, self.recurrent, self.recurrent_bias, self.direction)
    }
}
