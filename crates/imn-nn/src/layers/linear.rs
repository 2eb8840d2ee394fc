//! y = x W + b

use crate::{Builder, Init, ParamId, Scalar, Tape, Var};

/// y = x W + b for every row; W is `kernel` of shape `[inputs, outputs]`, Glorot uniform; b is `bias`, zero at first.
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

    /// A layer whose bias begins with these numbers, one an output.
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

    /// `[rows, inputs]` → `[rows, outputs]`, any rows.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        tape.linear(x, self.kernel, self.bias)
    }

    /// A layer whose kernel begins as `init` says, with a bias of zero.
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

    /// The bias, where there is one.
    #[must_use]
    pub fn bias(&self) -> Option<ParamId> {
        self.bias
    }

    /// `forward` followed by GELU, in one pass.
    ///
    /// # Panics
    /// If the layer has no bias.
    pub fn forward_gelu<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        let bias = self.bias.expect("a layer with bias");
        tape.linear_gelu(x, self.kernel, bias)
    }

    /// `forward` followed by ReLU, in one pass.
    pub fn forward_relu<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        tape.linear_relu(x, self.kernel, self.bias)
    }
}
