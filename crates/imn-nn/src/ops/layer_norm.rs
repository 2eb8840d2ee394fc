//! y = γ ⊙ (x − mean) / √(variance + ε) + β, mean and variance over the columns of each row.
//!
//! A transformer normalizes x + dropout(f(x)). One pass over each row computes dropout, sum and
//! norm: the sum is never stored.

use super::dropout::Mask;
use crate::kernels::elementwise::{add, dot, squares, sum, vectorize};
use crate::tape::{Backward, BackwardPass};
use crate::{ParamId, Scalar, Tape, Var};

/// The parameters of a layer norm.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Norm {
    /// γ
    pub(crate) gain: ParamId,
    /// β
    pub(crate) bias: ParamId,
    /// ε
    pub(crate) epsilon: f64,
}

struct LayerNorm<S> {
    x: Var,
    mask: Option<Mask>,
    residual: Option<Var>,
    norm: Norm,
    /// (x − mean) / √(variance + ε), as a leaf so that its memory is reused.
    normal: Var,
    /// 1 / √(variance + ε) of each row.
    inverse: Vec<S>,
}

impl<S: Scalar> Tape<'_, S> {
    /// γ ⊙ (x − mean) / √(variance + ε) + β for each row. `gain` is γ and `bias` is β.
    ///
    /// # Panics
    /// If γ or β does not have one number per column of `x`.
    pub fn layer_norm(&mut self, x: Var, gain: ParamId, bias: ParamId, epsilon: f64) -> Var {
        let norm = Norm {
            gain,
            bias,
            epsilon,
        };
        self.normalize(x, None, 0.0, norm)
    }

    /// The layer norm of `residual` + dropout(`x`), with dropout probability `p`.
    ///
    /// # Panics
    /// If `x` and `residual` have different shapes, γ or β does not have one number per column, or
    /// `p` is not in 0 ..= 1.
    pub fn residual_norm(
        &mut self,
        x: Var,
        residual: Var,
        p: f64,
        (gain, bias, epsilon): (ParamId, ParamId, f64),
    ) -> Var {
        let norm = Norm {
            gain,
            bias,
            epsilon,
        };
        self.normalize(x, Some(residual), p, norm)
    }

    fn normalize(&mut self, x: Var, residual: Option<Var>, p: f64, norm: Norm) -> Var {
        let params = self.params();
        let shape = self.shape(x).clone();
        let cols = shape.cols;
        if let Some(residual) = residual {
            shape.assert_same(self.shape(residual));
        }
        let (gamma, beta) = (params.get(norm.gain).data(), params.get(norm.bias).data());
        assert!(
            gamma.len() == cols && beta.len() == cols,
            "γ and β of {cols} numbers"
        );
        let mask = self.mask(shape.rows.count(), cols, p);
        let needs_grad = self.is_training()
            && (self.needs_grad(x)
                || residual.is_some_and(|residual| self.needs_grad(residual))
                || self.is_trainable(norm.gain)
                || self.is_trainable(norm.bias));
        let mut value = self.unwritten(&shape);
        let mut normal = self.scratch(if needs_grad { shape.len() } else { 0 });
        let mut inverse = vec![S::zero(); if needs_grad { shape.rows.count() } else { 0 }];
        let width = S::from_f64(cols as f64);
        let (input, residual_input) = (self.value(x), residual.map(|var| self.value(var)));
        vectorize(
            #[inline(always)]
            || {
                for row in shape.live_rows().flatten() {
                    let at = row * cols..(row + 1) * cols;
                    let y = &mut value[at.clone()];
                    match (&mask, residual_input) {
                        (None, None) => y.copy_from_slice(&input[at.clone()]),
                        (Some(mask), None) => mask.apply(row, &input[at.clone()], y),
                        (None, Some(residual)) => {
                            let inputs = input[at.clone()].iter().zip(&residual[at.clone()]);
                            y.iter_mut()
                                .zip(inputs)
                                .for_each(|(y, (&a, &b))| *y = a + b);
                        }
                        (Some(mask), Some(residual)) => {
                            y.copy_from_slice(&residual[at.clone()]);
                            mask.add(row, &input[at.clone()], y);
                        }
                    }
                    let mean = sum(y) / width;
                    let variance = squares(y, mean) / width;
                    let scale = S::one() / (variance + S::from_f64(norm.epsilon)).sqrt();
                    if needs_grad {
                        inverse[row] = scale;
                        let normal = &mut normal[at];
                        for j in 0..cols {
                            normal[j] = (y[j] - mean) * scale;
                            y[j] = gamma[j] * normal[j] + beta[j];
                        }
                    } else {
                        for ((y, &gamma), &beta) in y.iter_mut().zip(gamma).zip(beta) {
                            *y = gamma * ((*y - mean) * scale) + beta;
                        }
                    }
                }
            },
        );
        if !needs_grad {
            self.recycle(normal);
            return self.push_node(shape, value, false, || {
                unreachable!("no gradient is needed")
            });
        }
        let normal = self.push_leaf(shape.clone(), normal);
        self.push_node(shape, value, true, || {
            Box::new(LayerNorm {
                x,
                mask,
                residual,
                norm,
                normal,
                inverse,
            })
        })
    }
}

impl<S: Scalar> Backward<S> for LayerNorm<S> {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(this);
        let cols = shape.cols;
        let normal = pass.value(self.normal);
        let gamma = pass.params().get(self.norm.gain).data();
        if let Some(slot) = pass.param_grad(self.norm.gain) {
            vectorize(
                #[inline(always)]
                || {
                    for row in shape.live_rows().flatten() {
                        let at = row * cols..(row + 1) * cols;
                        let factors = grad[at.clone()].iter().zip(&normal[at]);
                        let slots = slot.iter_mut().zip(factors);
                        slots.for_each(|(slot, (&g, &n))| *slot += g * n);
                    }
                },
            );
        }
        if let Some(slot) = pass.param_grad(self.norm.bias) {
            for row in shape.live_rows().flatten() {
                add(slot, &grad[row * cols..][..cols]);
            }
        }
        let width = S::from_f64(cols as f64);
        let mut inner = pass.unwritten(shape);
        let mut scaled = pass.scratch(cols);
        vectorize(
            #[inline(always)]
            || {
                for row in shape.live_rows().flatten() {
                    let at = row * cols..(row + 1) * cols;
                    let (g, n) = (&grad[at.clone()], &normal[at.clone()]);
                    for ((scaled, &g), &gamma) in scaled.iter_mut().zip(g).zip(gamma) {
                        *scaled = g * gamma;
                    }
                    let mean = sum(&scaled) / width;
                    let slope = dot(&scaled, n) / width;
                    let inverse = self.inverse[row];
                    let terms = scaled.iter().zip(n);
                    for (inner, (&scaled, &n)) in inner[at].iter_mut().zip(terms) {
                        *inner = inverse * (scaled - mean - n * slope);
                    }
                }
            },
        );
        pass.recycle(scaled);
        match (&self.mask, self.residual) {
            (None, None) => pass.add_grad(self.x, inner),
            (mask, residual) => {
                if let Some((slot, new)) = pass.grad_or_new(self.x) {
                    for row in shape.live_rows().flatten() {
                        let at = row * cols..(row + 1) * cols;
                        let (from, to) = (&inner[at.clone()], &mut slot[at]);
                        match (mask, new) {
                            (Some(mask), true) => mask.apply(row, from, to),
                            (Some(mask), false) => mask.add(row, from, to),
                            (None, true) => to.copy_from_slice(from),
                            (None, false) => add(to, from),
                        }
                    }
                }
                match residual {
                    Some(residual) => pass.add_grad(residual, inner),
                    None => pass.recycle(inner),
                }
            }
        }
    }
}
