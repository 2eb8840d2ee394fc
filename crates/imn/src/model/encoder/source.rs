//! Sizes and initial values of an encoder that depend on data and are not in its configuration.

use imn_nn::transformer::TransformerConfig;

use crate::model::WordVectors;

/// Input and sizes of an encoder.
#[derive(Debug, Clone)]
pub enum EncoderSource {
    /// An encoder over words with these initial vectors.
    Words(WordVectors),
    /// A transformer of these sizes. Its weights come from a pre-trained file or a model file.
    Subwords(TransformerConfig),
}

impl EncoderSource {
    /// The sizes without values.
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

    /// The same sizes with zeros as word vectors, for an encoder that gets the weights of a model.
    #[must_use]
    pub fn zeros(&self) -> Self {
        match self.shape() {
            Self::Words(vectors) => Self::Words(WordVectors {
                data: vec![0.0; vectors.words * vectors.dimensions],
                ..vectors
            }),
            subwords @ Self::Subwords(_) => subwords,
        }
    }

    /// The vectors of an encoder over words; `None` for subwords.
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
