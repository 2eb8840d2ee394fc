//! Algorithm 1 of the paper: pre-training on documents, then sentences and documents in turn.
//!
//! ```text
//! Corpus (data, vocabulary, vectors) ─→ Trainer ─ events ─→ whoever watches
//!                                          ├─ checkpoint after every epoch
//!                                          └─ Bundle of the best epoch
//! ```
//!
//! All randomness is drawn from the seed and the number of the epoch or step, so that a run that is interrupted and
//! continued from its last checkpoint ends with the same weights as one that was not.

mod average;
mod checkpoint;
mod corpus;
mod error;
mod event;
mod example;
mod plan;
mod shard;
mod trainer;

pub use average::Average;
pub use checkpoint::{Best, Checkpoint};
pub use corpus::{Corpus, CorpusReport};
pub use error::TrainError;
pub use event::{EpochRecord, Event, Phase};
pub use example::{DocumentExample, Example};
pub use trainer::{Trained, Trainer, Watch};
