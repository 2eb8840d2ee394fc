//! Which batches an epoch has, in which order: training as data.
//!
//! Everything is drawn from the seed and the number of the epoch, so that a run that is resumed in any
//! epoch goes through the same steps.

mod alternate;
mod joint;

use imn_nn::stream;
use rand::seq::SliceRandom as _;

use super::{DocumentSteps, TrainSettings};
use crate::model::{Objective, Phase};

/// One step of an epoch. Numbers are indices into the sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedStep {
    /// Sentences to minimise L_a on.
    pub(super) sentences: Vec<usize>,
    /// Whether P^op is the gold labels.
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

    /// What the step minimises.
    pub(super) fn objective(&self) -> Objective {
        let documents = !(self.sentiment.is_empty() && self.domain.is_empty());
        match (self.sentences.is_empty(), documents) {
            (true, _) => Objective::Documents,
            (false, true) => Objective::Joint,
            (false, false) => Objective::Sentences,
        }
    }
}

/// Sizes of the sets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) sentences: usize,
    /// |D^ds|
    pub(super) sentiment: usize,
    /// |D^dd|, 0 without DD.
    pub(super) domain: usize,
}

/// How many steps an epoch of a phase has.
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

/// The steps of an epoch, from 1.
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

/// The numbers below `count` in an order of their own for each name.
fn shuffled(count: usize, seed: u64, name: &str) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.shuffle(&mut stream(seed, name));
    order
}
