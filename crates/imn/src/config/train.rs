//! Settings of the optimization.

use imn_nn::optim::{Group, Schedule, StepCount};
use imn_nn::{Precision, TokenMean};
use serde::{Deserialize, Serialize};

use super::{ConfigError, TeacherConfig};

/// Batches, learning rate, epochs, and the choice of the best epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainConfig {
    /// Sentences or documents per batch.
    pub batch: usize,
    /// Learning rate of Adam.
    pub learning_rate: f64,
    /// Schedule of the learning rate.
    pub schedule: Schedule,
    /// Maximum norm of the gradient (10 in the authors' program). Default: no clipping.
    pub clip_norm: Option<f64>,
    /// Learning-rate factors, weight decay and freezing for parameters, by prefix of their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
    /// Epochs of pre-training on documents. An epoch is one pass over D^dd, or without DD over
    /// D^ds.
    pub pretrain_epochs: usize,
    /// Epochs on sentences.
    pub epochs: usize,
    /// r: every r-th batch of sentences is followed by a batch of documents.
    pub ratio: usize,
    /// When the self-attention of AS uses gold opinion labels.
    pub sampling: Sampling,
    /// How token losses are averaged in a batch.
    pub loss_mean: LossMean,
    /// Weight of the loss of AS (1 in the paper).
    #[serde(skip_serializing_if = "is_one")]
    pub sentiment_weight: f64,
    /// Separate Adam moments for L_a and L_d (the authors' program) instead of shared ones.
    pub separate_moments: bool,
    /// What Adam counts as steps in its bias correction.
    #[serde(skip_serializing_if = "StepCount::is_per_parameter")]
    pub step_count: StepCount,
    /// Evaluate and keep an average of the weights over about this many recent epochs. Default:
    /// the weights of the last step (the paper).
    pub average_epochs: Option<f64>,
    /// Evaluate and keep a mean of the trained weights and those of the model that training started
    /// from; this is the share of the latter. Default: the trained weights alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init_share: Option<f64>,
    /// First epoch that can be chosen as the best.
    pub select_from: usize,
    /// Precision of the products of linear layers. `bf16` makes a transformer faster on CPUs with
    /// AVX512-BF16, and is an error on others.
    #[serde(skip_serializing_if = "is_full")]
    pub precision: Precision,
    /// A model to learn from besides the gold labels. It labels `data.unlabelled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teacher: Option<TeacherConfig>,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            batch: 32,
            learning_rate: 1e-4,
            schedule: Schedule::Constant,
            clip_norm: None,
            groups: Vec::new(),
            pretrain_epochs: 5,
            epochs: 80,
            ratio: 2,
            sampling: Sampling::Batch,
            loss_mean: LossMean::Sentences,
            sentiment_weight: 1.0,
            separate_moments: false,
            step_count: StepCount::PerParameter,
            average_epochs: None,
            init_share: None,
            select_from: 1,
            precision: Precision::F32,
            teacher: None,
        }
    }
}

impl TrainConfig {
    /// Checks the ranges of the values.
    ///
    /// # Errors
    /// The first problem found.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let range = |field, value: &dyn ToString, text| Err(ConfigError::range(field, value, text));
        for (field, value) in [
            ("train.batch", self.batch),
            ("train.ratio", self.ratio),
            ("train.epochs", self.epochs),
        ] {
            if value == 0 {
                return range(field, &value, "must be at least 1");
            }
        }
        for group in &self.groups {
            if let Some(problem) = group.problem() {
                return range("train.groups", &group.prefix, problem);
            }
        }
        if let Some(problem) = self.schedule.problem() {
            return range("train.schedule", &format!("{:?}", self.schedule), problem);
        }
        let positive = |value: f64| value > 0.0 && value.is_finite();
        if !positive(self.learning_rate) {
            return range(
                "train.learning_rate",
                &self.learning_rate,
                "must be above 0",
            );
        }
        if !positive(self.sentiment_weight) {
            let text = "must be above 0";
            return range("train.sentiment_weight", &self.sentiment_weight, text);
        }
        if let Some(norm) = self.clip_norm.filter(|&norm| !positive(norm)) {
            let text = "must be above 0; leave it out for no clipping";
            return range("train.clip_norm", &norm, text);
        }
        if let Some(epochs) = self.average_epochs.filter(|&epochs| !positive(epochs)) {
            return range("train.average_epochs", &epochs, "must be above 0");
        }
        if self.precision == Precision::Int8 {
            let text = "is for inference only; train in `f32` or `bf16`";
            return range("train.precision", &self.precision.name(), text);
        }
        let is_share = |share: f64| share > 0.0 && share < 1.0;
        if let Some(share) = self.init_share.filter(|&share| !is_share(share)) {
            let text = "must be between 0 and 1; leave it out for the trained weights alone";
            return range("train.init_share", &share, text);
        }
        if self.select_from == 0 || self.select_from > self.epochs {
            let text = "must be from 1 to train.epochs, or no epoch could be chosen";
            return range("train.select_from", &self.select_from, text);
        }
        self.teacher
            .as_ref()
            .map_or(Ok(()), TeacherConfig::validate)
    }
}

/// The default is not stored, so that configurations from before this setting stay the same.
#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde calls.
fn is_one(weight: &f64) -> bool {
    *weight == 1.0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde calls.
fn is_full(precision: &Precision) -> bool {
    *precision == Precision::F32
}

/// Scheduled sampling: with probability ε_i = 5 / (5 + exp(i / 5)) in epoch i, gold opinion labels
/// replace the predicted ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// Never.
    Never,
    /// One draw per batch.
    Batch,
    /// One draw per epoch, as in the authors' program (where i counts from 0 and i / 5 is rounded
    /// down).
    Epoch,
}

impl Sampling {
    /// ε_i of epoch `i`, which counts from 1.
    #[must_use]
    pub fn probability(self, epoch: usize) -> f64 {
        match self {
            Self::Never => 0.0,
            Self::Batch | Self::Epoch => 5.0 / (5.0 + (epoch as f64 / 5.0).exp()),
        }
    }
}

/// How token losses are averaged in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossMean {
    /// Over the tokens of each sentence, then over the sentences (the paper's L_a).
    Sentences,
    /// Over all tokens of the batch (the authors' program).
    Tokens,
}

impl LossMean {
    /// The mean over the tokens of a batch with this many sentences and words.
    #[must_use]
    pub fn over(self, sentences: usize, words: usize) -> TokenMean {
        match self {
            Self::Sentences => TokenMean::Sequences {
                count: sentences as f64,
            },
            Self::Tokens => TokenMean::Tokens {
                count: words as f64,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sampling_decays_as_the_paper_says() {
        let first = Sampling::Batch.probability(1);
        assert!((first - 5.0 / (5.0 + 0.2_f64.exp())).abs() < 1e-12);
        assert!(Sampling::Batch.probability(40) < 0.002);
        assert_eq!(Sampling::Never.probability(1), 0.0);
    }
}
