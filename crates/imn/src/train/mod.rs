//! One training loop for every network: Algorithm 1 of the paper for IMN, joint steps for the
//! systems that it is compared with.
//!
//! ```text
//! Corpus (examples, featurizer, vectors) ─→ Trainer ─ events ─→ progress, logs, curves
//!                                              ├─ a checkpoint after every epoch
//!                                              └─ Fitted: weights of the best epoch ─→ ModelPart
//! ```
//!
//! Every random draw depends only on the seed and on the number of the epoch or step. A run that
//! is interrupted and resumed from its last checkpoint therefore ends with the same weights as an
//! uninterrupted run.
//!
//! ```
//! use imn::config::Config;
//! use imn::train::{Corpus, Event, finish_imn, imn_trainer};
//!
//! let folder = tempfile::tempdir()?;
//! let line = r#"{"v":1,"text":"good soup","opinions":[{"start":0,"end":4}],
//!     "aspects":[{"start":5,"end":9,"polarity":"positive"}]}"#.replace('\n', "");
//! std::fs::write(folder.path().join("train.jsonl"), format!("{line}\n").repeat(10))?;
//! let config = Config::from_toml(
//!     r#"
//!     name = "tiny"
//!     data.train = "train.jsonl"
//!     vectors.dimensions = 4
//!     train.epochs = 2
//!     [model]
//!     messages = "aspect"
//!     documents = "none"
//!     encoder = { cnn = { filters = 4 } }
//!     "#,
//!     &[],
//! )?;
//! let corpus = Corpus::load(&(&config).into(), folder.path(), None)?;
//! let mut epochs = 0;
//! let fitted = imn_trainer(&config, folder.path(), corpus, None)?.run(&mut |event: &Event<'_>| {
//!     epochs += usize::from(matches!(event, Event::Epoch(_)));
//!     true
//! })?;
//! assert_eq!(epochs, 2);
//! let model = finish_imn(&config, fitted, None)?;
//! assert_eq!(model.describe(), "`tiny`");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adapt;
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
mod teacher;
mod trainer;

pub use self::imn::{finish_imn, imn_trainer};
pub use adapt::adapted_config;
pub use corpus::{Corpus, CorpusRequest, HeldOutDocuments};
pub use error::TrainError;
pub use event::{DocumentAccuracy, EpochRecord, Event, Watch};
pub use fitted::Fitted;
pub use settings::{AlternateDocuments, DocumentSteps, JointDocuments, TrainSettings};
pub use trainer::Trainer;

use average::Average;
use checkpoint::{Best, Checkpoint, RunIdentity};
