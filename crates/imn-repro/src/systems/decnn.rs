//! DECNN (Xu et al. 2018): concatenated general and domain vectors, CNN layers, a softmax per word.
//!
//! The first layer has 128 filters of width 3 and 128 of width 5; three more layers have 256
//! filters of width 5; ReLU, dropout 0.55. This is IMN's shared and AE layers without the
//! concatenated final representation. It is also the extractor of PIPELINE.

use imn::model::{
    Ae, AeRepresentation, CnnConfig, CnnEncoder, ModelConfig, Network, Opinions, Prediction, Role,
    SentenceBatch, TagSet, VectorColumns,
};
use imn_nn::{Builder, Init, Tape, Var};
use serde::{Deserialize, Serialize};

use super::check::{self, Problem};
use super::readout::predictions_of_tags;
use super::{NetworkSettings, Setting};

/// Sizes of DECNN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecnnConfig {
    /// Filters per layer.
    pub filters: usize,
    /// Layers, including the first.
    pub layers: usize,
    /// Dropout after the embedding and after each layer.
    pub dropout: f64,
    /// Initialization of kernels.
    pub kernel_init: Init,
}

impl Default for DecnnConfig {
    fn default() -> Self {
        Self {
            filters: 256,
            layers: 4,
            dropout: 0.55,
            kernel_init: Init::GlorotUniform,
        }
    }
}

/// The network.
#[derive(Debug, Clone)]
pub struct Decnn {
    encoder: CnnEncoder,
    decoder: Ae,
    tag_set: TagSet,
}

impl Decnn {
    /// A network with new weights.
    #[must_use]
    pub fn new(builder: &mut Builder<'_, f32>, config: &DecnnConfig, setting: Setting<'_>) -> Self {
        let Setting {
            vectors, tag_set, ..
        } = setting;
        let cnn = CnnConfig {
            filters: config.filters,
            layers: config.layers,
        };
        let model = ModelConfig {
            ae_layers: 0,
            dropout: config.dropout,
            kernel_init: config.kernel_init,
            ae_representation: AeRepresentation::TaskOnly,
            opinions: match tag_set {
                TagSet::AspectsAndOpinions => Opinions::Extracted,
                TagSet::Aspects => Opinions::Unlabelled,
            },
            ..ModelConfig::default()
        };
        let encoder = CnnEncoder::new(builder, &cnn, &model, vectors);
        Self {
            decoder: Ae::new(&mut builder.scope("ae"), &model, encoder.widths()),
            encoder,
            tag_set,
        }
    }

    fn logits(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let encoded = self.encoder.forward(tape, &batch.input, VectorColumns::All);
        self.decoder.forward(tape, &encoded, encoded.initial())
    }
}

impl NetworkSettings for DecnnConfig {
    fn build(&self, builder: &mut Builder<'_, f32>, setting: Setting<'_>) -> Box<dyn Network> {
        Box::new(Decnn::new(builder, self, setting))
    }

    fn problem(&self) -> Option<Problem> {
        check::filters(self.filters)
            .or_else(|| check::size("network.layers", self.layers, 32))
            .or_else(|| check::dropout(self.dropout))
            .or_else(|| check::init(self.kernel_init))
    }
}

impl Network for Decnn {
    fn role(&self) -> Role {
        Role::Extractor
    }

    fn tag_set(&self) -> TagSet {
        self.tag_set
    }

    fn loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let logits = self.logits(tape, batch);
        let class = |tag: &_| Some(self.tag_set.class(*tag));
        let tags = batch.of_words(|sentence| sentence.tags().iter().map(class).collect());
        tape.token_cross_entropy(logits, &tags, batch.mean)
    }

    fn predict(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Vec<Prediction> {
        let logits = self.logits(tape, batch);
        let probabilities = tape.softmax(logits);
        predictions_of_tags(tape, probabilities, self.tag_set)
    }
}
