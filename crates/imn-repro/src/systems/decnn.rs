//! DECNN (Xu et al. 2018): general and domain vectors side by side, CNN layers, a softmax for every word.
//!
//! The first layer has 128 filters of width 3 and 128 of width 5, three more have 256 of width 5; ReLU, dropout 0.55. It is IMN's shared and
//! AE layers without the concatenated final representation, and the extractor of PIPELINE.

use imn::model::{
    Ae, AeRepresentation, ModelConfig, Opinions, Shared, TagSet, Vectors, WordVectors,
};
use imn_nn::{Builder, Init, Tape, Var};
use serde::{Deserialize, Serialize};

use crate::batch::Shard;
use crate::network::{Network, Prediction, Role, Setting, predictions_of_tags};

/// Sizes of DECNN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecnnConfig {
    /// Filters of a layer.
    pub filters: usize,
    /// Layers, the first included.
    pub layers: usize,
    /// Dropout after the embedding and after each layer.
    pub dropout: f64,
    /// How kernels begin.
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
    encoder: Shared,
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
        let WordVectors {
            data, dimensions, ..
        } = vectors;
        let model = ModelConfig {
            filters: config.filters,
            shared_layers: config.layers.max(1),
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
        Self {
            encoder: Shared::new(builder, &model, dimensions, data, 0..0),
            decoder: Ae::new(&mut builder.scope("ae"), &model, dimensions),
            tag_set,
        }
    }

    fn logits(&self, tape: &mut Tape<'_, f32>, shard: &Shard<'_>) -> Var {
        let encoded = self.encoder.forward(tape, &shard.input, Vectors::All);
        self.decoder.forward(tape, &encoded, encoded.initial())
    }
}

impl Network for Decnn {
    fn role(&self) -> Role {
        Role::Extractor
    }

    fn loss(&self, tape: &mut Tape<'_, f32>, shard: &Shard<'_>) -> Var {
        let logits = self.logits(tape, shard);
        let class = |tag: &_| Some(self.tag_set.class(*tag));
        let tags = shard.of_words(|sentence| sentence.tags.iter().map(class).collect());
        tape.token_cross_entropy(logits, &tags, shard.mean)
    }

    fn predict(&self, tape: &mut Tape<'_, f32>, shard: &Shard<'_>) -> Vec<Prediction> {
        let logits = self.logits(tape, shard);
        let probabilities = tape.softmax(logits);
        predictions_of_tags(tape, probabilities, self.tag_set)
    }
}
