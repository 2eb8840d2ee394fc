//! y = GELU(x K + b), fused: inference applies GELU to each tile of the product while it is in
//! registers; training stores the derivative in place of the sum.

use super::conv::{linear_back, row_set};
use crate::kernels::elementwise::{gelu_and_slope, multiply};
use crate::kernels::{Epilogue, RowProduct};
use crate::tape::{Backward, BackwardPass};
use crate::{ParamId, Scalar, Tape, Var};

struct LinearGelu {
    x: Var,
    kernel: ParamId,
    bias: ParamId,
    /// GELU'(x K + b)
    slope: Var,
}

impl<S: Scalar> Tape<'_, S> {
    /// GELU(x · K + b) with a kernel of shape `[inputs, outputs]`.
    ///
    /// # Panics
    /// If `x` does not have `inputs` columns, the bias does not have `outputs` numbers, or the
    /// kernel is a convolution.
    pub fn linear_gelu(&mut self, x: Var, kernel: ParamId, bias: ParamId) -> Var {
        self.materialize(x);
        let params = self.params();
        let (taps, inputs, outputs) = params.get(kernel).kernel();
        let name = params.get(kernel).name();
        assert!(
            taps == 1 && self.shape(x).cols == inputs,
            "number of inputs of `{name}`"
        );
        let needs_grad = self.is_training()
            && (self.needs_grad(x) || self.is_trainable(kernel) || self.is_trainable(bias));
        let shape = self.shape(x).with_cols(outputs);
        let mut sums = self.unwritten(&shape);
        let split = self.splits();
        S::row_product(RowProduct {
            rows: row_set(&shape),
            a: self.value(x),
            a_stride: inputs,
            shift: 0,
            b: &params.get(kernel).packed_forward()[0],
            c: &mut sums,
            c_stride: outputs,
            accumulate: false,
            bias: Some(params.get(bias).data()),
            epilogue: if needs_grad {
                Epilogue::Identity
            } else {
                Epilogue::Gelu
            },
            split,
            precision: params.precision(),
        });
        if !needs_grad {
            return self.push_node(shape, sums, false, || unreachable!("no gradient is needed"));
        }
        let mut value = self.unwritten(&shape);
        for live in shape.live() {
            gelu_and_slope(&mut sums[live.clone()], &mut value[live]);
        }
        let slope = self.push_leaf(shape.clone(), sums);
        self.push_node(shape, value, true, || {
            Box::new(LinearGelu {
                x,
                kernel,
                bias,
                slope,
            })
        })
    }
}

impl<S: Scalar> Backward<S> for LinearGelu {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let slope = pass.value(self.slope);
        let mut inner = pass.scratch(grad.len());
        multiply(grad, slope, &mut inner);
        let shape = pass.shape(this);
        linear_back(pass, shape, self.x, (self.kernel, Some(self.bias)), &inner);
        pass.recycle(inner);
    }
}
