//! y_i = f(Σ_t x_{i+t−c} · K_t + b), t = 0 … 2c: a 1-D convolution over each sequence; with one tap, a linear layer.
//!
//! Rows are consecutive in memory, so the window of row `i` is one stretch of `(2c + 1) · C` numbers that begins at row `i − c`:
//! the whole convolution is one product without im2col. The gradient of the input is the same product with the taps in
//! reverse order and each tap transposed.

use super::columns::add_to;
use crate::kernels::{GradientProduct, RowProduct, RowSet};
use crate::tape::{Backward, WayBack};
use crate::{ParamId, Rows, Scalar, Shape, Tape, Var};

struct Conv {
    x: Var,
    kernel: ParamId,
    bias: Option<ParamId>,
    relu: bool,
}

/// The rows of a shape that hold something.
pub(super) fn row_set(shape: &Shape) -> RowSet<'_> {
    match &shape.rows {
        Rows::Tokens(layout) => layout.row_set(),
        rows => RowSet::First(rows.count()),
    }
}

impl<S: Scalar> Tape<'_, S> {
    /// x · K + b: a kernel of shape `[inputs, outputs]`, or a convolution with one of shape `[taps, inputs, outputs]`.
    ///
    /// # Panics
    /// If the number of taps is even, if the gaps of the layout are narrower than half the taps, or if shapes do not fit.
    pub fn linear(&mut self, x: Var, kernel: ParamId, bias: Option<ParamId>) -> Var {
        self.convolve(x, kernel, bias, false)
    }

    /// max(0, x · K + b), see [`Tape::linear`].
    pub fn linear_relu(&mut self, x: Var, kernel: ParamId, bias: Option<ParamId>) -> Var {
        self.convolve(x, kernel, bias, true)
    }

    fn convolve(&mut self, x: Var, kernel: ParamId, bias: Option<ParamId>, relu: bool) -> Var {
        let params = self.params();
        let (taps, inputs, outputs) = params.get(kernel).kernel();
        let name = params.get(kernel).name();
        assert_eq!(self.shape(x).cols, inputs, "inputs of `{name}`");
        let half = half_width(taps, self.shape(x), name);
        let shape = self.shape(x).with_cols(outputs);
        let mut value = self.unwritten(&shape);
        let split = self.splits();
        S::row_product(RowProduct {
            rows: row_set(&shape),
            a: self.value(x),
            a_stride: inputs,
            shift: -half,
            b: params.get(kernel).packed_forward(),
            c: &mut value,
            accumulate: false,
            bias: bias.map(|bias| params.get(bias).data()),
            relu,
            split,
        });
        let learns =
            self.needs_grad(x) || self.learns(kernel) || bias.is_some_and(|bias| self.learns(bias));
        self.push_node(shape, value, learns, || {
            Box::new(Conv {
                x,
                kernel,
                bias,
                relu,
            })
        })
    }
}

fn half_width(taps: usize, shape: &Shape, name: &str) -> isize {
    assert!(
        taps % 2 == 1,
        "`{name}` has {taps} taps; only odd widths are centred"
    );
    let half = taps / 2;
    if half > 0 {
        let gap = shape.token_layout().gap();
        assert!(
            half <= gap,
            "`{name}` has {taps} taps, but sequences are only {gap} rows apart"
        );
    }
    isize::try_from(half).expect("a kernel has few taps")
}

impl<S: Scalar> Backward<S> for Conv {
    fn backward(&self, this: Var, grad: &[S], way: &mut WayBack<'_, S>) {
        let (x, y) = (way.value(self.x), way.value(this));
        let shape = way.shape(this);
        let params = way.params();
        let kernel = params.get(self.kernel);
        let (taps, inputs, outputs) = kernel.kernel();
        let half = half_width(taps, shape, kernel.name());

        let mut clipped = way.zeros(if self.relu { grad.len() } else { 0 });
        let grad = if self.relu {
            for (slot, (&g, &y)) in clipped.iter_mut().zip(grad.iter().zip(y)) {
                *slot = if y > S::zero() { g } else { S::zero() };
            }
            &clipped
        } else {
            grad
        };
        if let Some(slot) = self.bias.and_then(|bias| way.param_grad(bias)) {
            for row in shape.live_rows().flatten() {
                add_to(slot, &grad[row * outputs..][..outputs]);
            }
        }
        if let Some(slot) = way.param_grad(self.kernel) {
            let segments: Vec<_> = shape.live_rows().collect();
            S::gradient_product(GradientProduct {
                segments: &segments,
                a: x,
                m: inputs,
                shift: -half,
                taps,
                b: grad,
                n: outputs,
                c: slot,
            });
        }
        if let Some(slot) = way.grad(self.x) {
            S::row_product(RowProduct {
                rows: row_set(shape),
                a: grad,
                a_stride: outputs,
                shift: -half,
                b: kernel.packed_backward(),
                c: slot,
                accumulate: true,
                bias: None,
                relu: false,
                split: false,
            });
        }
        way.give(clipped);
    }
}
