//! i, f, o = σ(x_t W + b + h_{t−1} U), g = tanh(x_t W + b + h_{t−1} U), c_t = f ⊙ c_{t−1} + i ⊙ g,
//! h_t = o ⊙ tanh c_t.
//!
//! The caller computes x W + b (columns i, f, g, o) for all tokens in one product. This operation
//! adds the recurrent terms step by step.

use super::recurrence::{Direction, recur, recur_back, recur_grads, steps};
use crate::kernels::elementwise::vectorize;
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
            vectorize(
                #[inline(always)]
                || {
                    for &row in &rows {
                        let row = row as usize;
                        let gates = &mut activated[row * 4 * hidden..][..4 * hidden];
                        let before = direction.before(row) * hidden;
                        cells.copy_within(before..before + hidden, row * hidden);
                        let cells = &mut cells[row * hidden..][..hidden];
                        step(gates, cells, &mut h[row * hidden..][..hidden]);
                    }
                },
            );
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

/// One step of one sequence. `gates` holds the sums and gets the activations; `cells` holds
/// c_{t−1} and gets c_t.
#[inline(always)]
fn step<S: Scalar>(gates: &mut [S], cells: &mut [S], h: &mut [S]) {
    let n = h.len();
    let (is, rest) = gates.split_at_mut(n);
    let (fs, rest) = rest.split_at_mut(n);
    let (gs, os) = rest.split_at_mut(n);
    let (os, cells) = (&mut os[..n], &mut cells[..n]);
    for j in 0..n {
        is[j] = is[j].fast_sigmoid();
        fs[j] = fs[j].fast_sigmoid();
        gs[j] = gs[j].fast_tanh();
        os[j] = os[j].fast_sigmoid();
        cells[j] = fs[j] * cells[j] + is[j] * gs[j];
        h[j] = os[j] * cells[j].fast_tanh();
    }
}

/// The gradient of [`step`]: writes those of the sums to `d`, and replaces that of c_t by that of
/// c_{t−1}.
#[inline(always)]
fn step_back<S: Scalar>(
    gates: &[S],
    (before, cells): (&[S], &[S]),
    dh: &[S],
    dc: &mut [S],
    d: &mut [S],
) {
    let n = dh.len();
    let (is, rest) = gates.split_at(n);
    let (fs, rest) = rest.split_at(n);
    let (gs, os) = rest.split_at(n);
    let (dis, rest) = d.split_at_mut(n);
    let (dfs, rest) = rest.split_at_mut(n);
    let (dgs, dos) = rest.split_at_mut(n);
    let (os, dos, before) = (&os[..n], &mut dos[..n], &before[..n]);
    let (cells, dc) = (&cells[..n], &mut dc[..n]);
    for j in 0..n {
        let (i, f, g, o) = (is[j], fs[j], gs[j], os[j]);
        let tanh = cells[j].fast_tanh();
        let dct = dc[j] + dh[j] * o * (S::one() - tanh * tanh);
        dis[j] = dct * g * i * (S::one() - i);
        dfs[j] = dct * before[j] * f * (S::one() - f);
        dgs[j] = dct * i * (S::one() - g * g);
        dos[j] = dh[j] * tanh * o * (S::one() - o);
        dc[j] = dct * f;
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
            vectorize(
                #[inline(always)]
                || {
                    for &row in rows {
                        let row = row as usize;
                        let (at, before) = (row * hidden, self.direction.before(row) * hidden);
                        step_back(
                            &self.activated[4 * at..][..4 * hidden],
                            (&self.cells[before..], &self.cells[at..]),
                            &dh[at..][..hidden],
                            &mut dc[at..][..hidden],
                            &mut d[4 * at..][..4 * hidden],
                        );
                        if t > 0 {
                            dc.copy_within(at..at + hidden, before);
                        }
                    }
                },
            );
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
