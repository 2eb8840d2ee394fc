//! One way to train every compared system: documents first where it reads them, then sentences; the best epoch on the development split
//! is kept.

use std::time::Instant;

use imn::config::{Learning, LossMean};
use imn::data::AnnotatedSentence;
use imn::eval::{Counts, Scores, pair};
use imn::train::{Average, Corpus, DocumentExample, TrainError};
use imn_nn::optim::{Adam, AdamConfig};
use imn_nn::{Engine, Freeze, Params, Step, Tape, Var, stream};
use rand::seq::SliceRandom as _;

use crate::batch::{DocumentShard, Sentence, Shard, document_shards, sentence_shards};
use crate::config::{OpinionLabels, SystemConfig};
use crate::network::{EMBEDDING, FIXED, Network, Reading, Role, Setting};
use crate::trained::{Record, Trained, predict};

/// How far training is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub step: usize,
    /// Steps in all.
    pub steps: usize,
    /// The best score on the development split so far.
    pub best: Option<f64>,
}

/// Looks on while a system is trained; says whether to go on.
pub type Watch<'a> = &'a mut dyn FnMut(&Progress) -> bool;

/// What a step learns from.
enum Part<'a> {
    Sentences(Shard<'a>),
    Documents(DocumentShard),
}

/// Trains a system.
///
/// # Errors
/// If the data cannot be read, a loss is not finite, or whoever watches stops it.
pub fn fit(
    config: &SystemConfig,
    folder: &std::path::Path,
    watch: Watch<'_>,
) -> Result<Trained, TrainError> {
    config.validate()?;
    let corpus = Corpus::load(&config.corpus(), folder, None)?;
    let mut params = Params::new();
    let setting = Setting {
        vocabulary: &corpus.vocabulary,
        vectors: corpus.vectors.clone(),
        tag_set: config.opinions.tag_set(),
    };
    let network = config
        .network
        .build(&mut params.builder(config.seed), setting);
    let run = Run::new(config, &corpus, network.as_ref(), params);
    let Best {
        epoch,
        params,
        scores,
        seconds,
        ..
    } = run.run(watch)?;
    Ok(Trained {
        config: config.clone(),
        dimensions: corpus.vectors.dimensions,
        record: Record {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            best_epoch: epoch,
            dev: scores.named(),
            seconds,
            corpus: corpus.report,
        },
        vocabulary: corpus.vocabulary,
        params,
        network,
    })
}

struct Best {
    epoch: usize,
    score: f64,
    scores: Scores,
    params: Params<f32>,
    seconds: f64,
}

struct Run<'a> {
    config: &'a SystemConfig,
    network: &'a dyn Network,
    sentences: Vec<Sentence>,
    documents: &'a [DocumentExample],
    dev: &'a [AnnotatedSentence],
    /// The development split as the network is given it.
    dev_sentences: Vec<Sentence>,
    params: Params<f32>,
    adam: Adam<f32>,
    average: Option<Average>,
    engine: Engine<f32>,
    freeze: Freeze,
    step: u64,
}

impl<'a> Run<'a> {
    fn new(
        config: &'a SystemConfig,
        corpus: &'a Corpus,
        network: &'a dyn Network,
        params: Params<f32>,
    ) -> Self {
        let labelled = config.opinions == OpinionLabels::Used;
        let tags = config.opinions.tag_set().tags();
        let learn = |example| Sentence::to_learn(example, tags, labelled);
        let mut sentences: Vec<Sentence> = corpus.train.iter().map(learn).collect();
        let dev: &[AnnotatedSentence] = corpus.dev.first().map_or(&[], Vec::as_slice);
        let mut dev_sentences: Vec<Sentence> = dev
            .iter()
            .map(|sentence| Sentence::to_read(sentence, &corpus.vocabulary))
            .collect();
        if network.role() == Role::Classifier {
            // Nothing to learn without a sentiment, and on the development split the annotated aspects are given.
            let has_class = |sentence: &Sentence| {
                let mut aspects = sentence.aspects.iter();
                aspects.any(|&aspect| sentence.class(aspect).is_some())
            };
            sentences.retain(has_class);
            let examples = dev.iter().zip(&mut dev_sentences);
            for (annotated, sentence) in examples {
                let tag_set = config.opinions.tag_set();
                let example = imn::train::Example::new(annotated, &corpus.vocabulary, tag_set);
                let known = Sentence::to_learn(&example, tags, labelled);
                (sentence.aspects, sentence.opinion) = (known.aspects, known.opinion);
            }
        }
        let mut freeze = Freeze::prefixes([FIXED]);
        if config.vectors.learn == Learning::Never {
            freeze = freeze.and(EMBEDDING);
        }
        Self {
            adam: Adam::new(AdamConfig {
                clip_norm: config.train.clip_norm,
                table_rate: config.vectors.rate,
                ..AdamConfig::default()
            }),
            average: None,
            engine: Engine::new(),
            documents: &corpus.sentiment,
            step: 0,
            config,
            network,
            sentences,
            dev,
            dev_sentences,
            params,
            freeze,
        }
    }

    fn run(mut self, watch: Watch<'_>) -> Result<Best, TrainError> {
        let start = Instant::now();
        let train = &self.config.train;
        let pretrain = train.documents.as_ref().map_or(0, |d| d.pretrain_epochs);
        let document_batch = train.documents.as_ref().map_or(1, |d| d.batch);
        let pretraining_steps = pretrain * self.documents.len().div_ceil(document_batch);
        let epoch_steps = self.sentences.len().div_ceil(train.batch);
        let steps = pretraining_steps + train.epochs * epoch_steps;
        let mut best: Option<Best> = None;
        let mut progress = |step: u64, best: &Option<Best>| {
            let progress = Progress {
                step: step as usize,
                steps,
                best: best.as_ref().map(|best| best.score),
            };
            watch(&progress).then_some(()).ok_or(TrainError::Stopped)
        };
        for epoch in 1..=pretrain {
            let documents = self.documents;
            let order = shuffled(documents.len(), self.config.seed, "documents first", epoch);
            for batch in order.chunks(document_batch) {
                let batch: Vec<_> = batch.iter().map(|&i| &documents[i]).collect();
                let parts = document_shards(&batch);
                let parts = parts.into_iter().map(Part::Documents).collect();
                self.step(parts, Reading::Pretraining, 1)?;
                progress(self.step, &best)?;
            }
        }
        self.network.after_pretraining(&mut self.params);
        // The documents beside the sentences go round and round.
        let mut beside: Vec<usize> = Vec::new();
        let mut rounds = 0;
        let sentences = std::mem::take(&mut self.sentences);
        for epoch in 1..=train.epochs {
            let order = shuffled(sentences.len(), self.config.seed, "sentences", epoch);
            for batch in order.chunks(train.batch) {
                let batch: Vec<&Sentence> = batch.iter().map(|&i| &sentences[i]).collect();
                let mut parts = sentence_parts(&batch, train.loss_mean);
                if train.documents.is_some() {
                    if beside.len() < document_batch {
                        rounds += 1;
                        let seed = self.config.seed;
                        beside = shuffled(self.documents.len(), seed, "documents beside", rounds);
                    }
                    let rest = beside.len().saturating_sub(document_batch);
                    let chosen = beside.split_off(rest);
                    let chosen: Vec<_> = chosen.iter().map(|&i| &self.documents[i]).collect();
                    parts.extend(document_shards(&chosen).into_iter().map(Part::Documents));
                }
                self.step(parts, Reading::Joint, epoch)?;
                if let Some(epochs) = train.average_epochs {
                    let horizon = epochs * epoch_steps as f64;
                    let params = &self.params;
                    let average = self.average.get_or_insert_with(|| Average::new(params));
                    average.see(params, self.step, horizon);
                }
                progress(self.step, &best)?;
            }
            let scores = self.dev_scores();
            let score = scores.get(self.network.role().metric()).unwrap_or_default();
            if best.as_ref().is_none_or(|best| score > best.score) {
                best = Some(Best {
                    epoch,
                    score,
                    scores,
                    params: self.evaluated().clone(),
                    seconds: 0.0,
                });
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        // `validate` asks for at least one epoch, and the first is always the best so far.
        best.map(|best| Best { seconds, ..best })
            .ok_or(TrainError::Stopped)
    }

    /// One step of Adam on the sum of the parts' losses.
    fn step(
        &mut self,
        parts: Vec<Part<'_>>,
        reading: Reading,
        epoch: usize,
    ) -> Result<(), TrainError> {
        let train = &self.config.train;
        let weight = match (reading, &train.documents) {
            (Reading::Joint, Some(documents)) => documents.weight,
            _ => 1.0,
        };
        let rate = train.learning_rate * train.schedule.factor(self.step, epoch as u64 - 1);
        self.step += 1;
        let step = Step {
            seed: self.config.seed,
            number: self.step,
            freeze: self.freeze.clone(),
        };
        let network = self.network;
        let loss = |tape: &mut Tape<'_, f32>, part: &Part<'_>| -> Var {
            match part {
                Part::Sentences(shard) => network.loss(tape, shard),
                Part::Documents(shard) => match network.document_loss(tape, shard, reading) {
                    Some(loss) => tape.scale(loss, weight),
                    None => tape.plain(1, 1, &[0.0]),
                },
            }
        };
        let result = self.engine.gradients(&self.params, &step, &parts, loss)?;
        self.adam
            .step(&mut self.params, &result.grads, rate, step.number)?;
        self.engine.recycle(result.grads);
        Ok(())
    }

    fn evaluated(&self) -> &Params<f32> {
        match &self.average {
            Some(average) if average.updates > 0 => &average.params,
            _ => &self.params,
        }
    }

    fn dev_scores(&self) -> Scores {
        let sentences: Vec<&Sentence> = self.dev_sentences.iter().collect();
        let said = predict(self.network, self.evaluated(), &sentences);
        let opinions = self.config.opinions;
        let annotated = self.dev.iter().zip(said);
        let annotated = annotated.map(|(sentence, said)| said.annotate(sentence, opinions));
        let annotated: Vec<AnnotatedSentence> = annotated.collect();
        let counts = pair(self.dev, &annotated).unwrap_or_default();
        counts.into_iter().sum::<Counts>().scores()
    }
}

fn sentence_parts<'a>(batch: &[&'a Sentence], mean: LossMean) -> Vec<Part<'a>> {
    let words = batch.iter().map(|sentence| sentence.words.len());
    let mean = mean.over(batch.len(), words.sum());
    let shards = sentence_shards(batch, mean).into_iter();
    shards.map(Part::Sentences).collect()
}

/// The numbers below `count` in an order of their own for each round.
fn shuffled(count: usize, seed: u64, what: &str, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.shuffle(&mut stream(seed, &format!("{what} {round}")));
    order
}
