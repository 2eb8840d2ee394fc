//! A trained model in one file: weights, vocabulary, configuration, label sets, training record.
//!
//! ```text
//! Model ─┬─ Part (IMN, or any network that annotates alone)
//!        └─ Part (an extractor) and Part (a classifier)
//! ```
//!
//! [`Model::open`] reads a file or a built-in model; networks other than IMN are built by the
//! [`NetworkFamily`] of the crate that has them.

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
pub use model::Model;
pub(crate) use part::stored_config;
pub use part::{ImnPart, Part};
pub use record::{CorpusReport, TrainingRecord};
pub use registry::{BUILT_IN, BuiltIn, DEFAULT};

use container::FORMAT;
