//! The exceptions of the package, with the words of the command line.

use std::error::Error as StdError;

use imn::eval::ScoreError;
use imn_batch::InputError;
use imn_repro::training::TrainingRunError;
use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyException;

create_exception!(
    imn,
    Error,
    PyException,
    "Base class of all exceptions of imn."
);
create_exception!(imn, ModelError, Error, "A model cannot be opened or used.");
create_exception!(
    imn,
    DataError,
    Error,
    "Texts or annotated sentences cannot be read or used."
);
create_exception!(
    imn,
    ConfigError,
    Error,
    "A training configuration is not valid."
);
create_exception!(imn, TrainError, Error, "A training run failed.");
create_exception!(imn, InternalError, Error, "A bug of imn; please report it.");

/// The message of an error with its causes, as the command line prints it.
fn message(error: &(dyn StdError + 'static)) -> String {
    imn_io::with_causes(error)
}

pub(crate) fn model(error: imn::bundle::ModelError) -> PyErr {
    ModelError::new_err(message(&error))
}

pub(crate) fn data(error: &(dyn StdError + 'static)) -> PyErr {
    DataError::new_err(message(error))
}

pub(crate) fn input(error: InputError) -> PyErr {
    data(&error)
}

pub(crate) fn score(error: ScoreError) -> PyErr {
    data(&error)
}

pub(crate) fn config(error: &(dyn StdError + 'static)) -> PyErr {
    ConfigError::new_err(message(error))
}

pub(crate) fn run(error: TrainingRunError) -> PyErr {
    let text = message(&error);
    match error {
        TrainingRunError::ConfigFile { .. } | TrainingRunError::Config { .. } => {
            ConfigError::new_err(text)
        }
        TrainingRunError::Corpus { error, .. } => training(&error, text),
        TrainingRunError::Train(error) => training(&error, text),
        TrainingRunError::Test(_) | TrainingRunError::Pairing(_) => DataError::new_err(text),
        TrainingRunError::Model(_) | TrainingRunError::Pipeline { .. } => ModelError::new_err(text),
        _ => TrainError::new_err(text),
    }
}

fn training(error: &imn::train::TrainError, text: String) -> PyErr {
    use imn::train::TrainError as Cause;
    match error {
        Cause::Config(_) => ConfigError::new_err(text),
        Cause::Data(_) | Cause::Vectors(_) | Cause::Unusable { .. } => DataError::new_err(text),
        Cause::Model(_) | Cause::Subwords(_) => ModelError::new_err(text),
        _ => TrainError::new_err(text),
    }
}
