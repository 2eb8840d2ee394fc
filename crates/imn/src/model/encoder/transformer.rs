//! A pre-trained transformer over subwords. A word is represented by its first subword, so the last
//! block computes no others.

use std::sync::Arc;

use imn_nn::layers::Embedding;
use imn_nn::transformer::{Subset, TokenInput, TransformerConfig, TransformerEncoder};
use imn_nn::{Builder, Init, Params, Rows, Tape};

use super::{Encoded, EncodedWidths};
use crate::features::Limits;
use crate::model::Input;

/// Initialization of weights that no pre-trained file contains.
const INIT: Init = Init::Normal { std: 0.02 };

/// A transformer encoder.
#[derive(Debug, Clone)]
pub struct SubwordEncoder {
    encoder: TransformerEncoder,
}

impl SubwordEncoder {
    /// Initializes the encoder.
    #[must_use]
    pub fn new(builder: &mut Builder<'_, f32>, config: &TransformerConfig) -> Self {
        Self {
            encoder: TransformerEncoder::new(builder, config, INIT),
        }
    }

    /// Loads the weights of a pre-trained encoder from its folder.
    ///
    /// # Errors
    /// If its `model.safetensors` cannot be read or has tensors of other shapes.
    pub fn load_pretrained(
        &self,
        params: &mut Params<f32>,
        folder: &std::path::Path,
    ) -> imn_nn::Result<()> {
        self.encoder.load_pretrained(params, folder)
    }

    /// Widths of its outputs.
    #[must_use]
    pub fn widths(&self) -> EncodedWidths {
        EncodedWidths {
            embedding: 0,
            layer: self.encoder.config().hidden,
            layers: 1,
        }
    }

    /// Maximum length of a text.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Self::limits_of(self.encoder.config())
    }

    /// Maximum length of a text for an encoder of these sizes.
    #[must_use]
    pub fn limits_of(sizes: &TransformerConfig) -> Limits {
        let markers = 2;
        let most = sizes.max_tokens().saturating_sub(markers).max(1);
        Limits {
            words: most,
            ids: most,
        }
    }

    /// Reads words. v_k of the annotation scheme k of a sentence is added to the embedding of each
    /// of its subwords, so that every block knows the scheme. `schemes` is the table of v and the
    /// scheme of every word.
    ///
    /// # Panics
    /// If the input has no subwords.
    pub fn forward(
        &self,
        tape: &mut Tape<'_, f32>,
        input: &Input,
        schemes: Option<(Embedding, &[u32])>,
    ) -> Encoded {
        let subwords = input.subwords.as_ref();
        let subwords = subwords.expect("the featurizer of a transformer makes subwords");
        let schemes = schemes.map(|(table, of_words)| {
            let mut next = 0;
            let sentences = input.layout.spans().iter().zip(subwords.layout.spans());
            let of_subwords = sentences.flat_map(|(words, subwords)| {
                let scheme = of_words.get(next).copied().unwrap_or_default();
                next += words.len();
                std::iter::repeat_n(scheme, subwords.len())
            });
            (table.table(), of_subwords.collect::<Vec<u32>>())
        });
        let tokens = TokenInput {
            layout: &subwords.layout,
            ids: &subwords.ids,
            extra: schemes.as_ref().map(|(table, rows)| (*table, &rows[..])),
        };
        let words = Subset {
            rows: Rows::Tokens(Arc::clone(&input.layout)),
            tokens: &subwords.firsts,
        };
        Encoded {
            embedding: None,
            layers: vec![self.encoder.forward(tape, tokens, Some(words))],
        }
    }
}
