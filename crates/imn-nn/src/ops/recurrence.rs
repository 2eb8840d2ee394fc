//! Shared by LSTM and GRU. All sequences of a batch advance one step at a time together. The zero
//! separator row before the first token of a sequence serves as its initial state.

use crate::kernels::{Epilogue, GradientProduct, RowProduct, RowSet};
use crate::tape::BackwardPass;
use crate::{Layout, ParamId, Params, Precision, Scalar};

/// The order in which a recurrent layer reads a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the first token to the last.
    Forward,
    /// From the last token to the first.
    Backward,
}

impl Direction {
    /// Offset from the row of a token to the row of the previous state.
    fn previous(self) -> isize {
        match self {
            Self::Forward => -1,
            Self::Backward => 1,
        }
    }

    /// The row of the state previous to `row`.
    pub(super) fn before(self, row: usize) -> usize {
        row.wrapping_add_signed(self.previous())
    }
}

/// The rows of every sequence's `t`th token in reading order, for each `t`.
pub(super) fn steps(layout: &Layout, direction: Direction) -> Vec<Vec<u32>> {
    assert!(
        layout.gap() > 0,
        "a recurrent layer needs a gap between sequences"
    );
    let longest = layout
        .spans()
        .iter()
        .map(ExactSizeIterator::len)
        .max()
        .unwrap_or(0);
    let mut steps = vec![Vec::new(); longest];
    let mut tokens = layout.token_rows();
    for span in layout.spans() {
        let (rows, rest) = tokens.split_at(span.len());
        tokens = rest;
        for (t, step) in steps.iter_mut().enumerate().take(span.len()) {
            step.push(match direction {
                Direction::Forward => rows[t],
                Direction::Backward => rows[span.len() - 1 - t],
            });
        }
    }
    steps
}

/// out[row] (+)= h[previous row] · U (+ bias) for the rows of a step.
pub(super) fn recur<S: Scalar>(
    rows: &[u32],
    h: &[S],
    (params, weights, bias): (&Params<S>, ParamId, Option<ParamId>),
    direction: Direction,
    out: &mut [S],
    accumulate: bool,
) {
    let weights = params.get(weights);
    S::row_product(RowProduct {
        rows: RowSet::List(rows),
        a: h,
        a_stride: weights.rows(),
        shift: direction.previous(),
        b: &weights.packed_forward()[0],
        c: out,
        c_stride: weights.cols(),
        accumulate,
        bias: bias.map(|bias| params.get(bias).data()),
        epilogue: Epilogue::Identity,
        split: false,
        precision: Precision::F32,
    });
}

/// dh[previous row] += d[row] · Uᵀ for the rows of a step other than the first.
pub(super) fn recur_back<S: Scalar>(
    rows: &[u32],
    d: &[S],
    (params, weights): (&Params<S>, ParamId),
    direction: Direction,
    dh: &mut [S],
) {
    let weights = params.get(weights);
    let before: Vec<u32> = rows
        .iter()
        .map(|&row| direction.before(row as usize) as u32)
        .collect();
    S::row_product(RowProduct {
        rows: RowSet::List(&before),
        a: d,
        a_stride: weights.cols(),
        shift: -direction.previous(),
        b: &weights.packed_backward()[0],
        c: dh,
        c_stride: weights.rows(),
        accumulate: true,
        bias: None,
        epilogue: Epilogue::Identity,
        split: false,
        precision: Precision::F32,
    });
}

/// dU += Σ h[previous row]ᵀ · d[row] and db += Σ d[row] over all tokens.
pub(super) fn recur_grads<S: Scalar>(
    layout: &Layout,
    h: &[S],
    d: &[S],
    (weights, bias): (ParamId, Option<ParamId>),
    direction: Direction,
    pass: &mut BackwardPass<'_, S>,
) {
    let (m, n) = (
        pass.params().get(weights).rows(),
        pass.params().get(weights).cols(),
    );
    if let Some(slot) = pass.param_grad(weights) {
        S::gradient_product(GradientProduct {
            segments: layout.spans(),
            a: h,
            m,
            shift: direction.previous(),
            taps: 1,
            b: d,
            n,
            c: slot,
            accumulate: true,
            precision: Precision::F32,
        });
    }
    if let Some(slot) = bias.and_then(|bias| pass.param_grad(bias)) {
        for &row in layout.token_rows() {
            super::columns::add_to(slot, &d[row as usize * n..][..n]);
        }
    }
}
