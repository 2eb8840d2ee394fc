//! Runs: trains one system on one set with one seed, scores it once on the test set, and saves the
//! result as one small file.
//!
//! ```text
//! Job ─→ RecipeSettings ─→ train: Model (kept in the work folder) ─→ test set ─→ RunResult
//! ```
//!
//! A run whose result exists is not repeated. Trained networks stay in the work folder, so that a
//! network that several systems share is trained once. An interrupted run resumes from its last
//! epoch.

mod job;
mod lock;
mod progress;
mod schedule;
mod train;

use std::path::{Path, PathBuf};

use imn::bundle::{ModelError, Precision, Storage};
use imn::config::{ConfigError, Override};
use imn::data::{self, DataError};
use imn::eval::{Counts, PairingError, pair};
use imn::train::TrainError;

pub use job::Job;
pub use progress::Progress;
pub use schedule::{Observer, Purpose, ScheduleReport, Workers};
pub use train::Ready;

use crate::recipe::{Recipe, RecipeSettings};
use crate::results::{ResultError, ResultScores, RunResult, read_result};
use crate::run_log::LoggedError;
use crate::sets::SetPart;

/// Trains and scores systems with the settings of a recipe.
#[derive(Debug, Clone)]
pub struct Runner {
    /// The settings of all runs.
    pub recipe: Recipe,
    /// The data folder.
    pub data: PathBuf,
    /// The folder of results, one small file per run.
    pub results: PathBuf,
    /// The work folder: trained networks and checkpoints.
    pub work: PathBuf,
    /// The precision of training. Only recipes with a pre-trained encoder can have another than
    /// [`Precision::F32`].
    pub precision: Precision,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The settings are invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Training failed or was stopped.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A trained model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Data cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Predictions and annotations do not match.
    #[error(transparent)]
    Pairing(#[from] PairingError),
    /// Results cannot be read.
    #[error(transparent)]
    Results(#[from] ResultError),
    /// An I/O error.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// A configuration cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The threads of a run cannot be started.
    #[error("starting the threads of a run: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl From<LoggedError> for RunError {
    fn from(error: LoggedError) -> Self {
        match error {
            LoggedError::Train(error) => Self::Train(error),
            LoggedError::File { path, error } | LoggedError::Unreadable { path, error } => {
                Self::Io { path, error }
            }
        }
    }
}

impl RunError {
    /// Whether the run did not fail but was stopped by its [`RunWatch`].
    #[must_use]
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Train(TrainError::Stopped))
    }
}

/// Called with the name of the system that is trained and its progress. Returns whether to
/// continue.
pub type RunWatch<'a> = &'a mut dyn FnMut(&str, &Progress) -> bool;

impl Runner {
    /// The file of a run's result.
    #[must_use]
    pub fn result_path(&self, job: Job) -> PathBuf {
        RunResult::path(&self.results, job.system.name, job.set.name(), job.seed)
    }

    /// The result of an earlier run, if there is one.
    ///
    /// # Errors
    /// If its file cannot be read.
    pub fn result(&self, job: Job) -> Result<Option<RunResult>, RunError> {
        let path = self.result_path(job);
        Ok(if path.exists() {
            Some(read_result(&path)?)
        } else {
            None
        })
    }

    /// Whether a result was made with the current settings of a recipe.
    ///
    /// # Errors
    /// If the settings are invalid.
    pub fn is_current(recipe: Recipe, result: &RunResult, job: Job) -> Result<bool, RunError> {
        Ok(RecipeSettings::of(recipe, job, &[])?.are_in(&result.config))
    }

    /// Trains the networks of the system that are not trained yet, scores the system on the test
    /// set and saves the result.
    ///
    /// # Errors
    /// If a step fails, or `watch` stops the run.
    pub fn run(&self, job: Job, watch: RunWatch<'_>) -> Result<RunResult, RunError> {
        let ready = self.ready(job, &[], watch)?;
        if ready.model.only_part().is_none() {
            // The parts have files of their own. The pipeline is saved as one file for later use.
            let model = &ready.model;
            model.save(&self.place(job, "imn")?, Storage::Full)?;
        }
        let gold = data::read(&job.set.folder(&self.data, SetPart::Test))?;
        let predicted = ready.model.annotate(&gold)?;
        let counts = pair(&gold, &predicted)?;
        let mut scores = ResultScores::from(&counts.into_iter().sum::<Counts>().scores());
        if ready.is_extractor() {
            // An extractor predicts no sentiments, so these scores would be meaningless.
            (scores.acc_s, scores.f1_s, scores.f1_s_macro, scores.f1_i) = (None, None, None, None);
        }
        let result = RunResult {
            scores,
            ..self.describe(job, &[], &ready)?
        };
        result.save(&self.results).map_err(|error| RunError::Io {
            path: self.result_path(job),
            error,
        })?;
        Ok(result)
    }

    /// Trains the system with changed settings and scores it on the development split. The result
    /// is not saved; the last model of each system is kept in the folder `tried` of the work
    /// folder.
    ///
    /// # Errors
    /// If a step fails, or `watch` stops the run.
    pub fn try_on_dev(
        &self,
        job: Job,
        changes: &[Override],
        watch: RunWatch<'_>,
    ) -> Result<RunResult, RunError> {
        let ready = self.for_trials().ready(job, changes, watch)?;
        self.describe(job, changes, &ready)
    }

    /// The runner whose networks are trials.
    fn for_trials(&self) -> Self {
        Self {
            work: self.work.join("tried"),
            ..self.clone()
        }
    }

    /// The settings of a run.
    fn settings(&self, job: Job, changes: &[Override]) -> Result<RecipeSettings, ConfigError> {
        let precision = match self.precision {
            Precision::F32 => None,
            other => Some(format!("train.precision={}", other.name()).parse()?),
        };
        let all: Vec<Override> = precision
            .into_iter()
            .chain(changes.iter().cloned())
            .collect();
        RecipeSettings::of(self.recipe, job, &all)
    }

    /// The result without scores on the test set.
    fn describe(
        &self,
        job: Job,
        changes: &[Override],
        ready: &Ready,
    ) -> Result<RunResult, RunError> {
        let training = ready.training();
        Ok(RunResult {
            system: job.system.name.to_owned(),
            set: job.set.name().to_owned(),
            seed: job.seed,
            dev: training.dev,
            best_epoch: training.best_epoch,
            seconds: training.seconds,
            version: training.version,
            config: self.settings(job, changes)?.to_json()?,
            ..RunResult::default()
        })
    }

    /// The model file of a system for the set and seed of a run.
    fn model_path(&self, system: &str, job: Job) -> PathBuf {
        let name = format!("{}.seed{}.imn", job.set.name(), job.seed);
        self.work.join(system).join(name)
    }

    /// The path of a run's file in the work folder. Creates its folder.
    fn place(&self, job: Job, extension: &str) -> Result<PathBuf, RunError> {
        let path = self.model_path(job.system.name, job);
        create_folder(path.parent().unwrap_or(&self.work))?;
        Ok(path.with_extension(extension))
    }
}

fn create_folder(folder: &Path) -> Result<(), RunError> {
    std::fs::create_dir_all(folder).map_err(|error| RunError::Io {
        path: folder.to_owned(),
        error,
    })
}
