//! The operations of a tape, each with a hand-written backward pass. One concept per file.
//!
//! Rows are tokens (packed, see [`crate::Layout`]), pairs of tokens, or plain. Operations compute
//! live rows only. Separator rows stay zero in every value and gradient because no operation writes
//! them.

mod activation;
mod arithmetic;
mod attention;
mod columns;
mod conv;
mod deferred;
mod dropout;
mod gather;
mod gru;
mod layer_norm;
mod linear_gelu;
mod loss;
mod lstm;
mod pairs;
mod pooling;
mod recurrence;
mod scan;
mod soft_loss;
mod softmax;

pub use activation::Activation;
pub use attention::{Attention, Columns, RelativePositions};
pub use loss::{ClassSet, TokenMean};
pub use pooling::End;
pub use recurrence::Direction;
