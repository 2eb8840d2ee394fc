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
//! One file a component, named as the paper names it. What the paper leaves open is a named setting of [`ModelConfig`].

mod ae;
mod r#as;
mod config;
mod document;
mod imn;
mod input;
mod message_passing;
mod shared;
mod tag_set;

pub use self::ae::Ae;
pub use self::r#as::{As, POLARITIES};
pub use self::imn::{DocumentTask, Imn, Output, Round, WordVectors};
pub use config::{
    AeRepresentation, AttentionMessage, DocumentTasks, Messages, ModelConfig, ModelConfigError,
    Opinions, SelfAttention,
};
pub use input::Input;
pub use shared::{Encoded, Shared, Vectors};
pub use tag_set::TagSet;
