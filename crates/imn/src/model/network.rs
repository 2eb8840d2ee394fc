//! The interface of every network: IMN, its variants, and the systems that it is compared with.
//!
//! A network is a struct of layers whose weights are in a [`Params`]. The trainer needs only its
//! losses, and inference only its predictions.

use std::fmt::Debug;

use imn_nn::{Freeze, Params, Tape, Var};
use serde::{Deserialize, Serialize};

use super::{DocumentBatch, Imn, Prediction, SentenceBatch, TagSet};
use crate::eval::Metric;
use crate::features::Limits;

/// Prefix of the names of constants among the weights, which are never trained.
pub const FIXED: &str = "fixed.";
/// Default prefix of the names of word-vector weights.
pub const EMBEDDING: &str = "embedding.";

/// A network. Its weights are in the [`Params`] that it was built with.
pub trait Network: Debug + Send + Sync {
    /// Which tasks the network performs.
    fn role(&self) -> Role;

    /// The tags that it predicts.
    fn tag_set(&self) -> TagSet;

    /// The loss on labelled sentences.
    fn loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var;

    /// The prediction for each sentence. A classifier predicts the sentiments of the sentence's
    /// aspects.
    fn predict(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Vec<Prediction>;

    /// The loss on documents; `None` if the network is not trained on documents of this task.
    fn document_loss(
        &self,
        _tape: &mut Tape<'_, f32>,
        _batch: &DocumentBatch,
        _phase: Phase,
    ) -> Option<Var> {
        None
    }

    /// Changes the weights between pre-training on documents and training on sentences.
    fn after_pretraining(&self, _params: &mut Params<f32>) {}

    /// The weights that a step with this objective does not change. Default: the constants
    /// ([`FIXED`]).
    fn frozen(&self, _objective: Objective) -> Freeze {
        Freeze::prefixes([FIXED])
    }

    /// Prefix of the names of its word-vector weights.
    fn embedding(&self) -> &'static str {
        EMBEDDING
    }

    /// Number of shards of a training batch with this many words. The default is small because
    /// recurrent layers run word by word: the more sentences run together, the larger their matrix
    /// products.
    fn shards(&self, _words: usize) -> usize {
        4
    }

    /// Maximum length of a sentence. Longer sentences are split into pieces.
    fn limits(&self) -> Limits {
        Limits::WORDS
    }

    /// The network as IMN; `None` for other networks.
    fn as_imn(&self) -> Option<&Imn> {
        None
    }
}

/// A phase of training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Documents only.
    Pretraining,
    /// Sentences, and documents if the network has document-level tasks.
    Training,
}

/// The loss that a step minimizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// L_a, on sentences.
    Sentences,
    /// L_d, on documents.
    Documents,
    /// Both in one step.
    Joint,
}

/// The tasks that a network performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// AE: finds aspect and opinion terms.
    Extractor,
    /// AS: predicts the sentiment of given aspects.
    Classifier,
    /// Both.
    Integrated,
}

impl Role {
    /// The score on the development split that selects the best epoch. A classifier is scored on
    /// the annotated aspects.
    #[must_use]
    pub fn metric(self) -> Metric {
        match self {
            Self::Extractor => Metric::F1A,
            Self::Classifier => Metric::AccS,
            Self::Integrated => Metric::F1I,
        }
    }

    /// The scores that apply to the tasks of the network.
    #[must_use]
    pub fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Extractor => &[Metric::F1A, Metric::F1O],
            Self::Classifier => &[Metric::AccS, Metric::F1S, Metric::MacroF1S],
            Self::Integrated => &Metric::ALL,
        }
    }
}
