//! A small training engine over packed batches of sequences.
//!
//! It knows nothing of any task. A network is a struct of [`layers`] whose `forward` writes operations on a [`Tape`];
//! the tape runs them as they are written and, in training, backwards. The same `forward` serves training and inference.
//!
//! - [`Layout`]: sequences end to end with zero rows between them, so that nothing is padded.
//! - [`Params`]: named tensors, initialised from one seed, stored as safetensors.
//! - [`Engine`]: gradients of a batch cut into a fixed number of shards, so that the result is the same bit for bit
//!   whatever the number of threads.
//! - [`optim`]: Adam, clipping, schedules.
//! - [`transformer`]: pre-trained encoders of the BERT and MPNet kind.
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
//! let y = layer.forward(&mut tape, x);
//! let y = tape.softmax(y);
//! assert_eq!(tape.token_values(y).len(), 3 * 3);
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
pub use ops::{Activation, Attention, Columns, Direction, End, RelativePositions, TokenMean};
pub use params::{Builder, Freeze, ParamId, Params, Tensor};
pub use scalar::Scalar;
pub use shape::{Rows, Shape};
pub use tape::{Tape, Var};
