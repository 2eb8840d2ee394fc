//! f_θs, the encoder that all tasks share: words → h^s(0).
//!
//! [`EncoderConfig`] selects the kind. The components above see the same
//! interface for all kinds: word embeddings, layer outputs, and their widths.

mod cnn;
mod config;
mod source;
mod transformer;

use std::path::Path;

use imn_nn::layers::Embedding;
use imn_nn::{Builder, Params, Tape, Var};

pub use cnn::CnnEncoder;
pub use config::{CnnConfig, EncoderConfig, TransformerFolder};
pub use source::EncoderSource;
pub use transformer::SubwordEncoder;

use super::{Input, ModelConfig};
use crate::features::Limits;

/// The shared encoder.
#[derive(Debug, Clone)]
pub enum Encoder {
    /// CNN layers over word vectors.
    Cnn(CnnEncoder),
    /// A pre-trained transformer over subwords.
    Transformer(SubwordEncoder),
}

/// Output of the shared encoder, with one row per word.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// The word embeddings. `None` for a transformer.
    pub embedding: Option<Var>,
    /// The outputs of the kept layers, at least one. The last is h^s(0).
    pub layers: Vec<Var>,
}

impl Encoded {
    /// h^s(0)
    ///
    /// # Panics
    /// If there is no layer.
    #[must_use]
    pub fn initial(&self) -> Var {
        self.layers[self.layers.len() - 1]
    }
}

/// Widths of an [`Encoded`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodedWidths {
    /// Columns of the embedding; 0 if there is none.
    pub embedding: usize,
    /// Columns of each layer's output, including h^s(0).
    pub layer: usize,
    /// Number of kept layers.
    pub layers: usize,
}

/// Which columns of the word vectors are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorColumns {
    /// General and domain vectors.
    All,
    /// General vectors only: the domain columns are set to zero (DD).
    General,
}

impl Encoder {
    /// Initializes the encoder.
    #[must_use]
    pub fn new(
        builder: &mut Builder<'_, f32>,
        config: &ModelConfig,
        source: EncoderSource,
    ) -> Self {
        match source {
            EncoderSource::Words(vectors) => {
                let cnn = config.encoder.cnn();
                Self::Cnn(CnnEncoder::new(builder, &cnn, config, vectors))
            }
            EncoderSource::Subwords(sizes) => {
                Self::Transformer(SubwordEncoder::new(builder, &sizes))
            }
        }
    }

    /// Loads the weights of a pre-trained transformer from its folder. Does nothing with a CNN
    /// encoder.
    ///
    /// # Errors
    /// If the weights cannot be read or have other shapes.
    pub fn load_pretrained(&self, params: &mut Params<f32>, folder: &Path) -> imn_nn::Result<()> {
        match self {
            Self::Cnn(_) => Ok(()),
            Self::Transformer(transformer) => transformer.load_pretrained(params, folder),
        }
    }

    /// Maximum length of a text.
    #[must_use]
    pub fn limits(&self) -> Limits {
        match self {
            Self::Cnn(_) => Limits::WORDS,
            Self::Transformer(transformer) => transformer.limits(),
        }
    }

    /// Widths of its outputs.
    #[must_use]
    pub fn widths(&self) -> EncodedWidths {
        match self {
            Self::Cnn(cnn) => cnn.widths(),
            Self::Transformer(transformer) => transformer.widths(),
        }
    }

    /// Encodes words. A transformer has no domain vectors and ignores `vectors`.
    pub fn forward(
        &self,
        tape: &mut Tape<'_, f32>,
        input: &Input,
        vectors: VectorColumns,
    ) -> Encoded {
        match self {
            Self::Cnn(cnn) => cnn.forward(tape, input, vectors),
            Self::Transformer(transformer) => transformer.forward(tape, input, None),
        }
    }

    /// Encodes words in annotation schemes. The arguments are the table of v_k and the scheme k of
    /// every word. Returns the encoding, and h^s(0) with the scheme. CNNs see few words at once, so
    /// v_k is added to their result; a transformer learns more from v_k below its blocks.
    pub fn forward_in_schemes(
        &self,
        tape: &mut Tape<'_, f32>,
        input: &Input,
        (table, of_words): (Embedding, &[u32]),
    ) -> (Encoded, Var) {
        match self {
            Self::Cnn(cnn) => {
                let encoded = cnn.forward(tape, input, VectorColumns::All);
                let vectors = table.forward(tape, of_words, &input.layout);
                let shared = tape.add(encoded.initial(), vectors);
                (encoded, shared)
            }
            Self::Transformer(transformer) => {
                let encoded = transformer.forward(tape, input, Some((table, of_words)));
                let shared = encoded.initial();
                (encoded, shared)
            }
        }
    }
}
