//! Cross-entropy with distributions instead of classes, for learning from another network:
//! L = −Σ_i w_i Σ_c q_ic ln p_ic with p_i = softmax of the logits of token i, and
//! ∂L/∂x_ic = w_i (Σ_k q_ik · p_ic − q_ic).

use super::TokenMean;
use crate::tape::{Backward, BackwardPass};
use crate::{Scalar, Tape, Var};

struct SoftCrossEntropy<S> {
    logits: Var,
    /// Row in memory, weight and Σ_c q_c of every row with a target.
    rows: Vec<(usize, S, S)>,
    /// q of these rows, concatenated.
    targets: Vec<S>,
    /// Softmax of these rows, concatenated.
    probabilities: Vec<S>,
}

impl<S: Scalar> Tape<'_, S> {
    /// Cross-entropy with one row of `targets` per token, which has one value of at least 0 per
    /// column of `logits`. A row need not sum to 1: its sum is the weight of the token, and a row
    /// of zeros stands for no target. With rows that are 1 for one class it is
    /// [`Tape::token_cross_entropy`].
    ///
    /// # Panics
    /// If there is not one value per logit of every token.
    pub fn token_soft_cross_entropy(&mut self, logits: Var, targets: &[S], mean: TokenMean) -> Var {
        let cols = self.shape(logits).cols;
        let token_rows = targets.chunks_exact(cols).enumerate();
        let known: Vec<Option<usize>> = token_rows
            .map(|(token, q)| q.iter().any(|&q| q > S::zero()).then_some(token))
            .collect();
        assert_eq!(targets.len(), known.len() * cols, "one value per logit");
        let known = self.token_targets(logits, &known, mean);
        let mut backward = SoftCrossEntropy {
            logits,
            rows: Vec::with_capacity(known.len()),
            targets: Vec::with_capacity(known.len() * cols),
            probabilities: Vec::with_capacity(known.len() * cols),
        };
        let mut loss = S::zero();
        for (row, token, weight) in known {
            let x = &self.value(logits)[row * cols..][..cols];
            let q = &targets[token * cols..][..cols];
            let largest = x.iter().copied().fold(S::neg_infinity(), S::max);
            let sum: S = x.iter().map(|&x| (x - largest).exp()).sum();
            let log_sum = sum.ln() + largest;
            loss += weight * q.iter().zip(x).map(|(&q, &x)| q * (log_sum - x)).sum::<S>();
            backward.rows.push((row, weight, q.iter().copied().sum()));
            backward.targets.extend_from_slice(q);
            let probabilities = x.iter().map(|&x| (x - largest).exp() / sum);
            backward.probabilities.extend(probabilities);
        }
        self.push_scalar(loss, &[logits], || backward)
    }
}

impl<S: Scalar> Backward<S> for SoftCrossEntropy<S> {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let cols = pass.shape(self.logits).cols;
        if let Some(slot) = pass.grad(self.logits) {
            let targets = self.targets.chunks_exact(cols);
            let rows = targets.zip(self.probabilities.chunks_exact(cols));
            for (&(row, weight, mass), (q, p)) in self.rows.iter().zip(rows) {
                let scale = weight * grad[0];
                let slot = &mut slot[row * cols..][..cols];
                for ((slot, &q), &p) in slot.iter_mut().zip(q).zip(p) {
                    *slot += scale * (mass * p - q);
                }
            }
        }
    }
}
