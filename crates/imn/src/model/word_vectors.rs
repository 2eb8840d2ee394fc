//! Initial word vectors of a network.

use std::ops::Range;

/// Initial word vectors of an encoder over words.
#[derive(Debug, Clone)]
pub struct WordVectors {
    /// Number of words.
    pub words: usize,
    /// Dimensions of a vector.
    pub dimensions: usize,
    /// Columns of the domain-specific vectors, which DD does not see. Can be empty.
    pub domain_columns: Range<usize>,
    /// The vectors, one after the other. Empty if the network is built with shapes only.
    pub data: Vec<f32>,
}

impl WordVectors {
    /// Vectors with the values `data`, one vector after the other.
    #[must_use]
    pub fn new(dimensions: usize, domain_columns: Range<usize>, data: Vec<f32>) -> Self {
        Self {
            words: data.len() / dimensions.max(1),
            dimensions,
            domain_columns,
            data,
        }
    }

    /// Vectors without values, for a network that is built with shapes only
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
