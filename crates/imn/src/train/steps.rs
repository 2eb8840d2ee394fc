//! One step: its shards and their losses.

use imn_nn::{Engine, Params, Tape, Var};

use super::plan::PlannedStep;
use super::{Corpus, DocumentAccuracy, TrainSettings};
use crate::config::Learning;
use crate::eval::{Counts, PairingError, Scores, pair};
use crate::model::{
    DocumentBatch, DocumentExample, DocumentTask, Example, Network, Objective, Phase,
    SentenceBatch, argmax,
};
use crate::predict::classes_of_documents;

/// The part of a step that runs on one tape.
pub(super) enum Shard<'a> {
    Sentences(SentenceBatch<'a>),
    Documents(DocumentBatch),
}

/// The shards of a step.
pub(super) fn shards<'a>(
    step: &PlannedStep,
    corpus: &'a Corpus,
    network: &dyn Network,
    settings: &TrainSettings,
) -> Vec<Shard<'a>> {
    let mut shards = Vec::new();
    if !step.sentences.is_empty() {
        let batch: Vec<&Example> = step.sentences.iter().map(|&i| corpus.sentence(i)).collect();
        let words = batch.iter().map(|example| example.len()).sum();
        let mean = settings.loss_mean.over(batch.len(), words);
        let cut = SentenceBatch::cut(&batch, network.shards(words), mean, step.gold_opinions);
        shards.extend(cut.into_iter().map(|mut part| {
            part.sentiment_weight = settings.sentiment_weight;
            part.distillation = settings.distillation;
            Shard::Sentences(part)
        }));
    }
    for (task, chosen, documents) in [
        (DocumentTask::Sentiment, &step.sentiment, &corpus.sentiment),
        (DocumentTask::Domain, &step.domain, &corpus.domain),
    ] {
        let batch: Vec<&DocumentExample> = chosen.iter().map(|&i| &documents[i]).collect();
        let cut = DocumentBatch::cut(task, &batch).into_iter();
        shards.extend(cut.map(Shard::Documents));
    }
    shards
}

/// The loss of a shard. The loss on documents is multiplied by `weight`.
pub(super) fn loss(
    tape: &mut Tape<'_, f32>,
    network: &dyn Network,
    shard: &Shard<'_>,
    phase: Phase,
    weight: f64,
) -> Var {
    match shard {
        Shard::Sentences(batch) => network.loss(tape, batch),
        Shard::Documents(batch) => match network.document_loss(tape, batch, phase) {
            Some(loss) if weight == 1.0 => loss,
            Some(loss) => tape.scale(loss, weight),
            None => tape.plain(1, 1, &[0.0]),
        },
    }
}

/// The parameters that a step does not change: those that its objective freezes, and the word
/// vectors if its loss does not train them.
pub(super) fn frozen(
    network: &dyn Network,
    objective: Objective,
    learn: Learning,
) -> imn_nn::Freeze {
    let freeze = network.frozen(objective);
    if trains_vectors(objective, learn) {
        freeze
    } else {
        freeze.and(network.embedding())
    }
}

/// Whether a step trains the word vectors. The loss of a joint step contains L_a.
fn trains_vectors(objective: Objective, learn: Learning) -> bool {
    match learn {
        Learning::Always => true,
        Learning::Sentences => objective != Objective::Documents,
        Learning::Never => false,
    }
}

/// Index of the optimizer of an objective. The last optimizer is that of documents.
pub(super) fn optimizer(objective: Objective, optimizers: usize) -> usize {
    match objective {
        Objective::Sentences | Objective::Joint => 0,
        Objective::Documents => optimizers - 1,
    }
}

/// A running mean.
#[derive(Default)]
pub(super) struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    pub(super) fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    pub(super) fn get(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

/// Scores of these weights on the development split.
pub(super) fn dev_scores(
    network: &dyn Network,
    params: &Params<f32>,
    corpus: &Corpus,
) -> Result<Scores, PairingError> {
    let predictions = crate::predict::predict(network, params, &corpus.dev_examples);
    let tags = network.tag_set();
    let annotated: Vec<_> = corpus
        .dev
        .iter()
        .zip(predictions)
        .map(|(sentence, prediction)| prediction.annotate(sentence, tags))
        .collect();
    let counts = pair(&corpus.dev, &annotated)?;
    Ok(counts.into_iter().sum::<Counts>().scores())
}

/// Accuracies of these weights on the held-out documents. `None` if there are none, or if the
/// network is not IMN.
pub(super) fn document_accuracy(
    network: &dyn Network,
    params: &Params<f32>,
    corpus: &Corpus,
) -> Option<DocumentAccuracy> {
    let imn = network.as_imn()?;
    let accuracy = |task: DocumentTask, documents: &[DocumentExample]| {
        let features: Vec<_> = documents
            .iter()
            .map(|document| &document.features)
            .collect();
        let mut correct = Mean::default();
        let predicted = classes_of_documents(&Engine::new(), imn, params, task, &features);
        for (row, document) in predicted.iter().zip(documents) {
            if let Some(row) = row {
                let right = argmax(row) == document.class as usize;
                correct.add(if right { 100.0 } else { 0.0 });
            }
        }
        correct.get()
    };
    let held_out = &corpus.held_out;
    let sentiment = accuracy(DocumentTask::Sentiment, &held_out.sentiment);
    let domain = accuracy(DocumentTask::Domain, &held_out.domain);
    (sentiment.is_some() || domain.is_some()).then_some(DocumentAccuracy { sentiment, domain })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_on_sentences_trains_the_vectors_that_sentences_train() {
        let trained = |objective| trains_vectors(objective, Learning::Sentences);
        assert!(trained(Objective::Sentences) && trained(Objective::Joint));
        assert!(!trained(Objective::Documents));
        assert!(trains_vectors(Objective::Documents, Learning::Always));
        assert!(!trains_vectors(Objective::Joint, Learning::Never));
    }
}
