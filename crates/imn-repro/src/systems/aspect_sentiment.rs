//! The AS of PIPELINE: IMN's shared encoder and AS alone, without messages.
//!
//! It predicts a sentiment for every word; the sentiment of an aspect is that of its first word.

use imn::model::{
    As, CnnConfig, CnnEncoder, DropoutPlacement, Input, ModelConfig, Network, Prediction, Role,
    SelfAttention, SentenceBatch, TagSet, VectorColumns,
};
use imn_nn::{Builder, Init, Rows, Tape, Var};
use serde::{Deserialize, Serialize};

use super::check::{self, Problem};
use super::readout::predictions_of_sentiments;
use super::{NetworkSettings, Setting};

/// Settings, as in IMN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AspectSentimentConfig {
    /// Filters per CNN layer.
    pub filters: usize,
    /// CNN layers.
    pub layers: usize,
    /// Dropout of the embedding and of the layers.
    pub dropout: f64,
    /// Where `dropout` applies.
    #[serde(skip_serializing_if = "DropoutPlacement::is_outputs")]
    pub dropout_placement: DropoutPlacement,
    /// Dropout before the decoder.
    pub decoder_dropout: f64,
    /// Initialization of kernels.
    pub kernel_init: Init,
    /// The scores of the self-attention.
    pub self_attention: SelfAttention,
}

impl Default for AspectSentimentConfig {
    fn default() -> Self {
        Self {
            filters: 256,
            layers: 2,
            dropout: 0.5,
            dropout_placement: DropoutPlacement::Outputs,
            decoder_dropout: 0.0,
            kernel_init: Init::GlorotUniform,
            self_attention: SelfAttention::Plain,
        }
    }
}

/// The network.
#[derive(Debug, Clone)]
pub struct AspectSentiment {
    encoder: CnnEncoder,
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
        let cnn = CnnConfig {
            filters: config.filters,
            layers: config.layers,
        };
        let model = ModelConfig {
            dropout: config.dropout,
            dropout_placement: config.dropout_placement,
            decoder_dropout: config.decoder_dropout,
            kernel_init: config.kernel_init,
            self_attention: config.self_attention,
            ..ModelConfig::default()
        };
        Self {
            encoder: CnnEncoder::new(builder, &cnn, &model, setting.vectors),
            r#as: As::new(&mut builder.scope("as"), &model, config.filters),
        }
    }

    fn logits(&self, tape: &mut Tape<'_, f32>, input: &Input) -> Var {
        let encoded = self.encoder.forward(tape, input, VectorColumns::All);
        let shared = encoded.initial();
        self.r#as.forward(tape, input, &encoded, shared, None).0
    }
}

impl NetworkSettings for AspectSentimentConfig {
    fn build(&self, builder: &mut Builder<'_, f32>, setting: Setting<'_>) -> Box<dyn Network> {
        Box::new(AspectSentiment::new(builder, self, setting))
    }

    fn problem(&self) -> Option<Problem> {
        check::filters(self.filters)
            .or_else(|| check::size("network.layers", self.layers, 32))
            .or_else(|| check::dropout(self.dropout))
            .or_else(|| check::share("network.decoder_dropout", self.decoder_dropout))
            .or_else(|| check::init(self.kernel_init))
    }
}

impl Network for AspectSentiment {
    fn role(&self) -> Role {
        Role::Classifier
    }

    fn tag_set(&self) -> TagSet {
        // It gets no opinions.
        TagSet::Aspects
    }

    fn loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let logits = self.logits(tape, &batch.input);
        let polarities = batch.of_words(|sentence| sentence.polarities().to_vec());
        tape.token_cross_entropy(logits, &polarities, batch.mean)
    }

    fn predict(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Vec<Prediction> {
        let logits = self.logits(tape, &batch.input);
        let starts = batch.starts();
        let first_words: Vec<Option<u32>> = batch
            .mentions()
            .map(|(i, span, _)| Some(starts[i] + span.start as u32))
            .collect();
        let rows = tape.take_rows(logits, &first_words, Rows::Plain(first_words.len()));
        predictions_of_sentiments(tape, rows, batch)
    }
}
