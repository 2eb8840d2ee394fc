//! p_ij = e^{x_ij} / Σ_k e^{x_ik}, over the columns of each row.

use crate::tape::{Backward, BackwardPass};
use crate::{Scalar, Tape, Var};

struct Softmax(Var);

/// Softmax in place over the numbers at these indices.
pub(super) fn softmax<S: Scalar>(indices: impl Iterator<Item = usize> + Clone, data: &mut [S]) {
    let largest = indices
        .clone()
        .map(|i| data[i])
        .fold(S::neg_infinity(), S::max);
    let mut sum = S::zero();
    for i in indices.clone() {
        data[i] = (data[i] - largest).exp();
        sum += data[i];
    }
    for i in indices {
        data[i] = data[i] / sum;
    }
}

/// slot_i += p_i (g_i − Σ_k g_k p_k)
pub(super) fn softmax_grad<S: Scalar>(
    indices: impl Iterator<Item = usize> + Clone,
    p: &[S],
    grad: &[S],
    slot: &mut [S],
) {
    let mean: S = indices.clone().map(|i| p[i] * grad[i]).sum();
    for i in indices {
        slot[i] += p[i] * (grad[i] - mean);
    }
}

impl<S: Scalar> Tape<'_, S> {
    /// Softmax over the columns of each row.
    pub fn softmax(&mut self, x: Var) -> Var {
        let shape = self.shape(x).clone();
        let mut value = self.scratch(shape.len());
        value.copy_from_slice(self.value(x));
        for row in shape.live_rows().flatten() {
            softmax(row * shape.cols..(row + 1) * shape.cols, &mut value);
        }
        self.push(shape, value, &[x], || Softmax(x))
    }
}

impl<S: Scalar> Backward<S> for Softmax {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let (p, shape) = (pass.value(this), pass.shape(this));
        if let Some(slot) = pass.grad(self.0) {
            for row in shape.live_rows().flatten() {
                softmax_grad(row * shape.cols..(row + 1) * shape.cols, p, grad, slot);
            }
        }
    }
}
