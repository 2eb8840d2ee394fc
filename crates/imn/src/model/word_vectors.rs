//! What the words of a network begin as.

use std::ops::Range;

/// The vectors that an encoder over words begins with.
#[derive(Debug, Clone)]
pub struct WordVectors {
    /// Number of words.
    pub words: usize,
    /// Length of a vector.
    pub dimensions: usize,
    /// Columns of the domain-specific vectors, which DD does not see; may be empty.
    pub domain_columns: Range<usize>,
    /// The vectors, one after the other; empty where the network is built for its shapes only.
    pub data: Vec<f32>,
}

impl WordVectors {
    /// Vectors with these values.
    #[must_use]
    pub fn new(dimensions: usize, domain_columns: Range<usize>, data: Vec<f32>) -> Self {
        Self {
            words: data.len() / dimensions.max(1),
            dimensions,
            domain_columns,
            data,
        }
    }

    /// Vectors without values, for a network that is built for its shapes only
    /// ([`Params::shapes_only`](imn_nn::Params::shapes_only)).
    #[must_use]
    pub fn shape(words: usize, dimensions: usize, domain_columns: Range<usize>) -> Self {
        Self {
            words,
            dimensions,
            domain_columns,
            data: Vec::new(),
        }
    }
}
