//! Provides the trained system of a run: from the work folder if it was trained with the same
//! settings, otherwise by training. Only this file of the runner trains and opens models.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use imn::bundle::{Model, ModelPart, Storage};
use imn::config::{Config, Override};
use imn::eval::Metric;
use imn::model::{Phase, Role};
use imn::train::{Corpus, Event, Fitted, TrainError, Trainer, finish_imn, imn_trainer};
use serde::de::DeserializeOwned;

use super::lock::PartLock;
use super::{Job, Progress, RunError, RunWatch, Runner};
use crate::config::SystemConfig;
use crate::fit::{self, FAMILIES};
use crate::recipe::RecipeSettings;
use crate::run_log::RunLog;

/// Facts about the training of a system.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Training {
    /// Scores on the development split. In a pipeline, each part has the scores of its own task. A
    /// classifier reads annotated aspects and opinions there, so its accuracy is not that of a
    /// system that has to find them.
    pub(super) dev: BTreeMap<String, f64>,
    /// The best epoch; in a pipeline, that of the extractor.
    pub(super) best_epoch: usize,
    /// Seconds of training; in a pipeline, of both parts.
    pub(super) seconds: f64,
    /// Version of the program that trained the system; in a pipeline, that of the extractor.
    pub(super) version: String,
}

/// A trained system.
#[derive(Debug)]
pub struct Ready {
    /// The model.
    pub model: Model,
    /// Seconds of training; in a pipeline, of both parts.
    pub seconds: f64,
}

impl Ready {
    /// Facts about the training.
    pub(super) fn training(&self) -> Training {
        let parts = self.model.parts();
        Training {
            dev: parts.iter().flat_map(|part| own_scores(part)).collect(),
            best_epoch: parts.first().map_or(0, |part| part.record.best_epoch),
            seconds: self.seconds,
            version: parts
                .first()
                .map_or_else(String::new, |part| part.record.version.clone()),
        }
    }

    /// Whether the system finds terms but predicts no sentiments.
    pub(super) fn is_extractor(&self) -> bool {
        let part = self.model.only_part();
        part.is_some_and(|part| part.network.role() == Role::Extractor)
    }
}

/// The scores of a network in its own task, on the development split.
fn own_scores(part: &ModelPart) -> BTreeMap<String, f64> {
    let scores = &part.record.dev;
    let metrics = part.network.role().metrics().iter();
    metrics
        .filter_map(|metric| Some((metric.name().to_owned(), *scores.get(metric.name())?)))
        .collect()
}

impl Runner {
    /// The trained system: from the work folder if it was trained with the same settings, otherwise
    /// by training.
    ///
    /// # Errors
    /// If a step fails, or `watch` stops the run.
    pub fn ready(
        &self,
        job: Job,
        changes: &[Override],
        watch: RunWatch<'_>,
    ) -> Result<Ready, RunError> {
        match self.settings(job, changes)? {
            RecipeSettings::Imn(config) => self.imn(job, &config, watch),
            RecipeSettings::Network(config) => self.network(job, &config, watch),
            RecipeSettings::Pipeline {
                extractor: (extractor_job, extractor),
                classifier: (classifier_job, classifier),
            } => {
                let extractor = self.network(extractor_job, &extractor, watch)?;
                let classifier = self.network(classifier_job, &classifier, watch)?;
                Ok(Ready {
                    seconds: extractor.seconds + classifier.seconds,
                    model: Model::pipeline(extractor.model, classifier.model)?,
                })
            }
        }
    }

    /// Provides a compared network.
    fn network(
        &self,
        job: Job,
        config: &SystemConfig,
        watch: RunWatch<'_>,
    ) -> Result<Ready, RunError> {
        let _lock = self.lock(&self.place(job, "lock")?, job, watch)?;
        if let Some(ready) = self.trained(job, config)? {
            return Ok(ready);
        }
        let checkpoint = self.checkpoint(job, &config.to_toml()?)?;
        let trainer = fit::trainer(config, &self.data)?.with_checkpoint(&checkpoint)?;
        let metric = trainer.network().role().metric();
        let fitted = self.follow(job, trainer, metric, &mut |progress, _| {
            watch(job.system.name, progress)
        })?;
        let seconds = fitted.seconds();
        let model = Model::alone(fit::finish(config, fitted)?);
        self.keep(job, Ready { model, seconds }, &checkpoint)
    }

    /// Provides a variant of IMN.
    fn imn(&self, job: Job, config: &Config, watch: RunWatch<'_>) -> Result<Ready, RunError> {
        let _lock = self.lock(&self.place(job, "lock")?, job, watch)?;
        if let Some(ready) = self.trained(job, config)? {
            return Ok(ready);
        }
        let mut corpus = Corpus::load(&config.into(), &self.data, None)?;
        corpus.teach(config, &self.data, None, &mut |_, _| {
            watch(job.system.name, &Progress::default())
        })?;
        let checkpoint = self.checkpoint(job, &config.to_toml()?)?;
        let (pretrained, pretraining_lock) = self.pretraining(job, config, watch)?;
        let mut pretraining_lock = Some(pretraining_lock);
        let trainer = imn_trainer(config, &self.data, corpus, None)?
            .with_checkpoint(&checkpoint)?
            .with_pretrained(&pretrained, config.of_pretraining().to_toml()?)?;
        let fitted = self.follow(job, trainer, Metric::F1I, &mut |progress, phase| {
            if phase == Some(Phase::Training) {
                // The pre-trained network is saved now, so other runs can use it.
                pretraining_lock = None;
            }
            watch(job.system.name, progress)
        })?;
        let seconds = fitted.seconds();
        let model = finish_imn(config, fitted, None)?;
        self.keep(job, Ready { model, seconds }, &checkpoint)
    }

    /// Runs a trainer to its end, with events and learning curves in the work folder. `watch` gets
    /// the progress and the phase of every step.
    fn follow(
        &self,
        job: Job,
        trainer: Trainer,
        metric: Metric,
        watch: &mut dyn FnMut(&Progress, Option<Phase>) -> bool,
    ) -> Result<Fitted, RunError> {
        let log = RunLog {
            events: self.place(job, "events.jsonl")?,
            curves: self.place(job, "curves.svg")?,
            title: job.to_string(),
        };
        let mut progress = Progress::default();
        let fitted = log.follow(trainer, &mut |event| {
            progress.see(event, metric);
            let phase = match event {
                Event::Step { phase, .. } => Some(*phase),
                Event::Started { .. } | Event::Epoch(_) => None,
            };
            watch(&progress, phase)
        })?;
        Ok(fitted)
    }

    /// Opens the network in the work folder if it was trained with exactly these settings.
    fn trained<C: DeserializeOwned + PartialEq>(
        &self,
        job: Job,
        config: &C,
    ) -> Result<Option<Ready>, RunError> {
        let path = self.place(job, "imn")?;
        if !path.exists() {
            return Ok(None);
        }
        let same = |model: &Model| {
            model
                .only_part()
                .is_some_and(|part| part.has_config(config))
        };
        let model = Model::open_with(&path.to_string_lossy(), FAMILIES)
            .ok()
            .filter(same);
        let seconds = read_number(&self.place(job, "seconds")?);
        let ready = model.zip(seconds);
        Ok(ready.map(|(model, seconds)| Ready { model, seconds }))
    }

    /// Saves a trained network in the work folder. The training time is in a file of its own, so
    /// that the same training gives the same model file.
    fn keep(&self, job: Job, ready: Ready, checkpoint: &Path) -> Result<Ready, RunError> {
        let path = self.place(job, "seconds")?;
        let written = imn_io::atomic::write(&path, format!("{}\n", ready.seconds).as_bytes());
        written.map_err(|error| RunError::Io { path, error })?;
        ready.model.save(&self.place(job, "imn")?, Storage::Full)?;
        std::fs::remove_file(checkpoint).ok();
        Ok(ready)
    }

    /// The checkpoint of a run. Its name depends on the settings.
    fn checkpoint(&self, job: Job, configuration: &str) -> Result<PathBuf, RunError> {
        let settings = imn_io::sha256(configuration.as_bytes());
        self.place(job, &format!("{settings}.checkpoint"))
    }

    /// The folder of pre-trained networks, and the lock on the network of this configuration.
    fn pretraining(
        &self,
        job: Job,
        config: &Config,
        watch: RunWatch<'_>,
    ) -> Result<(PathBuf, PartLock), RunError> {
        let folder = self.work.join("pretrained");
        super::create_folder(&folder)?;
        let name = imn_io::sha256(config.of_pretraining().to_toml()?.as_bytes());
        let lock = self.lock(&folder.join(format!("{name}.lock")), job, watch)?;
        Ok((folder, lock))
    }

    /// Waits until no other run is training this network.
    fn lock(&self, path: &Path, job: Job, watch: RunWatch<'_>) -> Result<PartLock, RunError> {
        let waiting = Progress::default();
        let lock = PartLock::wait(path, &mut || watch(job.system.name, &waiting))?;
        lock.ok_or(RunError::Train(TrainError::Stopped))
    }
}

fn read_number(path: &Path) -> Option<f64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}
