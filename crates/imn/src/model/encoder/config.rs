//! Kind and sizes of the encoder.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Kind and sizes of the shared encoder f_θs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EncoderConfig {
    /// CNN layers over word vectors (the paper).
    Cnn(CnnConfig),
    /// A pre-trained transformer over subwords.
    Transformer(TransformerFolder),
}

impl EncoderConfig {
    /// The sizes of the CNN encoder, or the default sizes for another kind.
    #[must_use]
    pub fn cnn(&self) -> CnnConfig {
        match self {
            Self::Cnn(cnn) => cnn.clone(),
            Self::Transformer(_) => CnnConfig::default(),
        }
    }
}

/// A pre-trained transformer on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformerFolder {
    /// Folder with `config.json`, `tokenizer.json` and `model.safetensors`, relative to the data
    /// folder. It is read when training starts; a trained model does not need it.
    pub folder: PathBuf,
    /// How many of its layers are used, from below. Default: all. The lower half of a deep encoder
    /// can be better than a shallow encoder of the same speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<usize>,
}

impl Default for EncoderConfig {
    fn default() -> Self {
        Self::Cnn(CnnConfig::default())
    }
}

/// Sizes of the CNN encoder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CnnConfig {
    /// Filters per layer, in the encoder and in the task layers. In the first layer of the encoder
    /// half of them have width 3 and half width 5.
    pub filters: usize,
    /// m^s: layers of the encoder.
    pub layers: usize,
}

impl Default for CnnConfig {
    fn default() -> Self {
        Self {
            filters: 256,
            layers: 2,
        }
    }
}
