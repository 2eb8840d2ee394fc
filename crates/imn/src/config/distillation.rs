//! Settings of distillation: sentences without labels, and the model that labels them.

use serde::{Deserialize, Serialize};

use super::{ConfigError, Paths};

/// Sentences without labels, which `train.teacher` labels. Paths are relative to the data folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnlabelledConfig {
    /// Files of texts: one text per line (`.txt`), documents (`.tsv`, `.csv`) or annotated
    /// sentences (any other format, labels are ignored); may be compressed. Texts are split into
    /// sentences as `imn analyze` does. Every file gives the same number of sentences as long as it
    /// has enough.
    pub files: Paths,
    /// Maximum number of sentences.
    #[serde(default = "default_sentences")]
    pub sentences: usize,
    /// Shorter sentences are left out.
    #[serde(default = "default_min_words")]
    pub min_words: usize,
    /// Longer sentences are left out.
    #[serde(default = "default_max_words")]
    pub max_words: usize,
    /// The annotation schemes that sentences are labelled in, names of `model.schemes`. One is
    /// drawn for each sentence. Default: all. A name that is repeated is drawn more often.
    #[serde(default)]
    pub schemes: Vec<String>,
}

fn default_sentences() -> usize {
    150_000
}

fn default_min_words() -> usize {
    4
}

fn default_max_words() -> usize {
    60
}

impl UnlabelledConfig {
    /// Checks the settings for a network with the annotation schemes `known`.
    pub(super) fn validate(&self, known: &[String]) -> Result<(), ConfigError> {
        let range = |field, value: &dyn ToString, text| Err(ConfigError::range(field, value, text));
        if self.sentences == 0 {
            return range("data.unlabelled.sentences", &0, "must be at least 1");
        }
        if self.min_words == 0 || self.min_words > self.max_words {
            let text = "must be from 1 to data.unlabelled.max_words";
            return range("data.unlabelled.min_words", &self.min_words, text);
        }
        match self.schemes.iter().find(|name| !known.contains(name)) {
            Some(name) => range(
                "data.unlabelled.schemes",
                name,
                "is not among model.schemes",
            ),
            None => Ok(()),
        }
    }
}

/// The model that labels `data.unlabelled`, and how much its labels count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeacherConfig {
    /// A built-in model by name, or a model file relative to the data folder. It must predict the
    /// same tags as `model`, and know the annotation schemes of the sentences.
    pub model: String,
    /// Weight of a sentence that the teacher labelled; one with gold labels has 1.
    #[serde(default = "one")]
    pub weight: f64,
    /// T: the probabilities of the teacher and of the network are softmax(logits / T) in the loss.
    #[serde(default = "one")]
    pub temperature: f64,
    /// The share of `data.unlabelled` that an epoch contains. Later epochs continue with the rest.
    #[serde(default = "one")]
    pub share: f64,
}

fn one() -> f64 {
    1.0
}

impl TeacherConfig {
    /// Checks the ranges of the values.
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        for (field, value) in [
            ("train.teacher.weight", self.weight),
            ("train.teacher.temperature", self.temperature),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ConfigError::range(field, &value, "must be above 0"));
            }
        }
        if !(self.share > 0.0 && self.share <= 1.0) {
            let text = "must be above 0 and at most 1";
            return Err(ConfigError::range("train.teacher.share", &self.share, text));
        }
        Ok(())
    }
}
