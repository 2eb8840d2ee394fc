//! Why a training run failed or stopped.

use std::io;
use std::path::PathBuf;

use imn::bundle::ModelError;
use imn::config::ConfigError;
use imn::data::DataError;
use imn::eval::PairingError;
use imn::train::TrainError;

use crate::results::ResultError;
use crate::run_log::LoggedError;

/// Why a run failed or stopped.
#[derive(Debug, thiserror::Error)]
pub enum TrainingRunError {
    /// The configuration file cannot be read.
    #[error("cannot read {}", path.display())]
    ConfigFile {
        /// The configuration file.
        path: PathBuf,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// The configuration is invalid.
    #[error("in {name}{}", if *overridden { " with the overrides of --set" } else { "" })]
    Config {
        /// The configuration.
        name: String,
        /// Whether settings were overridden.
        overridden: bool,
        /// The cause.
        #[source]
        error: ConfigError,
    },
    /// The folder has another run.
    #[error(
        "{}: contains a finished run with other settings; remove it, or name another folder with \
         --out",
        out.display()
    )]
    OtherSettings {
        /// The folder of the run.
        out: PathBuf,
    },
    /// The folder has a finished run on other data.
    #[error(
        "{}: contains a finished run on other data (or of another version of imn); remove it, or \
         name another folder with --out",
        out.display()
    )]
    OtherData {
        /// The folder of the run.
        out: PathBuf,
    },
    /// The output folder has a `config.toml` that is not the configuration of a run.
    #[error(
        "{}: exists and is not the configuration of a run; name another folder with --out",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The folder has a run that started from another model of the same name.
    #[error(
        "{}: contains a finished run that started from another {name}; remove it, or name another \
         folder with --out",
        out.display()
    )]
    OtherInit {
        /// The folder of the run.
        out: PathBuf,
        /// Name or path of the model.
        name: String,
    },
    /// The initial model is a pipeline.
    #[error("{name}: cannot start from a pipeline of several parts")]
    Pipeline {
        /// The model.
        name: String,
    },
    /// The data cannot be read.
    #[error(
        "cannot read the data of {name} in the folder {} (set --data or IMN_DATA)",
        data.display()
    )]
    Corpus {
        /// The configuration.
        name: String,
        /// The data folder.
        data: PathBuf,
        /// The cause.
        #[source]
        error: Box<TrainError>,
    },
    /// A model cannot be adapted.
    #[error("cannot adapt {name}")]
    Adapt {
        /// The model.
        name: String,
        /// The cause.
        #[source]
        error: ModelError,
    },
    /// The file or folder to adapt a model to is in no format of labelled sentences.
    #[error(
        "{}: not labelled sentences: name a file (semeval14, semeval15, aste, conll or jsonl) or a \
         four-file folder. Reviews without labels cannot train a model",
        path.display()
    )]
    NotLabelled {
        /// The data.
        path: PathBuf,
    },
    /// The sentences to adapt a model to cannot be used.
    #[error("cannot adapt the model to {}", path.display())]
    Sentences {
        /// The data.
        path: PathBuf,
        /// The cause.
        #[source]
        error: Box<TrainError>,
    },
    /// A folder cannot be created.
    #[error("cannot create {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// A file of the run cannot be written.
    #[error("cannot write {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// The epochs of a finished run cannot be read.
    #[error("cannot read {}", path.display())]
    Log {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// Training failed or was stopped.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A model cannot be read or written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The test set cannot be read.
    #[error(transparent)]
    Test(#[from] DataError),
    /// The test set cannot be scored.
    #[error(transparent)]
    Pairing(#[from] PairingError),
    /// The result of a finished run cannot be read.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// The configuration or the result cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl From<LoggedError> for TrainingRunError {
    fn from(error: LoggedError) -> Self {
        match error {
            LoggedError::Train(error) => Self::Train(error),
            LoggedError::File { path, error } => Self::File { path, error },
            LoggedError::Unreadable { path, error } => Self::Log { path, error },
        }
    }
}
