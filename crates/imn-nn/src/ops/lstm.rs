//! i, f, o = σ(x_t W + b + h_{t−1} U), g = tanh(x_t W + b + h_{t−1} U), c_t = f ⊙ c_{t−1} + i ⊙ g,
//! h_t = o ⊙ tanh c_t.
//!
//! The caller computes x W + b (columns i, f, g, o) for all tokens in one product. This operation
//! adds the recurrent terms step by step.

use super::activation::sigmoid;
use super::recurrence::{Direction, recur, recur_back, recur_grads, steps};
use crate::tape::{Backward, BackwardPass};
use crate::{ParamId, Scalar, Tape, Var};

struct Lstm<S> {
    gates: Var,
    weights: ParamId,
    direction: Direction,
    /// i, f, g, o after the activations.
    activated: Vec<S>,
    cells: Vec<S>,
}

impl<S: Scalar> Tape<'_, S> {
    /// Runs an LSTM over each sequence. `gates` is x W + b with the columns i, f, g, o of `H` each,
    /// and `weights` is U of shape `[H, 4 H]`. The result has `H` columns.
    ///
    /// # Panics
    /// If the shapes do not match, or the layout has no gap between sequences.
    pub fn lstm(&mut self, gates: Var, weights: ParamId, direction: Direction) -> Var {
        let params = self.params();
        let hidden = params.get(weights).rows();
        assert_eq!(
            params.get(weights).cols(),
            4 * hidden,
            "weights of shape [H, 4 H]"
        );
        assert_eq!(self.shape(gates).cols, 4 * hidden, "four gates of {hidden}");
        let shape = self.shape(gates).with_cols(hidden);
        let layout = shape.token_layout();
        let mut h = self.zeros(shape.len());
        let mut activated = self.value(gates).to_vec();
        let mut cells = vec![S::zero(); shape.len()];
        for rows in steps(layout, direction) {
            recur(
                &rows,
                &h,
                (params, weights, None),
                direction,
                &mut activated,
                true,
            );
            for &row in &rows {
                let row = row as usize;
                let gates = &mut activated[row * 4 * hidden..][..4 * hidden];
                let before = direction.before(row) * hidden;
                for j in 0..hidden {
                    let i = sigmoid(gates[j]);
                    let f = sigmoid(gates[hidden + j]);
                    let g = gates[2 * hidden + j].tanh();
                    let o = sigmoid(gates[3 * hidden + j]);
                    let c = f * cells[before + j] + i * g;
                    (gates[j], gates[hidden + j]) = (i, f);
                    (gates[2 * hidden + j], gates[3 * hidden + j]) = (g, o);
                    cells[row * hidden + j] = c;
                    h[row * hidden + j] = o * c.tanh();
                }
            }
        }
        let needs_grad = self.needs_grad(gates) || self.is_trainable(weights);
        self.push_node(shape, h, needs_grad, || {
            Box::new(Lstm {
                gates,
                weights,
                direction,
                activated,
                cells,
            })
        })
    }
}

impl<S: Scalar> Backward<S> for Lstm<S> {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let (h, shape) = (pass.value(this), pass.shape(this));
        let (hidden, layout) = (shape.cols, shape.token_layout());
        let params = pass.params();
        let mut dh = pass.zeros(grad.len());
        dh.copy_from_slice(grad);
        let mut dc = pass.zeros(grad.len());
        let mut d = pass.zeros(self.activated.len());
        let steps = steps(layout, self.direction);
        for (t, rows) in steps.iter().enumerate().rev() {
            for &row in rows {
                let row = row as usize;
                let before = self.direction.before(row) * hidden;
                let gates = &self.activated[row * 4 * hidden..][..4 * hidden];
                let d = &mut d[row * 4 * hidden..][..4 * hidden];
                for j in 0..hidden {
                    let (i, f) = (gates[j], gates[hidden + j]);
                    let (g, o) = (gates[2 * hidden + j], gates[3 * hidden + j]);
                    let at = row * hidden + j;
                    let tanh = self.cells[at].tanh();
                    let dct = dc[at] + dh[at] * o * (S::one() - tanh * tanh);
                    d[j] = dct * g * i * (S::one() - i);
                    d[hidden + j] = dct * self.cells[before + j] * f * (S::one() - f);
                    d[2 * hidden + j] = dct * i * (S::one() - g * g);
                    d[3 * hidden + j] = dh[at] * tanh * o * (S::one() - o);
                    if t > 0 {
                        dc[before + j] = dct * f;
                    }
                }
            }
            if t > 0 {
                recur_back(rows, &d, (params, self.weights), self.direction, &mut dh);
            }
        }
        recur_grads(layout, h, &d, (self.weights, None), self.direction, pass);
        if let Some(slot) = pass.grad(self.gates) {
            super::columns::add_to(slot, &d);
        }
        [dh, dc, d]
            .into_iter()
            .for_each(|buffer| pass.recycle(buffer));
    }
}
