//! What happens in a run, for progress bars, logs and curves.

use serde::{Deserialize, Serialize};

use crate::eval::Scores;
use crate::model::Phase;

/// Something happened.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    /// Training begins, or goes on from a checkpoint.
    Started {
        /// Epochs of both phases that are already done.
        done: usize,
        /// Epochs of both phases in all.
        epochs: usize,
        /// Steps that are left, of both phases.
        steps: usize,
    },
    /// A step was made.
    Step {
        /// The phase.
        phase: Phase,
        /// Number of the epoch in its phase, from 1.
        epoch: usize,
        /// Number of the step in its epoch, from 1.
        step: usize,
        /// Steps of the epoch.
        steps: usize,
        /// Mean loss of the epoch so far: L_a in training, L_d in pre-training.
        loss: f64,
    },
    /// An epoch ended and its checkpoint is safe.
    Epoch(&'a EpochRecord),
}

/// An epoch as the log keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// The phase.
    pub phase: Phase,
    /// Number of the epoch in its phase, from 1.
    pub epoch: usize,
    /// Mean L_a.
    pub aspect_loss: Option<f64>,
    /// Mean L_d.
    pub document_loss: Option<f64>,
    /// Scores on the development split.
    pub dev: Option<Scores>,
    /// Whether it is the best so far.
    pub best: bool,
    /// Seconds that it took.
    pub seconds: f64,
}
