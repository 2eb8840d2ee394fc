//! y = f(x), elementwise: ReLU, tanh, σ, GELU.

use crate::tape::{Backward, BackwardPass};
use crate::{Scalar, Tape, Var};

/// An elementwise function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// max(0, x)
    Relu,
    /// tanh x
    Tanh,
    /// 1 / (1 + e^−x)
    Sigmoid,
    /// x · Φ(x), where Φ is the normal distribution function (the exact form with erf)
    Gelu,
}

impl Activation {
    /// f(x).
    #[must_use]
    pub fn apply<S: Scalar>(self, x: S) -> S {
        match self {
            // Not `max`, which would replace a NaN by 0.
            Self::Relu if x < S::zero() => S::zero(),
            Self::Relu => x,
            Self::Tanh => x.tanh(),
            Self::Sigmoid => sigmoid(x),
            Self::Gelu => x.gelu().0,
        }
    }

    /// f'(x), given x and y = f(x).
    fn slope<S: Scalar>(self, x: S, y: S) -> S {
        match self {
            Self::Relu => {
                if x > S::zero() {
                    S::one()
                } else {
                    S::zero()
                }
            }
            Self::Tanh => S::one() - y * y,
            Self::Sigmoid => y * (S::one() - y),
            Self::Gelu => x.gelu().1,
        }
    }
}

/// 1 / (1 + e^−x), without overflow for large negative x.
pub(super) fn sigmoid<S: Scalar>(x: S) -> S {
    if x >= S::zero() {
        S::one() / (S::one() + (-x).exp())
    } else {
        let e = x.exp();
        e / (S::one() + e)
    }
}

struct Apply {
    x: Var,
    function: Activation,
}

impl<S: Scalar> Tape<'_, S> {
    /// f(x), elementwise; any shape.
    pub fn activation(&mut self, x: Var, function: Activation) -> Var {
        let shape = self.shape(x).clone();
        let mut value = self.unwritten(&shape);
        for range in shape.live() {
            let input = &self.value(x)[range.clone()];
            value[range]
                .iter_mut()
                .zip(input)
                .for_each(|(y, &x)| *y = function.apply(x));
        }
        self.push(shape, value, &[x], || Apply { x, function })
    }

    /// max(0, x)
    pub fn relu(&mut self, x: Var) -> Var {
        self.activation(x, Activation::Relu)
    }

    /// tanh x
    pub fn tanh(&mut self, x: Var) -> Var {
        self.activation(x, Activation::Tanh)
    }

    /// 1 / (1 + e^−x)
    pub fn sigmoid(&mut self, x: Var) -> Var {
        self.activation(x, Activation::Sigmoid)
    }

    /// x · Φ(x)
    pub fn gelu(&mut self, x: Var) -> Var {
        self.activation(x, Activation::Gelu)
    }
}

impl<S: Scalar> Backward<S> for Apply {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let (x, y, shape) = (pass.value(self.x), pass.value(this), pass.shape(this));
        if let Some(slot) = pass.grad(self.x) {
            for i in shape.live().flatten() {
                slot[i] += grad[i] * self.function.slope(x[i], y[i]);
            }
        }
    }
}
