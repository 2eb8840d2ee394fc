//! Elementwise arithmetic: a + b, a ⊙ b, a · x + b, Σ x.

use crate::tape::{Backward, BackwardPass};
use crate::{Scalar, Tape, Var};

struct Add(Var, Var);
struct Multiply(Var, Var);
struct Affine(Var, f64);
struct Total(Var);
struct MultiplyColumn {
    x: Var,
    column: Var,
}

impl<S: Scalar> Tape<'_, S> {
    /// a + b
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn add(&mut self, a: Var, b: Var) -> Var {
        self.binary(a, b, |a, b| a + b, || Add(a, b))
    }

    /// a ⊙ b
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn mul(&mut self, a: Var, b: Var) -> Var {
        self.binary(a, b, |a, b| a * b, || Multiply(a, b))
    }

    fn binary<B: Backward<S> + 'static>(
        &mut self,
        a: Var,
        b: Var,
        function: impl Fn(S, S) -> S,
        backward: impl FnOnce() -> B,
    ) -> Var {
        let shape = self.shape(a).clone();
        shape.assert_same(self.shape(b));
        let mut value = self.unwritten(&shape);
        let (left, right) = (self.value(a), self.value(b));
        for range in shape.live() {
            let inputs = left[range.clone()].iter().zip(&right[range.clone()]);
            value[range]
                .iter_mut()
                .zip(inputs)
                .for_each(|(y, (&a, &b))| *y = function(a, b));
        }
        self.push(shape, value, &[a, b], backward)
    }

    /// y_ij = x_ij · c_i, with one factor per row.
    ///
    /// # Panics
    /// If `column` does not have one column and the same rows as `x`.
    pub fn mul_column(&mut self, x: Var, column: Var) -> Var {
        let shape = self.shape(x).clone();
        self.shape(column).assert_same(&shape.with_cols(1));
        let mut value = self.unwritten(&shape);
        let (input, factors) = (self.value(x), self.value(column));
        for row in shape.live_rows().flatten() {
            let range = row * shape.cols..(row + 1) * shape.cols;
            let pairs = value[range.clone()].iter_mut().zip(&input[range]);
            pairs.for_each(|(y, &x)| *y = x * factors[row]);
        }
        self.push(shape, value, &[x, column], || MultiplyColumn { x, column })
    }

    /// The sum of all numbers, as a single number.
    pub fn total(&mut self, x: Var) -> Var {
        let total = self.value(x).iter().copied().sum();
        self.push_scalar(total, &[x], || Total(x))
    }

    /// factor · x + offset
    pub fn affine(&mut self, x: Var, factor: f64, offset: f64) -> Var {
        let shape = self.shape(x).clone();
        let mut value = self.unwritten(&shape);
        for range in shape.live() {
            let input = &self.value(x)[range.clone()];
            let pairs = value[range].iter_mut().zip(input);
            pairs.for_each(|(y, &x)| *y = x * S::from_f64(factor) + S::from_f64(offset));
        }
        self.push(shape, value, &[x], || Affine(x, factor))
    }

    /// factor · x
    pub fn scale(&mut self, x: Var, factor: f64) -> Var {
        self.affine(x, factor, 0.0)
    }

    /// 1 − x
    pub fn one_minus(&mut self, x: Var) -> Var {
        self.affine(x, -1.0, 1.0)
    }
}

impl<S: Scalar> Backward<S> for Add {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        for var in [self.0, self.1] {
            if let Some(slot) = pass.grad(var) {
                slot.iter_mut().zip(grad).for_each(|(slot, &g)| *slot += g);
            }
        }
    }
}

impl<S: Scalar> Backward<S> for Multiply {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        for (var, other) in [(self.0, self.1), (self.1, self.0)] {
            let other = pass.value(other);
            if let Some(slot) = pass.grad(var) {
                let pairs = slot.iter_mut().zip(grad.iter().zip(other));
                pairs.for_each(|(slot, (&g, &other))| *slot += g * other);
            }
        }
    }
}

impl<S: Scalar> Backward<S> for MultiplyColumn {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let (x, factors, shape) = (
            pass.value(self.x),
            pass.value(self.column),
            pass.shape(this),
        );
        let cols = shape.cols;
        if let Some(slot) = pass.grad(self.x) {
            for row in shape.live_rows().flatten() {
                for i in row * cols..(row + 1) * cols {
                    slot[i] += grad[i] * factors[row];
                }
            }
        }
        if let Some(slot) = pass.grad(self.column) {
            for row in shape.live_rows().flatten() {
                slot[row] += (row * cols..(row + 1) * cols).map(|i| grad[i] * x[i]).sum();
            }
        }
    }
}

impl<S: Scalar> Backward<S> for Affine {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        if let Some(slot) = pass.grad(self.0) {
            slot.iter_mut()
                .zip(grad)
                .for_each(|(slot, &g)| *slot += g * S::from_f64(self.1));
        }
    }
}

impl<S: Scalar> Backward<S> for Total {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(self.0);
        if let Some(slot) = pass.grad(self.0) {
            shape.live().flatten().for_each(|i| slot[i] += grad[0]);
        }
    }
}
