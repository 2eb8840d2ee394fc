//! Runs: one system on one set with one seed, trained, scored once on the test set, and kept as one small file.
//!
//! A run whose result is there is not made again. Trained networks stay in a folder of work, so that parts that serve several systems are
//! trained once; variants of IMN go on from their last epoch after an interruption.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use imn::bundle::{Bundle, BundleError, Storage};
use imn::config::{Config, ConfigError, Override};
use imn::data::{self, AnnotatedSentence, DataError, PaperSet, SetPart};
use imn::eval::{Counts, PairingError, pair};
use imn::predict;
use imn::results::{ResultError, ResultScores, RunResult};
use imn::train::{Corpus, Event, TrainError, Trainer};

use crate::config::SystemConfig;
use crate::fit::{Progress, fit};
use crate::network::Role;
use crate::recipe::{Recipe, imn_config, system_config};
use crate::system::{System, SystemError};
use crate::trained::Trained;

/// Which run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// The system.
    pub system: &'static str,
    set: PaperSet,
    /// The seed.
    pub seed: u64,
}

impl Job {
    /// A run of a system on a set.
    #[must_use]
    pub fn new(system: &'static str, set: PaperSet, seed: u64) -> Self {
        Self { system, set, seed }
    }

    /// The set.
    #[must_use]
    pub fn set(self) -> PaperSet {
        self.set
    }
}

/// Where runs happen.
#[derive(Debug, Clone)]
pub struct Lab {
    /// The data.
    pub data: PathBuf,
    /// One small file a run.
    pub results: PathBuf,
    /// Trained networks and checkpoints.
    pub work: PathBuf,
}

/// What goes wrong in a run.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The system is unknown.
    #[error("there is no system `{0}`; known are {known}", known = known())]
    Unknown(String),
    /// The settings make no sense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Training failed or was stopped.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A trained system cannot be used.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A trained IMN cannot be used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// Data cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Predictions and annotation do not fit.
    #[error(transparent)]
    Pairing(#[from] PairingError),
    /// Results cannot be read.
    #[error(transparent)]
    Results(#[from] ResultError),
    /// The operating system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A configuration cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

fn known() -> String {
    let names = crate::recipe::RECIPES.iter().map(|(name, _)| *name);
    names.collect::<Vec<_>>().join(", ")
}

/// A system that is ready for use.
pub enum Ready {
    /// A variant of IMN, and the seconds of its training.
    Imn(Box<Bundle>, f64),
    /// A compared system.
    System(System),
}

impl Ready {
    /// The sentences with the annotation that the system gives them; it sees their words only.
    ///
    /// # Errors
    /// If the system is a classifier alone.
    pub fn annotate(
        &self,
        sentences: &[AnnotatedSentence],
    ) -> Result<Vec<AnnotatedSentence>, SystemError> {
        match self {
            Self::Imn(bundle, _) => Ok(predict::annotate(
                &bundle.network,
                &bundle.params,
                &bundle.vocabulary,
                sentences,
            )),
            Self::System(system) => system.annotate(sentences),
        }
    }
}

/// Looks on: which system is trained, and how far it is. Says whether to go on.
pub type Watch<'a> = &'a mut dyn FnMut(&str, &Progress) -> bool;

impl Lab {
    /// The result of a run that was made before.
    ///
    /// # Errors
    /// If its file cannot be read.
    pub fn result(&self, job: Job) -> Result<Option<RunResult>, LabError> {
        let path = RunResult::path(&self.results, job.system, job.set().name(), job.seed);
        Ok(if path.exists() {
            Some(imn::results::read_result(&path)?)
        } else {
            None
        })
    }

    /// Whether a result was made with the settings that the run has now.
    ///
    /// # Errors
    /// If the system is unknown.
    pub fn is_current(result: &RunResult, job: Job) -> Result<bool, LabError> {
        let unknown = || LabError::Unknown(job.system.to_owned());
        let same = |kept: &serde_json::Value, config: SystemConfig| {
            let kept: Result<SystemConfig, _> = serde_json::from_value(kept.clone());
            kept.is_ok_and(|kept| kept == config)
        };
        let part = |system| network_settings(Job { system, ..job }, &[]);
        Ok(match Recipe::of(job.system).ok_or_else(unknown)? {
            Recipe::Imn { .. } => {
                let now = imn_settings(job, &[])?;
                let kept: Result<Config, _> = serde_json::from_value(result.config.clone());
                kept.is_ok_and(|kept| kept == now)
            }
            Recipe::Alone { .. } => same(&result.config, part(job.system)?),
            Recipe::Pipeline {
                extractor,
                classifier,
            } => {
                same(&result.config["extractor"], part(extractor)?)
                    && same(&result.config["classifier"], part(classifier)?)
            }
        })
    }

    /// Trains the system, or what of it is not there yet, and scores it on the test set; the result is kept.
    ///
    /// # Errors
    /// If anything goes wrong, or whoever watches stops it.
    pub fn run(&self, job: Job, watch: Watch<'_>) -> Result<RunResult, LabError> {
        let ready = self.ready(job, &[], watch)?;
        if let Ready::System(system @ System::Pipeline { .. }) = &ready {
            // Its parts are there; the whole is for whoever wants to use it.
            system.save(&self.place(job, "imn")?)?;
        }
        let test = job.set().folder(&self.data, SetPart::Test);
        let gold = data::read(&test)?;
        let predicted = ready.annotate(&gold)?;
        let counts = pair(&gold, &predicted)?;
        let scores = counts.into_iter().sum::<Counts>().scores();
        let mut result = RunResult {
            system: job.system.to_owned(),
            set: job.set().name().to_owned(),
            seed: job.seed,
            scores: ResultScores::from(&scores),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..describe(&ready)?
        };
        if let Ready::System(System::Alone(trained)) = &ready
            && trained.network.role() == Role::Extractor
        {
            // An extractor tells no sentiments: there is nothing to score.
            let scores = &mut result.scores;
            (scores.acc_s, scores.f1_s, scores.f1_s_macro, scores.f1_i) = (None, None, None, None);
        }
        let path = result.save(&self.results);
        path.map_err(|error| LabError::Io {
            path: RunResult::path(&self.results, job.system, job.set().name(), job.seed),
            error,
        })?;
        Ok(result)
    }

    /// Trains the system and says how good it is on the development split. No result is kept; the last model of each system is, below `tried`.
    ///
    /// # Errors
    /// If anything goes wrong, or whoever watches stops it.
    pub fn try_on_dev(
        &self,
        job: Job,
        changes: &[Override],
        watch: Watch<'_>,
    ) -> Result<RunResult, LabError> {
        let folder = self.work.join("tried");
        let lab = Self {
            work: folder,
            ..self.clone()
        };
        let result = describe(&lab.ready(job, changes, watch)?)?;
        Ok(RunResult {
            system: job.system.to_owned(),
            set: job.set().name().to_owned(),
            seed: job.seed,
            ..result
        })
    }

    /// The system, trained: from the folder of work where it is there with the same settings.
    ///
    /// # Errors
    /// If anything goes wrong, or whoever watches stops it.
    pub fn ready(
        &self,
        job: Job,
        changes: &[Override],
        watch: Watch<'_>,
    ) -> Result<Ready, LabError> {
        let unknown = || LabError::Unknown(job.system.to_owned());
        match Recipe::of(job.system).ok_or_else(unknown)? {
            Recipe::Imn { .. } => self.imn(job, changes, watch),
            Recipe::Alone { .. } => {
                let trained = self.network(job, changes, watch)?;
                Ok(Ready::System(System::Alone(Box::new(trained))))
            }
            Recipe::Pipeline {
                extractor,
                classifier,
            } => {
                let part = |system| Job { system, ..job };
                let extractor = self.network(part(extractor), changes, watch)?;
                let classifier = self.network(part(classifier), changes, watch)?;
                let system = System::pipeline(extractor, classifier)?;
                Ok(Ready::System(system))
            }
        }
    }

    /// Where something of a run stands in the folder of work.
    fn place(&self, job: Job, ending: &str) -> Result<PathBuf, LabError> {
        let folder = self.work.join(job.system);
        std::fs::create_dir_all(&folder).map_err(|error| LabError::Io {
            path: folder.clone(),
            error,
        })?;
        Ok(folder.join(format!("{}.seed{}.{ending}", job.set().name(), job.seed)))
    }

    /// One network.
    fn network(
        &self,
        job: Job,
        changes: &[Override],
        watch: Watch<'_>,
    ) -> Result<Trained, LabError> {
        let config = network_settings(job, changes)?;
        let path = self.place(job, "imn")?;
        if path.exists()
            && let Ok(System::Alone(trained)) = System::open(&path)
            && trained.config == config
        {
            return Ok(*trained);
        }
        let mut seen = |progress: &Progress| watch(job.system, progress);
        let trained = fit(&config, &self.data, &mut seen)?;
        trained.save(&path)?;
        Ok(trained)
    }

    /// A variant of IMN.
    fn imn(&self, job: Job, more: &[Override], watch: Watch<'_>) -> Result<Ready, LabError> {
        let config = imn_settings(job, more)?;
        let path = self.place(job, "imn")?;
        let seconds_path = self.place(job, "seconds")?;
        if path.exists()
            && let Ok(bundle) = Bundle::open(&path)
            && bundle.config == config
            && let Some(seconds) = read_number(&seconds_path)
        {
            return Ok(Ready::Imn(Box::new(bundle), seconds));
        }
        let corpus = Corpus::load(&config, &self.data, None)?;
        // A checkpoint of other settings is another run's.
        let settings = imn_nn::hash(config.to_toml().as_bytes());
        let checkpoint = self.place(job, &format!("{settings:016x}.checkpoint"))?;
        let pretrained = self.work.join("pretrained");
        std::fs::create_dir_all(&pretrained).map_err(|error| LabError::Io {
            path: pretrained.clone(),
            error,
        })?;
        let trainer = Trainer::new(config, corpus, None)?
            .with_checkpoint(&checkpoint)?
            .with_pretrained(&pretrained)?;
        let mut progress = Progress {
            step: 0,
            steps: 0,
            best: None,
        };
        let trained = trainer.run(&mut |event: &Event<'_>| {
            match event {
                Event::Started { steps, .. } => progress.steps = *steps,
                Event::Step { .. } => progress.step += 1,
                Event::Epoch(record) if record.best => {
                    progress.best = record.dev.and_then(|dev| dev.get(imn::eval::Metric::F1I));
                }
                Event::Epoch(_) => {}
            }
            watch(job.system, &progress)
        })?;
        trained.bundle.save(&path, Storage::Full)?;
        let written = std::fs::write(&seconds_path, format!("{}\n", trained.seconds));
        written.map_err(|error| LabError::Io {
            path: seconds_path,
            error,
        })?;
        std::fs::remove_file(&checkpoint).ok();
        Ok(Ready::Imn(Box::new(trained.bundle), trained.seconds))
    }
}

/// The settings of a variant of IMN.
fn imn_settings(job: Job, more: &[Override]) -> Result<Config, LabError> {
    let Some(Recipe::Imn { base, changes }) = Recipe::of(job.system) else {
        return Err(LabError::Unknown(job.system.to_owned()));
    };
    let config = imn_config(job.system, base, changes, job.set(), job.seed, more)?;
    Ok(config)
}

/// The settings of a compared network.
fn network_settings(job: Job, more: &[Override]) -> Result<SystemConfig, LabError> {
    let Some(Recipe::Alone { network, changes }) = Recipe::of(job.system) else {
        return Err(LabError::Unknown(job.system.to_owned()));
    };
    let config = system_config(job.system, network, changes, job.set(), job.seed, more)?;
    Ok(config)
}

fn read_number(path: &Path) -> Option<f64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// What a network reached on the development split in its own task.
fn own_scores(trained: &Trained) -> BTreeMap<String, f64> {
    let scores = &trained.record.dev;
    let own = trained.network.role().metrics().iter();
    own.filter_map(|metric| Some((metric.name().to_owned(), *scores.get(metric.name())?)))
        .collect()
}

/// What a result says of training. Of a pipeline: the scores of each part's own task on the development split, the extractor's epoch, and the
/// seconds of both. A classifier is given the annotated aspects and opinions there: its accuracy is not that of a system that finds them.
fn describe(ready: &Ready) -> Result<RunResult, LabError> {
    let empty = RunResult::default();
    Ok(match ready {
        Ready::Imn(bundle, seconds) => RunResult {
            dev: bundle.record.dev.clone(),
            best_epoch: bundle.record.best_epoch,
            seconds: *seconds,
            config: serde_json::to_value(&bundle.config)?,
            ..empty
        },
        Ready::System(System::Alone(trained)) => RunResult {
            dev: own_scores(trained),
            best_epoch: trained.record.best_epoch,
            seconds: trained.record.seconds,
            config: serde_json::to_value(&trained.config)?,
            ..empty
        },
        Ready::System(System::Pipeline {
            extractor,
            classifier,
        }) => {
            let mut dev = own_scores(extractor);
            dev.extend(own_scores(classifier));
            RunResult {
                dev,
                best_epoch: extractor.record.best_epoch,
                seconds: extractor.record.seconds + classifier.record.seconds,
                config: serde_json::json!({
                    "extractor": serde_json::to_value(&extractor.config)?,
                    "classifier": serde_json::to_value(&classifier.config)?,
                }),
                ..empty
            }
        }
    })
}
