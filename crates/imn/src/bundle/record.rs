//! The training record of a network, which its model file keeps.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Data and scores of a training run. It holds nothing that differs between two runs of the same
/// training, such as a time, so that the same seed gives the same file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRecord {
    /// Version of the program that trained the network.
    pub version: String,
    /// Seed of the run.
    pub seed: u64,
    /// Sizes of the training data.
    pub corpus: CorpusReport,
    /// The epoch whose weights were kept.
    pub best_epoch: usize,
    /// Scores of that epoch on the development split in percent, by their names in the paper.
    pub dev: BTreeMap<String, f64>,
}

/// Sizes and fingerprint of the data of a training run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorpusReport {
    /// Training sentences.
    pub train: usize,
    /// Sentences of the development split.
    pub dev: usize,
    /// Training sentences that were left out because a file of `data.exclude` or, with several
    /// files, the development split contains them.
    #[serde(default)]
    pub left_out: usize,
    /// Documents with a sentiment label.
    pub sentiment_documents: usize,
    /// Documents with a domain label.
    pub domain_documents: usize,
    /// Malformed rows of document files, which were skipped.
    pub bad_documents: usize,
    /// Size of the vocabulary.
    pub words: usize,
    /// Name of each vector file, and the number of vocabulary words that it has a vector for.
    pub vectors: Vec<(String, u64)>,
    /// Hash of everything that influences the trained weights besides the configuration: texts and
    /// labels, and the word vectors, the pre-trained encoder or the model that training started
    /// from.
    pub fingerprint: String,
    /// [`ModelPart::content_hash`](super::ModelPart::content_hash) of the model that training
    /// started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<String>,
    /// Training sentences that a teacher labelled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unlabelled: usize,
    /// SHA-256 of the teacher's model file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teacher: Option<String>,
}

/// Records of runs without a teacher stay as they were before this field.
#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde calls.
fn is_zero(count: &usize) -> bool {
    *count == 0
}
