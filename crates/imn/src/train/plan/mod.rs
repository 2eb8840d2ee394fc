//! The steps of an epoch as data: which batches, in which order.
//!
//! A plan depends only on the seed and the number of the epoch, so that a resumed run performs the
//! same steps.

mod alternate;
mod joint;

use imn_nn::stream;
use rand::seq::SliceRandom as _;

use super::{DocumentSteps, TrainSettings};
use crate::model::{Objective, Phase};

/// One step of an epoch. Sentences and documents are indices into the corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedStep {
    /// Sentences on which the step minimizes L_a.
    pub(super) sentences: Vec<usize>,
    /// Whether gold labels replace the predicted P^op.
    pub(super) gold_opinions: bool,
    /// Documents of D^ds.
    pub(super) sentiment: Vec<usize>,
    /// Documents of D^dd.
    pub(super) domain: Vec<usize>,
}

impl PlannedStep {
    fn sentences(sentences: &[usize], gold_opinions: bool) -> Self {
        Self {
            sentences: sentences.to_vec(),
            gold_opinions,
            sentiment: Vec::new(),
            domain: Vec::new(),
        }
    }

    fn documents(sentiment: Vec<usize>, domain: Vec<usize>) -> Self {
        Self {
            sentences: Vec::new(),
            gold_opinions: false,
            sentiment,
            domain,
        }
    }

    /// The loss that the step minimizes.
    pub(super) fn objective(&self) -> Objective {
        let documents = !(self.sentiment.is_empty() && self.domain.is_empty());
        match (self.sentences.is_empty(), documents) {
            (true, _) => Objective::Documents,
            (false, true) => Objective::Joint,
            (false, false) => Objective::Sentences,
        }
    }
}

/// Sizes of the corpus.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Sentences with gold labels.
    pub(super) sentences: usize,
    /// Sentences with soft labels, whose indices follow those with gold labels.
    pub(super) soft: usize,
    /// How many of these an epoch contains.
    pub(super) soft_per_epoch: usize,
    /// |D^ds|
    pub(super) sentiment: usize,
    /// |D^dd|, 0 without DD.
    pub(super) domain: usize,
}

/// Number of steps of an epoch.
pub(super) fn steps(sizes: Sizes, settings: &TrainSettings, phase: Phase) -> usize {
    match (&settings.documents, phase) {
        (DocumentSteps::Alternate(_), Phase::Pretraining) => {
            alternate::pretraining_steps(sizes, settings)
        }
        (DocumentSteps::Alternate(alternate), Phase::Training) => {
            alternate::training_steps(sizes, settings, alternate)
        }
        (DocumentSteps::Joint(joint), Phase::Pretraining) => joint::pretraining_steps(sizes, joint),
        (DocumentSteps::Joint(_), Phase::Training) => joint::training_steps(sizes, settings),
    }
}

/// The steps of an epoch. Epochs count from 1.
pub(super) fn epoch(
    sizes: Sizes,
    settings: &TrainSettings,
    phase: Phase,
    epoch: usize,
) -> Vec<PlannedStep> {
    match (&settings.documents, phase) {
        (DocumentSteps::Alternate(_), Phase::Pretraining) => {
            alternate::pretraining_epoch(sizes, settings, epoch)
        }
        (DocumentSteps::Alternate(alternate), Phase::Training) => {
            alternate::training_epoch(sizes, settings, alternate, epoch)
        }
        (DocumentSteps::Joint(joint), Phase::Pretraining) => {
            joint::pretraining_epoch(sizes, settings, joint, epoch)
        }
        (DocumentSteps::Joint(joint), Phase::Training) => {
            joint::training_epoch(sizes, settings, joint, epoch)
        }
    }
}

/// The indices below `count` in a random order that depends on the seed and `name`.
fn shuffled(count: usize, seed: u64, name: &str) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.shuffle(&mut stream(seed, name));
    order
}
