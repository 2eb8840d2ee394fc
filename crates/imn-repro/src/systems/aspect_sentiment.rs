//! The AS of PIPELINE: IMN's shared encoder and AS on their own, with nothing passed to them.
//!
//! It reads a sentence once and says a sentiment for every word; an aspect has that of its first word.

use imn::model::{As, Input, ModelConfig, SelfAttention, Shared, Vectors, WordVectors};
use imn_nn::{Builder, Init, Rows, Tape, Var};
use serde::{Deserialize, Serialize};

use crate::batch::Shard;
use crate::network::{Network, Prediction, Role, Setting, predictions_of_sentiments};

/// Sizes and choices, as in IMN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AspectSentimentConfig {
    /// Filters of a CNN layer.
    pub filters: usize,
    /// CNN layers.
    pub layers: usize,
    /// Dropout after the embedding and after each layer.
    pub dropout: f64,
    /// Dropout before the decoder.
    pub decoder_dropout: f64,
    /// How kernels begin.
    pub kernel_init: Init,
    /// How the scores of the self-attention are made.
    pub self_attention: SelfAttention,
}

impl Default for AspectSentimentConfig {
    fn default() -> Self {
        Self {
            filters: 256,
            layers: 2,
            dropout: 0.5,
            decoder_dropout: 0.0,
            kernel_init: Init::GlorotUniform,
            self_attention: SelfAttention::Plain,
        }
    }
}

/// The network.
#[derive(Debug, Clone)]
pub struct AspectSentiment {
    encoder: Shared,
    r#as: As,
}

impl AspectSentiment {
    /// A network with new weights.
    #[must_use]
    pub fn new(
        builder: &mut Builder<'_, f32>,
        config: &AspectSentimentConfig,
        setting: Setting<'_>,
    ) -> Self {
        let WordVectors {
            data, dimensions, ..
        } = setting.vectors;
        let model = ModelConfig {
            filters: config.filters,
            shared_layers: config.layers.max(1),
            dropout: config.dropout,
            decoder_dropout: config.decoder_dropout,
            kernel_init: config.kernel_init,
            self_attention: config.self_attention,
            ..ModelConfig::default()
        };
        Self {
            encoder: Shared::new(builder, &model, dimensions, data, 0..0),
            r#as: As::new(&mut builder.scope("as"), &model),
        }
    }

    fn logits(&self, tape: &mut Tape<'_, f32>, input: &Input) -> Var {
        let encoded = self.encoder.forward(tape, input, Vectors::All);
        let shared = encoded.initial();
        self.r#as.forward(tape, input, &encoded, shared, None).0
    }
}

impl Network for AspectSentiment {
    fn role(&self) -> Role {
        Role::Classifier
    }

    fn loss(&self, tape: &mut Tape<'_, f32>, shard: &Shard<'_>) -> Var {
        let logits = self.logits(tape, &shard.input);
        let polarities = shard.of_words(|sentence| sentence.polarities.clone());
        tape.token_cross_entropy(logits, &polarities, shard.mean)
    }

    fn predict(&self, tape: &mut Tape<'_, f32>, shard: &Shard<'_>) -> Vec<Prediction> {
        let logits = self.logits(tape, &shard.input);
        let starts = shard.starts();
        let first = shard.mentions();
        let first: Vec<Option<u32>> = first
            .map(|(i, span, _)| Some(starts[i] + span.start as u32))
            .collect();
        let rows = tape.take_rows(logits, &first, Rows::Plain(first.len()));
        predictions_of_sentiments(tape, rows, shard)
    }
}
