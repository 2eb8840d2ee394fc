//! DS and DD: a^o_i = softmax over the text of h^o_i W^o (Eq. 3), h^o = Σ a^o_i h^o_i,
//! ŷ^o = softmax(W h^o + b).

use imn_nn::layers::Linear;
use imn_nn::{Builder, Tape, Var};

use super::task_layers::TaskLayers;
use super::{AttentionMessage, ModelConfig};

/// A document-level component f_θo, o ∈ {ds, dd}.
#[derive(Debug, Clone)]
pub(super) struct Document {
    layers: TaskLayers,
    attention: Linear,
    decoder: Linear,
    decoder_dropout: f64,
    message: AttentionMessage,
}

/// Output of a document-level component.
pub(super) struct DocumentOutput {
    /// The logits of ŷ^o, one row per text.
    pub(super) logits: Var,
    /// The scores of the attention, one value per token.
    pub(super) scores: Var,
    /// The attention in the form that is passed on, one value per token.
    pub(super) attention: Var,
}

impl Document {
    pub(super) fn new(
        builder: &mut Builder<'_, f32>,
        config: &ModelConfig,
        width: usize,
        layers: usize,
        classes: usize,
    ) -> Self {
        Self {
            layers: TaskLayers::new(builder, config, width, layers),
            attention: Linear::without_bias(&mut builder.scope("attention"), width, 1),
            decoder: Linear::new(&mut builder.scope("decoder"), width, classes),
            decoder_dropout: config.decoder_dropout,
            message: config.attention_message,
        }
    }

    pub(super) fn forward(&self, tape: &mut Tape<'_, f32>, shared: Var) -> DocumentOutput {
        let h = self.layers.forward(tape, shared);
        let scores = self.attention.forward(tape, h);
        let weights = tape.sequence_softmax(scores);
        let pooled = tape.weighted_sum(weights, h);
        let dropped = tape.dropout(pooled, self.decoder_dropout);
        let attention = match self.message {
            AttentionMessage::Softmax => weights,
            AttentionMessage::Sigmoid => tape.sigmoid(scores),
        };
        DocumentOutput {
            logits: self.decoder.forward(tape, dropped),
            scores,
            attention,
        }
    }
}
