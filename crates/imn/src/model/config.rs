//! Architecture of IMN. Defaults are those of the paper; other choices are named settings.

use imn_nn::Init;
use serde::{Deserialize, Serialize};

use super::{EncoderConfig, TagSet};

/// Upper bounds of the layers of one stack, the filters of a layer and the rounds.
const MOST_LAYERS: usize = 64;
const MOST_FILTERS: usize = 8192;
const MOST_ROUNDS: usize = 64;

/// Architecture of IMN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelConfig {
    /// f_θs, the shared encoder.
    pub encoder: EncoderConfig,
    /// m^ae: CNN layers of AE.
    pub ae_layers: usize,
    /// m^as: CNN layers of AS, below its self-attention.
    pub as_layers: usize,
    /// m^ds: CNN layers of DS.
    pub ds_layers: usize,
    /// m^dd: CNN layers of DD.
    pub dd_layers: usize,
    /// T: rounds of message passing.
    pub rounds: usize,
    /// Use of opinion terms.
    pub opinions: Opinions,
    /// Messages that each round passes to the next.
    pub messages: Messages,
    /// Document-level tasks.
    pub documents: DocumentTasks,
    /// Dropout of the embedding and of the CNN layers.
    pub dropout: f64,
    /// Where `dropout` applies.
    #[serde(skip_serializing_if = "DropoutPlacement::is_outputs")]
    pub dropout_placement: DropoutPlacement,
    /// Dropout before each decoder (0.5 in the authors' program, none in the paper).
    pub decoder_dropout: f64,
    /// Initialization of convolution kernels (normal with standard deviation 0.01 in the authors'
    /// program).
    pub kernel_init: Init,
    /// Input of the AE decoder.
    pub ae_representation: AeRepresentation,
    /// Scores of the self-attention of AS.
    pub self_attention: SelfAttention,
    /// Form in which document-level attention is passed on.
    pub attention_message: AttentionMessage,
    /// How a round changes the shared representation.
    #[serde(skip_serializing_if = "ReEncoding::is_relu")]
    pub re_encoding: ReEncoding,
    /// Names of the annotation schemes of the training sentences. Default: none, all sentences
    /// follow the same scheme and the network is that of the paper. With schemes, data sets that
    /// disagree on what an aspect is can be trained on together: a learned vector v_k of the
    /// sentence's scheme is added to h^s(0) of each word (to the embeddings of a transformer), and
    /// the caller chooses the scheme of the predictions.
    pub schemes: Vec<String>,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            encoder: EncoderConfig::default(),
            ae_layers: 2,
            as_layers: 0,
            ds_layers: 0,
            dd_layers: 0,
            rounds: 2,
            opinions: Opinions::Transmitted,
            messages: Messages::AspectAndDocument,
            documents: DocumentTasks::SentimentAndDomain,
            dropout: 0.5,
            dropout_placement: DropoutPlacement::Outputs,
            decoder_dropout: 0.0,
            kernel_init: Init::GlorotUniform,
            ae_representation: AeRepresentation::InitialShared,
            self_attention: SelfAttention::Plain,
            attention_message: AttentionMessage::Softmax,
            re_encoding: ReEncoding::Relu,
            schemes: Vec::new(),
        }
    }
}

/// Use of opinion terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opinions {
    /// None: AE extracts aspect terms only (the paper's Appendix B).
    Unlabelled,
    /// AE also extracts opinion terms.
    Extracted,
    /// AE extracts them and sends P^op to the self-attention of AS (opinion transmission).
    Transmitted,
}

/// Messages that each round of message passing sends to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Messages {
    /// No messages.
    None,
    /// ŷ^ae and ŷ^as (message passing-a).
    Aspect,
    /// ŷ^ae, ŷ^as, ŷ^ds, a^ds and a^dd (message passing-d).
    AspectAndDocument,
}

/// Document-level tasks that are trained jointly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentTasks {
    /// None (IMN⁻ᵈ).
    None,
    /// DS, document sentiment.
    Sentiment,
    /// DS, and DD, document domain.
    SentimentAndDomain,
}

/// Where the dropout of the embedding and of the CNN layers applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropoutPlacement {
    /// After the embedding and after each CNN layer (the paper). Attention, messages and decoders
    /// read what dropout leaves.
    Outputs,
    /// Before each CNN layer (the authors' program). Attention and messages read the layers without
    /// dropout, and decoders with their own dropout only.
    Inputs,
}

impl DropoutPlacement {
    /// Whether it is the default.
    #[must_use]
    pub fn is_outputs(&self) -> bool {
        *self == Self::Outputs
    }
}

/// Input of the AE decoder for each word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AeRepresentation {
    /// Embedding, h^s(0), h^ae (the paper).
    InitialShared,
    /// Embedding, every shared layer's output, h^ae (the authors' program).
    EverySharedLayer,
    /// h^ae alone (DECNN).
    TaskOnly,
}

/// Scores of the self-attention of AS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelfAttention {
    /// h_i W h_j / |i − j| · P^op_j (the paper's Eq. 1).
    Plain,
    /// tanh((h_i W h_j + b) / |i − j| · P^op_j), with one number b.
    BiasTanh,
    /// tanh((h_i W + b) h_j / |i − j| · P^op_j), with a vector b (the authors' program).
    QueryBiasTanh,
}

/// Form in which document-level attention is passed on as a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttentionMessage {
    /// The weights a^ds, a^dd themselves (the paper).
    Softmax,
    /// σ of the same scores (the authors' program).
    Sigmoid,
}

/// How a round changes the shared representation by the messages m_i of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReEncoding {
    /// h^s(t)_i = ReLU(W [h^s(t−1)_i : m_i] + b) (the paper's Eq. 4).
    Relu,
    /// h^s(t)_i = h^s(t−1)_i + W [h^s(t−1)_i : m_i] + b, with W initialized to 0: at first the
    /// rounds change nothing, so the representation of a pre-trained encoder is preserved.
    Residual,
}

impl ReEncoding {
    fn is_relu(&self) -> bool {
        *self == Self::Relu
    }
}

/// Why a [`ModelConfig`] is not valid.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum ModelConfigError {
    /// A size is out of range.
    #[error("model.{field} = {value}: must be from {least} to {most}")]
    Size {
        /// Key of the setting.
        field: &'static str,
        /// Its value.
        value: usize,
        /// Smallest allowed value.
        least: usize,
        /// Largest allowed value.
        most: usize,
    },
    /// The filters of the first layer cannot be halved.
    #[error(
        "model.encoder.cnn.filters = {0}: must be even, because half of the filters of the first \
         layer have width 3 and half have width 5"
    )]
    OddFilters(usize),
    /// Only the last layer of a transformer is kept.
    #[error(
        "model.ae_representation = \"every_shared_layer\" needs the CNN encoder; with a \
         transformer, use \"initial_shared\" or \"task_only\""
    )]
    SharedLayersOfTransformer,
    /// A probability outside 0 … 1.
    #[error("model.{field} = {value}: must be at least 0 and below 1")]
    Probability {
        /// The setting.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// Rounds without messages.
    #[error(
        "model.rounds = {rounds} needs messages, but model.messages = \"none\"; set rounds = 0 or \
         messages = \"aspect\""
    )]
    SilentRounds {
        /// T.
        rounds: usize,
    },
    /// Messages of tasks that the network does not have.
    #[error(
        "model.messages = \"aspect_and_document\" needs model.documents = \
         \"sentiment_and_domain\": the messages come from both tasks"
    )]
    MessagesWithoutTasks,
    /// Layers of a task that the network does not have.
    #[error("model.{field} = {value}, but model.documents excludes this task; set it to 0")]
    LayersWithoutTask {
        /// The setting.
        field: &'static str,
        /// Its value.
        value: usize,
    },
}

impl ModelConfig {
    /// Checks ranges of values, and that the settings do not contradict each other.
    ///
    /// # Errors
    /// The first problem found.
    pub fn validate(&self) -> Result<(), ModelConfigError> {
        // A model file with absurd sizes is rejected before anything is allocated.
        let cnn = self.encoder.cnn();
        for (field, value, least, most) in [
            ("encoder.cnn.layers", cnn.layers, 1, MOST_LAYERS),
            ("encoder.cnn.filters", cnn.filters, 1, MOST_FILTERS),
            ("ae_layers", self.ae_layers, 0, MOST_LAYERS),
            ("as_layers", self.as_layers, 0, MOST_LAYERS),
            ("ds_layers", self.ds_layers, 0, MOST_LAYERS),
            ("dd_layers", self.dd_layers, 0, MOST_LAYERS),
            ("rounds", self.rounds, 0, MOST_ROUNDS),
        ] {
            if !(least..=most).contains(&value) {
                return Err(ModelConfigError::Size {
                    field,
                    value,
                    least,
                    most,
                });
            }
        }
        if matches!(self.encoder, EncoderConfig::Transformer(_))
            && self.ae_representation == AeRepresentation::EverySharedLayer
        {
            return Err(ModelConfigError::SharedLayersOfTransformer);
        }
        if !cnn.filters.is_multiple_of(2) {
            return Err(ModelConfigError::OddFilters(cnn.filters));
        }
        for (field, value) in [
            ("dropout", self.dropout),
            ("decoder_dropout", self.decoder_dropout),
        ] {
            if !(0.0..1.0).contains(&value) {
                return Err(ModelConfigError::Probability { field, value });
            }
        }
        if self.rounds > 0 && self.messages == Messages::None {
            return Err(ModelConfigError::SilentRounds {
                rounds: self.rounds,
            });
        }
        if self.messages == Messages::AspectAndDocument
            && self.documents != DocumentTasks::SentimentAndDomain
        {
            return Err(ModelConfigError::MessagesWithoutTasks);
        }
        let has_ds = self.documents != DocumentTasks::None;
        let has_dd = self.documents == DocumentTasks::SentimentAndDomain;
        for (field, value, has) in [
            ("ds_layers", self.ds_layers, has_ds),
            ("dd_layers", self.dd_layers, has_dd),
        ] {
            if value > 0 && !has {
                return Err(ModelConfigError::LayersWithoutTask { field, value });
            }
        }
        Ok(())
    }

    /// The classes of the AE decoder.
    #[must_use]
    pub fn tag_set(&self) -> TagSet {
        match self.opinions {
            Opinions::Unlabelled => TagSet::Aspects,
            Opinions::Extracted | Opinions::Transmitted => TagSet::AspectsAndOpinions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CnnConfig;

    fn cnn(filters: usize, layers: usize) -> EncoderConfig {
        EncoderConfig::Cnn(CnnConfig { filters, layers })
    }

    #[test]
    fn the_papers_variants_make_sense() {
        let imn = ModelConfig::default();
        assert_eq!(imn.validate(), Ok(()));
        let minus_d = ModelConfig {
            messages: Messages::Aspect,
            documents: DocumentTasks::None,
            ..imn.clone()
        };
        assert_eq!(minus_d.validate(), Ok(()));
        let vanilla = ModelConfig {
            rounds: 0,
            messages: Messages::None,
            opinions: Opinions::Extracted,
            ..minus_d.clone()
        };
        assert_eq!(vanilla.validate(), Ok(()));
        assert_eq!(
            ModelConfig {
                rounds: 0,
                ..minus_d
            }
            .validate(),
            Ok(())
        );
    }

    #[test]
    fn nonsense_is_refused_with_its_reason() {
        let refuse = |change: fn(&mut ModelConfig), word: &str| {
            let mut config = ModelConfig::default();
            change(&mut config);
            let reason = config.validate().unwrap_err().to_string();
            assert!(reason.contains(word), "{reason}");
        };
        refuse(|c| c.messages = Messages::None, "rounds");
        refuse(|c| c.documents = DocumentTasks::Sentiment, "both tasks");
        refuse(|c| c.encoder = cnn(256, 0), "encoder.cnn.layers");
        refuse(|c| c.encoder = cnn(7, 2), "even");
        refuse(|c| c.encoder = cnn(1 << 40, 2), "encoder.cnn.filters");
        refuse(|c| c.ae_layers = usize::MAX, "ae_layers");
        refuse(|c| c.dropout = 1.0, "dropout");
        refuse(
            |c| {
                c.documents = DocumentTasks::None;
                c.messages = Messages::Aspect;
                c.dd_layers = 1;
            },
            "dd_layers",
        );
    }
}
