//! The configuration of a compared system, saved in its model file and in its results.
//!
//! Data and vectors are configured as for IMN ([`imn::config`]); network and training have settings
//! of their own.

use imn::config::{
    ConfigError, DataConfig, Learning, LossMean, Override, Sampling, TrainConfig, VectorsConfig,
};
use imn::model::{CnnConfig, Distillation, DocumentTasks, EncoderConfig, TagSet};
use imn::train::{CorpusRequest, DocumentSteps, JointDocuments, TrainSettings};
use imn_nn::optim::Schedule;
use serde::{Deserialize, Serialize};

use crate::systems::NetworkConfig;

/// Compared systems read word vectors. Their network settings configure everything after that.
static WORD_VECTORS: EncoderConfig = EncoderConfig::Cnn(CnnConfig {
    filters: 0,
    layers: 0,
});

/// Everything that a run of a compared system depends on, except the data itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemConfig {
    /// The name of the system in results.
    pub name: String,
    /// The seed of all random numbers.
    #[serde(default)]
    pub seed: u64,
    /// Whether opinion labels are used.
    #[serde(default)]
    pub opinions: OpinionLabels,
    /// Training, test and document files.
    pub data: DataConfig,
    /// Word vectors.
    #[serde(default)]
    pub vectors: VectorsConfig,
    /// The network.
    pub network: NetworkConfig,
    /// Training.
    #[serde(default)]
    pub train: FitConfig,
}

/// Whether a system learns and predicts opinion terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpinionLabels {
    /// Yes, as in the paper's main comparison.
    #[default]
    Used,
    /// No, as in its Appendix B.
    Unused,
}

impl OpinionLabels {
    /// The tags of an extractor.
    #[must_use]
    pub fn tag_set(self) -> TagSet {
        match self {
            Self::Used => TagSet::AspectsAndOpinions,
            Self::Unused => TagSet::Aspects,
        }
    }
}

/// How a compared system is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitConfig {
    /// Sentences per batch.
    pub batch: usize,
    /// Learning rate of Adam.
    pub learning_rate: f64,
    /// How the learning rate changes.
    pub schedule: Schedule,
    /// Maximum norm of a gradient.
    pub clip_norm: Option<f64>,
    /// Passes over the sentences.
    pub epochs: usize,
    /// What the loss of a batch is averaged over. Classifiers ignore it: theirs is always averaged
    /// over the aspects.
    pub loss_mean: LossMean,
    /// The evaluated and saved weights are a moving average over about this many epochs; without
    /// this setting, the weights of the last step.
    pub average_epochs: Option<f64>,
    /// Documents, for a system that learns from them.
    pub documents: Option<DocumentFit>,
}

impl Default for FitConfig {
    fn default() -> Self {
        Self {
            batch: 32,
            learning_rate: 1e-3,
            schedule: Schedule::Constant,
            clip_norm: None,
            epochs: 30,
            loss_mean: LossMean::Sentences,
            average_epochs: None,
            documents: None,
        }
    }
}

/// How a system learns from documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentFit {
    /// Passes over the documents before training starts.
    pub pretrain_epochs: usize,
    /// Documents per batch of sentences.
    pub batch: usize,
    /// The weight of their loss.
    pub weight: f64,
}

impl Default for DocumentFit {
    fn default() -> Self {
        Self {
            pretrain_epochs: 1,
            batch: 32,
            weight: 0.1,
        }
    }
}

impl SystemConfig {
    /// Parses a configuration and applies overrides.
    ///
    /// # Errors
    /// If the text is not a valid configuration, or settings contradict each other.
    pub fn from_toml(text: &str, overrides: &[Override]) -> Result<Self, ConfigError> {
        let config: Self = Override::read(text, overrides)?;
        config.validate()?;
        Ok(config)
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// If a setting is out of range, or settings contradict each other.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let range =
            |field, value: &dyn ToString, text: &str| Err(ConfigError::range(field, value, text));
        self.data.validate(&[])?;
        if self.data.unlabelled.is_some() {
            let text = "a compared system learns from gold labels only";
            return range("data.unlabelled", &"set", text);
        }
        self.vectors.validate()?;
        let train = &self.train;
        TrainConfig {
            batch: train.batch,
            learning_rate: train.learning_rate,
            schedule: train.schedule,
            clip_norm: train.clip_norm,
            epochs: train.epochs,
            average_epochs: train.average_epochs,
            ..TrainConfig::default()
        }
        .validate()?;
        let network = self.network.settings();
        if let Some(problem) = network.problem() {
            return range(problem.field, &problem.value, &problem.range);
        }
        if self.vectors.learn == Learning::Sentences {
            let text = "a compared system learns from sentences and documents in the same step: \
                        set \"always\" or \"never\"";
            return range("vectors.learn", &"sentences", text);
        }
        if network.needs_opinions() && self.opinions == OpinionLabels::Unused {
            let text = "this network needs opinion labels";
            return range("opinions", &"unused", text);
        }
        let reads = network.reads_documents();
        if reads != self.train.documents.is_some() || reads != self.data.documents.is_some() {
            let text = "[train.documents] and [data.documents] are required for a network that \
                        reads documents, and forbidden for any other";
            return range("network.kind", &self.network.kind(), text);
        }
        if let Some(documents) = &self.train.documents {
            if documents.batch == 0 {
                return range("train.documents.batch", &0, "must be at least 1");
            }
            if !(documents.weight >= 0.0 && documents.weight.is_finite()) {
                return range(
                    "train.documents.weight",
                    &documents.weight,
                    "must be 0 or more",
                );
            }
        }
        Ok(())
    }

    /// The data that training reads.
    #[must_use]
    pub fn corpus(&self) -> CorpusRequest<'_> {
        CorpusRequest {
            seed: self.seed,
            data: &self.data,
            vectors: &self.vectors,
            allows_missing_opinions: false,
            tag_set: self.opinions.tag_set(),
            documents: match &self.data.documents {
                Some(_) => DocumentTasks::Sentiment,
                None => DocumentTasks::None,
            },
            schemes: &[],
            encoder: &WORD_VECTORS,
        }
    }

    /// The settings of the trainer.
    #[must_use]
    pub fn settings(&self) -> TrainSettings {
        let train = &self.train;
        let documents = train.documents.clone().unwrap_or_default();
        TrainSettings {
            seed: self.seed,
            batch: train.batch,
            learning_rate: train.learning_rate,
            schedule: train.schedule,
            clip_norm: train.clip_norm,
            groups: Vec::new(),
            vector_rate: self.vectors.rate,
            untouched_vectors: self.vectors.untouched,
            learn_vectors: self.vectors.learn,
            pretrain_epochs: documents.pretrain_epochs,
            epochs: train.epochs,
            select_from: 1,
            sentiment_weight: 1.0,
            distillation: Distillation::default(),
            soft_share: 1.0,
            loss_mean: train.loss_mean,
            sampling: Sampling::Never,
            average_epochs: train.average_epochs,
            init_share: None,
            documents: DocumentSteps::Joint(JointDocuments {
                batch: documents.batch,
                weight: documents.weight,
            }),
        }
    }

    /// The configuration as TOML, including all defaults.
    ///
    /// # Errors
    /// If TOML cannot express a setting: a path that is not UTF-8, for example.
    pub fn to_toml(&self) -> Result<String, ConfigError> {
        Ok(toml::to_string(self)?)
    }
}
