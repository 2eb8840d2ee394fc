//! Errors of opening, combining and using models.

use std::path::PathBuf;

use imn_nn::store;

use super::{FORMAT, VERSION};
use crate::config::ConfigError;
use crate::model::ModelConfigError;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// Neither the name of a built-in model nor an existing file.
    #[error("`{asked}` is neither a file nor a built-in model; built-in models: {known}")]
    Unknown {
        /// The name or path that was asked for.
        asked: String,
        /// The names of the built-in models.
        known: String,
    },
    /// The file could not be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// Path of the model file.
        path: PathBuf,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// An error in the contents of a model file.
    #[error("{}: {error}", path.display())]
    In {
        /// Path of the model file.
        path: PathBuf,
        /// The error.
        error: Box<Self>,
    },
    /// Not a safetensors file, or its tensors do not fit the network.
    #[error("not a usable model file: {0}")]
    Tensors(#[from] imn_nn::Error),
    /// A safetensors file without the header of a model file.
    #[error(
        "not a model file: its metadata has no `{key}` header of format `{FORMAT}`",
        key = store::KEY
    )]
    NoHeader,
    /// The header does not parse.
    #[error("not a usable model file: its header is malformed: {0}")]
    Header(#[from] serde_json::Error),
    /// Written by a newer version of the program.
    #[error(
        "the model file has format version {found}, but this program reads versions up to \
         {VERSION}; use a newer imn"
    )]
    Version {
        /// Format version of the file.
        found: u32,
    },
    /// Invalid settings of a network in the file.
    #[error("not a usable model file: {0}")]
    Network(#[from] ModelConfigError),
    /// Invalid configuration of a compared system in the file.
    #[error("not a usable model file: {0}")]
    Config(#[from] ConfigError),
    /// A network that belongs to none of the caller's families.
    #[error("the model file contains a network of kind `{kind}`, which this program cannot build")]
    Kind {
        /// Kind of the network.
        kind: String,
    },
    /// Unknown tokenizer rules.
    #[error(
        "the model was trained with version {version} of the tokenizer rules, which this program \
         does not have; use a newer imn"
    )]
    Tokenizer {
        /// Version of the rules.
        version: u32,
    },
    /// Contents that contradict each other.
    #[error("not a usable model file: {0}")]
    Inconsistent(String),
    /// An annotation scheme that the model was not trained on.
    #[error("the model has no annotation scheme `{asked}`: {known}")]
    Scheme {
        /// The scheme that was asked for.
        asked: String,
        /// Which schemes the model has.
        known: String,
    },
    /// A precision that this machine does not support.
    #[error("this CPU has no instructions for bf16 (AVX512-BF16); use the precision f32")]
    Precision,
    /// Two models that do not form a pipeline.
    #[error(
        "cannot combine {0} and {1}: a pipeline is an extractor followed by a classifier, and the \
         extractor must predict opinion terms if the classifier uses them"
    )]
    NoPipeline(String, String),
    /// A classifier without an extractor.
    #[error(
        "`{0}` is a classifier: it predicts the sentiment of given aspects, but finds no aspects; \
         use it as the second part of a pipeline, after an extractor"
    )]
    NoExtractor(String),
    /// Another model where IMN is needed.
    #[error(
        "the model is {found}, which gives no confidences, attention or text sentiment; use a \
         model of IMN (only `imn evaluate` accepts other models)"
    )]
    NotImn {
        /// Description of the model.
        found: String,
    },
}

impl ModelError {
    /// A [`ModelError::Scheme`] of a model with the schemes `known`.
    pub(crate) fn unknown_scheme(asked: &str, known: &[String]) -> Self {
        Self::Scheme {
            asked: asked.to_owned(),
            known: match known {
                [] => "it was trained on one scheme only".to_owned(),
                known => format!("its schemes are {}", known.join(", ")),
            },
        }
    }
}
