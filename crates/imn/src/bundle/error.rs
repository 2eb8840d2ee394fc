//! What can be wrong with a model.

use std::path::PathBuf;

use imn_nn::store;

use super::{FORMAT, VERSION};
use crate::config::ConfigError;
use crate::model::ModelConfigError;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// Neither a name nor a file.
    #[error("no built-in model and no file is called `{asked}`; built-in models: {known}")]
    Unknown {
        /// What was asked for.
        asked: String,
        /// The names that there are.
        known: String,
    },
    /// The operating system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Something about a file is wrong.
    #[error("{}: {error}", path.display())]
    In {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<Self>,
    },
    /// Not a safetensors file, or tensors that do not fit the network.
    #[error("not a usable model file: {0}")]
    Tensors(#[from] imn_nn::Error),
    /// No header, or one of another program.
    #[error("not a model file: its metadata has no `{key}` text of format `{FORMAT}`", key = store::KEY)]
    NoHeader,
    /// The header is not of its form.
    #[error("not a usable model file: its header is malformed: {0}")]
    Header(#[from] serde_json::Error),
    /// Written by a newer program.
    #[error(
        "the model file has format version {found}, this program reads up to {VERSION}; use a newer imn"
    )]
    Version {
        /// The file's version.
        found: u32,
    },
    /// The configuration of a network in the file makes no sense.
    #[error("not a usable model file: {0}")]
    Network(#[from] ModelConfigError),
    /// The configuration of a system in the file makes no sense.
    #[error("not a usable model file: {0}")]
    Config(#[from] ConfigError),
    /// A network that the caller cannot build.
    #[error("the model file holds a network of kind `{kind}`, which cannot be used here")]
    Kind {
        /// The kind.
        kind: String,
    },
    /// Tokens of rules that this program does not know.
    #[error(
        "the model was trained on tokens of tokenizer rules {version}, which this program does not know; use a newer imn"
    )]
    Tokenizer {
        /// The version of the rules.
        version: u32,
    },
    /// Parts that contradict each other.
    #[error("not a usable model file: {0}")]
    Inconsistent(String),
    /// An annotation scheme that the model does not know.
    #[error("the model has no annotation scheme `{asked}`: {known}")]
    Scheme {
        /// What was asked for.
        asked: String,
        /// What there is.
        known: String,
    },
    /// Networks that are no pipeline.
    #[error(
        "a pipeline is an extractor and then a classifier that is told no more than the extractor knows; these are {0} and {1}"
    )]
    NoPipeline(String, String),
    /// A classifier on its own.
    #[error(
        "`{0}` is a classifier: it judges given aspects and finds none; use it as the second part of a pipeline, after an extractor"
    )]
    NoExtractor(String),
    /// A model that is not IMN, where IMN's probabilities are needed.
    #[error(
        "the model is {found}, which gives no confidences, attention or text sentiment; this needs a model of IMN (`imn evaluate` accepts every model)"
    )]
    NotImn {
        /// What it is.
        found: String,
    },
}
