//! The training loop: pre-training and training, with a checkpoint after every epoch.

mod epoch;

use std::path::{Path, PathBuf};

use imn_nn::{Engine, Params};

use super::plan::{self, Sizes};
use super::{
    Checkpoint, Corpus, EpochRecord, Event, Fitted, RunIdentity, TrainError, TrainSettings, Watch,
};
use crate::model::{Network, Phase};

/// A training run: a network, its corpus, and the state of training.
///
/// This run is stopped after its first epoch and resumed from the checkpoint:
///
/// ```
/// use imn::train::{Corpus, Event, TrainError, Trainer, imn_trainer};
/// # use imn::config::Config;
/// # let folder = tempfile::tempdir()?;
/// # let line = concat!(
/// #     r#"{"v":1,"text":"good soup","opinions":[{"start":0,"end":4}],"#,
/// #     r#""aspects":[{"start":5,"end":9,"polarity":"positive"}]}"#, "\n",
/// # );
/// # std::fs::write(folder.path().join("train.jsonl"), line.repeat(10))?;
/// # let settings = r#"
/// #     name = "tiny"
/// #     data.train = "train.jsonl"
/// #     vectors.dimensions = 4
/// #     train.epochs = 2
/// #     [model]
/// #     messages = "aspect"
/// #     documents = "none"
/// #     encoder = { cnn = { filters = 4 } }
/// # "#;
/// # let config = Config::from_toml(settings, &[])?;
/// # let data = folder.path();
///
/// let checkpoint = folder.path().join("checkpoint");
/// let trainer = || -> Result<Trainer, TrainError> {
///     let corpus = Corpus::load(&(&config).into(), data, None)?;
///     imn_trainer(&config, data, corpus, None)?.with_checkpoint(&checkpoint)
/// };
/// let stop_after_epoch = &mut |event: &Event<'_>| !matches!(event, Event::Epoch(_));
/// assert!(matches!(trainer()?.run(stop_after_epoch), Err(TrainError::Stopped)));
///
/// let resumed = trainer()?;
/// assert_eq!(resumed.history().len(), 1);
/// let fitted = resumed.run(&mut |_: &Event<'_>| true)?;
/// assert_eq!(fitted.history.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Trainer {
    network: Box<dyn Network>,
    corpus: Corpus,
    settings: TrainSettings,
    identity: RunIdentity,
    state: Checkpoint,
    /// The weights at the beginning, if the settings keep a share of them.
    initial: Option<Params<f32>>,
    engine: Engine<f32>,
    /// Path of the checkpoint.
    checkpoint: Option<PathBuf>,
    /// Path of the state after pre-training, and the identity of pre-training.
    pretrained: Option<(PathBuf, RunIdentity)>,
}

impl Trainer {
    /// A run that has not started. `params` are the weights that `network` was built with, and
    /// `configuration` describes everything that the run depends on besides the data.
    ///
    /// # Errors
    /// If a parameter group of the settings matches no parameter.
    pub fn new(
        network: Box<dyn Network>,
        params: Params<f32>,
        corpus: Corpus,
        settings: TrainSettings,
        configuration: String,
    ) -> Result<Self, TrainError> {
        let identity = RunIdentity {
            configuration,
            fingerprint: corpus.report.fingerprint.clone(),
        };
        let initial = settings.init_share.map(|_| params.clone());
        let state = Checkpoint {
            adams: settings.optimizers(&params)?,
            params,
            steps: 0,
            history: Vec::new(),
            best: None,
            average: None,
        };
        Ok(Self {
            network,
            corpus,
            settings,
            identity,
            state,
            initial,
            engine: Engine::new(),
            checkpoint: None,
            pretrained: None,
        })
    }

    /// Writes a checkpoint to `path` after every epoch. If `path` exists, the run resumes from it.
    ///
    /// # Errors
    /// If an existing checkpoint cannot be read, is damaged or belongs to another run.
    pub fn with_checkpoint(mut self, path: &Path) -> Result<Self, TrainError> {
        if path.exists() {
            self.state.load(path, &self.identity)?;
        }
        self.checkpoint = Some(path.to_owned());
        Ok(self)
    }

    /// Caches the state after pre-training in `folder`. Runs with the same pre-training share it
    /// instead of repeating it, and end with the same weights as without the cache.
    /// `configuration` describes everything that pre-training depends on besides the data.
    ///
    /// # Errors
    /// If a cached state cannot be read or is damaged.
    pub fn with_pretrained(
        mut self,
        folder: &Path,
        configuration: String,
    ) -> Result<Self, TrainError> {
        if self.pretraining_epochs() == 0 {
            return Ok(self);
        }
        let fingerprint = self.identity.fingerprint.clone();
        let name = imn_io::sha256(format!("{configuration}{fingerprint}").as_bytes());
        let path = folder.join(format!("{name}.pretrained"));
        let identity = RunIdentity {
            configuration,
            fingerprint,
        };
        if path.exists() && self.state.history.is_empty() {
            self.state.load(&path, &identity)?;
        }
        self.pretrained = Some((path, identity));
        Ok(self)
    }

    /// Completed epochs of both phases.
    #[must_use]
    pub fn history(&self) -> &[EpochRecord] {
        &self.state.history
    }

    /// The network that is trained.
    #[must_use]
    pub fn network(&self) -> &dyn Network {
        self.network.as_ref()
    }

    /// The training data.
    #[must_use]
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    fn sizes(&self) -> Sizes {
        Sizes {
            sentences: self.corpus.train.len(),
            soft: self.corpus.soft.len(),
            soft_per_epoch: (self.corpus.soft.len() as f64 * self.settings.soft_share).ceil()
                as usize,
            sentiment: self.corpus.sentiment.len(),
            domain: self.corpus.domain.len(),
        }
    }

    fn pretraining_epochs(&self) -> usize {
        if self.corpus.sentiment.is_empty() {
            0
        } else {
            self.settings.pretrain_epochs
        }
    }

    /// Trains all remaining epochs.
    ///
    /// # Errors
    /// If a loss or gradient is not finite, a checkpoint cannot be written, or `watch` stops the
    /// run.
    pub fn run(mut self, watch: &mut dyn Watch) -> Result<Fitted, TrainError> {
        let pretraining = self.pretraining_epochs();
        let epochs = pretraining + self.settings.epochs;
        let done = self.state.history.len();
        let left = pretraining.saturating_sub(done);
        let (sizes, settings) = (self.sizes(), self.settings.clone());
        let steps = |phase| plan::steps(sizes, &settings, phase);
        let started = Event::Started {
            done,
            epochs,
            steps: left * steps(Phase::Pretraining)
                + (epochs - done - left) * steps(Phase::Training),
        };
        let all =
            pretraining * steps(Phase::Pretraining) + self.settings.epochs * steps(Phase::Training);
        self.settings.schedule = self.settings.schedule.over(all as u64);
        if !watch.see(&started) {
            return Err(TrainError::Stopped);
        }
        for i in done..epochs {
            let (phase, epoch) = if i < pretraining {
                (Phase::Pretraining, i + 1)
            } else {
                (Phase::Training, i - pretraining + 1)
            };
            if (phase, epoch) == (Phase::Training, 1) {
                self.network.after_pretraining(&mut self.state.params);
            }
            let record = self.epoch(phase, epoch, watch)?;
            self.state.history.push(record);
            if let Some((path, identity)) = &self.pretrained
                && i + 1 == pretraining
            {
                self.state.save(path, identity)?;
            }
            if let Some(path) = &self.checkpoint {
                self.state.save(path, &self.identity)?;
            }
            if let Some(record) = self.state.history.last()
                && !watch.see(&Event::Epoch(record))
            {
                return Err(TrainError::Stopped);
            }
        }
        Ok(self.finish())
    }

    fn finish(self) -> Fitted {
        let Checkpoint { history, best, .. } = self.state;
        // There is at least one epoch to select from, and the first of them is the best so far.
        let best = best.expect("an epoch was selected");
        let is_best =
            |record: &&EpochRecord| record.phase == Phase::Training && record.epoch == best.epoch;
        Fitted {
            network: self.network,
            params: best.params,
            corpus: self.corpus,
            best_epoch: best.epoch,
            dev: history.iter().find(is_best).and_then(|record| record.dev),
            history,
        }
    }
}
