//! What can go wrong in training.

use std::path::{Path, PathBuf};

use crate::bundle::ModelError;
use crate::config::ConfigError;
use crate::data::DataError;
use crate::features::SubwordError;
use crate::vectors::VectorError;

/// An error of training.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The configuration makes no sense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Sentences or documents cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Word vectors cannot be read.
    #[error(transparent)]
    Vectors(#[from] VectorError),
    /// The tokenizer of a pre-trained encoder cannot be used.
    #[error(transparent)]
    Subwords(#[from] SubwordError),
    /// A set has nothing to learn from.
    #[error("{}: {what}", path.display())]
    Unusable {
        /// The set.
        path: PathBuf,
        /// What is missing, and what to do.
        what: String,
    },
    /// The numbers went wrong.
    #[error(transparent)]
    Engine(#[from] imn_nn::Error),
    /// A model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file of the run cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A checkpoint is of another run.
    #[error("{} belongs to another run: {what}; give another output folder, or remove it to start anew", path.display())]
    OtherRun {
        /// The checkpoint.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// A checkpoint is damaged.
    #[error("{} is damaged ({what}); remove it to start anew", path.display())]
    Damaged {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Whoever watches asked to stop.
    #[error("stopped")]
    Stopped,
}

impl TrainError {
    pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { path, error }
    }
}
