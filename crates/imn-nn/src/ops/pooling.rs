//! From tokens to sequences and back: softmax over a sequence, weighted sum, mean, max, first and
//! last row, broadcast.

use std::sync::Arc;

use super::columns::add_to;
use super::softmax::{softmax, softmax_grad};
use crate::tape::{Backward, BackwardPass, assert_sequences};
use crate::{Layout, Scalar, Shape, Tape, Var};

/// An end of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The first token.
    First,
    /// The last token.
    Last,
}

struct SequenceSoftmax(Var);
struct WeightedSum {
    weights: Var,
    x: Var,
}
struct Mean(Var);
struct Max {
    x: Var,
    /// Index in `x` of each number of the output; `None` for an empty sequence.
    winners: Vec<Option<usize>>,
}
struct EndRow {
    x: Var,
    end: End,
}
struct Broadcast {
    x: Var,
}

/// The row at an end of a sequence; `None` if the sequence is empty.
fn end_row(layout: &Layout, sequence: usize, end: End) -> Option<usize> {
    let span = layout.span(sequence);
    match end {
        _ if span.is_empty() => None,
        End::First => Some(span.start),
        End::Last => Some(span.end - 1),
    }
}

impl<S: Scalar> Tape<'_, S> {
    /// a_i = e^{x_i} / Σ_k e^{x_k} over the tokens of each sequence (the paper's Eq. 3).
    ///
    /// # Panics
    /// If `x` does not have one row per token and one column.
    pub fn sequence_softmax(&mut self, x: Var) -> Var {
        let shape = self.shape(x).clone();
        assert_eq!(shape.cols, 1, "one score per token");
        let mut value = self.zeros(shape.len());
        value.copy_from_slice(self.value(x));
        for span in shape.token_layout().spans() {
            softmax(span.clone(), &mut value);
        }
        self.push(shape, value, &[x], || SequenceSoftmax(x))
    }

    /// Σ_i a_i x_i over the tokens of each sequence: one row per sequence.
    ///
    /// # Panics
    /// If `x` does not have one row per token, or `weights` does not have the same rows and one
    /// column.
    pub fn weighted_sum(&mut self, weights: Var, x: Var) -> Var {
        let layout = Arc::clone(self.shape(x).token_layout());
        let cols = self.shape(x).cols;
        self.shape(weights).assert_same(&Shape::tokens(&layout, 1));
        let mut value = self.zeros(layout.sequences() * cols);
        let (a, input) = (self.value(weights), self.value(x));
        for (s, span) in layout.spans().iter().enumerate() {
            for row in span.clone() {
                let sums = value[s * cols..][..cols].iter_mut();
                sums.zip(&input[row * cols..][..cols])
                    .for_each(|(sum, &x)| *sum += a[row] * x);
            }
        }
        let shape = Shape::plain(layout.sequences(), cols);
        self.push(shape, value, &[weights, x], || WeightedSum { weights, x })
    }

    /// The mean of the tokens of each sequence: one row per sequence, zeros for an empty one.
    ///
    /// # Panics
    /// If `x` does not have one row per token.
    pub fn mean_rows(&mut self, x: Var) -> Var {
        let layout = Arc::clone(self.shape(x).token_layout());
        let cols = self.shape(x).cols;
        let mut value = self.zeros(layout.sequences() * cols);
        let input = self.value(x);
        for (s, span) in layout.spans().iter().enumerate() {
            let sums = &mut value[s * cols..][..cols];
            span.clone()
                .for_each(|row| add_to(sums, &input[row * cols..][..cols]));
            let n = S::from_f64(span.len().max(1) as f64);
            sums.iter_mut().for_each(|sum| *sum = *sum / n);
        }
        self.push(Shape::plain(layout.sequences(), cols), value, &[x], || {
            Mean(x)
        })
    }

    /// The maximum of each column over the tokens of each sequence: one row per sequence, zeros for
    /// an empty one.
    ///
    /// # Panics
    /// If `x` does not have one row per token.
    pub fn max_rows(&mut self, x: Var) -> Var {
        let layout = Arc::clone(self.shape(x).token_layout());
        let cols = self.shape(x).cols;
        let mut value = self.zeros(layout.sequences() * cols);
        let input = self.value(x);
        let mut winners = vec![None; value.len()];
        for (s, span) in layout.spans().iter().enumerate() {
            for i in span.start * cols..span.end * cols {
                let out = s * cols + i % cols;
                // A NaN becomes the maximum and stays it, so that it is not hidden.
                let beats = |winner: usize| input[i] > input[winner] || input[i].is_nan();
                if winners[out].is_none_or(beats) {
                    winners[out] = Some(i);
                    value[out] = input[i];
                }
            }
        }
        self.push(Shape::plain(layout.sequences(), cols), value, &[x], || {
            Max { x, winners }
        })
    }

    /// The row of the first or last token of each sequence: one row per sequence, zeros for an
    /// empty one.
    ///
    /// # Panics
    /// If `x` does not have one row per token.
    pub fn end_rows(&mut self, x: Var, end: End) -> Var {
        let layout = Arc::clone(self.shape(x).token_layout());
        let cols = self.shape(x).cols;
        let mut value = self.zeros(layout.sequences() * cols);
        let input = self.value(x);
        for s in 0..layout.sequences() {
            if let Some(row) = end_row(&layout, s, end) {
                value[s * cols..][..cols].copy_from_slice(&input[row * cols..][..cols]);
            }
        }
        self.push(Shape::plain(layout.sequences(), cols), value, &[x], || {
            EndRow { x, end }
        })
    }

    /// One row per token of `layout`: the row of its sequence.
    ///
    /// # Panics
    /// If `x` does not have one row per sequence of `layout`.
    pub fn broadcast(&mut self, x: Var, layout: &Arc<Layout>) -> Var {
        assert_sequences(self.shape(x), layout);
        let cols = self.shape(x).cols;
        let shape = Shape::tokens(layout, cols);
        let mut value = self.zeros(shape.len());
        let input = self.value(x);
        for (s, span) in layout.spans().iter().enumerate() {
            for row in span.clone() {
                value[row * cols..][..cols].copy_from_slice(&input[s * cols..][..cols]);
            }
        }
        self.push(shape, value, &[x], || Broadcast { x })
    }
}

impl<S: Scalar> Backward<S> for SequenceSoftmax {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let (p, shape) = (pass.value(this), pass.shape(this));
        if let Some(slot) = pass.grad(self.0) {
            for span in shape.token_layout().spans() {
                softmax_grad(span.clone(), p, grad, slot);
            }
        }
    }
}

impl<S: Scalar> Backward<S> for WeightedSum {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(self.x);
        let cols = shape.cols;
        let (a, x) = (pass.value(self.weights), pass.value(self.x));
        if let Some(slot) = pass.grad(self.weights) {
            for (s, span) in shape.token_layout().spans().iter().enumerate() {
                for row in span.clone() {
                    let pairs = x[row * cols..][..cols]
                        .iter()
                        .zip(&grad[s * cols..][..cols]);
                    slot[row] += pairs.map(|(&x, &g)| x * g).sum();
                }
            }
        }
        if let Some(slot) = pass.grad(self.x) {
            for (s, span) in shape.token_layout().spans().iter().enumerate() {
                for row in span.clone() {
                    let pairs = slot[row * cols..][..cols]
                        .iter_mut()
                        .zip(&grad[s * cols..][..cols]);
                    pairs.for_each(|(slot, &g)| *slot += a[row] * g);
                }
            }
        }
    }
}

impl<S: Scalar> Backward<S> for Mean {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(self.0);
        let cols = shape.cols;
        if let Some(slot) = pass.grad(self.0) {
            for (s, span) in shape.token_layout().spans().iter().enumerate() {
                let n = S::from_f64(span.len() as f64);
                for row in span.clone() {
                    let pairs = slot[row * cols..][..cols]
                        .iter_mut()
                        .zip(&grad[s * cols..][..cols]);
                    pairs.for_each(|(slot, &g)| *slot += g / n);
                }
            }
        }
    }
}

impl<S: Scalar> Backward<S> for Max {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        if let Some(slot) = pass.grad(self.x) {
            for (&winner, &g) in self.winners.iter().zip(grad) {
                if let Some(winner) = winner {
                    slot[winner] += g;
                }
            }
        }
    }
}

impl<S: Scalar> Backward<S> for EndRow {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(self.x);
        let (layout, cols) = (shape.token_layout(), shape.cols);
        if let Some(slot) = pass.grad(self.x) {
            for s in 0..layout.sequences() {
                if let Some(row) = end_row(layout, s, self.end) {
                    add_to(&mut slot[row * cols..][..cols], &grad[s * cols..][..cols]);
                }
            }
        }
    }
}

impl<S: Scalar> Backward<S> for Broadcast {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(this);
        let cols = shape.cols;
        if let Some(slot) = pass.grad(self.x) {
            for (s, span) in shape.token_layout().spans().iter().enumerate() {
                for row in span.clone() {
                    add_to(&mut slot[s * cols..][..cols], &grad[row * cols..][..cols]);
                }
            }
        }
    }
}
