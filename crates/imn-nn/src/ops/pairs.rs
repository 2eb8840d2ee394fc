//! Attention within each sequence as separate operations: n × n scores, factors on them, softmax,
//! weighted sums.
//!
//! The paper's Eq. 1–2 are `pair_scores` → `mul` (one factor per pair) → `mul_pair_columns` (one
//! factor per column) → `pair_softmax` without the diagonal → `pair_apply`. A factor of 0 gives a
//! score of 0, not of −∞.

use super::columns::add_to;
use super::softmax::{softmax, softmax_grad};
use crate::kernels::{Strided, gemm};
use crate::tape::{Backward, BackwardPass};
use crate::{Scalar, Shape, Tape, Var};

struct Scores {
    q: Var,
    k: Var,
}

struct MultiplyColumns {
    pairs: Var,
    column: Var,
}

struct PairSoftmax {
    scores: Var,
    diagonal: bool,
}

struct Weighted {
    weights: Var,
    v: Var,
}

/// The indices of row `i` of an `n × n` matrix at `start`, with or without the diagonal.
fn row_of_pairs(
    start: usize,
    n: usize,
    i: usize,
    diagonal: bool,
) -> impl Iterator<Item = usize> + Clone {
    (0..n)
        .filter(move |&j| diagonal || j != i)
        .map(move |j| start + i * n + j)
}

impl<S: Scalar> Tape<'_, S> {
    /// s_ij = q_i · k_j for every pair of tokens of a sequence.
    ///
    /// # Panics
    /// If `q` and `k` do not have the same shape with one row per token.
    pub fn pair_scores(&mut self, q: Var, k: Var) -> Var {
        self.shape(q).assert_same(self.shape(k));
        let layout = self.shape(q).token_layout().clone();
        let cols = self.shape(q).cols;
        let shape = Shape::pairs(&layout);
        let mut value = self.zeros(shape.len());
        let (left, right) = (self.value(q), self.value(k));
        for (s, span) in layout.spans().iter().enumerate() {
            let (n, at) = (span.len(), Strided::rows(span.start * cols, cols));
            let out = Strided::rows(layout.pairs(s).start, n);
            gemm((n, n, cols), (left, at), (right, at.t()), (&mut value, out));
        }
        self.push(shape, value, &[q, k], || Scores { q, k })
    }

    /// s_ij · c_j, with one factor per token in `column`.
    ///
    /// # Panics
    /// If `pairs` does not have one number per pair, or `column` one number per token of the same
    /// layout.
    pub fn mul_pair_columns(&mut self, pairs: Var, column: Var) -> Var {
        let shape = self.shape(pairs).clone();
        let layout = shape.pair_layout().clone();
        self.shape(column).assert_same(&Shape::tokens(&layout, 1));
        let mut value = self.scratch(shape.len());
        let (input, factors) = (self.value(pairs), self.value(column));
        for (s, span) in layout.spans().iter().enumerate() {
            let (pairs, factors) = (layout.pairs(s), &factors[span.clone()]);
            let to = value[pairs.clone()].chunks_exact_mut(span.len().max(1));
            for (to, from) in to.zip(input[pairs].chunks_exact(span.len().max(1))) {
                for ((to, &from), &factor) in to.iter_mut().zip(from).zip(factors) {
                    *to = from * factor;
                }
            }
        }
        self.push(shape, value, &[pairs, column], || MultiplyColumns {
            pairs,
            column,
        })
    }

    /// a_ij = e^{s_ij} / Σ_k e^{s_ik} over the tokens of the sequence. Without the diagonal,
    /// a_ii = 0 and a sequence of one token gets 0.
    ///
    /// # Panics
    /// If `scores` does not have one number per pair.
    pub fn pair_softmax(&mut self, scores: Var, diagonal: bool) -> Var {
        let shape = self.shape(scores).clone();
        let layout = shape.pair_layout().clone();
        let mut value = self.scratch(shape.len());
        value.copy_from_slice(self.value(scores));
        for (s, span) in layout.spans().iter().enumerate() {
            let (start, n) = (layout.pairs(s).start, span.len());
            for i in 0..n {
                softmax(row_of_pairs(start, n, i, diagonal), &mut value);
                if !diagonal {
                    value[start + i * n + i] = S::zero();
                }
            }
        }
        self.push(shape, value, &[scores], || PairSoftmax { scores, diagonal })
    }

    /// o_i = Σ_j a_ij v_j
    ///
    /// # Panics
    /// If `v` does not have one row per token, or `weights` one number per pair of the same layout.
    pub fn pair_apply(&mut self, weights: Var, v: Var) -> Var {
        let shape = self.shape(v).clone();
        let layout = shape.token_layout().clone();
        self.shape(weights).assert_same(&Shape::pairs(&layout));
        let mut value = self.zeros(shape.len());
        let (a, input) = (self.value(weights), self.value(v));
        for (s, span) in layout.spans().iter().enumerate() {
            let (n, at) = (
                span.len(),
                Strided::rows(span.start * shape.cols, shape.cols),
            );
            let pairs = Strided::rows(layout.pairs(s).start, n);
            gemm(
                (n, shape.cols, n),
                (a, pairs),
                (input, at),
                (&mut value, at),
            );
        }
        self.push(shape, value, &[weights, v], || Weighted { weights, v })
    }
}

impl<S: Scalar> Backward<S> for Scores {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let layout = pass.shape(this).pair_layout();
        let cols = pass.shape(self.q).cols;
        for (var, other, transposed) in [(self.q, self.k, false), (self.k, self.q, true)] {
            let other = pass.value(other);
            if let Some(slot) = pass.grad(var) {
                for (s, span) in layout.spans().iter().enumerate() {
                    let (n, at) = (span.len(), Strided::rows(span.start * cols, cols));
                    let pairs = Strided::rows(layout.pairs(s).start, n);
                    let pairs = if transposed { pairs.t() } else { pairs };
                    gemm((n, cols, n), (grad, pairs), (other, at), (slot, at));
                }
            }
        }
    }
}

impl<S: Scalar> Backward<S> for MultiplyColumns {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let layout = pass.shape(this).pair_layout();
        let (pairs, factors) = (pass.value(self.pairs), pass.value(self.column));
        let column_of = |s: usize, i: usize| layout.span(s).start + i % layout.span(s).len();
        if let Some(slot) = pass.grad(self.pairs) {
            for s in 0..layout.sequences() {
                for (i, pair) in layout.pairs(s).enumerate() {
                    slot[pair] += grad[pair] * factors[column_of(s, i)];
                }
            }
        }
        if let Some(slot) = pass.grad(self.column) {
            for s in 0..layout.sequences() {
                for (i, pair) in layout.pairs(s).enumerate() {
                    slot[column_of(s, i)] += grad[pair] * pairs[pair];
                }
            }
        }
    }
}

impl<S: Scalar> Backward<S> for PairSoftmax {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let layout = pass.shape(this).pair_layout();
        let p = pass.value(this);
        if let Some(slot) = pass.grad(self.scores) {
            for (s, span) in layout.spans().iter().enumerate() {
                let (start, n) = (layout.pairs(s).start, span.len());
                for i in 0..n {
                    softmax_grad(row_of_pairs(start, n, i, self.diagonal), p, grad, slot);
                }
            }
        }
    }
}

impl<S: Scalar> Backward<S> for Weighted {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(this);
        let layout = shape.token_layout();
        let cols = shape.cols;
        let (a, v) = (pass.value(self.weights), pass.value(self.v));
        if let Some(slot) = pass.grad(self.weights) {
            for (s, span) in layout.spans().iter().enumerate() {
                let (n, at) = (span.len(), Strided::rows(span.start * cols, cols));
                let pairs = Strided::rows(layout.pairs(s).start, n);
                gemm((n, n, cols), (grad, at), (v, at.t()), (slot, pairs));
            }
        }
        if let Some(slot) = pass.grad(self.v) {
            for (s, span) in layout.spans().iter().enumerate() {
                let n = span.len();
                if n == 1 {
                    // A 1 × 1 product: calling `gemm` would cost more than the product.
                    let weight = a[layout.pairs(s).start];
                    let row: Vec<S> = grad[span.start * cols..][..cols]
                        .iter()
                        .map(|&g| g * weight)
                        .collect();
                    add_to(&mut slot[span.start * cols..][..cols], &row);
                    continue;
                }
                let at = Strided::rows(span.start * cols, cols);
                let pairs = Strided::rows(layout.pairs(s).start, n).t();
                gemm((n, cols, n), (a, pairs), (grad, at), (slot, at));
            }
        }
    }
}
