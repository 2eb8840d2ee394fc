//! Word embeddings, followed by m^s CNN layers.
//!
//! In the first layer, half of the filters have width 3 and half have width 5; in the other layers,
//! all have width 5. Dropout follows the embedding and every layer, or precedes every layer
//! ([`DropoutPlacement`]).

use std::ops::Range;

use imn_nn::layers::{ConvRelu, Embedding};
use imn_nn::{Builder, Tape, Var};

use super::{Encoded, EncodedWidths, VectorColumns};
use crate::model::{CnnConfig, DropoutPlacement, Input, ModelConfig, WordVectors};

/// The paper's encoder: CNN layers over word vectors.
#[derive(Debug, Clone)]
pub struct CnnEncoder {
    embedding: Embedding,
    narrow: ConvRelu,
    wide: ConvRelu,
    layers: Vec<ConvRelu>,
    dropout: f64,
    placement: DropoutPlacement,
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
            placement: config.dropout_placement,
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
        let (embedding, dropped) = self.with_dropout(tape, x);
        let (narrow, wide) = (
            self.narrow.forward(tape, dropped),
            self.wide.forward(tape, dropped),
        );
        let first = tape.concat(&[narrow, wide]);
        let mut layers = Vec::with_capacity(self.widths.layers);
        let mut output = first;
        for conv in &self.layers {
            let (kept, dropped) = self.with_dropout(tape, output);
            layers.push(kept);
            output = conv.forward(tape, dropped);
        }
        layers.push(match self.placement {
            DropoutPlacement::Outputs => tape.dropout(output, self.dropout),
            DropoutPlacement::Inputs => output,
        });
        Encoded {
            embedding: Some(embedding),
            layers,
        }
    }

    /// The output of a layer as the tasks read it, and as the next layer reads it.
    fn with_dropout(&self, tape: &mut Tape<'_, f32>, output: Var) -> (Var, Var) {
        let dropped = tape.dropout(output, self.dropout);
        match self.placement {
            DropoutPlacement::Outputs => (dropped, dropped),
            DropoutPlacement::Inputs => (output, dropped),
        }
    }
}

#[cfg(test)]
mod tests {
    use imn_nn::{Freeze, Init, Params};

    use super::*;
    use crate::features::Features;

    const WORDS: usize = 40;
    const DIMENSIONS: usize = 16;

    /// The embedding and the two layers of a sentence, in training with this seed.
    fn encode(placement: DropoutPlacement, seed: u64) -> [Vec<f32>; 3] {
        let config = ModelConfig {
            dropout_placement: placement,
            ..ModelConfig::default()
        };
        let cnn = CnnConfig {
            filters: 32,
            layers: 2,
        };
        let data = Init::Normal { std: 1.0 }.draw(&[WORDS, DIMENSIONS], 1, "vectors");
        let vectors = WordVectors::new(DIMENSIONS, DIMENSIONS..DIMENSIONS, data);
        let mut params = Params::new();
        let encoder = CnnEncoder::new(&mut params.builder(1), &cnn, &config, vectors);
        let words: Features = (0..WORDS as u32).collect::<Vec<_>>().into();
        let freeze = Freeze::none();
        let mut tape = Tape::train(&params, &freeze, seed);
        let input = Input::sentences(&[words]);
        let encoded = encoder.forward(&mut tape, &input, VectorColumns::All);
        let vars = [
            encoded.embedding.unwrap(),
            encoded.layers[0],
            encoded.layers[1],
        ];
        vars.map(|var| tape.token_values(var))
    }

    fn zeros(values: &[f32]) -> f64 {
        values.iter().filter(|value| **value == 0.0).count() as f64 / values.len() as f64
    }

    #[test]
    fn tasks_read_the_layers_after_dropout_or_without() {
        let [embedding, _, last] = encode(DropoutPlacement::Outputs, 1);
        assert!((0.4..0.6).contains(&zeros(&embedding)));
        // ReLU makes half of the values zero, and dropout half of the others.
        assert!(zeros(&last) > 0.65, "{}", zeros(&last));
        let [embedding, first, last] = encode(DropoutPlacement::Inputs, 1);
        assert_eq!(zeros(&embedding), 0.0);
        assert!(zeros(&last) < 0.6, "{}", zeros(&last));
        // The layers themselves read their input with dropout, which depends on the seed.
        let [same, other_first, other_last] = encode(DropoutPlacement::Inputs, 2);
        assert_eq!(same, embedding);
        assert_ne!(other_first, first);
        assert_ne!(other_last, last);
    }
}
