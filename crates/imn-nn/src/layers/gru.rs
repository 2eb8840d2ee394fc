//! A gated recurrent unit, see [`Tape::gru`].

use super::Linear;
use crate::{Builder, Direction, Init, ParamId, Scalar, Tape, Var};

/// A GRU in one direction: `input` is x W + b (columns r, z, n), `recurrent` is U of shape `[hidden, 3 hidden]` and
/// `recurrent_bias` is b'.
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
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        let gates = self.input.forward(tape, x);
        tape.gru(gates, self.recurrent, self.recurrent_bias, self.direction)
    }
}
