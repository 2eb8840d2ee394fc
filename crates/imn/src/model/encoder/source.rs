//! What an encoder is built from, besides its configuration.

use imn_nn::transformer::TransformerConfig;

use crate::model::WordVectors;

/// What an encoder is built from.
#[derive(Debug, Clone)]
pub enum EncoderSource {
    /// Vectors of words.
    Words(WordVectors),
    /// The sizes of a transformer; its weights come from a pre-trained file or from a model file.
    Subwords(TransformerConfig),
}

impl EncoderSource {
    /// The same without values: what a model file says of it.
    #[must_use]
    pub fn shape(&self) -> Self {
        match self {
            Self::Words(vectors) => Self::Words(WordVectors {
                data: Vec::new(),
                domain_columns: vectors.domain_columns.clone(),
                ..*vectors
            }),
            Self::Subwords(sizes) => Self::Subwords(sizes.clone()),
        }
    }

    /// The vectors of an encoder over words.
    #[must_use]
    pub fn words(&self) -> Option<&WordVectors> {
        match self {
            Self::Words(vectors) => Some(vectors),
            Self::Subwords(_) => None,
        }
    }
}

impl From<WordVectors> for EncoderSource {
    fn from(vectors: WordVectors) -> Self {
        Self::Words(vectors)
    }
}
