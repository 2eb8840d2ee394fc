//! Errors of training.

use std::path::{Path, PathBuf};

use crate::bundle::ModelError;
use crate::config::ConfigError;
use crate::data::{DataError, Place};
use crate::eval::PairingError;
use crate::features::SubwordError;
use crate::vectors::VectorError;

/// Why a training run failed or stopped.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// Invalid configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Sentences or documents could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Word vectors could not be read.
    #[error(transparent)]
    Vectors(#[from] VectorError),
    /// The tokenizer of a pre-trained encoder cannot be used.
    #[error(transparent)]
    Subwords(#[from] SubwordError),
    /// A data set without anything to train on.
    #[error("{}: {what}", path.display())]
    Unusable {
        /// Path of the data set.
        path: PathBuf,
        /// What is missing, and what to do.
        what: String,
    },
    /// A training sentence without opinion labels, for a network that needs them on every sentence.
    #[error(
        "{place}: the sentence has no opinion labels, although others have: annotate its opinions \
         (an empty list if there are none)"
    )]
    NoOpinions {
        /// Where the sentence is.
        place: Place,
    },
    /// The teacher cannot label the sentences.
    #[error("the teacher `{model}` {what}")]
    Teacher {
        /// Name or path of the teacher.
        model: String,
        /// Why not.
        what: String,
    },
    /// A loss or gradient is not finite, or weights do not fit the network.
    #[error(transparent)]
    Engine(#[from] imn_nn::Error),
    /// A model file could not be read or written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A checkpoint could not be read or written, or a file of initial weights could not be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// A checkpoint of another run.
    #[error(
        "{} belongs to another run: {what}; use another output folder, or remove the file to start \
         over",
        path.display()
    )]
    OtherRun {
        /// Path of the checkpoint.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// A checkpoint that does not parse.
    #[error("{} is damaged ({what}); remove it to start over", path.display())]
    Damaged {
        /// Path of the checkpoint.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The labels of a development sentence do not fit its words.
    #[error("the development set cannot be scored: {0}")]
    Pairing(#[from] PairingError),
    /// A [`Watch`](super::Watch) stopped the run.
    #[error("stopped")]
    Stopped,
}

impl TrainError {
    pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { path, error }
    }
}
