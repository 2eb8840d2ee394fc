//! Settings of the word vectors and the vocabulary.

use std::path::PathBuf;

use imn_nn::optim::UntouchedRows;
use serde::{Deserialize, Serialize};

use super::ConfigError;
use crate::text::Spelling;
use crate::vectors::{Lookup, Unknown};

/// Initial word vectors, which losses train them, and the vocabulary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VectorsConfig {
    /// Files of general vectors, relative to the data folder. Their vectors are concatenated.
    pub general: Vec<PathBuf>,
    /// Files of domain vectors, concatenated after the general ones. DD sees zeros in their place.
    pub domain: Vec<PathBuf>,
    /// Dimensions of random vectors, used if no file is given.
    pub dimensions: usize,
    /// How words are looked up in the files.
    pub lookup: Lookup,
    /// Initialization of words that a file has no vector for.
    pub unknown: Unknown,
    /// Which losses train the vectors.
    pub learn: Learning,
    /// Learning rate of the vectors, as a factor of `train.learning_rate`.
    pub rate: f64,
    /// What happens to the vectors of words that a batch does not contain.
    #[serde(skip_serializing_if = "UntouchedRows::is_keep")]
    pub untouched: UntouchedRows,
    /// Maximum number of words from the training text, most frequent first. Words of the vector
    /// files are added to them.
    pub vocabulary: usize,
    /// Maximum number of words added from the vector files, in file order. Default: all.
    pub max_extra_words: Option<usize>,
    /// How words outside the vocabulary are looked up.
    pub spelling: Spelling,
}

impl Default for VectorsConfig {
    fn default() -> Self {
        Self {
            general: Vec::new(),
            domain: Vec::new(),
            dimensions: 300,
            lookup: Lookup::default(),
            unknown: Unknown::default(),
            learn: Learning::Always,
            rate: 1.0,
            untouched: UntouchedRows::Keep,
            vocabulary: 20_000,
            max_extra_words: None,
            spelling: Spelling::Exact,
        }
    }
}

impl VectorsConfig {
    /// Checks the ranges of the values.
    ///
    /// # Errors
    /// The first problem found.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            let text = "must be above 0; `vectors.learn = \"never\"` keeps vectors fixed";
            return Err(ConfigError::range("vectors.rate", &self.rate, text));
        }
        if self.general.is_empty() && self.domain.is_empty() && self.dimensions == 0 {
            let text = "must be at least 1 if no vector file is given";
            return Err(ConfigError::range("vectors.dimensions", &0, text));
        }
        Ok(())
    }
}

/// Which losses train the word vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Learning {
    /// None: the vectors stay fixed.
    Never,
    /// Only L_a, the loss on sentences.
    Sentences,
    /// L_a and L_d, the loss on documents.
    Always,
}
