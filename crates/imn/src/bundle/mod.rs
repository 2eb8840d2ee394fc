//! A trained model in one file: weights, vocabulary, configuration, label sets, training record.
//!
//! ```text
//! Model ─┬─ ModelPart (IMN, or any network that annotates alone)
//!        └─ ModelPart (an extractor) and ModelPart (a classifier)
//! ```
//!
//! [`Model::open`] opens a model file or a built-in model. Networks other than IMN are built by a
//! [`NetworkFamily`] of the crate that implements them.

mod container;
mod error;
mod family;
mod model;
mod part;
mod record;
mod registry;

pub use container::{Storage, VERSION};
pub use error::ModelError;
pub use family::{Blueprint, ImnFamily, NetworkFamily};
pub use imn_nn::Precision;
pub use model::Model;
pub(crate) use part::stored_config;
pub use part::{ImnPart, ModelPart};
pub use record::{CorpusReport, TrainingRecord};
pub use registry::{BUILT_IN, BuiltIn, DEFAULT};

use container::FORMAT;
