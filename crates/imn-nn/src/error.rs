//! Errors at run time. Mismatched shapes are bugs in the calling code and panic instead.

use std::path::PathBuf;

/// An error of the engine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The loss is NaN or infinite.
    #[error("the loss is {loss} at step {step}; lower the learning rate or clip the gradient")]
    Loss {
        /// The loss.
        loss: f64,
        /// Number of the step, from 1.
        step: u64,
    },
    /// The gradient of a parameter is NaN or infinite.
    #[error(
        "the gradient of `{parameter}` is not finite at step {step}; \
         lower the learning rate or clip the gradient"
    )]
    Gradient {
        /// Name of the parameter.
        parameter: String,
        /// Number of the step, from 1.
        step: u64,
    },
    /// A parameter group is invalid.
    #[error("parameter group `{prefix}`: {problem}")]
    Group {
        /// Prefix of the group.
        prefix: String,
        /// Why it is invalid.
        problem: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A pre-trained encoder does not have as many layers as are to be used.
    #[error("the encoder has {has} layers, so {asked} of them cannot be used")]
    Layers {
        /// Layers to use.
        asked: usize,
        /// Its layers.
        has: usize,
    },
    /// A file of a pre-trained encoder cannot be used.
    #[error("{path}: {source}", path = path.display())]
    Pretrained {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<Self>,
    },
    /// The configuration of a transformer is malformed or not supported.
    #[error("invalid transformer configuration: {0}")]
    Config(String),
    /// The tensors are not in the safetensors format.
    #[error("invalid safetensors file: {0}")]
    Format(#[from] safetensors::SafeTensorError),
    /// There is no tensor for a parameter.
    #[error("tensor `{name}` is missing")]
    Missing {
        /// Name of the parameter.
        name: String,
    },
    /// There is no parameter for a tensor.
    #[error("tensor `{name}` belongs to no parameter of this network")]
    Unexpected {
        /// Name of the tensor.
        name: String,
    },
    /// The shape of a tensor is not that of its parameter.
    #[error("tensor `{name}` has shape {found:?}, expected {expected:?}")]
    Shape {
        /// Name of the tensor.
        name: String,
        /// Shape of the tensor.
        found: Vec<usize>,
        /// Shape of the parameter.
        expected: Vec<usize>,
    },
    /// A tensor has the wrong data type.
    #[error("tensor `{name}` has type {found}, expected {expected}")]
    Type {
        /// Name of the tensor.
        name: String,
        /// Data type of the tensor.
        found: String,
        /// Data types that can be read.
        expected: String,
    },
}

/// A result of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;
