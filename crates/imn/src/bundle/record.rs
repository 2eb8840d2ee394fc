//! How a model came about.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How a network was trained. It holds nothing that differs between two runs of the same training, such
/// as a time: the same seed gives the same file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRecord {
    /// Version of the program.
    pub version: String,
    /// The seed.
    pub seed: u64,
    /// What was learnt from.
    pub corpus: CorpusReport,
    /// The epoch that was kept.
    pub best_epoch: usize,
    /// Its scores on the development split, in percent, by the paper's names.
    pub dev: BTreeMap<String, f64>,
}

/// What a network learnt from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorpusReport {
    /// Sentences to learn from.
    pub train: usize,
    /// Sentences of the development split.
    pub dev: usize,
    /// Sentences that were left out because they stand in a file of `data.without`.
    #[serde(default)]
    pub left_out: usize,
    /// Documents with sentiments.
    pub sentiment_documents: usize,
    /// Documents with domains.
    pub domain_documents: usize,
    /// Rows of document files that were skipped because they are malformed.
    pub bad_documents: usize,
    /// Words of the vocabulary.
    pub words: usize,
    /// For each vector file its name and how many of the words it has.
    pub vectors: Vec<(String, u64)>,
    /// A hash of the texts and labels that were learnt from or chosen on.
    pub fingerprint: String,
}
