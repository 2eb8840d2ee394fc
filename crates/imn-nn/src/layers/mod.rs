//! Layers: structs of parameters with a `forward` method. The names of the parameters mirror the
//! fields.

mod conv_relu;
mod embedding;
mod gru;
mod layer_norm;
mod linear;
mod lstm;
mod multi_head;

pub use conv_relu::ConvRelu;
pub use embedding::Embedding;
pub use gru::Gru;
pub use layer_norm::LayerNorm;
pub use linear::Linear;
pub use lstm::Lstm;
pub use multi_head::MultiHeadAttention;
