//! Concatenation, slices and masks of columns.

use std::ops::Range;

use crate::tape::{Backward, BackwardPass, Deferred};
use crate::{Scalar, Tape, Var};

struct Concat(Vec<Var>);
struct Slice {
    x: Var,
    columns: Range<usize>,
}
struct Mask {
    x: Var,
    columns: Range<usize>,
}

impl<S: Scalar> Tape<'_, S> {
    /// [a : b : …], the columns of values with the same rows.
    ///
    /// # Panics
    /// If there are no values, or their rows differ.
    pub fn concat(&mut self, parts: &[Var]) -> Var {
        let first = parts.first().copied().expect("at least one value");
        let cols = parts.iter().map(|&part| self.shape(part).cols).sum();
        let shape = self.shape(first).with_cols(cols);
        for &part in parts {
            shape.assert_same_rows(self.shape(part));
        }
        if !self.is_training() {
            return self.push_deferred(shape, Deferred::Concat(parts.into()));
        }
        let mut value = self.unwritten(&shape);
        let mut at = 0;
        for &part in parts {
            let width = self.shape(part).cols;
            let input = self.value(part);
            for row in shape.live_rows().flatten() {
                value[row * cols + at..][..width].copy_from_slice(&input[row * width..][..width]);
            }
            at += width;
        }
        self.push(shape, value, parts, || Concat(parts.to_vec()))
    }

    /// The columns `columns` of `x`.
    ///
    /// # Panics
    /// If `x` does not have these columns.
    pub fn slice(&mut self, x: Var, columns: Range<usize>) -> Var {
        let cols = self.shape(x).cols;
        assert!(
            columns.start <= columns.end && columns.end <= cols,
            "{columns:?} of {cols} columns"
        );
        let shape = self.shape(x).with_cols(columns.len());
        let mut value = self.unwritten(&shape);
        let input = self.value(x);
        for row in shape.live_rows().flatten() {
            value[row * columns.len()..][..columns.len()]
                .copy_from_slice(&input[row * cols..][columns.clone()]);
        }
        self.push(shape, value, &[x], || Slice { x, columns })
    }

    /// `x` with the columns `columns` set to zero.
    ///
    /// # Panics
    /// If `x` does not have these columns.
    pub fn mask_columns(&mut self, x: Var, columns: Range<usize>) -> Var {
        let shape = self.shape(x).clone();
        assert!(
            columns.start <= columns.end && columns.end <= shape.cols,
            "{columns:?} of {shape:?}"
        );
        let mut value = self.scratch(shape.len());
        value.copy_from_slice(self.value(x));
        for row in shape.live_rows().flatten() {
            value[row * shape.cols..][columns.clone()].fill(S::zero());
        }
        self.push(shape, value, &[x], || Mask { x, columns })
    }
}

impl<S: Scalar> Backward<S> for Concat {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(this);
        let mut at = 0;
        for &part in &self.0 {
            let width = pass.shape(part).cols;
            if let Some((slot, new)) = pass.grad_or_new(part) {
                for row in shape.live_rows().flatten() {
                    let from = &grad[row * shape.cols + at..][..width];
                    let to = &mut slot[row * width..][..width];
                    if new {
                        to.copy_from_slice(from);
                    } else {
                        add_to(to, from);
                    }
                }
            }
            at += width;
        }
    }
}

impl<S: Scalar> Backward<S> for Slice {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let (shape, cols) = (pass.shape(this), pass.shape(self.x).cols);
        if let Some(slot) = pass.grad(self.x) {
            for row in shape.live_rows().flatten() {
                let from = &grad[row * shape.cols..][..shape.cols];
                add_to(&mut slot[row * cols..][self.columns.clone()], from);
            }
        }
    }
}

impl<S: Scalar> Backward<S> for Mask {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(this);
        if let Some(slot) = pass.grad(self.x) {
            for row in shape.live_rows().flatten() {
                let (to, from) = (&mut slot[row * shape.cols..], &grad[row * shape.cols..]);
                add_to(&mut to[..self.columns.start], &from[..self.columns.start]);
                let rest = self.columns.end..shape.cols;
                add_to(&mut to[rest.clone()], &from[rest]);
            }
        }
    }
}

/// to += from
pub(super) fn add_to<S: Scalar>(to: &mut [S], from: &[S]) {
    to.iter_mut().zip(from).for_each(|(to, &from)| *to += from);
}
