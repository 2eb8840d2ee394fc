//! Events of a training run, for progress bars, logs and learning curves.

use serde::{Deserialize, Serialize};

use crate::eval::Scores;
use crate::model::Phase;

/// An event of a training run.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    /// The run started, or resumed from a checkpoint.
    Started {
        /// Completed epochs of both phases.
        done: usize,
        /// All epochs of both phases.
        epochs: usize,
        /// Remaining steps of both phases.
        steps: usize,
    },
    /// A step ended.
    Step {
        /// Phase of the step.
        phase: Phase,
        /// Number of the epoch within the phase, from 1.
        epoch: usize,
        /// Number of the step within the epoch, from 1.
        step: usize,
        /// Steps of the epoch.
        steps: usize,
        /// Mean loss of the epoch so far: that of the steps on sentences in training, L_d in
        /// pre-training.
        loss: f64,
    },
    /// An epoch ended, and its checkpoint is on disk.
    Epoch(&'a EpochRecord),
}

/// Losses and scores of an epoch: one line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Phase of the epoch.
    pub phase: Phase,
    /// Number of the epoch within the phase, from 1.
    pub epoch: usize,
    /// Mean loss of the steps on sentences: L_a, or L_a + λ L_d in joint steps.
    pub aspect_loss: Option<f64>,
    /// Mean L_d of the steps on documents alone.
    pub document_loss: Option<f64>,
    /// Scores on the development split.
    pub dev: Option<Scores>,
    /// What DS and DD have learnt, if documents were held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<DocumentAccuracy>,
    /// Whether the epoch is the best so far.
    pub best: bool,
    /// Duration in seconds.
    pub seconds: f64,
}

/// Accuracies on held-out documents, in percent (`data.documents.held_out`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DocumentAccuracy {
    /// Accuracy of DS.
    pub sentiment: Option<f64>,
    /// Accuracy of DD.
    pub domain: Option<f64>,
}

/// Receives the events of a run. A closure `FnMut(&Event) -> bool` is one.
pub trait Watch {
    /// Handles an event. `false` stops the run; its last checkpoint remains.
    fn see(&mut self, event: &Event<'_>) -> bool;
}

impl<F: FnMut(&Event<'_>) -> bool> Watch for F {
    fn see(&mut self, event: &Event<'_>) -> bool {
        self(event)
    }
}
