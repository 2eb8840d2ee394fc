//! r, z = σ(x_t W + b + h_{t−1} U + b'), n = tanh(x_t W_n + b_n + r ⊙ (h_{t−1} U_n + b'_n)),
//! h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}.
//!
//! The caller computes x W + b (columns r, z, n) for all tokens in one product. This operation adds
//! the recurrent terms step by step.

use super::activation::sigmoid;
use super::recurrence::{Direction, recur, recur_back, recur_grads, steps};
use crate::tape::{Backward, BackwardPass};
use crate::{ParamId, Scalar, Tape, Var};

struct Gru<S> {
    gates: Var,
    weights: ParamId,
    bias: ParamId,
    direction: Direction,
    /// r, z, n after the activations.
    activated: Vec<S>,
    /// h_{t−1} U + b'
    recurrent: Vec<S>,
}

impl<S: Scalar> Tape<'_, S> {
    /// Runs a GRU over each sequence. `gates` is x W + b with the columns r, z, n of `H` each,
    /// `weights` is U of shape `[H, 3 H]`, and `bias` is b' of `3 H`. The result has `H` columns.
    ///
    /// # Panics
    /// If the shapes do not match, or the layout has no gap between sequences.
    pub fn gru(
        &mut self,
        gates: Var,
        weights: ParamId,
        bias: ParamId,
        direction: Direction,
    ) -> Var {
        let params = self.params();
        let hidden = params.get(weights).rows();
        assert_eq!(
            params.get(weights).cols(),
            3 * hidden,
            "weights of shape [H, 3 H]"
        );
        assert_eq!(
            self.shape(gates).cols,
            3 * hidden,
            "three gates of {hidden}"
        );
        let shape = self.shape(gates).with_cols(hidden);
        let layout = shape.token_layout();
        let mut h = self.zeros(shape.len());
        let mut activated = self.value(gates).to_vec();
        let mut recurrent = vec![S::zero(); activated.len()];
        for rows in steps(layout, direction) {
            recur(
                &rows,
                &h,
                (params, weights, Some(bias)),
                direction,
                &mut recurrent,
                false,
            );
            for &row in &rows {
                let row = row as usize;
                let gates = &mut activated[row * 3 * hidden..][..3 * hidden];
                let u = &recurrent[row * 3 * hidden..][..3 * hidden];
                let before = direction.before(row) * hidden;
                for j in 0..hidden {
                    let r = sigmoid(gates[j] + u[j]);
                    let z = sigmoid(gates[hidden + j] + u[hidden + j]);
                    let n = (gates[2 * hidden + j] + r * u[2 * hidden + j]).tanh();
                    (gates[j], gates[hidden + j], gates[2 * hidden + j]) = (r, z, n);
                    h[row * hidden + j] = (S::one() - z) * n + z * h[before + j];
                }
            }
        }
        let needs_grad =
            self.needs_grad(gates) || self.is_trainable(weights) || self.is_trainable(bias);
        self.push_node(shape, h, needs_grad, || {
            Box::new(Gru {
                gates,
                weights,
                bias,
                direction,
                activated,
                recurrent,
            })
        })
    }
}

impl<S: Scalar> Backward<S> for Gru<S> {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let (h, shape) = (pass.value(this), pass.shape(this));
        let (hidden, layout) = (shape.cols, shape.token_layout());
        let params = pass.params();
        let mut dh = pass.zeros(grad.len());
        dh.copy_from_slice(grad);
        // Gradients of x W + b and of h U + b', which differ only for n, which r gates.
        let mut dx = pass.zeros(self.activated.len());
        let mut du = pass.zeros(self.activated.len());
        let steps = steps(layout, self.direction);
        for (t, rows) in steps.iter().enumerate().rev() {
            for &row in rows {
                let row = row as usize;
                let before = self.direction.before(row) * hidden;
                let at = row * 3 * hidden;
                let gates = &self.activated[at..][..3 * hidden];
                let u = &self.recurrent[at..][..3 * hidden];
                let (dx, du) = (&mut dx[at..][..3 * hidden], &mut du[at..][..3 * hidden]);
                for j in 0..hidden {
                    let (r, z, n) = (gates[j], gates[hidden + j], gates[2 * hidden + j]);
                    let g = dh[row * hidden + j];
                    let dn = g * (S::one() - z) * (S::one() - n * n);
                    let dz = g * (h[before + j] - n) * z * (S::one() - z);
                    let dr = dn * u[2 * hidden + j] * r * (S::one() - r);
                    (dx[j], dx[hidden + j], dx[2 * hidden + j]) = (dr, dz, dn);
                    (du[j], du[hidden + j], du[2 * hidden + j]) = (dr, dz, dn * r);
                    if t > 0 {
                        dh[before + j] += g * z;
                    }
                }
            }
            if t > 0 {
                recur_back(rows, &du, (params, self.weights), self.direction, &mut dh);
            }
        }
        recur_grads(
            layout,
            h,
            &du,
            (self.weights, Some(self.bias)),
            self.direction,
            pass,
        );
        if let Some(slot) = pass.grad(self.gates) {
            super::columns::add_to(slot, &dx);
        }
        [dh, dx, du]
            .into_iter()
            .for_each(|buffer| pass.recycle(buffer));
    }
}
