//! Pre-trained word vectors: reading files, concatenating them, hit rates.
//!
//! ```text
//! file ─→ VectorRows: one row at a time ─→ lookup: is the word wanted? ─→ Embedding: one matrix
//!                                          unknown: vectors of words that the file does not have ┘
//! ```
//!
//! A vector file may have millions of words and a vocabulary a few thousand. Files are therefore
//! streamed, and only the rows of wanted words are parsed and kept.

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
pub use source::{SourceReport, VectorSource};
pub use unknown::Unknown;
