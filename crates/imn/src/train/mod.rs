//! One training loop for every network: Algorithm 1 of the paper for IMN, joint steps for the systems
//! that it is compared with.
//!
//! ```text
//! Corpus (examples, featurizer, vectors) ─→ Trainer<Network> ─ events ─→ progress, logs, curves
//!                                              ├─ checkpoint after every epoch
//!                                              └─ Fitted: weights of the best epoch ─→ bundle::ModelPart
//! ```
//!
//! All randomness is drawn from the seed and the number of the epoch or step, so that a run that is
//! interrupted and resumed from its last checkpoint ends with the same weights as one that was not.

mod average;
mod checkpoint;
mod corpus;
mod error;
mod event;
mod fitted;
mod imn;
mod plan;
mod settings;
mod steps;
mod trainer;

pub use self::imn::{finish_imn, imn_trainer};
pub use corpus::{Corpus, CorpusRequest};
pub use error::TrainError;
pub use event::{EpochRecord, Event};
pub use fitted::Fitted;
pub use settings::{AlternateDocuments, DocumentSteps, JointDocuments, TrainSettings};
pub use trainer::{Trainer, Watch};

use average::Average;
use checkpoint::{Best, Checkpoint, RunIdentity};
