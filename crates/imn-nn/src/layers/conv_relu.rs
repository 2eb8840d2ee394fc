//! y_i = max(0, Σ_t x_{i+t−c} K_t + b): a convolution of odd width with ReLU.

use crate::{Builder, Init, ParamId, Scalar, Tape, Var};

/// A 1-D convolution over each sequence with ReLU; K is `kernel` of shape `[width, inputs, outputs]`, b is `bias`.
///
/// ```
/// use std::sync::Arc;
/// use imn_nn::{Init, Layout, Params, Tape, layers::ConvRelu};
///
/// let mut params = Params::<f32>::new();
/// let conv = ConvRelu::new(&mut params.builder(1).scope("conv"), 5, 2, 4, Init::GlorotUniform);
/// let mut tape = Tape::infer(&params);
/// let layout = Arc::new(Layout::new([3], 2));
/// let x = tape.tokens(&layout, 2, &[1.0; 6]);
/// let y = conv.forward(&mut tape, x);
/// assert_eq!(tape.shape(y).cols, 4);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ConvRelu {
    kernel: ParamId,
    bias: ParamId,
}

impl ConvRelu {
    /// A layer of odd `width` whose kernel begins as `init` says; the bias begins at zero.
    #[must_use]
    pub fn new<S: Scalar>(
        builder: &mut Builder<'_, S>,
        width: usize,
        inputs: usize,
        outputs: usize,
        init: Init,
    ) -> Self {
        Self {
            kernel: builder.add("kernel", &[width, inputs, outputs], init),
            bias: builder.add("bias", &[outputs], Init::Zeros),
        }
    }

    /// `[tokens, inputs]` → `[tokens, outputs]`.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        tape.linear_relu(x, self.kernel, Some(self.bias))
    }
}
