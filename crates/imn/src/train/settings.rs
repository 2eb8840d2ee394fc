//! Settings of the training loop, the same for every network.

use imn_nn::Params;
use imn_nn::optim::{Adam, AdamConfig, Group, Groups, Schedule, StepCount, UntouchedRows};

use crate::config::{Config, Learning, LossMean, Sampling};
use crate::model::Distillation;

/// Settings of the training loop.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainSettings {
    /// Seed of every random draw.
    pub seed: u64,
    /// Sentences per batch.
    pub batch: usize,
    /// Learning rate of Adam.
    pub learning_rate: f64,
    /// Schedule of the learning rate.
    pub schedule: Schedule,
    /// Maximum norm of the gradient.
    pub clip_norm: Option<f64>,
    /// Learning-rate factors, weight decay and freezing for parameters, by prefix of their names.
    pub groups: Vec<Group>,
    /// Learning rate of the word vectors, as a factor of `learning_rate`.
    pub vector_rate: f64,
    /// What happens to the vectors of words that a batch does not contain.
    pub untouched_vectors: UntouchedRows,
    /// Which losses train the word vectors.
    pub learn_vectors: Learning,
    /// Epochs of pre-training on documents.
    pub pretrain_epochs: usize,
    /// Epochs on sentences.
    pub epochs: usize,
    /// First epoch that can be chosen as the best.
    pub select_from: usize,
    /// How token losses are averaged in a batch.
    pub loss_mean: LossMean,
    /// What the loss of AS is multiplied by.
    pub sentiment_weight: f64,
    /// How sentences with soft labels are learnt.
    pub distillation: Distillation,
    /// The share of the sentences with soft labels that an epoch contains.
    pub soft_share: f64,
    /// When gold opinion labels replace the predicted ones.
    pub sampling: Sampling,
    /// Evaluate and keep an average of the weights over about this many recent epochs.
    pub average_epochs: Option<f64>,
    /// Evaluate and keep a mean with the initial weights, which have this share.
    pub init_share: Option<f64>,
    /// How steps on documents and sentences are combined.
    pub documents: DocumentSteps,
}

/// How steps on documents and sentences are combined. Without documents the variants do not differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DocumentSteps {
    /// Separate steps that alternate with those on sentences (Algorithm 1).
    Alternate(AlternateDocuments),
    /// Each step minimizes the losses of sentences and documents together.
    Joint(JointDocuments),
}

/// Settings of separate steps on documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlternateDocuments {
    /// r: every r-th batch of sentences is followed by a batch of documents.
    pub ratio: usize,
    /// Separate Adam moments for L_a and L_d instead of shared ones.
    pub separate_moments: bool,
    /// What Adam counts as steps.
    pub step_count: StepCount,
}

/// Settings of joint steps on sentences and documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointDocuments {
    /// Documents per step.
    pub batch: usize,
    /// λ: weight of the loss on documents.
    pub weight: f64,
}

impl Default for TrainSettings {
    fn default() -> Self {
        Self {
            seed: 0,
            batch: 32,
            learning_rate: 1e-4,
            schedule: Schedule::Constant,
            clip_norm: None,
            groups: Vec::new(),
            vector_rate: 1.0,
            untouched_vectors: UntouchedRows::Keep,
            learn_vectors: Learning::Always,
            pretrain_epochs: 5,
            epochs: 80,
            select_from: 1,
            loss_mean: LossMean::Sentences,
            sentiment_weight: 1.0,
            distillation: Distillation::default(),
            soft_share: 1.0,
            sampling: Sampling::Batch,
            average_epochs: None,
            init_share: None,
            documents: DocumentSteps::Alternate(AlternateDocuments {
                ratio: 2,
                separate_moments: false,
                step_count: StepCount::PerParameter,
            }),
        }
    }
}

impl From<&Config> for TrainSettings {
    fn from(config: &Config) -> Self {
        let train = &config.train;
        Self {
            seed: config.seed,
            batch: train.batch,
            learning_rate: train.learning_rate,
            schedule: train.schedule,
            clip_norm: train.clip_norm,
            groups: train.groups.clone(),
            vector_rate: config.vectors.rate,
            untouched_vectors: config.vectors.untouched,
            learn_vectors: config.vectors.learn,
            pretrain_epochs: train.pretrain_epochs,
            epochs: train.epochs,
            select_from: train.select_from,
            loss_mean: train.loss_mean,
            sentiment_weight: train.sentiment_weight,
            distillation: train
                .teacher
                .as_ref()
                .map_or_else(Distillation::default, |teacher| Distillation {
                    weight: teacher.weight,
                    temperature: teacher.temperature,
                }),
            soft_share: train.teacher.as_ref().map_or(1.0, |teacher| teacher.share),
            sampling: train.sampling,
            average_epochs: train.average_epochs,
            init_share: train.init_share,
            documents: DocumentSteps::Alternate(AlternateDocuments {
                ratio: train.ratio,
                separate_moments: train.separate_moments,
                step_count: train.step_count,
            }),
        }
    }
}

impl TrainSettings {
    /// One Adam for L_a and, with separate moments, another for L_d. A group that matches no
    /// parameter is an error.
    pub(super) fn optimizers(&self, params: &Params<f32>) -> imn_nn::Result<Vec<Adam<f32>>> {
        let groups = Groups::new(&self.groups, params)?;
        let (count, step_count) = match self.documents {
            DocumentSteps::Alternate(alternate) => (
                if alternate.separate_moments { 2 } else { 1 },
                alternate.step_count,
            ),
            DocumentSteps::Joint(_) => (1, StepCount::PerParameter),
        };
        let config = AdamConfig {
            clip_norm: self.clip_norm,
            table_rate: self.vector_rate,
            untouched_rows: self.untouched_vectors,
            step_count,
            ..AdamConfig::default()
        };
        let adam = Adam::with_groups(config, groups);
        Ok(vec![adam; count])
    }

    /// Weight of the loss on documents in a joint step.
    pub(super) fn document_weight(&self) -> f64 {
        match self.documents {
            DocumentSteps::Alternate(_) => 1.0,
            DocumentSteps::Joint(joint) => joint.weight,
        }
    }
}
