//! Runs the plan: steps, epochs, checkpoints, the choice of the best epoch.

use std::path::{Path, PathBuf};
use std::time::Instant;

use imn_nn::optim::{Adam, AdamConfig};
use imn_nn::{Engine, Freeze, Params, Step, Tape, Var};

use super::plan::{
    PlannedStep, Sizes, pretraining_epoch, pretraining_steps, training_epoch, training_steps,
};
use super::shard::{DocumentShard, SentenceShard, document_shards, sentence_shards};
use super::{Average, Best, Checkpoint, Corpus, EpochRecord, Event, Phase, TrainError};
use crate::analyze::{sentence_outcomes, text_outcomes};
use crate::bundle::{Bundle, TrainingRecord};
use crate::config::{Config, Learning, LossMean};
use crate::eval::{self, Calibration, Counts, Metric, Outcomes, Scores};
use crate::model::{DocumentTask, Imn};
use crate::predict::{self, POLARITIES};

/// Whoever watches a run. Returning `false` stops it after the step; the last checkpoint stays.
pub trait Watch {
    /// Something happened.
    fn see(&mut self, event: &Event<'_>) -> bool;
}

impl<F: FnMut(&Event<'_>) -> bool> Watch for F {
    fn see(&mut self, event: &Event<'_>) -> bool {
        self(event)
    }
}

/// A run.
#[derive(Debug)]
pub struct Trainer {
    config: Config,
    corpus: Corpus,
    network: Imn,
    state: Checkpoint,
    engine: Engine<f32>,
    /// Where checkpoints go; none are written where this is not said.
    checkpoint: Option<PathBuf>,
    /// Where the pre-trained network goes.
    pretrained: Option<PathBuf>,
}

/// What a run gives.
#[derive(Debug)]
pub struct Trained {
    /// The model of the best epoch.
    pub bundle: Bundle,
    /// All epochs.
    pub history: Vec<EpochRecord>,
    /// Seconds of all epochs.
    pub seconds: f64,
}

impl Trainer {
    /// A run from the beginning. `init` is a model to start from; its network must be the configured one and its vocabulary that
    /// of the corpus.
    ///
    /// # Errors
    /// If the configuration makes no sense or does not fit `init`.
    pub fn new(config: Config, corpus: Corpus, init: Option<&Bundle>) -> Result<Self, TrainError> {
        config.validate()?;
        let mut params = Params::new();
        let vectors = corpus.vectors.clone();
        let network = Imn::new(
            &mut params,
            &config.model,
            vectors,
            corpus.domains,
            config.seed,
        )
        .map_err(crate::config::ConfigError::from)?;
        if let Some(bundle) = init {
            let tensors = bundle
                .params
                .tensors()
                .map(|(name, shape, data)| (name.to_owned(), (shape.to_vec(), data.to_vec())));
            params.load_tensors(tensors.collect())?;
        }
        let adam = Adam::new(AdamConfig {
            clip_norm: config.train.clip_norm,
            table_rate: config.vectors.rate,
            ..AdamConfig::default()
        });
        let adams = vec![adam; if config.train.separate_moments { 2 } else { 1 }];
        let state = Checkpoint {
            params,
            adams,
            steps: 0,
            history: Vec::new(),
            best: None,
            average: None,
        };
        Ok(Self {
            config,
            corpus,
            network,
            state,
            engine: Engine::new(),
            checkpoint: None,
            pretrained: None,
        })
    }

    /// Writes a checkpoint to `path` after every epoch, and goes on from the one that is there.
    ///
    /// # Errors
    /// If there is one that is damaged or of another run.
    pub fn with_checkpoint(mut self, path: &Path) -> Result<Self, TrainError> {
        if path.exists() {
            self.state
                .load(path, &self.config, &self.corpus.report.fingerprint)?;
        }
        self.checkpoint = Some(path.to_owned());
        Ok(self)
    }

    /// Keeps the network as it is after pre-training in `folder`, by what pre-training depends on, and starts from the one that is
    /// there: runs that differ in what comes after share it. The weights are the same as without it.
    ///
    /// # Errors
    /// If there is one that is damaged.
    pub fn with_pretrained(mut self, folder: &Path) -> Result<Self, TrainError> {
        if self.pretraining_epochs() == 0 {
            return Ok(self);
        }
        let (config, fingerprint) = (self.pretraining(), &self.corpus.report.fingerprint);
        let name = imn_nn::hash(format!("{}{fingerprint}", config.to_toml()).as_bytes());
        let path = folder.join(format!("{name:016x}.pretrained"));
        if path.exists() && self.state.history.is_empty() {
            self.state.load(&path, &config, fingerprint)?;
        }
        self.pretrained = Some(path);
        Ok(self)
    }

    /// The configuration with everything that pre-training does not depend on set to one value.
    fn pretraining(&self) -> Config {
        let mut config = self.config.clone();
        config.name = "pretraining".to_owned();
        (config.data.set, config.data.test) = (None, None);
        let train = &mut config.train;
        (train.epochs, train.ratio, train.select_from) = (1, 1, 1);
        train.sampling = crate::config::Sampling::Never;
        train.loss_mean = LossMean::Sentences;
        train.average_epochs = None;
        config
    }

    /// Epochs that are done, of both phases.
    #[must_use]
    pub fn history(&self) -> &[EpochRecord] {
        &self.state.history
    }

    fn sizes(&self) -> Sizes {
        Sizes {
            sentences: self.corpus.train.len(),
            sentiment: self.corpus.sentiment.len(),
            domain: self.corpus.domain.len(),
        }
    }

    fn pretraining_epochs(&self) -> usize {
        if self.corpus.sentiment.is_empty() {
            0
        } else {
            self.config.train.pretrain_epochs
        }
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// If a loss or gradient is not finite, a checkpoint cannot be written, or whoever watches stops the run.
    pub fn run(mut self, watch: &mut dyn Watch) -> Result<Trained, TrainError> {
        let pretraining = self.pretraining_epochs();
        let epochs = pretraining + self.config.train.epochs;
        let done = self.state.history.len();
        let sizes = self.sizes();
        let left = pretraining.saturating_sub(done);
        let steps = left * pretraining_steps(sizes, &self.config.train)
            + (epochs - done - left) * training_steps(sizes, &self.config.train);
        if !watch.see(&Event::Started {
            done,
            epochs,
            steps,
        }) {
            return Err(TrainError::Stopped);
        }
        for i in done..epochs {
            let (phase, epoch) = if i < pretraining {
                (Phase::Pretraining, i + 1)
            } else {
                (Phase::Training, i - pretraining + 1)
            };
            let record = self.epoch(phase, epoch, watch)?;
            self.state.history.push(record);
            if let Some(path) = self.pretrained.as_ref().filter(|_| i + 1 == pretraining) {
                let config = self.pretraining();
                self.state
                    .save(path, &config, &self.corpus.report.fingerprint)?;
            }
            if let Some(path) = &self.checkpoint {
                self.state
                    .save(path, &self.config, &self.corpus.report.fingerprint)?;
            }
            if let Some(record) = self.state.history.last()
                && !watch.see(&Event::Epoch(record))
            {
                return Err(TrainError::Stopped);
            }
        }
        Ok(self.finish())
    }

    fn finish(self) -> Trained {
        let Self {
            config,
            corpus,
            network,
            state,
            ..
        } = self;
        let (epoch, params) = match state.best {
            Some(best) => (best.epoch, best.params),
            None => (config.train.epochs, state.params),
        };
        let training =
            |record: &&EpochRecord| record.phase == Phase::Training && record.epoch == epoch;
        let dev = state
            .history
            .iter()
            .find(training)
            .and_then(|record| record.dev);
        let dev = dev.map(|scores| scores.named()).unwrap_or_default();
        let record = TrainingRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: config.seed,
            corpus: corpus.report,
            best_epoch: epoch,
            dev,
        };
        let mut bundle = Bundle {
            calibration: Calibration::default(),
            dimensions: corpus.vectors.dimensions,
            domain_columns: corpus.vectors.domain_columns,
            domains: corpus.domains,
            config,
            vocabulary: corpus.vocabulary,
            params,
            network,
            record,
        };
        let mut outcomes = Outcomes::default();
        for (scheme, dev) in corpus.dev.iter().enumerate() {
            bundle.network = answering(&bundle.network, scheme);
            outcomes.add(sentence_outcomes(&bundle, dev));
        }
        bundle.network = answering(&bundle.network, 0);
        let held_out = corpus.held_out.iter();
        let held_out: Vec<_> = held_out
            .map(|document| {
                (
                    document.words.as_slice(),
                    POLARITIES[document.class as usize],
                )
            })
            .collect();
        outcomes.texts = text_outcomes(&bundle, &held_out);
        bundle.calibration = Calibration::fit(&outcomes);
        let seconds = state.history.iter().map(|record| record.seconds).sum();
        Trained {
            bundle,
            history: state.history,
            seconds,
        }
    }

    fn epoch(
        &mut self,
        phase: Phase,
        epoch: usize,
        watch: &mut dyn Watch,
    ) -> Result<EpochRecord, TrainError> {
        let start = Instant::now();
        let (seed, sizes) = (self.config.seed, self.sizes());
        let plan = match phase {
            Phase::Pretraining => pretraining_epoch(sizes, &self.config.train, seed, epoch),
            Phase::Training => training_epoch(sizes, &self.config.train, seed, epoch),
        };
        let steps = plan.len();
        let (mut aspect, mut document) = (Mean::default(), Mean::default());
        for (i, step) in plan.iter().enumerate() {
            match step {
                PlannedStep::Aspects {
                    sentences,
                    gold_opinions,
                } => {
                    aspect.add(self.aspect_step(sentences, *gold_opinions, epoch)?);
                }
                PlannedStep::Documents { sentiment, domain } => {
                    document.add(self.document_step(sentiment, domain, epoch)?);
                }
            }
            if let Some(epochs) = self.config.train.average_epochs
                && phase == Phase::Training
            {
                let Checkpoint {
                    params,
                    steps,
                    average,
                    ..
                } = &mut self.state;
                average.get_or_insert_with(|| Average::new(params)).see(
                    params,
                    *steps,
                    epochs * plan.len() as f64,
                );
            }
            let loss = match phase {
                Phase::Pretraining => document.get(),
                Phase::Training => aspect.get(),
            };
            let loss = loss.unwrap_or_default();
            if !watch.see(&Event::Step {
                phase,
                epoch,
                step: i + 1,
                steps,
                loss,
            }) {
                return Err(TrainError::Stopped);
            }
        }
        let mut record = EpochRecord {
            phase,
            epoch,
            aspect_loss: aspect.get(),
            document_loss: document.get(),
            dev: None,
            best: false,
            seconds: 0.0,
        };
        if phase == Phase::Training {
            let scores = self.dev_scores();
            let score = scores.get(Metric::F1I).unwrap_or_default();
            let better = self
                .state
                .best
                .as_ref()
                .is_none_or(|best| score > best.score);
            record.dev = Some(scores);
            record.best = epoch >= self.config.train.select_from && better;
            if record.best {
                let params = self.evaluated().clone();
                self.state.best = Some(Best {
                    epoch,
                    score,
                    params,
                });
            }
        }
        record.seconds = start.elapsed().as_secs_f64();
        Ok(record)
    }

    /// The weights to evaluate and keep: their mean where one is kept and has seen something.
    fn evaluated(&self) -> &Params<f32> {
        match &self.state.average {
            Some(average) if average.updates > 0 => &average.params,
            _ => &self.state.params,
        }
    }

    /// Scores of these weights on the development split.
    fn dev_scores(&self) -> Scores {
        let parts = self.corpus.dev.iter().enumerate().map(|(scheme, dev)| {
            let network = answering(&self.network, scheme);
            let vocabulary = &self.corpus.vocabulary;
            let predicted = predict::annotate(&network, self.evaluated(), vocabulary, dev);
            let counts = eval::pair(dev, &predicted).unwrap_or_default();
            counts.into_iter().sum::<Counts>()
        });
        parts.sum::<Counts>().scores()
    }

    fn learning_rate(&self, epoch: usize) -> f64 {
        let train = &self.config.train;
        train.learning_rate * train.schedule.factor(self.state.steps, epoch as u64 - 1)
    }

    /// What a step leaves alone: besides `freeze`, word vectors that its loss is not to change.
    fn frozen(&self, freeze: Freeze, from: Learning) -> Freeze {
        let learn = self.config.vectors.learn;
        if learn == Learning::Always || learn == from {
            freeze
        } else {
            freeze.and("shared.embedding.")
        }
    }

    /// Minimises L_a on a batch; θ_ds and θ_dd stay fixed.
    fn aspect_step(
        &mut self,
        sentences: &[usize],
        gold_opinions: bool,
        epoch: usize,
    ) -> Result<f64, TrainError> {
        let examples: Vec<_> = sentences.iter().map(|&i| &self.corpus.train[i]).collect();
        let words = examples.iter().map(|example| example.words.len());
        let mean = self
            .config
            .train
            .loss_mean
            .over(sentences.len(), words.sum());
        let shards = sentence_shards(&examples, gold_opinions);
        let network = self.network.clone();
        let loss = |tape: &mut Tape<'_, f32>, shard: &SentenceShard| {
            let output = network.forward(tape, &shard.input, shard.opinions.as_deref());
            let round = output.last();
            let ae = tape.token_cross_entropy(round.ae_logits, &shard.tags, mean);
            let sentiment = tape.token_cross_entropy(round.as_logits, &shard.polarities, mean);
            tape.add(ae, sentiment)
        };
        let freeze = self.frozen(Imn::fixed_for_aspects(), Learning::Sentences);
        self.step(&shards, freeze, 0, epoch, loss)
    }

    /// Minimises L_d on a batch of each document task.
    fn document_step(
        &mut self,
        sentiment: &[usize],
        domain: &[usize],
        epoch: usize,
    ) -> Result<f64, TrainError> {
        let mut all = document_shards(DocumentTask::Sentiment, sentiment, &self.corpus.sentiment);
        all.extend(document_shards(
            DocumentTask::Domain,
            domain,
            &self.corpus.domain,
        ));
        let network = self.network.clone();
        let loss = |tape: &mut Tape<'_, f32>, shard: &DocumentShard| -> Var {
            match network.read_documents(tape, &shard.input, shard.task) {
                Some(logits) => tape.sequence_cross_entropy(logits, &shard.classes, shard.count),
                None => tape.plain(1, 1, &[0.0]),
            }
        };
        let freeze = self.frozen(Freeze::none(), Learning::Always);
        let adam = self.state.adams.len() - 1;
        self.step(&all, freeze, adam, epoch, loss)
    }

    fn step<T: Sync>(
        &mut self,
        shards: &[T],
        freeze: Freeze,
        adam: usize,
        epoch: usize,
        loss: impl Fn(&mut Tape<'_, f32>, &T) -> Var + Sync,
    ) -> Result<f64, TrainError> {
        let rate = self.learning_rate(epoch);
        self.state.steps += 1;
        let step = Step {
            seed: self.config.seed,
            number: self.state.steps,
            freeze,
        };
        let result = self
            .engine
            .gradients(&self.state.params, &step, shards, loss)?;
        let adam = &mut self.state.adams[adam];
        adam.step(&mut self.state.params, &result.grads, rate, step.number)?;
        self.engine.recycle(result.grads);
        Ok(result.loss)
    }
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn get(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

/// The network, answering in the annotation scheme of this number; as it is where it knows none.
fn answering(network: &Imn, scheme: usize) -> Imn {
    let name = network.config().schemes.get(scheme);
    name.and_then(|name| network.clone().in_scheme(name))
        .unwrap_or_else(|| network.clone())
}
