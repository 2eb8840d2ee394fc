//! The network of the paper's Section 3 and Appendix A.
//!
//! ```text
//!            ┌────────────── message passing, T rounds ──────────────┐
//! words → f_θs → h^s(t) ─┬─ AE: CNNs, [x : h^s(0) : h^ae] → ŷ^ae ──┐  │
//!                        ├─ AS: CNNs, self-attention ← P^op ──┘ → ŷ^as │
//!                        ├─ DS: attention a^ds → ŷ^ds                  │
//!                        └─ DD: attention a^dd → ŷ^dd                  │
//! h^s(t+1) = ReLU(W [h^s(t) : ŷ^ae : ŷ^as : ŷ^ds : a^ds : a^dd] + b) ──┘
//! ```
//!
//! Each component has its own file, named as in the paper. What the paper leaves open is a named
//! setting of [`ModelConfig`].

mod ae;
mod r#as;
mod batch;
mod config;
mod document;
mod encoder;
mod example;
mod imn;
mod input;
mod labels;
mod losses;
mod message_passing;
mod network;
mod prediction;
mod tag_set;
mod task_layers;
mod word_vectors;

pub use self::ae::Ae;
pub use self::r#as::As;
pub use self::imn::{DocumentTask, Imn, ImnOutput, Round};
pub use batch::{Distillation, DocumentBatch, SentenceBatch};
pub use config::{
    AeRepresentation, AttentionMessage, DocumentTasks, DropoutPlacement, Messages, ModelConfig,
    ModelConfigError, Opinions, ReEncoding, SelfAttention,
};
pub use encoder::{
    CnnConfig, CnnEncoder, Encoded, EncodedWidths, Encoder, EncoderConfig, EncoderSource,
    SubwordEncoder, TransformerFolder, VectorColumns,
};
pub use example::{DocumentExample, Example};
pub use input::Input;
pub use labels::{GoldLabels, Labels, SoftLabels};
pub use network::{EMBEDDING, FIXED, Network, Objective, Phase, Role};
pub use prediction::{Prediction, argmax};
pub use tag_set::TagSet;
pub use word_vectors::WordVectors;
