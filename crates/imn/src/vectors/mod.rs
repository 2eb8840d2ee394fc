//! Pre-trained word vectors: readers, several files side by side, hit rates.
//!
//! ```text
//! file ─ Rows (one row at a time) ─ lookup: is the word wanted? ─→ Embedding: one matrix, the files' columns side by side
//!                                                                   └ unknown: words without a vector are drawn
//! ```
//!
//! A vector file may hold millions of words and a vocabulary a few thousand, so files are streamed and only the
//! wanted rows are kept (and parsed).

mod binary;
mod embedding;
mod error;
mod lookup;
mod nearest;
mod rows;
mod source;
mod text;
mod unknown;

pub use embedding::{Embedding, EmbeddingSettings};
pub use error::VectorError;
pub use lookup::{Hits, Lookup, Match};
pub use nearest::{Nearest, Neighbour, nearest};
#[cfg(test)]
pub(crate) use rows::opened;
pub use rows::{VectorFormat, VectorRow, VectorRows};
pub use source::{VectorSource, SourceReport};
pub use unknown::Unknown;
