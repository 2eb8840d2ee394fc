//! What can go wrong at run time. Mismatched shapes are mistakes of the program and panic instead.

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
        "the gradient of `{parameter}` is not finite at step {step}; lower the learning rate or clip the gradient"
    )]
    Gradient {
        /// Name of the parameter.
        parameter: String,
        /// Number of the step, from 1.
        step: u64,
    },
    /// A parameter group that cannot be used.
    #[error("parameter group `{prefix}`: {problem}")]
    Group {
        /// Its prefix.
        prefix: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file of a pre-trained encoder cannot be used.
    #[error("{path}: {source}", path = path.display())]
    Pretrained {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<Self>,
    },
    /// The description of a transformer is malformed or asks for something that is not there.
    #[error("not a usable configuration of a transformer: {0}")]
    Config(String),
    /// The tensors are not in the safetensors format.
    #[error("not a readable safetensors file: {0}")]
    Format(#[from] safetensors::SafeTensorError),
    /// A parameter is not among the tensors.
    #[error("tensor `{name}` is missing")]
    Missing {
        /// Name of the parameter.
        name: String,
    },
    /// A tensor belongs to no parameter.
    #[error("tensor `{name}` belongs to no parameter of this network")]
    Unexpected {
        /// Name of the tensor.
        name: String,
    },
    /// A tensor has another shape than its parameter.
    #[error("tensor `{name}` has shape {found:?}, the network wants {expected:?}")]
    Shape {
        /// Name of the tensor.
        name: String,
        /// Shape of the tensor.
        found: Vec<usize>,
        /// Shape of the parameter.
        expected: Vec<usize>,
    },
    /// A tensor has another number type than its parameter.
    #[error("tensor `{name}` has numbers of type {found}, expected {expected}")]
    Type {
        /// Name of the tensor.
        name: String,
        /// Number type of the tensor.
        found: String,
        /// Number type wanted.
        expected: String,
    },
}

/// A result of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;
