//! c_t = f ⊙ c_{t−1} + i ⊙ g, h_t = o ⊙ tanh c_t: a long short-term memory, see [`Tape::lstm`].

use super::Linear;
use crate::{Builder, Direction, Init, ParamId, Scalar, Tape, Var};

/// c_t = f ⊙ c_{t−1} + i ⊙ g, h_t = o ⊙ tanh c_t, `[tokens, inputs]` → `[tokens, hidden]`, with
/// i, f, o = σ(x_t W + b + h_{t−1} U) and g = tanh(x_t W + b + h_{t−1} U): an LSTM that reads each
/// sequence in one direction.
///
/// The layer `input` is W and b with the columns i, f, g, o. U is `recurrent` of shape
/// `[hidden, 4 hidden]`.
///
/// ```
/// use std::sync::Arc;
/// use imn_nn::{Direction, Layout, Params, Tape, layers::Lstm};
///
/// let mut params = Params::<f64>::new();
/// let lstm = Lstm::new(&mut params.builder(1), 1, 1, Direction::Forward);
/// // Without recurrent weights, i = o = ½, f = σ(1) from its bias, and g = tanh(x_t).
/// for (name, values) in [("input.kernel", [0.0, 0.0, 1.0, 0.0]), ("recurrent", [0.0; 4])] {
///     let id = params.find(name).unwrap();
///     params.get_mut(id).data_mut().copy_from_slice(&values);
/// }
/// let layout = Arc::new(Layout::new([2], 1));
/// let mut tape = Tape::infer(&params);
/// let x = tape.tokens(&layout, 1, &[1.0, 0.0]);
/// let h = lstm.forward(&mut tape, x);
/// let c1 = 0.5 * 1.0_f64.tanh();
/// let c2 = c1 / (1.0 + (-1.0_f64).exp());
/// for (h, c) in tape.token_values(h).iter().zip([c1, c2]) {
///     assert!((h - 0.5 * c.tanh()).abs() < 1e-12, "{h}");
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Lstm {
    input: Linear,
    recurrent: ParamId,
    direction: Direction,
}

impl Lstm {
    /// A layer with Glorot uniform input weights, orthogonal recurrent weights, and the bias of
    /// [`Lstm::forget_bias`].
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
                Self::forget_bias(hidden),
            ),
            recurrent: builder.add("recurrent", &[hidden, 4 * hidden], Init::Orthogonal),
            direction,
        }
    }

    /// The initial bias of the gates: 1 for the forget gate and 0 for the others, so that an
    /// untrained layer keeps its cell state (Jozefowicz et al., 2015).
    #[must_use]
    pub fn forget_bias<S: Scalar>(hidden: usize) -> Vec<S> {
        let forget = |i: usize| (hidden..2 * hidden).contains(&i);
        let bias = (0..4 * hidden).map(|i| if forget(i) { S::one() } else { S::zero() });
        bias.collect()
    }

    /// `[tokens, inputs]` → `[tokens, hidden]`.
    ///
    /// # Panics
    /// If `x` does not have `inputs` columns, or its layout has no gap between sequences.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        let gates = self.input.forward(tape, x);
        tape.lstm(gates, self.recurrent, self.direction)
    }
}
