//! A training run of IMN in a folder: what `imn train` does.
//!
//! ```text
//! FOLDER/config.toml   all settings           FOLDER/events.jsonl  one epoch per line
//! FOLDER/checkpoint    until the run ends     FOLDER/curves.svg    learning curves
//! FOLDER/model.imn     the best epoch         FOLDER/result.json   scores on the test set
//! FOLDER/teacher.labels  labels of the teacher, if there is one
//! ```

mod error;
mod settings;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use imn::bundle::{Model, ModelPart, Storage, TrainingRecord};
use imn::config::Config;
use imn::data::{self, DataError};
use imn::eval::{self, Counts, Scores};
use imn::train::{Corpus, Event, Fitted, TrainError, finish_imn, imn_trainer};

use crate::results::{ResultScores, RunResult, read_result};
use crate::run_log::RunLog;

pub use self::error::TrainingRunError;
pub use self::settings::{adapted, initial_model, parse_config, read_config};

/// A training run.
#[derive(Debug)]
pub struct TrainingRun {
    /// What the configuration is called in messages: usually its file. `None` if the model of
    /// `init` is adapted to a file ([`adapted`]).
    pub config_name: Option<String>,
    /// All settings.
    pub config: Config,
    /// The folder that paths in the configuration are relative to.
    pub data: PathBuf,
    /// The model that `config.init` names, if it is already open. Ignored if the configuration
    /// names none.
    pub init: Option<ModelPart>,
    /// The folder of the run.
    pub out: PathBuf,
    /// A folder to also save the result in.
    pub results: Option<PathBuf>,
    /// A cache of pre-trained networks.
    pub pretrained: Option<PathBuf>,
    /// Whether to evaluate on the test set, if the configuration names one.
    pub test: bool,
}

/// What a run reports while it runs.
#[derive(Debug)]
pub enum TrainingEvent<'a> {
    /// The data is being read.
    Reading,
    /// The data was read.
    Read(&'a Corpus),
    /// The teacher has labelled this many sentences, of this many in all.
    Labelled(usize, usize),
    /// The scores of the model that training starts from, on the development split.
    Before(Scores),
    /// An event of the trainer.
    Training(&'a Event<'a>),
    /// The model was saved. The number is the duration of all epochs in seconds.
    Saved(&'a TrainingRecord, f64),
    /// The model was scored on the test set.
    Tested(&'a Scores),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// The model is trained.
    Finished,
    /// An earlier run with the same settings had trained it.
    FinishedBefore,
}

/// The name of the data set of a configuration.
#[must_use]
pub fn set_name(config: &Config) -> String {
    let named = config.data.set.clone();
    named.unwrap_or_else(|| {
        let name = config.data.train.first().file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    })
}

/// The folder of a run that names none: `runs/NAME/SET.seedN`.
#[must_use]
pub fn default_folder(config: &Config) -> PathBuf {
    let run = format!("{}.seed{}", set_name(config), config.seed);
    Path::new("runs").join(&config.name).join(run)
}

impl TrainingRun {
    /// The trained model.
    #[must_use]
    pub fn model(&self) -> PathBuf {
        self.out.join("model.imn")
    }

    /// Trains the model, or resumes a stopped run. `watch` receives the progress; if it answers
    /// `false`, the run stops with [`TrainError::Stopped`] and can be resumed. A model that was
    /// saved but not tested is tested.
    ///
    /// # Errors
    /// If the settings do not fit, the data cannot be read, or a file cannot be written.
    pub fn run(
        mut self,
        watch: &mut dyn FnMut(TrainingEvent<'_>) -> bool,
    ) -> Result<RunEnd, TrainingRunError> {
        self.init = match (&self.config.init, self.init) {
            (Some(name), None) => Some(initial_model(name)?),
            (Some(_), part) => part,
            (None, _) => None,
        };
        if let Some(part) = &self.init {
            // The weights fit only the model's own network, so its settings replace the configured
            // ones.
            self.config.model = part.config::<Config>()?.model;
        }
        self.check_settings()?;
        let end = if self.model().exists() {
            let model = Model::open(&self.model().to_string_lossy())?;
            self.check_finished(&model, watch)?;
            if self.wants_test() {
                match self.result().exists() {
                    true => self.store(&read_result(&self.result())?)?,
                    false => self.test(&model, self.log().seconds()?, watch)?,
                }
            }
            RunEnd::FinishedBefore
        } else {
            let fitted = self.train(watch)?;
            let seconds = fitted.seconds();
            let model = finish_imn(&self.config, fitted, self.init.as_ref())?;
            model.save(&self.model(), Storage::Full)?;
            watch(TrainingEvent::Saved(self.record(&model)?, seconds));
            if self.wants_test() {
                self.test(&model, seconds, watch)?;
            }
            RunEnd::Finished
        };
        // The model is saved, so the checkpoint is not needed any more.
        fs::remove_file(self.checkpoint()).ok();
        Ok(end)
    }

    fn checkpoint(&self) -> PathBuf {
        self.out.join("checkpoint")
    }

    fn result(&self) -> PathBuf {
        self.out.join("result.json")
    }

    fn wants_test(&self) -> bool {
        self.test && self.config.data.test.is_some()
    }

    fn log(&self) -> RunLog {
        let config = &self.config;
        let set = set_name(config);
        RunLog {
            events: self.out.join("events.jsonl"),
            curves: self.out.join("curves.svg"),
            title: format!("{} on {set}, seed {}", config.name, config.seed),
        }
    }

    fn settings(&self) -> PathBuf {
        self.out.join("config.toml")
    }

    /// Checks that the folder has no run with other settings, and no `config.toml` of something
    /// else, before anything is read or written.
    fn check_settings(&self) -> Result<(), TrainingRunError> {
        let old = fs::read_to_string(self.settings()).unwrap_or_default();
        if old == to_toml(&self.config)? {
            Ok(())
        } else if self.model().exists() {
            let out = self.out.clone();
            Err(TrainingRunError::OtherSettings { out })
        } else if self.checkpoint().exists() {
            let (path, what) = (self.checkpoint(), "its configuration differs".to_owned());
            Err(TrainError::OtherRun { path, what }.into())
        } else if !self.settings().exists() || is_of_a_run(&old) {
            Ok(())
        } else {
            let path = self.settings();
            Err(TrainingRunError::Foreign { path })
        }
    }

    /// Checks that the finished model started from the same model and was trained on the same data:
    /// their files may have been replaced. Models of earlier versions do not say what they started
    /// from.
    fn check_finished(
        &self,
        model: &Model,
        watch: &mut dyn FnMut(TrainingEvent<'_>) -> bool,
    ) -> Result<(), TrainingRunError> {
        let finished = &self.record(model)?.corpus;
        if let (Some(name), Some(part)) = (&self.config.init, &self.init)
            && let Some(hash) = &finished.init
            && *hash != part.content_hash()?
        {
            return Err(TrainingRunError::OtherInit {
                out: self.out.clone(),
                name: name.clone(),
            });
        }
        let corpus = self.read(watch)?;
        // Labelling takes long, and the labels do not matter here.
        match corpus.taught_fingerprint(&self.config, &self.data)? == finished.fingerprint {
            true => Ok(()),
            false => Err(TrainingRunError::OtherData {
                out: self.out.clone(),
            }),
        }
    }

    /// Reads the data.
    fn read(
        &self,
        watch: &mut dyn FnMut(TrainingEvent<'_>) -> bool,
    ) -> Result<Corpus, TrainingRunError> {
        proceed(watch(TrainingEvent::Reading))?;
        let request = (&self.config).into();
        let corpus = Corpus::load(&request, &self.data, self.init.as_ref());
        let corpus = corpus.map_err(|error| self.unreadable(error))?;
        proceed(watch(TrainingEvent::Read(&corpus)))?;
        Ok(corpus)
    }

    /// Reads the data and lets the teacher label its part.
    fn corpus(
        &self,
        watch: &mut dyn FnMut(TrainingEvent<'_>) -> bool,
    ) -> Result<Corpus, TrainingRunError> {
        let mut corpus = self.read(watch)?;
        create_folder(&self.out)?;
        write(&self.settings(), &to_toml(&self.config)?)?;
        let labels = self.out.join("teacher.labels");
        corpus.teach(&self.config, &self.data, Some(&labels), &mut |done, all| {
            watch(TrainingEvent::Labelled(done, all))
        })?;
        Ok(corpus)
    }

    /// Reads the data and trains all epochs.
    fn train(
        &self,
        watch: &mut dyn FnMut(TrainingEvent<'_>) -> bool,
    ) -> Result<Fitted, TrainingRunError> {
        let corpus = self.corpus(watch)?;
        let mut trainer = imn_trainer(&self.config, &self.data, corpus, self.init.as_ref())?
            .with_checkpoint(&self.checkpoint())?;
        if let Some(folder) = &self.pretrained {
            create_folder(folder)?;
            let pretraining = to_toml(&self.config.of_pretraining())?;
            trainer = trainer.with_pretrained(folder, pretraining)?;
        }
        if self.init.is_some() && trainer.history().is_empty() {
            proceed(watch(TrainingEvent::Before(trainer.dev_scores()?)))?;
        }
        let log = self.log();
        Ok(log.follow(trainer, &mut |event| watch(TrainingEvent::Training(event)))?)
    }

    fn record<'m>(&self, model: &'m Model) -> Result<&'m TrainingRecord, TrainingRunError> {
        let part = model
            .only_part()
            .ok_or_else(|| TrainingRunError::Pipeline {
                name: self.config.name.clone(),
            })?;
        Ok(&part.record)
    }

    /// Scores the model on the test set. `seconds` is the duration of all epochs.
    fn test(
        &self,
        model: &Model,
        seconds: f64,
        watch: &mut dyn FnMut(TrainingEvent<'_>) -> bool,
    ) -> Result<(), TrainingRunError> {
        let config = &self.config;
        let Some(test) = &config.data.test else {
            return Ok(());
        };
        let gold = data::read(&self.data.join(test))?;
        let predicted = model.annotate(&gold)?;
        let counts: Counts = eval::pair(&gold, &predicted)?.into_iter().sum();
        let scores = counts.scores();
        let record = self.record(model)?;
        let result = RunResult {
            system: config.name.clone(),
            set: set_name(config),
            seed: config.seed,
            scores: ResultScores::from(&scores),
            dev: record.dev.clone(),
            best_epoch: record.best_epoch,
            seconds,
            version: record.version.clone(),
            config: serde_json::to_value(config)?,
        };
        self.store(&result)?;
        // Written last: where this file exists, nothing is left to do.
        let text = serde_json::to_string_pretty(&result)? + "\n";
        write(&self.result(), &text)?;
        watch(TrainingEvent::Tested(&scores));
        Ok(())
    }

    /// Writes a result to the folder of `--results`, if there is one.
    fn store(&self, result: &RunResult) -> Result<(), TrainingRunError> {
        let Some(folder) = &self.results else {
            return Ok(());
        };
        match result.save(folder) {
            Ok(_) => Ok(()),
            Err(error) => Err(TrainingRunError::File {
                path: folder.clone(),
                error,
            }),
        }
    }

    fn unreadable(&self, error: TrainError) -> TrainingRunError {
        let path = self.data.join(self.config.data.train.first());
        match (&self.config_name, error) {
            (Some(name), error) => TrainingRunError::Corpus {
                name: name.clone(),
                data: self.data.clone(),
                error: Box::new(error),
            },
            (None, TrainError::Data(DataError::UnknownFormat { .. })) => {
                TrainingRunError::NotLabelled { path }
            }
            (None, error) => TrainingRunError::Sentences {
                path,
                error: Box::new(error),
            },
        }
    }
}

fn proceed(goes_on: bool) -> Result<(), TrainingRunError> {
    match goes_on {
        true => Ok(()),
        false => Err(TrainError::Stopped.into()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), TrainingRunError> {
    imn_io::atomic::write(path, text.as_bytes()).map_err(|error| TrainingRunError::File {
        path: path.to_owned(),
        error,
    })
}

/// Whether a `config.toml` was written by a run. One that a user wrote has comments or fewer
/// settings.
fn is_of_a_run(text: &str) -> bool {
    let config = Config::from_toml(text, &[]);
    config.is_ok_and(|config| to_toml(&config).is_ok_and(|written| written == text))
}

fn to_toml(config: &Config) -> Result<String, TrainError> {
    Ok(config.to_toml()?)
}

fn create_folder(path: &Path) -> Result<(), TrainingRunError> {
    fs::create_dir_all(path).map_err(|error| TrainingRunError::Folder {
        path: path.to_owned(),
        error,
    })
}
