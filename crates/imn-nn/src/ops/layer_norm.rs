//! y = γ ⊙ (x − mean) / √(variance + ε) + β, mean and variance over the columns of each row.

use crate::tape::{Backward, WayBack};
use crate::{ParamId, Scalar, Tape, Var};

struct LayerNorm<S> {
    x: Var,
    gain: ParamId,
    bias: ParamId,
    /// (x − mean) / √(variance + ε)
    normal: Vec<S>,
    /// 1 / √(variance + ε) of each row.
    inverse: Vec<S>,
}

impl<S: Scalar> Tape<'_, S> {
    /// Normalises each row; `gain` is γ, `bias` is β.
    pub fn layer_norm(&mut self, x: Var, gain: ParamId, bias: ParamId, epsilon: f64) -> Var {
        let params = self.params();
        let shape = self.shape(x).clone();
        let cols = shape.cols;
        let (gamma, beta) = (params.get(gain).data(), params.get(bias).data());
        assert!(
            gamma.len() == cols && beta.len() == cols,
            "γ and β of {cols} numbers"
        );
        let mut value = self.zeros(shape.len());
        let mut normal = vec![S::zero(); shape.len()];
        let mut inverse = vec![S::zero(); shape.rows.count()];
        let width = S::of(cols as f64);
        for row in shape.live_rows().flatten() {
            let input = &self.value(x)[row * cols..][..cols];
            let mean = input.iter().copied().sum::<S>() / width;
            let variance = input.iter().map(|&x| (x - mean) * (x - mean)).sum::<S>() / width;
            inverse[row] = S::one() / (variance + S::of(epsilon)).sqrt();
            for j in 0..cols {
                normal[row * cols + j] = (input[j] - mean) * inverse[row];
                value[row * cols + j] = gamma[j] * normal[row * cols + j] + beta[j];
            }
        }
        let learns = self.needs_grad(x) || self.learns(gain) || self.learns(bias);
        self.push_node(shape, value, learns, || {
            Box::new(LayerNorm {
                x,
                gain,
                bias,
                normal,
                inverse,
            })
        })
    }
}

impl<S: Scalar> Backward<S> for LayerNorm<S> {
    fn backward(&self, this: Var, grad: &[S], way: &mut WayBack<'_, S>) {
        let shape = way.shape(this);
        let cols = shape.cols;
        let gamma = way.params().get(self.gain).data();
        if let Some(slot) = way.param_grad(self.gain) {
            for i in shape.live().flatten() {
                slot[i % cols] += grad[i] * self.normal[i];
            }
        }
        if let Some(slot) = way.param_grad(self.bias) {
            for i in shape.live().flatten() {
                slot[i % cols] += grad[i];
            }
        }
        if let Some(slot) = way.grad(self.x) {
            let width = S::of(cols as f64);
            for row in shape.live_rows().flatten() {
                let (g, n) = (
                    &grad[row * cols..][..cols],
                    &self.normal[row * cols..][..cols],
                );
                let mean = (0..cols).map(|j| g[j] * gamma[j]).sum::<S>() / width;
                let slope = (0..cols).map(|j| g[j] * gamma[j] * n[j]).sum::<S>() / width;
                for j in 0..cols {
                    slot[row * cols + j] +=
                        self.inverse[row] * (g[j] * gamma[j] - mean - n[j] * slope);
                }
            }
        }
    }
}
