//! Word embeddings, followed by m^s CNN layers.
//!
//! In the first layer, half of the filters have width 3 and half have width 5; in the other layers,
//! all have width 5. Dropout follows the embedding and every layer.

use std::ops::Range;

use imn_nn::layers::{ConvRelu, Embedding};
use imn_nn::{Builder, Tape, Var};

use super::{Encoded, EncodedWidths, VectorColumns};
use crate::model::{CnnConfig, Input, ModelConfig, WordVectors};

/// The paper's encoder: CNN layers over word vectors.
#[derive(Debug, Clone)]
pub struct CnnEncoder {
    embedding: Embedding,
    narrow: ConvRelu,
    wide: ConvRelu,
    layers: Vec<ConvRelu>,
    dropout: f64,
    domain_columns: Range<usize>,
    widths: EncodedWidths,
}

impl CnnEncoder {
    /// Initializes the encoder, with `vectors` as its word embeddings. Of `config` it uses dropout
    /// and the initialization of kernels.
    #[must_use]
    pub fn new(
        builder: &mut Builder<'_, f32>,
        cnn: &CnnConfig,
        config: &ModelConfig,
        vectors: WordVectors,
    ) -> Self {
        let filters = cnn.filters;
        let WordVectors {
            words,
            dimensions,
            domain_columns,
            data,
        } = vectors;
        let embedding =
            Embedding::from_values(&mut builder.scope("embedding"), words, dimensions, data);
        let mut conv = |name: &str, width, inputs, outputs| {
            let mut scope = builder.scope(name);
            ConvRelu::new(&mut scope, width, inputs, outputs, config.kernel_init)
        };
        Self {
            embedding,
            narrow: conv("narrow", 3, dimensions, filters / 2),
            wide: conv("wide", 5, dimensions, filters / 2),
            layers: (1..cnn.layers)
                .map(|layer| conv(&format!("layers.{layer}"), 5, filters, filters))
                .collect(),
            dropout: config.dropout,
            domain_columns,
            widths: EncodedWidths {
                embedding: dimensions,
                layer: filters,
                layers: cnn.layers,
            },
        }
    }

    /// Widths of its outputs.
    #[must_use]
    pub fn widths(&self) -> EncodedWidths {
        self.widths
    }

    /// Encodes words.
    pub fn forward(
        &self,
        tape: &mut Tape<'_, f32>,
        input: &Input,
        vectors: VectorColumns,
    ) -> Encoded {
        let mut x = self.embedding.forward(tape, &input.ids, &input.layout);
        if vectors == VectorColumns::General && !self.domain_columns.is_empty() {
            x = tape.mask_columns(x, self.domain_columns.clone());
        }
        let embedding = tape.dropout(x, self.dropout);
        let (narrow, wide) = (
            self.narrow.forward(tape, embedding),
            self.wide.forward(tape, embedding),
        );
        let first = tape.concat(&[narrow, wide]);
        let mut layers = vec![tape.dropout(first, self.dropout)];
        for conv in &self.layers {
            let below: Var = layers[layers.len() - 1];
            let h = conv.forward(tape, below);
            layers.push(tape.dropout(h, self.dropout));
        }
        Encoded {
            embedding: Some(embedding),
            layers,
        }
    }
}
