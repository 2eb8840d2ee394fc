//! What every network can do: IMN, its variants, and every system that it is compared with.
//!
//! A network is a struct of layers whose weights are in a [`Params`]. The trainer asks it for losses,
//! prediction for annotations; neither knows what it is made of.

use std::fmt::Debug;

use imn_nn::{Freeze, Params, Tape, Var};
use serde::{Deserialize, Serialize};

use super::{DocumentBatch, Imn, Prediction, SentenceBatch, TagSet};
use crate::eval::Metric;
use crate::features::Limits;

/// Names of constants among the weights begin so: nothing changes them.
pub const FIXED: &str = "fixed.";
/// Names of the weights of word vectors begin so.
pub const EMBEDDING: &str = "embedding.";

/// A network. Its weights are in the [`Params`] that it was built with.
pub trait Network: Debug + Send + Sync {
    /// Its part in a system.
    fn role(&self) -> Role;

    /// The tags that it learns and predicts.
    fn tag_set(&self) -> TagSet;

    /// The loss of labelled sentences.
    fn loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var;

    /// Its prediction for each sentence. A classifier answers for the aspects that the sentence has.
    fn predict(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Vec<Prediction>;

    /// The loss of documents, where it learns from them.
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

    /// The weights that a step with this objective leaves as they are: unless the network says
    /// otherwise, its constants ([`FIXED`]).
    fn frozen(&self, _objective: Objective) -> Freeze {
        Freeze::prefixes([FIXED])
    }

    /// How the names of the weights of its word vectors begin.
    fn embedding(&self) -> &'static str {
        EMBEDDING
    }

    /// How many parts a training batch of so many words is cut into. Few by default: recurrences go
    /// word by word, and the more sentences go together, the better they use the machine.
    fn shards(&self, _words: usize) -> usize {
        4
    }

    /// How much of a sentence it reads at once; longer ones are read in pieces.
    fn limits(&self) -> Limits {
        Limits::WORDS
    }

    /// The network as IMN, where it is one: for message passing round by round, and for analysis.
    fn as_imn(&self) -> Option<&Imn> {
        None
    }
}

/// A part of training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// On documents only.
    Pretraining,
    /// On sentences, and on documents where the network learns from them.
    Training,
}

/// What a step minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// L_a, on sentences.
    Sentences,
    /// L_d, on documents.
    Documents,
    /// Both in one step.
    Joint,
}

/// The part that a network has in a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// AE: finds aspect and opinion terms.
    Extractor,
    /// AS: tells the sentiment of given aspects.
    Classifier,
    /// Both at once.
    Integrated,
}

impl Role {
    /// The score on the development split that chooses the epoch. A classifier is given the annotated
    /// aspects there.
    #[must_use]
    pub fn metric(self) -> Metric {
        match self {
            Self::Extractor => Metric::F1A,
            Self::Classifier => Metric::AccS,
            Self::Integrated => Metric::F1I,
        }
    }

    /// The scores on the development split that mean something: those of its own task.
    #[must_use]
    pub fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Extractor => &[Metric::F1A, Metric::F1O],
            Self::Classifier => &[Metric::AccS, Metric::F1S, Metric::MacroF1S],
            Self::Integrated => &Metric::ALL,
        }
    }
}
