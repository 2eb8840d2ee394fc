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
    /// A layer with Glorot uniform input weights, orthogonal recurrent weights, and a bias of 1 for the forget gate, 0 for the others: at
    /// first it remembers (Jozefowicz et al., 2015).
    #[must_use]
    pub fn new<S: Scalar>(
        builder: &mut Builder<'_, S>,
        inputs: usize,
        hidden: usize,
        direction: Direction,
    ) -> Self {
        Self {
            input: Linear::with_bias(
                &mut builder.scope("input"),
                inputs,
                Self::forgetting(hidden),
            ),
            recurrent: builder.add("recurrent", &[hidden, 4 * hidden], Init::Orthogonal),
            direction,
        }
    }

    /// The bias that the gates begin with.
    #[must_use]
    pub fn forgetting<S: Scalar>(hidden: usize) -> Vec<S> {
        let forget = |i: usize| (hidden..2 * hidden).contains(&i);
        let bias = (0..4 * hidden).map(|i| if forget(i) { S::one() } else { S::zero() });
        bias.collect()
    }

    /// `[tokens, inputs]` → `[tokens, hidden]`.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        let gates = self.input.forward(tape, x);
        tape.lstm(gates, self.recurrent, self.direction)
    }
}
