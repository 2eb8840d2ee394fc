//! A small training engine over packed batches of sequences.
//!
//! The engine is independent of any task. A network is a struct of [`layers`] whose `forward`
//! writes operations on a [`Tape`]. The tape runs each operation at once and, in training, records
//! it for the backward pass. Training and inference share the same `forward`.
//!
//! - [`Layout`]: packed batches. Sequences are stored end to end with zero rows between them, so
//!   that nothing is padded.
//! - [`Params`]: named tensors, initialized from one seed and stored as safetensors.
//! - [`Engine`]: the gradients of a batch, which is split into shards by its size alone. The result
//!   is the same bit for bit on any number of threads.
//! - [`optim`]: Adam, gradient clipping, parameter groups, learning-rate schedules.
//! - [`transformer`]: encoders of the BERT and MPNet families.
//! - [`quantize`]: tensors stored in 8 or 16 bits.
//!
//! ```
//! use std::sync::Arc;
//! use imn_nn::{Layout, Params, Tape, layers::Linear};
//!
//! let mut params = Params::<f32>::new();
//! let layer = Linear::new(&mut params.builder(1).scope("layer"), 2, 3);
//! let mut tape = Tape::infer(&params);
//! let layout = Arc::new(Layout::new([2, 1], 2));
//! let x = tape.tokens(&layout, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
//! let logits = layer.forward(&mut tape, x);
//! let probabilities = tape.softmax(logits);
//! for row in tape.token_values(probabilities).chunks(3) {
//!     assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
//! }
//! ```

mod engine;
mod error;
mod grads;
mod inference_cache;
mod init;
pub mod kernels;
pub mod layers;
mod layout;
mod ops;
pub mod optim;
mod params;
mod pool;
mod precision;
pub mod quantize;
mod scalar;
mod shape;
pub mod store;
mod tape;
pub mod transformer;

pub use engine::{Engine, Step, StepGradients, shard_count, shards};
pub use error::{Error, Result};
pub use grads::{Gradient, Grads, RowGradient};
pub use init::{Init, hash, stream};
pub use layout::Layout;
pub use ops::{
    Activation, Attention, ClassSet, Columns, Direction, End, RelativePositions, TokenMean,
};
pub use params::{Builder, Freeze, ParamId, Params, Tensor};
pub use precision::Precision;
pub use scalar::Scalar;
pub use shape::{Rows, Shape};
pub use tape::{Tape, Var};
