//! A long short-term memory, see [`Tape::lstm`].

use super::Linear;
use crate::{Builder, Direction, Init, ParamId, Scalar, Tape, Var};

/// An LSTM in one direction: `input` is x W + b (columns i, f, g, o), `recurrent` is U of shape `[hidden, 4 hidden]`.
#[derive(Debug, Clone, Copy)]
pub struct Lstm {
    input: Linear,
    recurrent: ParamId,
    direction: Direction,
}

impl Lstm {
    /// A layer with Glorot uniform input weights, orthogonal recurrent weights and zero bias.
    #[must_use]
    pub fn new<S: Scalar>(
        builder: &mut Builder<'_, S>,
        inputs: usize,
        hidden: usize,
        direction: Direction,
    ) -> Self {
        Self {
            input: Linear::new(&mut builder.scope("input"), inputs, 4 * hidden),
            recurrent: builder.add("recurrent", &[hidden, 4 * hidden], Init::Orthogonal),
            direction,
        }
    }

    /// `[tokens, inputs]` → `[tokens, hidden]`.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        let gates = self.input.forward(tape, x);
        tape.lstm(gates, self.recurrent, self.direction)
    }
}
