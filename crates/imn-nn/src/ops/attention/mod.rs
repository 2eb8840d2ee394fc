//! o = softmax(q kᵀ / √d + r) v for every head, within each sequence.
//!
//! The scores of one head and one sequence stay in the L1 cache: those of 20 tokens are 20 × 32
//! numbers. Keys and values are copied into panels for the product kernels. Rows of scores are
//! padded to whole panels, so that products and softmax have no remainders.

mod backward;
mod positions;
mod runs;

use std::ops::Range;

use super::dropout::Mask;
use crate::kernels::elementwise::{LANES, softmax_row, vectorize};
use crate::kernels::{Epilogue, Packed, RowProduct, RowSet, Strided};
use crate::{Layout, Precision, Rows, Scalar, Shape, Tape, Var};

use positions::Diagonals;
pub use positions::RelativePositions;
use runs::{Run, sequence_runs, subset_runs};

/// The columns of a value from `first` on, which hold the concatenated heads.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    /// The value.
    pub var: Var,
    /// The first column.
    pub first: usize,
}

impl From<Var> for Columns {
    fn from(var: Var) -> Self {
        Self { var, first: 0 }
    }
}

/// The inputs and settings of [`Tape::attention`].
#[derive(Debug, Clone, Copy)]
pub struct Attention<'a> {
    /// q, one row per token, or one row per token of `tokens`.
    pub query: Columns,
    /// k, one row per token.
    pub key: Columns,
    /// v, with the same rows as the keys.
    pub value: Columns,
    /// Columns of all heads together.
    pub columns: usize,
    /// Number of heads.
    pub heads: usize,
    /// r, added to the scores.
    pub positions: Option<RelativePositions>,
    /// Dropout probability of the weights, in training.
    pub dropout: f64,
    /// The tokens of the queries by their index in the batch, if only some tokens have a query.
    /// They may be in any order and repeat; runs of tokens of one sequence are fastest.
    pub tokens: Option<&'a [u32]>,
}

/// One head of a value: its first number is at `start`, and rows are `stride` apart.
#[derive(Clone, Copy)]
struct Head<'a, S> {
    data: &'a [S],
    start: usize,
    stride: usize,
}

impl<'a, S: Scalar> Head<'a, S> {
    fn new(data: &'a [S], stride: usize, row: usize, column: usize) -> Self {
        Self {
            data,
            start: row * stride + column,
            stride,
        }
    }

    /// As the right-hand side of a product.
    fn rows(self) -> Strided {
        Strided::rows(self.start, self.stride)
    }

    /// As the left-hand side of a product.
    fn left(self) -> (&'a [S], usize) {
        (&self.data[self.start..], self.stride)
    }
}

/// Shared by the forward and backward pass.
struct Plan {
    runs: Vec<Run>,
    layout: std::sync::Arc<Layout>,
    heads: usize,
    /// Columns of a head.
    depth: usize,
    query: Columns,
    key: Columns,
    value: Columns,
    positions: Option<RelativePositions>,
    /// 1 / √d
    scale: f64,
}

impl Plan {
    fn new<S: Scalar>(tape: &Tape<'_, S>, attention: &Attention<'_>) -> Self {
        let Attention {
            query,
            key,
            value,
            columns,
            heads,
            positions,
            tokens,
            ..
        } = *attention;
        assert!(
            heads > 0 && columns.is_multiple_of(heads),
            "{columns} columns for {heads} heads"
        );
        for part in [query, key, value] {
            assert!(
                part.first + columns <= tape.shape(part.var).cols,
                "{part:?}"
            );
        }
        tape.shape(key.var).assert_same_rows(tape.shape(value.var));
        let layout = tape.shape(key.var).token_layout().clone();
        let runs = match tokens {
            None => {
                tape.shape(query.var).assert_same_rows(tape.shape(key.var));
                sequence_runs(&layout, heads)
            }
            Some(tokens) => subset_runs(tape.shape(query.var), &layout, tokens, heads),
        };
        let depth = columns / heads;
        Self {
            runs,
            layout,
            heads,
            depth,
            query,
            key,
            value,
            positions,
            scale: 1.0 / (depth as f64).sqrt(),
        }
    }

    /// Number of tokens in the sequence of a run, and the same padded to whole panels.
    fn width(&self, run: &Run) -> (usize, usize) {
        let tokens = self.layout.span(run.sequence).len();
        (tokens, tokens.next_multiple_of(LANES))
    }

    /// Number of weights of all heads, and number of their rows.
    fn sizes(&self) -> (usize, usize) {
        let last = self.runs.last().map(|run| {
            let rows = self.heads * run.rows.len();
            (run.weights + rows * self.width(run).1, run.mask + rows)
        });
        last.unwrap_or((0, 0))
    }

    /// Number of tokens of the longest sequence.
    fn longest(&self) -> usize {
        let lengths = self.layout.spans().iter().map(ExactSizeIterator::len);
        lengths.max().unwrap_or(0)
    }

    /// A head of queries, keys or values, from `row` on.
    fn head<'a, S: Scalar>(
        &self,
        data: &'a [S],
        stride: usize,
        part: Columns,
        row: usize,
        head: usize,
    ) -> Head<'a, S> {
        Head::new(data, stride, row, part.first + head * self.depth)
    }
}

struct Attend {
    plan: Plan,
    /// The weights after softmax and before dropout: one row per query, for every run and head.
    weights: Var,
    mask: Option<Mask>,
}

impl<S: Scalar> Tape<'_, S> {
    /// Multi-head attention within each sequence: one row per query, with the heads concatenated.
    ///
    /// # Panics
    /// If the columns are not a multiple of the heads, a value has too few columns, the rows of
    /// queries, keys and values do not match, or a token is out of range.
    pub fn attention(&mut self, attention: &Attention<'_>) -> Var {
        let plan = Plan::new(self, attention);
        let inputs = [plan.query.var, plan.key.var, plan.value.var];
        inputs.iter().for_each(|&var| self.materialize(var));
        let shape = self.shape(plan.query.var).with_cols(attention.columns);
        let (size, rows) = plan.sizes();
        let widest = plan.longest().next_multiple_of(LANES);
        let mask = self.mask(rows, widest, attention.dropout);
        let needs_grad = self.is_training()
            && (inputs.iter().any(|&var| self.needs_grad(var))
                || plan.positions.is_some_and(|it| self.is_trainable(it.table)));
        // Inference keeps the weights of one head at a time.
        let mut weights = self.scratch(if needs_grad { size } else { plan.widest_head() });
        let mut dropped = self.scratch(if mask.is_some() {
            plan.widest_head()
        } else {
            0
        });
        let mut value = self.unwritten(&shape);
        let diagonals = plan
            .positions
            .map(|it| Diagonals::new(it, self.params().get(it.table), plan.longest()));
        let mut packed = Packed::empty();
        for run in &plan.runs {
            for head in 0..plan.heads {
                let block = plan.block(run, head, needs_grad);
                plan.forward(
                    self,
                    (run, head),
                    (&mut weights[block], &mut dropped),
                    mask.as_ref(),
                    diagonals.as_ref(),
                    &mut packed,
                    &mut value,
                );
            }
        }
        self.recycle(dropped);
        if !needs_grad {
            self.recycle(weights);
            return self.push_node(shape, value, false, || {
                unreachable!("no gradient is needed")
            });
        }
        let weights = self.push_leaf(
            Shape {
                rows: Rows::Plain(1),
                cols: size,
            },
            weights,
        );
        self.push_node(shape, value, true, || {
            Box::new(Attend {
                plan,
                weights,
                mask,
            })
        })
    }
}

impl Plan {
    /// The range of the weights of a head of a run: among all weights, or in a buffer for one head.
    fn block(&self, run: &Run, head: usize, all: bool) -> Range<usize> {
        let size = run.rows.len() * self.width(run).1;
        let start = if all { run.weights + head * size } else { 0 };
        start..start + size
    }

    /// Number of weights of the largest head of a run.
    fn widest_head(&self) -> usize {
        let sizes = self.runs.iter().map(|run| self.block(run, 0, false).end);
        sizes.max().unwrap_or(0)
    }

    /// Scores, softmax, dropout and weighted sum of one head of one run.
    #[allow(
        clippy::too_many_arguments,
        reason = "buffers that are reused for every head"
    )]
    fn forward<S: Scalar>(
        &self,
        tape: &Tape<'_, S>,
        (run, head): (&Run, usize),
        (weights, dropped): (&mut [S], &mut [S]),
        mask: Option<&Mask>,
        diagonals: Option<&Diagonals<S>>,
        packed: &mut Packed<S>,
        out: &mut [S],
    ) {
        let (tokens, width) = self.width(run);
        let first = self.layout.span(run.sequence).start;
        let stride = |part: Columns| tape.shape(part.var).cols;
        let q = self.head(
            tape.value(self.query.var),
            stride(self.query),
            self.query,
            run.rows.start,
            head,
        );
        let part = |part: Columns| self.head(tape.value(part.var), stride(part), part, first, head);
        let (k, v) = (part(self.key), part(self.value));
        packed.refill(k.data, k.rows().t(), (self.depth, tokens), width);
        product(q.left(), packed, (run.rows.len(), weights, width), false);
        let scale = S::from_f64(self.scale);
        vectorize(
            #[inline(always)]
            || {
                for (row, &position) in weights.chunks_exact_mut(width).zip(&run.positions) {
                    let bias = diagonals.map(|it| it.row(head, position, tokens));
                    softmax_row(row, tokens, scale, bias);
                }
            },
        );
        let weights = match mask {
            None => &*weights,
            Some(mask) => {
                let dropped = &mut dropped[..weights.len()];
                self.drop(mask, (run, head), weights, dropped);
                dropped
            }
        };
        packed.refill(v.data, v.rows(), (tokens, self.depth), self.depth);
        let columns = self.heads * self.depth;
        let out = &mut out[run.rows.start * columns + head * self.depth..];
        product(
            (weights, width),
            packed,
            (run.rows.len(), out, columns),
            false,
        );
    }

    /// to = weights ⊙ m / (1 − p)
    fn drop<S: Scalar>(&self, mask: &Mask, (run, head): (&Run, usize), from: &[S], to: &mut [S]) {
        let width = self.width(run).1;
        let first = run.mask + head * run.rows.len();
        let rows = from.chunks_exact(width).zip(to.chunks_exact_mut(width));
        for (i, (from, to)) in rows.enumerate() {
            mask.apply(first + i, from, to);
        }
    }
}

/// C (+)= A · B for `rows` rows of `A` and `C`, both given with their row strides.
fn product<S: Scalar>(
    (a, a_stride): (&[S], usize),
    b: &Packed<S>,
    (rows, c, c_stride): (usize, &mut [S], usize),
    accumulate: bool,
) {
    S::row_product(RowProduct {
        rows: RowSet::First(rows),
        a,
        a_stride,
        shift: 0,
        b,
        c,
        c_stride,
        accumulate,
        bias: None,
        epilogue: Epilogue::Identity,
        split: false,
        precision: Precision::F32,
    });
}
