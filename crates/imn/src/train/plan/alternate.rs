//! Algorithm 1: pre-training on documents, then batches of sentences, with a batch of documents
//! after every r-th of them.

use imn_nn::stream;
use rand::RngExt as _;
use rand::seq::SliceRandom as _;

use super::{PlannedStep, Sizes, shuffled};
use crate::config::Sampling;
use crate::train::{AlternateDocuments, TrainSettings};

/// An endless sequence of indices: pass after pass over all documents or sentences, each shuffled
/// anew.
#[derive(Debug, Clone)]
struct ShuffledPasses<'a> {
    seed: u64,
    name: &'a str,
    size: usize,
}

impl ShuffledPasses<'_> {
    /// Elements `from .. from + count` of the sequence; none if there is nothing to pass over.
    fn slice(&self, from: usize, count: usize) -> Vec<usize> {
        let mut indices = Vec::with_capacity(count);
        let mut at = from;
        while indices.len() < count && self.size > 0 {
            let pass = at / self.size;
            let order = shuffled(self.size, self.seed, &format!("{} pass {pass}", self.name));
            let start = at % self.size;
            let take = (self.size - start).min(count - indices.len());
            indices.extend_from_slice(&order[start..start + take]);
            at += take;
        }
        indices
    }
}

impl Sizes {
    /// Batches of sentences in an epoch.
    fn sentence_batches(self, batch: usize) -> usize {
        (self.sentences + self.soft_per_epoch).div_ceil(batch)
    }

    /// Steps of one pass over D^dd, or over D^ds without DD.
    fn pass(self, batch: usize) -> usize {
        if self.domain > 0 {
            self.domain
        } else {
            self.sentiment
        }
        .div_ceil(batch)
    }
}

/// `steps` batches of documents, after the first `before` batches of the phase `name`.
fn documents(
    sizes: Sizes,
    batch: usize,
    seed: u64,
    name: &str,
    before: usize,
    steps: usize,
) -> impl Iterator<Item = PlannedStep> {
    let batches = |kind: &str, size| -> Vec<Vec<usize>> {
        let name = format!("{name} {kind}");
        let passes = ShuffledPasses {
            seed,
            name: &name,
            size,
        };
        // The sequence is endless, so every batch is full.
        let indices = passes.slice(before * batch, steps * batch);
        indices.chunks(batch).map(<[usize]>::to_vec).collect()
    };
    let mut sentiment = batches("sentiment", sizes.sentiment).into_iter();
    let mut domain = batches("domain", sizes.domain).into_iter();
    (0..steps).map(move |_| {
        PlannedStep::documents(
            sentiment.next().unwrap_or_default(),
            domain.next().unwrap_or_default(),
        )
    })
}

/// Number of steps of a pre-training epoch.
pub(super) fn pretraining_steps(sizes: Sizes, settings: &TrainSettings) -> usize {
    sizes.pass(settings.batch)
}

/// Number of steps on documents in a training epoch.
fn interleaved(sizes: Sizes, settings: &TrainSettings, alternate: &AlternateDocuments) -> usize {
    match sizes.sentiment {
        0 => 0,
        _ => sizes.sentence_batches(settings.batch) / alternate.ratio,
    }
}

/// Number of steps of a training epoch.
pub(super) fn training_steps(
    sizes: Sizes,
    settings: &TrainSettings,
    alternate: &AlternateDocuments,
) -> usize {
    sizes.sentence_batches(settings.batch) + interleaved(sizes, settings, alternate)
}

/// The steps of a pre-training epoch. Epochs count from 1.
pub(super) fn pretraining_epoch(
    sizes: Sizes,
    settings: &TrainSettings,
    epoch: usize,
) -> Vec<PlannedStep> {
    let steps = pretraining_steps(sizes, settings);
    documents(
        sizes,
        settings.batch,
        settings.seed,
        "pretraining",
        (epoch - 1) * steps,
        steps,
    )
    .collect()
}

/// The sentences of an epoch in random order: all with gold labels, and the next share of those
/// with soft labels.
fn sentences(sizes: Sizes, seed: u64, epoch: usize) -> Vec<usize> {
    let passes = ShuffledPasses {
        seed,
        name: "soft sentences",
        size: sizes.soft,
    };
    let count = sizes.soft_per_epoch;
    let soft = passes.slice((epoch - 1) * count, count).into_iter();
    let mut order: Vec<usize> = (0..sizes.sentences)
        .chain(soft.map(|i| sizes.sentences + i))
        .collect();
    order.shuffle(&mut stream(seed, &format!("sentences of epoch {epoch}")));
    order
}

/// The steps of a training epoch. Epochs count from 1.
pub(super) fn training_epoch(
    sizes: Sizes,
    settings: &TrainSettings,
    alternate: &AlternateDocuments,
    epoch: usize,
) -> Vec<PlannedStep> {
    let (seed, batch, sampling) = (settings.seed, settings.batch, settings.sampling);
    let order = sentences(sizes, seed, epoch);
    let probability = sampling.probability(epoch);
    let mut rng = stream(seed, &format!("sampling of epoch {epoch}"));
    let whole_epoch = rng.random_bool(probability);
    let interleaved = interleaved(sizes, settings, alternate);
    let before = (epoch - 1) * interleaved;
    let mut document_steps = documents(sizes, batch, seed, "training", before, interleaved);
    let mut steps = Vec::new();
    for (b, sentences) in order.chunks(batch).enumerate() {
        let gold_opinions = match sampling {
            Sampling::Never => false,
            Sampling::Epoch => whole_epoch,
            Sampling::Batch => rng.random_bool(probability),
        };
        steps.push(PlannedStep::sentences(sentences, gold_opinions));
        if (b + 1).is_multiple_of(alternate.ratio) {
            steps.extend(document_steps.next());
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use imn_nn::optim::StepCount;

    use super::*;
    use crate::model::Objective;

    const SIZES: Sizes = Sizes {
        sentences: 100,
        soft: 0,
        soft_per_epoch: 0,
        sentiment: 50,
        domain: 130,
    };

    const ALTERNATE: AlternateDocuments = AlternateDocuments {
        ratio: 2,
        separate_moments: false,
        step_count: StepCount::PerParameter,
    };

    fn settings(seed: u64) -> TrainSettings {
        TrainSettings {
            seed,
            batch: 8,
            ..TrainSettings::default()
        }
    }

    #[test]
    fn a_pretraining_epoch_is_one_pass_over_the_domain_documents() {
        let mut seen = Vec::new();
        let steps = pretraining_epoch(SIZES, &settings(1), 1);
        assert_eq!(steps.len(), 17);
        for step in &steps {
            assert_eq!(step.objective(), Objective::Documents);
            assert_eq!((step.sentiment.len(), step.domain.len()), (8, 8));
            seen.extend(step.domain.iter().copied());
        }
        seen.truncate(130);
        seen.sort_unstable();
        assert_eq!(seen, (0..130).collect::<Vec<_>>());
        assert_ne!(steps, pretraining_epoch(SIZES, &settings(1), 2));
        assert_ne!(steps, pretraining_epoch(SIZES, &settings(2), 1));
    }

    #[test]
    fn an_epoch_has_every_sentence_once_and_documents_after_every_second_batch() {
        let steps = training_epoch(SIZES, &settings(1), &ALTERNATE, 3);
        let mut seen = Vec::new();
        let kinds: String = steps
            .iter()
            .map(|step| match step.objective() {
                Objective::Sentences => {
                    seen.extend(step.sentences.iter().copied());
                    'a'
                }
                Objective::Documents => 'd',
                Objective::Joint => 'j',
            })
            .collect();
        assert_eq!(kinds, "aadaadaadaadaadaada");
        assert_eq!(training_steps(SIZES, &settings(1), &ALTERNATE), kinds.len());
        seen.sort_unstable();
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn soft_sentences_continue_where_the_last_epoch_stopped() {
        let sizes = Sizes {
            soft: 60,
            soft_per_epoch: 20,
            ..SIZES
        };
        let mut all = Vec::new();
        for epoch in 1..=3 {
            let steps = training_epoch(sizes, &settings(1), &ALTERNATE, epoch);
            assert_eq!(steps.len(), training_steps(sizes, &settings(1), &ALTERNATE));
            let sentences = steps.into_iter().flat_map(|step| step.sentences);
            let (gold, soft): (Vec<usize>, Vec<usize>) = sentences.partition(|&i| i < 100);
            assert_eq!((gold.len(), soft.len()), (100, 20));
            all.extend(soft);
        }
        all.sort_unstable();
        assert_eq!(all, (100..160).collect::<Vec<_>>());
    }

    #[test]
    fn documents_continue_where_the_last_epoch_stopped() {
        let documents = |epoch| -> Vec<usize> {
            let steps = training_epoch(SIZES, &settings(1), &ALTERNATE, epoch);
            steps.into_iter().flat_map(|step| step.sentiment).collect()
        };
        // An epoch has 6 batches of 8, so one pass over 50 documents ends in the second epoch.
        let mut pass: Vec<usize> = documents(1)
            .into_iter()
            .chain(documents(2))
            .take(50)
            .collect();
        pass.sort_unstable();
        assert_eq!(pass, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn without_documents_all_steps_are_on_sentences() {
        let sizes = Sizes {
            sentiment: 0,
            domain: 0,
            ..SIZES
        };
        let steps = training_epoch(sizes, &settings(1), &ALTERNATE, 1);
        let objective = |step: &PlannedStep| step.objective() == Objective::Sentences;
        assert!(steps.iter().all(objective));
    }
}
