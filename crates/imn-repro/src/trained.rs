//! A trained network of a compared system, and its use.

use std::collections::BTreeMap;

use imn::data::AnnotatedSentence;
use imn::text::Vocabulary;
use imn::train::CorpusReport;
use imn_nn::{Engine, Params};
use serde::{Deserialize, Serialize};

use crate::batch::{Sentence, Shard};
use crate::config::SystemConfig;
use crate::network::{Network, Prediction};

/// Sentences that go through a network together.
const TOGETHER: usize = 32;

/// How a network came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Version of the program.
    pub version: String,
    /// The epoch that was kept.
    pub best_epoch: usize,
    /// Its scores on the development split, in percent, by the paper's names.
    pub dev: BTreeMap<String, f64>,
    /// Seconds of training.
    pub seconds: f64,
    /// What was learnt from.
    pub corpus: CorpusReport,
}

/// A trained network.
pub struct Trained {
    /// The configuration.
    pub config: SystemConfig,
    /// Words and their numbers.
    pub vocabulary: Vocabulary,
    /// Numbers a word vector.
    pub dimensions: usize,
    /// The weights.
    pub params: Params<f32>,
    /// The network that they belong to.
    pub network: Box<dyn Network>,
    /// How it came about.
    pub record: Record,
}

impl Trained {
    /// What the network says of sentences, of which it sees the words only.
    #[must_use]
    pub fn read(&self, sentences: &[AnnotatedSentence]) -> Vec<Prediction> {
        self.read_given(sentences, |_, sentence| sentence)
    }

    /// What the network says of sentences about which it is told something: their aspects, P^op.
    pub(crate) fn read_given(
        &self,
        sentences: &[AnnotatedSentence],
        told: impl Fn(usize, Sentence) -> Sentence,
    ) -> Vec<Prediction> {
        let sentences = sentences.iter().enumerate();
        let sentences: Vec<Sentence> = sentences
            .map(|(i, sentence)| told(i, Sentence::to_read(sentence, &self.vocabulary)))
            .collect();
        let sentences: Vec<&Sentence> = sentences.iter().collect();
        predict(self.network.as_ref(), &self.params, &sentences)
    }
}

/// What a network says of sentences, in their order.
pub(crate) fn predict(
    network: &dyn Network,
    params: &Params<f32>,
    sentences: &[&Sentence],
) -> Vec<Prediction> {
    let shards: Vec<Shard<'_>> = sentences
        .chunks(TOGETHER)
        .map(|together| Shard::to_read(together.to_vec()))
        .collect();
    let said = Engine::new().infer(params, &shards, |tape, shard| network.predict(tape, shard));
    said.into_iter().flatten().collect()
}
