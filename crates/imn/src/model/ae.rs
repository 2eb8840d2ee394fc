//! AE, aspect and opinion term extraction:
//! ŷ^ae_i = softmax(W [x_i : h^s(0)_i : h^ae_i] + b), with h^ae from m^ae CNN layers on h^s(t).

use imn_nn::layers::Linear;
use imn_nn::{Builder, Tape, Var};

use super::encoder::{Encoded, EncodedWidths};
use super::task_layers::TaskLayers;
use super::{AeRepresentation, ModelConfig};

/// The AE component f_θae.
#[derive(Debug, Clone)]
pub struct Ae {
    layers: TaskLayers,
    decoder: Linear,
    representation: AeRepresentation,
    decoder_dropout: f64,
}

impl Ae {
    /// Initializes the component for an encoder of these widths.
    #[must_use]
    pub fn new(
        builder: &mut Builder<'_, f32>,
        config: &ModelConfig,
        widths: EncodedWidths,
    ) -> Self {
        let inputs = match config.ae_representation {
            AeRepresentation::InitialShared => widths.embedding + 2 * widths.layer,
            AeRepresentation::EverySharedLayer => {
                widths.embedding + (widths.layers + 1) * widths.layer
            }
            AeRepresentation::TaskOnly => widths.layer,
        };
        let classes = config.tag_set().tags().len();
        Self {
            layers: TaskLayers::new(builder, config, widths.layer, config.ae_layers),
            decoder: Linear::new(&mut builder.scope("decoder"), inputs, classes),
            representation: config.ae_representation,
            decoder_dropout: config.decoder_dropout,
        }
    }

    /// The logits of ŷ^ae from h^s(t), one row per word.
    pub fn forward(&self, tape: &mut Tape<'_, f32>, encoded: &Encoded, shared: Var) -> Var {
        let h = self.layers.forward(tape, shared);
        let mut parts = Vec::new();
        match self.representation {
            AeRepresentation::InitialShared => {
                parts.extend(encoded.embedding);
                parts.push(encoded.initial());
            }
            AeRepresentation::EverySharedLayer => {
                parts.extend(encoded.embedding);
                parts.extend(&encoded.layers);
            }
            AeRepresentation::TaskOnly => {}
        }
        parts.push(h);
        let joined = tape.concat(&parts);
        let dropped = tape.dropout(joined, self.decoder_dropout);
        self.decoder.forward(tape, dropped)
    }
}
