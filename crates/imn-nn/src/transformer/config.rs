//! The configuration of an encoder, and how it is read from a `config.json`.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The configuration of an encoder. The default is MiniLM with 6 layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformerConfig {
    /// Number of subwords.
    pub vocabulary: usize,
    /// Columns of every layer.
    pub hidden: usize,
    /// Number of blocks.
    pub layers: usize,
    /// Attention heads of a block. `hidden` must be a multiple of it.
    pub heads: usize,
    /// Columns between the two linear layers of a block.
    pub intermediate: usize,
    /// Number of position embeddings.
    pub positions: usize,
    /// Position of the first token of a sequence: 0 for BERT, 2 for MPNet.
    pub first_position: usize,
    /// Number of token type embeddings, of which only the first is used; 0 for none.
    pub token_types: usize,
    /// Relative position bias on the attention scores (MPNet).
    pub relative: Option<RelativeConfig>,
    /// ε of every layer norm.
    pub epsilon: f64,
    /// Dropout probability before every residual sum, in training.
    pub dropout: f64,
    /// Dropout probability of the attention weights, in training.
    pub attention_dropout: f64,
}

/// The table of relative position biases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelativeConfig {
    /// Number of distance buckets.
    pub buckets: usize,
    /// All distances from this one on share the last bucket.
    pub max_distance: usize,
}

impl Default for TransformerConfig {
    fn default() -> Self {
        Self {
            vocabulary: 30_522,
            hidden: 384,
            layers: 6,
            heads: 12,
            intermediate: 1536,
            positions: 512,
            first_position: 0,
            token_types: 2,
            relative: None,
            epsilon: 1e-12,
            dropout: 0.1,
            attention_dropout: 0.1,
        }
    }
}

/// The fields of a `config.json` that are used here; others are ignored.
#[derive(Deserialize)]
struct HuggingFaceConfig {
    model_type: String,
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    #[serde(default)]
    type_vocab_size: Option<usize>,
    #[serde(default)]
    pad_token_id: Option<usize>,
    #[serde(default)]
    relative_attention_num_buckets: Option<usize>,
    #[serde(default)]
    layer_norm_eps: Option<f64>,
    #[serde(default = "tenth")]
    hidden_dropout_prob: f64,
    #[serde(default = "tenth")]
    attention_probs_dropout_prob: f64,
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn absolute() -> String {
    "absolute".to_owned()
}

fn tenth() -> f64 {
    0.1
}

/// `max_distance` of MPNet, which its `config.json` does not contain.
const MPNET_DISTANCE: usize = 128;

impl TransformerConfig {
    /// Reads the text of a `config.json` of the `bert` or `mpnet` type.
    ///
    /// # Errors
    /// If it is malformed, or its model type, activation or position embedding is not supported.
    pub fn from_json(text: &str) -> Result<Self> {
        let source: HuggingFaceConfig =
            serde_json::from_str(text).map_err(|error| Error::Config(error.to_string()))?;
        let wrong = |problem: String| Err(Error::Config(problem));
        if source.hidden_act != "gelu" {
            return wrong(format!(
                "hidden_act is \"{}\", only \"gelu\" is supported",
                source.hidden_act
            ));
        }
        if source.position_embedding_type != "absolute" {
            return wrong(format!(
                "position_embedding_type is \"{}\", only \"absolute\" is supported",
                source.position_embedding_type
            ));
        }
        let mpnet = match source.model_type.as_str() {
            "bert" => false,
            "mpnet" => true,
            other => {
                return wrong(format!(
                    "model_type is \"{other}\", only \"bert\" and \"mpnet\" are supported"
                ));
            }
        };
        let config = Self {
            vocabulary: source.vocab_size,
            hidden: source.hidden_size,
            layers: source.num_hidden_layers,
            heads: source.num_attention_heads,
            intermediate: source.intermediate_size,
            positions: source.max_position_embeddings,
            first_position: if mpnet {
                source.pad_token_id.unwrap_or(1) + 1
            } else {
                0
            },
            token_types: if mpnet {
                0
            } else {
                source.type_vocab_size.unwrap_or(2)
            },
            relative: mpnet.then(|| RelativeConfig {
                buckets: source.relative_attention_num_buckets.unwrap_or(32),
                max_distance: MPNET_DISTANCE,
            }),
            epsilon: source.layer_norm_eps.unwrap_or(1e-12),
            dropout: source.hidden_dropout_prob,
            attention_dropout: source.attention_probs_dropout_prob,
        };
        match config.problem() {
            Some(problem) => wrong(problem.to_owned()),
            None => Ok(config),
        }
    }

    /// Reads `config.json` in a folder.
    ///
    /// # Errors
    /// If the file cannot be read or [`TransformerConfig::from_json`] rejects it.
    pub fn from_folder(folder: &Path) -> Result<Self> {
        let path = folder.join("config.json");
        let text = std::fs::read_to_string(&path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
        Self::from_json(&text).map_err(|error| Error::Pretrained {
            path,
            source: Box::new(error),
        })
    }

    /// The sizes of the lowest layers alone.
    ///
    /// ```
    /// use imn_nn::transformer::TransformerConfig;
    ///
    /// let minilm = TransformerConfig::default();
    /// assert_eq!(minilm.clone().with_lowest_layers(4)?.layers, 4);
    /// let error = minilm.with_lowest_layers(7).unwrap_err();
    /// assert_eq!(error.to_string(), "the encoder has 6 layers, so 7 of them cannot be used");
    /// # Ok::<(), imn_nn::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are not that many, or none are asked for.
    pub fn with_lowest_layers(self, layers: usize) -> Result<Self> {
        if !(1..=self.layers).contains(&layers) {
            return Err(Error::Layers {
                asked: layers,
                has: self.layers,
            });
        }
        Ok(Self { layers, ..self })
    }

    /// Why the configuration is invalid; `None` if it is valid.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        let probability = |p: f64| (0.0..1.0).contains(&p);
        let sizes = [self.vocabulary, self.hidden, self.heads, self.intermediate];
        if sizes.contains(&0) {
            Some("every size must be at least 1")
        } else if !self.hidden.is_multiple_of(self.heads) {
            Some("hidden must be a multiple of heads")
        } else if self.max_tokens() == 0 {
            Some("positions must be greater than first_position")
        } else if self
            .relative
            .is_some_and(|it| it.buckets < 4 || it.max_distance <= it.buckets / 4)
        {
            Some(
                "relative positions need at least 4 buckets and a max_distance of more than a \
                 quarter of the buckets",
            )
        } else if !(self.epsilon.is_finite() && self.epsilon >= 0.0) {
            Some("epsilon must be 0 or more")
        } else if !(probability(self.dropout) && probability(self.attention_dropout)) {
            Some("dropout must be at least 0 and below 1")
        } else {
            None
        }
    }

    /// The maximum number of tokens in a sequence.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.positions.saturating_sub(self.first_position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BERT: &str = r#"{"model_type": "bert", "vocab_size": 100, "hidden_size": 12,
        "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 24,
        "max_position_embeddings": 16, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
        "hidden_act": "gelu", "use_cache": true}"#;

    #[test]
    fn both_model_types_are_read() {
        let bert = TransformerConfig::from_json(BERT).unwrap();
        assert_eq!(
            (bert.max_tokens(), bert.token_types, bert.relative),
            (16, 2, None)
        );
        let json = BERT
            .replace("bert", "mpnet")
            .replace("\"type_vocab_size\": 2", "\"pad_token_id\": 1");
        let mpnet = TransformerConfig::from_json(&json).unwrap();
        assert_eq!((mpnet.max_tokens(), mpnet.token_types), (14, 0));
        let relative = RelativeConfig {
            buckets: 32,
            max_distance: 128,
        };
        assert_eq!(mpnet.relative, Some(relative));
        let text = serde_json::to_string(&mpnet).unwrap();
        assert_eq!(
            serde_json::from_str::<TransformerConfig>(&text).unwrap(),
            mpnet
        );
    }

    #[test]
    fn unsupported_configurations_are_rejected() {
        let problem = |from: &str, to: &str| {
            let text = BERT.replace(from, to);
            assert_ne!(text, BERT);
            TransformerConfig::from_json(&text).unwrap_err().to_string()
        };
        assert!(problem("\"bert\"", "\"roberta\"").contains("model_type is \"roberta\""));
        assert!(problem("\"gelu\"", "\"relu\"").contains("hidden_act is \"relu\""));
        assert!(
            problem("\"num_attention_heads\": 3", "\"num_attention_heads\": 5")
                .contains("multiple of heads")
        );
        assert!(problem("\"hidden_size\": 12,", "").contains("hidden_size"));
        assert!(problem("embeddings\": 16", "embeddings\": 0").contains("position"));
        assert!(
            problem(
                "\"hidden_act\"",
                "\"hidden_dropout_prob\": 1.5, \"hidden_act\""
            )
            .contains("dropout")
        );
        let extra = "\"position_embedding_type\": \"relative_key\", \"hidden_act\"";
        assert!(problem("\"hidden_act\"", extra).contains("relative_key"));
    }
}
