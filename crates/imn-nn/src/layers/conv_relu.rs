//! y_i = max(0, Σ_t x_{i+t−c} K_t + b): a convolution of odd width with ReLU.

use crate::{Builder, Init, ParamId, Scalar, Tape, Var};

/// y_i = max(0, Σ_t x_{i+t−c} K_t + b), `[tokens, inputs]` → `[tokens, outputs]`: a convolution
/// over each sequence, with zeros beyond both ends.
///
/// K is `kernel` of shape `[width, inputs, outputs]` with width = 2c + 1; b is `bias`.
///
/// ```
/// use std::sync::Arc;
/// use imn_nn::{Init, Layout, Params, Tape, layers::ConvRelu};
///
/// let mut params = Params::<f64>::new();
/// let ones = Init::Constant { value: 1.0 };
/// let conv = ConvRelu::new(&mut params.builder(1), 3, 1, 1, ones);
///
/// // Two sequences, of three tokens and of one, with a gap of one row for a kernel of width 3.
/// let layout = Arc::new(Layout::new([3, 1], 1));
/// let mut tape = Tape::infer(&params);
/// let x = tape.tokens(&layout, 1, &[1.0, 2.0, -5.0, 4.0]);
/// let y = conv.forward(&mut tape, x);
/// for (y, expected) in tape.token_values(y).iter().zip([3.0, 0.0, 0.0, 4.0]) {
///     assert!((y - expected).abs() < 1e-12, "{y}, expected {expected}");
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ConvRelu {
    kernel: ParamId,
    bias: ParamId,
}

impl ConvRelu {
    /// A layer of odd `width` whose kernel is initialized by `init`, with a bias of zero.
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
    ///
    /// # Panics
    /// If `x` does not have `inputs` columns, the width is even, or the gap of the layout is less
    /// than c.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        tape.linear_relu(x, self.kernel, Some(self.bias))
    }
}
