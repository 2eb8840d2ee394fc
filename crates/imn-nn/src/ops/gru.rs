//! r, z = σ(x_t W + b + h_{t−1} U + b'), n = tanh(x_t W_n + b_n + r ⊙ (h_{t−1} U_n + b'_n)),
//! h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}.
//!
//! The caller computes x W + b (columns r, z, n) for all tokens in one product. This operation adds
//! the recurrent terms step by step.

use super::recurrence::{Direction, recur, recur_back, recur_grads, steps};
use crate::kernels::elementwise::vectorize;
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
            vectorize(
                #[inline(always)]
                || {
                    for &row in &rows {
                        let row = row as usize;
                        let (at, before) = (row * hidden, direction.before(row) * hidden);
                        h.copy_within(before..before + hidden, at);
                        step(
                            &mut activated[3 * at..][..3 * hidden],
                            &recurrent[3 * at..][..3 * hidden],
                            &mut h[at..][..hidden],
                        );
                    }
                },
            );
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

/// One step of one sequence. `gates` holds x W + b and gets the activations; `h` holds h_{t−1} and
/// gets h_t.
#[inline(always)]
fn step<S: Scalar>(gates: &mut [S], recurrent: &[S], h: &mut [S]) {
    let n = h.len();
    let (rs, rest) = gates.split_at_mut(n);
    let (zs, ns) = rest.split_at_mut(n);
    let (ur, rest) = recurrent.split_at(n);
    let (uz, un) = rest.split_at(n);
    let (ns, un) = (&mut ns[..n], &un[..n]);
    for j in 0..n {
        rs[j] = (rs[j] + ur[j]).fast_sigmoid();
        zs[j] = (zs[j] + uz[j]).fast_sigmoid();
        ns[j] = (ns[j] + rs[j] * un[j]).fast_tanh();
        h[j] = (S::one() - zs[j]) * ns[j] + zs[j] * h[j];
    }
}

/// The gradient of [`step`] with respect to x W + b and to h U + b'.
#[inline(always)]
fn step_back<S: Scalar>(
    gates: &[S],
    recurrent: &[S],
    before: &[S],
    dh: &[S],
    (dx, du): (&mut [S], &mut [S]),
) {
    let len = dh.len();
    let (rs, rest) = gates.split_at(len);
    let (zs, ns) = rest.split_at(len);
    let (ns, un, before) = (&ns[..len], &recurrent[2 * len..][..len], &before[..len]);
    let (dxr, rest) = dx.split_at_mut(len);
    let (dxz, dxn) = rest.split_at_mut(len);
    let (dur, rest) = du.split_at_mut(len);
    let (duz, dun) = rest.split_at_mut(len);
    let (dxn, dun) = (&mut dxn[..len], &mut dun[..len]);
    for j in 0..len {
        let (r, z, n) = (rs[j], zs[j], ns[j]);
        let dn = dh[j] * (S::one() - z) * (S::one() - n * n);
        let dz = dh[j] * (before[j] - n) * z * (S::one() - z);
        let dr = dn * un[j] * r * (S::one() - r);
        (dxr[j], dxz[j], dxn[j]) = (dr, dz, dn);
        (dur[j], duz[j], dun[j]) = (dr, dz, dn * r);
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
            vectorize(
                #[inline(always)]
                || {
                    for &row in rows {
                        let row = row as usize;
                        let (at, before) = (row * hidden, self.direction.before(row) * hidden);
                        let gates = 3 * at..3 * (at + hidden);
                        step_back(
                            &self.activated[gates.clone()],
                            &self.recurrent[gates.clone()],
                            &h[before..][..hidden],
                            &dh[at..][..hidden],
                            (&mut dx[gates.clone()], &mut du[gates.clone()]),
                        );
                        if t > 0 {
                            let z = &self.activated[gates.start + hidden..][..hidden];
                            for (j, &z) in z.iter().enumerate() {
                                let dh_z = dh[at + j] * z;
                                dh[before + j] += dh_z;
                            }
                        }
                    }
                },
            );
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
