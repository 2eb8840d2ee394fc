//! Losses. Each is a sum over the rows of this tape divided by a number that belongs to the whole batch, so that the losses
//! of a batch's shards add up to the loss of the batch.

use super::activation::sigmoid;
use crate::tape::{Backward, BackwardPass};
use crate::{Scalar, Tape, Var};

/// How the losses of tokens become one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TokenMean {
    /// (1/N) Σ_i (1/n_i) Σ_j l_ij over N sequences of n_i tokens (the paper's L_a). Ignored tokens add 0 to the sum and still
    /// count in n_i, unlike a mean over labelled tokens.
    Sequences {
        /// N, the sequences of the whole batch.
        count: f64,
    },
    /// (1/M) Σ l_ij over all M tokens of the batch; ignored tokens count in M.
    Tokens {
        /// M, the tokens of the whole batch.
        count: f64,
    },
}

struct CrossEntropy<S> {
    logits: Var,
    /// Row in memory, class and weight of every labelled row.
    targets: Vec<(usize, usize, S)>,
    /// Softmax of the labelled rows, one after the other.
    probabilities: Vec<S>,
}

struct Likelihood<S> {
    probabilities: Var,
    /// Place in memory and weight of every labelled row's probability.
    targets: Vec<(usize, S)>,
}

struct BinaryCrossEntropy<S> {
    logits: Var,
    /// Label and σ(logit) of each row.
    rows: Vec<(S, S)>,
    weight: S,
}

impl<S: Scalar> Tape<'_, S> {
    /// Cross-entropy of token classes: `targets[i]` is the class of the `i`th token, or `None` where it has none.
    pub fn token_cross_entropy(
        &mut self,
        logits: Var,
        targets: &[Option<u32>],
        mean: TokenMean,
    ) -> Var {
        let targets = self.token_targets(logits, targets, mean);
        self.cross_entropy(logits, targets)
    }

    /// Cross-entropy of the classes of sequences (plain rows), divided by `count`.
    pub fn sequence_cross_entropy(
        &mut self,
        logits: Var,
        targets: &[Option<u32>],
        count: f64,
    ) -> Var {
        assert_eq!(
            targets.len(),
            self.shape(logits).rows.count(),
            "one target a row"
        );
        let weight = S::from_f64(1.0 / count);
        let labelled = targets.iter().enumerate();
        let targets = labelled
            .filter_map(|(row, t)| Some((row, (*t)? as usize, weight)))
            .collect();
        self.cross_entropy(logits, targets)
    }

    /// −ln of the probability that `probabilities` gives to each token's class.
    ///
    /// A probability of 0 counts as the smallest positive number, so that the loss stays finite.
    pub fn token_likelihood(
        &mut self,
        probabilities: Var,
        targets: &[Option<u32>],
        mean: TokenMean,
    ) -> Var {
        let cols = self.shape(probabilities).cols;
        let targets = self.token_targets(probabilities, targets, mean);
        let targets: Vec<(usize, S)> = targets
            .into_iter()
            .map(|(row, class, weight)| (row * cols + class, weight))
            .collect();
        let p = self.value(probabilities);
        let loss = targets
            .iter()
            .map(|&(at, weight)| -floor(p[at]).ln() * weight)
            .sum();
        let backward = || Likelihood {
            probabilities,
            targets,
        };
        self.push_scalar(loss, &[probabilities], backward)
    }

    /// Binary cross-entropy of σ(logit) for plain rows of one column, divided by `count`.
    pub fn binary_cross_entropy(&mut self, logits: Var, labels: &[bool], count: f64) -> Var {
        assert_eq!(
            self.value(logits).len(),
            labels.len(),
            "one label a row of one column"
        );
        let weight = S::from_f64(1.0 / count);
        let mut loss = S::zero();
        let mut rows = Vec::with_capacity(labels.len());
        for (&x, &label) in self.value(logits).iter().zip(labels) {
            let label = if label { S::one() } else { S::zero() };
            // −y ln σ(x) − (1 − y) ln(1 − σ(x)), without overflow.
            loss += weight * (x.max(S::zero()) - x * label + (-x.abs()).exp().ln_1p());
            rows.push((label, sigmoid(x)));
        }
        let backward = || BinaryCrossEntropy {
            logits,
            rows,
            weight,
        };
        self.push_scalar(loss, &[logits], backward)
    }

    /// Row, class and weight of every labelled token.
    fn token_targets(
        &self,
        x: Var,
        targets: &[Option<u32>],
        mean: TokenMean,
    ) -> Vec<(usize, usize, S)> {
        let layout = self.shape(x).token_layout();
        assert_eq!(targets.len(), layout.tokens(), "one target a token");
        let mut targets = targets.iter();
        let mut out = Vec::new();
        for span in layout.spans() {
            let weight = match mean {
                TokenMean::Sequences { count } => S::from_f64(1.0 / (count * span.len() as f64)),
                TokenMean::Tokens { count } => S::from_f64(1.0 / count),
            };
            let labelled = span.clone().zip(targets.by_ref());
            out.extend(labelled.filter_map(|(row, t)| Some((row, (*t)? as usize, weight))));
        }
        out
    }

    fn cross_entropy(&mut self, logits: Var, targets: Vec<(usize, usize, S)>) -> Var {
        let cols = self.shape(logits).cols;
        let mut probabilities = vec![S::zero(); targets.len() * cols];
        let mut loss = S::zero();
        for (&(row, class, weight), p) in targets.iter().zip(probabilities.chunks_exact_mut(cols)) {
            assert!(class < cols, "class {class} of {cols}");
            let x = &self.value(logits)[row * cols..][..cols];
            let largest = x.iter().copied().fold(S::neg_infinity(), S::max);
            let sum: S = x.iter().map(|&x| (x - largest).exp()).sum();
            loss += weight * (sum.ln() + largest - x[class]);
            p.iter_mut()
                .zip(x)
                .for_each(|(p, &x)| *p = (x - largest).exp() / sum);
        }
        let backward = || CrossEntropy {
            logits,
            targets,
            probabilities,
        };
        self.push_scalar(loss, &[logits], backward)
    }
}

/// Not `max`: a NaN must stay one.
fn floor<S: Scalar>(p: S) -> S {
    if p < S::min_positive_value() {
        S::min_positive_value()
    } else {
        p
    }
}

impl<S: Scalar> Backward<S> for CrossEntropy<S> {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let cols = pass.shape(self.logits).cols;
        if let Some(slot) = pass.grad(self.logits) {
            let rows = self
                .targets
                .iter()
                .zip(self.probabilities.chunks_exact(cols));
            for (&(row, class, weight), p) in rows {
                let slot = &mut slot[row * cols..][..cols];
                let scale = weight * grad[0];
                slot.iter_mut()
                    .zip(p)
                    .for_each(|(slot, &p)| *slot += scale * p);
                slot[class] -= scale;
            }
        }
    }
}

impl<S: Scalar> Backward<S> for Likelihood<S> {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let p = pass.value(self.probabilities);
        if let Some(slot) = pass.grad(self.probabilities) {
            for &(at, weight) in &self.targets {
                slot[at] -= weight * grad[0] / floor(p[at]);
            }
        }
    }
}

impl<S: Scalar> Backward<S> for BinaryCrossEntropy<S> {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        if let Some(slot) = pass.grad(self.logits) {
            for (slot, &(label, sigmoid)) in slot.iter_mut().zip(&self.rows) {
                *slot += self.weight * grad[0] * (sigmoid - label);
            }
        }
    }
}
