//! Losses. Each is a sum over the rows of this tape divided by a count of the whole batch, so that
//! the losses of the shards add up to the loss of the batch.

use super::activation::sigmoid;
use crate::tape::{Backward, BackwardPass};
use crate::{Scalar, Tape, Var};

/// How the losses of tokens are averaged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TokenMean {
    /// (1/N) Σ_i (1/n_i) Σ_j l_ij over N sequences of n_i tokens (the paper's L_a). Unlabelled
    /// tokens add 0 to the sum but count in n_i, so this is not a mean over labelled tokens.
    Sequences {
        /// N, the number of sequences in the whole batch.
        count: f64,
    },
    /// (1/M) Σ l_ij over all M tokens of the batch. Unlabelled tokens count in M.
    Tokens {
        /// M, the number of tokens in the whole batch.
        count: f64,
    },
}

struct CrossEntropy<S> {
    logits: Var,
    /// Row in memory, class and weight of every labelled row.
    targets: Vec<(usize, usize, S)>,
    /// Softmax of the labelled rows, concatenated.
    probabilities: Vec<S>,
}

/// Some of at most 32 classes.
///
/// ```
/// use imn_nn::ClassSet;
///
/// let set = ClassSet::of([0, 3]);
/// assert!(set.contains(3) && !set.contains(1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassSet(u32);

impl ClassSet {
    /// The set of these classes.
    ///
    /// # Panics
    /// If a class is 32 or more.
    #[must_use]
    pub fn of(classes: impl IntoIterator<Item = u32>) -> Self {
        Self(classes.into_iter().fold(0, |set, class| {
            assert!(class < u32::BITS, "class {class} of a set of 32");
            set | 1 << class
        }))
    }

    /// Whether it has the class.
    #[must_use]
    pub fn contains(self, class: usize) -> bool {
        class < u32::BITS as usize && self.0 >> class & 1 == 1
    }
}

struct SetCrossEntropy<S> {
    logits: Var,
    /// Row in memory, classes, their probability and weight of every labelled row.
    targets: Vec<(usize, ClassSet, S, S)>,
    /// Softmax of the labelled rows, one after the other.
    probabilities: Vec<S>,
}

struct Likelihood<S> {
    probabilities: Var,
    /// Index and weight of the probability of every labelled row.
    targets: Vec<(usize, S)>,
}

struct BinaryCrossEntropy<S> {
    logits: Var,
    /// Label and σ(logit) of each row.
    rows: Vec<(S, S)>,
    weight: S,
}

impl<S: Scalar> Tape<'_, S> {
    /// Cross-entropy of the classes of tokens. `targets[i]` is the class of the `i`th token, or
    /// `None` if it is unlabelled.
    ///
    /// # Panics
    /// If there is not one target per token, or a class is not a column of `logits`.
    pub fn token_cross_entropy(
        &mut self,
        logits: Var,
        targets: &[Option<u32>],
        mean: TokenMean,
    ) -> Var {
        let targets = self.token_targets(logits, targets, mean).into_iter();
        let targets = targets.map(|(row, class, weight)| (row, class as usize, weight));
        self.cross_entropy(logits, targets.collect())
    }

    /// −ln Σ_{c ∈ C_i} p_ic, where `targets[i]` is the set C_i that the class of the `i`th token is
    /// known to be in, or `None` if nothing is known. With one class in every set it is
    /// [`Tape::token_cross_entropy`].
    ///
    /// # Panics
    /// If there is not one target per token, or a set has none of the columns of `logits`.
    pub fn token_set_cross_entropy(
        &mut self,
        logits: Var,
        targets: &[Option<ClassSet>],
        mean: TokenMean,
    ) -> Var {
        let cols = self.shape(logits).cols;
        let targets = self.token_targets(logits, targets, mean);
        let mut probabilities = vec![S::zero(); targets.len() * cols];
        let mut loss = S::zero();
        let mut known = Vec::with_capacity(targets.len());
        for ((row, set, weight), p) in targets
            .into_iter()
            .zip(probabilities.chunks_exact_mut(cols))
        {
            assert!((0..cols).any(|class| set.contains(class)), "an empty set");
            let x = &self.value(logits)[row * cols..][..cols];
            let of_set = |class: usize, value: S| {
                if set.contains(class) {
                    value
                } else {
                    S::zero()
                }
            };
            let inside = (0..cols)
                .filter(|&class| set.contains(class))
                .map(|class| x[class]);
            // Two maxima: the sum over the set must not vanish beside the sum over all classes.
            let (largest, inner) = (
                x.iter().copied().fold(S::neg_infinity(), S::max),
                inside.fold(S::neg_infinity(), S::max),
            );
            let sum: S = x.iter().map(|&x| (x - largest).exp()).sum();
            let kept = x.iter().enumerate();
            let kept: S = kept
                .map(|(class, &x)| of_set(class, (x - inner).exp()))
                .sum();
            let nats = sum.ln() + largest - kept.ln() - inner;
            loss += weight * nats;
            p.iter_mut()
                .zip(x)
                .for_each(|(p, &x)| *p = (x - largest).exp() / sum);
            known.push((row, set, (-nats).exp(), weight));
        }
        let backward = || SetCrossEntropy {
            logits,
            targets: known,
            probabilities,
        };
        self.push_scalar(loss, &[logits], backward)
    }

    /// Cross-entropy of the classes of plain rows, such as sequences, divided by `count`.
    ///
    /// # Panics
    /// If there is not one target per row, or a class is not a column of `logits`.
    pub fn sequence_cross_entropy(
        &mut self,
        logits: Var,
        targets: &[Option<u32>],
        count: f64,
    ) -> Var {
        assert_eq!(
            targets.len(),
            self.shape(logits).rows.count(),
            "one target per row"
        );
        let weight = S::from_f64(1.0 / count);
        let labelled = targets.iter().enumerate();
        let weighted = labelled
            .filter_map(|(row, t)| Some((row, (*t)? as usize, weight)))
            .collect();
        self.cross_entropy(logits, weighted)
    }

    /// −ln of the probability that `probabilities` gives to the class of each token.
    ///
    /// A probability of 0 counts as the smallest positive number, so that the loss stays finite.
    ///
    /// # Panics
    /// If there is not one target per token.
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
            .map(|(row, class, weight)| (row * cols + class as usize, weight))
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
    ///
    /// # Panics
    /// If there is not one label per logit.
    pub fn binary_cross_entropy(&mut self, logits: Var, labels: &[bool], count: f64) -> Var {
        assert_eq!(
            self.value(logits).len(),
            labels.len(),
            "one label per logit"
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
    pub(super) fn token_targets<T: Copy>(
        &self,
        x: Var,
        targets: &[Option<T>],
        mean: TokenMean,
    ) -> Vec<(usize, T, S)> {
        let layout = self.shape(x).token_layout();
        assert_eq!(targets.len(), layout.tokens(), "one target per token");
        let mut targets = targets.iter();
        let mut out = Vec::new();
        for span in layout.spans() {
            let weight = match mean {
                TokenMean::Sequences { count } => S::from_f64(1.0 / (count * span.len() as f64)),
                TokenMean::Tokens { count } => S::from_f64(1.0 / count),
            };
            let labelled = span.clone().zip(targets.by_ref());
            out.extend(labelled.filter_map(|(row, t)| Some((row, (*t)?, weight))));
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

/// The smallest positive number if `p` is below it. Not `max`, which would replace a NaN.
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

/// ∂/∂x_c = p_c − p_c / Σ_{k ∈ C} p_k for c in C, p_c for the others.
impl<S: Scalar> Backward<S> for SetCrossEntropy<S> {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let cols = pass.shape(self.logits).cols;
        if let Some(slot) = pass.grad(self.logits) {
            let rows = self
                .targets
                .iter()
                .zip(self.probabilities.chunks_exact(cols));
            for (&(row, set, inside, weight), p) in rows {
                let slot = &mut slot[row * cols..][..cols];
                let scale = weight * grad[0];
                for (class, (slot, &p)) in slot.iter_mut().zip(p).enumerate() {
                    let known = if set.contains(class) {
                        p / floor(inside)
                    } else {
                        S::zero()
                    };
                    *slot += scale * (p - known);
                }
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
