//! What the training loop needs to know of a configuration, the same for every network.

use imn_nn::Params;
use imn_nn::optim::{Adam, AdamConfig, Group, Groups, Schedule};

use crate::config::{Config, Learning, LossMean, Sampling};

/// How a network is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainSettings {
    /// All randomness is drawn from it.
    pub seed: u64,
    /// Sentences of a batch.
    pub batch: usize,
    /// Learning rate of Adam.
    pub learning_rate: f64,
    /// How the learning rate changes.
    pub schedule: Schedule,
    /// Largest norm of a gradient.
    pub clip_norm: Option<f64>,
    /// Learning-rate factors, weight decay and freezing of weights by the beginnings of their names.
    pub groups: Vec<Group>,
    /// Learning rate of the word vectors, as a share of that of everything else.
    pub vector_rate: f64,
    /// Which losses change the word vectors.
    pub learn_vectors: Learning,
    /// Passes over the documents before anything else.
    pub pretrain_epochs: usize,
    /// Passes over the sentences.
    pub epochs: usize,
    /// The first epoch that may be chosen as the best.
    pub select_from: usize,
    /// What the loss of a batch is averaged over.
    pub loss_mean: LossMean,
    /// When gold opinion labels replace the predicted ones.
    pub sampling: Sampling,
    /// The weights that are evaluated and kept are a mean over about so many of the last epochs.
    pub average_epochs: Option<f64>,
    /// How documents take part.
    pub documents: DocumentSteps,
}

/// How documents take part in training. Without documents both are the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DocumentSteps {
    /// Steps of their own between those on sentences (Algorithm 1).
    Alternate(AlternateDocuments),
    /// In one step with the sentences.
    Joint(JointDocuments),
}

/// Documents in steps of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlternateDocuments {
    /// r: every r-th batch of sentences is followed by one of documents.
    pub ratio: usize,
    /// L_a and L_d keep Adam moments of their own instead of sharing them.
    pub separate_moments: bool,
}

/// Documents beside sentences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointDocuments {
    /// Documents beside each batch of sentences.
    pub batch: usize,
    /// λ: what their loss is multiplied by.
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
            learn_vectors: Learning::Always,
            pretrain_epochs: 5,
            epochs: 80,
            select_from: 1,
            loss_mean: LossMean::Sentences,
            sampling: Sampling::Batch,
            average_epochs: None,
            documents: DocumentSteps::Alternate(AlternateDocuments {
                ratio: 2,
                separate_moments: false,
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
            learn_vectors: config.vectors.learn,
            pretrain_epochs: train.pretrain_epochs,
            epochs: train.epochs,
            select_from: train.select_from,
            loss_mean: train.loss_mean,
            sampling: train.sampling,
            average_epochs: train.average_epochs,
            documents: DocumentSteps::Alternate(AlternateDocuments {
                ratio: train.ratio,
                separate_moments: train.separate_moments,
            }),
        }
    }
}

impl TrainSettings {
    /// Adam for every objective that has moments of its own: L_a first, L_d last. A group that matches
    /// no weight is an error.
    pub(super) fn optimizers(&self, params: &Params<f32>) -> imn_nn::Result<Vec<Adam<f32>>> {
        let groups = Groups::new(&self.groups, params)?;
        let adam = AdamConfig {
            clip_norm: self.clip_norm,
            table_rate: self.vector_rate,
            ..AdamConfig::default()
        };
        let adam = Adam::with_groups(adam, groups);
        let count = match self.documents {
            DocumentSteps::Alternate(alternate) if alternate.separate_moments => 2,
            _ => 1,
        };
        Ok(vec![adam; count])
    }

    /// What the loss of documents is multiplied by in a step of both.
    pub(super) fn document_weight(&self) -> f64 {
        match self.documents {
            DocumentSteps::Alternate(_) => 1.0,
            DocumentSteps::Joint(joint) => joint.weight,
        }
    }
}
