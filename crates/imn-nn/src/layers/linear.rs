//! y = x W + b

use crate::{Builder, Init, ParamId, Scalar, Tape, Var};

/// y = x W + b for every row, `[rows, inputs]` → `[rows, outputs]`.
///
/// W is `kernel` of shape `[inputs, outputs]`, initialized Glorot uniform unless a constructor says
/// otherwise. b is `bias`, initialized with zeros.
///
/// ```
/// use imn_nn::{Params, Tape, layers::Linear};
///
/// let mut params = Params::<f32>::new();
/// let layer = Linear::with_bias(&mut params.builder(1), 2, vec![10.0, 20.0, 30.0]);
/// let kernel = params.get_mut(layer.kernel());
/// kernel.data_mut().copy_from_slice(&[1.0, 0.0, 2.0, 0.0, 1.0, 3.0]);
///
/// let mut tape = Tape::infer(&params);
/// let x = tape.plain(1, 2, &[5.0, 7.0]);
/// let y = layer.forward(&mut tape, x);
/// assert_eq!(tape.value(y), [15.0, 27.0, 61.0]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Linear {
    kernel: ParamId,
    bias: Option<ParamId>,
}

impl Linear {
    /// A layer with bias.
    #[must_use]
    pub fn new<S: Scalar>(builder: &mut Builder<'_, S>, inputs: usize, outputs: usize) -> Self {
        let kernel = builder.add("kernel", &[inputs, outputs], Init::GlorotUniform);
        Self {
            kernel,
            bias: Some(builder.add("bias", &[outputs], Init::Zeros)),
        }
    }

    /// A layer with these initial values of the bias, one per output.
    #[must_use]
    pub fn with_bias<S: Scalar>(builder: &mut Builder<'_, S>, inputs: usize, bias: Vec<S>) -> Self {
        let outputs = bias.len();
        let kernel = builder.add("kernel", &[inputs, outputs], Init::GlorotUniform);
        Self {
            kernel,
            bias: Some(builder.add_values("bias", &[outputs], bias)),
        }
    }

    /// A layer without bias.
    #[must_use]
    pub fn without_bias<S: Scalar>(
        builder: &mut Builder<'_, S>,
        inputs: usize,
        outputs: usize,
    ) -> Self {
        Self {
            kernel: builder.add("kernel", &[inputs, outputs], Init::GlorotUniform),
            bias: None,
        }
    }

    /// `[rows, inputs]` → `[rows, outputs]`.
    ///
    /// # Panics
    /// If `x` does not have `inputs` columns.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        tape.linear(x, self.kernel, self.bias)
    }

    /// A layer whose kernel is initialized by `init`, with a bias of zero.
    #[must_use]
    pub fn with_init<S: Scalar>(
        builder: &mut Builder<'_, S>,
        inputs: usize,
        outputs: usize,
        init: Init,
    ) -> Self {
        Self {
            kernel: builder.add("kernel", &[inputs, outputs], init),
            bias: Some(builder.add("bias", &[outputs], Init::Zeros)),
        }
    }

    /// The kernel, of shape `[inputs, outputs]`.
    #[must_use]
    pub fn kernel(&self) -> ParamId {
        self.kernel
    }

    /// The bias, if the layer has one.
    #[must_use]
    pub fn bias(&self) -> Option<ParamId> {
        self.bias
    }

    /// GELU(x W + b), fused.
    ///
    /// # Panics
    /// If the layer has no bias, or `x` does not have `inputs` columns.
    pub fn forward_gelu<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        let bias = self.bias.expect("a layer with bias");
        tape.linear_gelu(x, self.kernel, bias)
    }

    /// max(0, x W + b), fused.
    ///
    /// # Panics
    /// If `x` does not have `inputs` columns.
    pub fn forward_relu<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        tape.linear_relu(x, self.kernel, self.bias)
    }
}
