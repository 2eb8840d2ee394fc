//! Transformer encoders of the BERT and MPNet families over packed batches.
//!
//! ```text
//! x = LayerNorm(W[token] + P[position] + T[0])       embeddings; MPNet has no T
//! a = LayerNorm(x + Attention(x) W_o + b_o)          every block, with dropout before each sum
//! x' = LayerNorm(a + GELU(a W_1 + b_1) W_2 + b_2)
//! ```
//! MPNet adds a bias for every distance and head to the attention scores, from one table that all
//! blocks share.
//!
//! ```
//! use std::sync::Arc;
//! use imn_nn::transformer::{Subset, TokenInput, TransformerConfig, TransformerEncoder};
//! use imn_nn::{Init, Layout, Params, Rows, Tape};
//!
//! let config = TransformerConfig {
//!     vocabulary: 50,
//!     hidden: 8,
//!     layers: 2,
//!     heads: 2,
//!     intermediate: 16,
//!     ..TransformerConfig::default()
//! };
//! let mut params = Params::<f32>::new();
//! let mut builder = params.builder(1);
//! let init = Init::Normal { std: 0.02 };
//! let encoder = TransformerEncoder::new(&mut builder.scope("encoder"), &config, init);
//!
//! // Two sentences of 4 and 3 subwords, special ones included. The first has two words and the
//! // second has one.
//! let layout = Arc::new(Layout::new([4, 3], 0));
//! let input = TokenInput { layout: &layout, ids: &[2, 10, 11, 3, 2, 20, 3], extra: None };
//! let mut tape = Tape::infer(&params);
//! let subwords = encoder.forward(&mut tape, input, None);
//! assert_eq!(tape.token_values(subwords).len(), 7 * 8);
//! let words = Arc::new(Layout::new([2, 1], 2));
//! let subset = Subset { rows: Rows::Tokens(words), tokens: &[1, 2, 5] };
//! let words = encoder.forward(&mut tape, input, Some(subset));
//! assert_eq!(tape.token_values(words)[..8], tape.token_values(subwords)[8..16]);
//! ```

mod block;
mod config;
mod embeddings;
mod encoder;
mod groups;
mod pretrained;

pub use config::{RelativeConfig, TransformerConfig};
pub use encoder::{Subset, TokenInput, TransformerEncoder};
