//! What words begin as, and which losses change them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::ConfigError;
use crate::text::Spelling;
use crate::vectors::{Lookup, Unknown};

/// What words begin as.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VectorsConfig {
    /// General vectors, side by side, relative to the data folder.
    pub general: Vec<PathBuf>,
    /// Domain vectors, side by side: masked for DD.
    pub domain: Vec<PathBuf>,
    /// Dimensions of random vectors, where no file is given.
    pub dimensions: usize,
    /// How words are found in the files.
    pub lookup: Lookup,
    /// What a word without a vector gets.
    pub unknown: Unknown,
    /// Which losses change the vectors.
    pub learn: Learning,
    /// The learning rate of the vectors, as a share of that of everything else.
    pub rate: f64,
    /// The most frequent words of the training text that are kept; words of the vector files come on top.
    pub vocabulary: usize,
    /// How many words of the vector files may come on top, in the order of the files; none: all.
    pub on_top: Option<usize>,
    /// What becomes of words that the vocabulary does not have.
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
            vocabulary: 20_000,
            on_top: None,
            spelling: Spelling::Exact,
        }
    }
}

impl VectorsConfig {
    /// Whether the settings make sense.
    ///
    /// # Errors
    /// If they do not: the reason.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            let text = "must be above 0; `vectors.learn = \"never\"` keeps vectors fixed";
            return Err(ConfigError::range("vectors.rate", &self.rate, text));
        }
        if self.general.is_empty() && self.domain.is_empty() && self.dimensions == 0 {
            let text = "must be at least 1 where no file is given";
            return Err(ConfigError::range("vectors.dimensions", &0, text));
        }
        Ok(())
    }
}

/// Which losses change the word vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Learning {
    /// None.
    Never,
    /// L_a alone: documents do not move them.
    Sentences,
    /// L_a and L_d.
    Always,
}
