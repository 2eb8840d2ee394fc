//! The result of a training run: the weights of the best epoch, and its scores.

use imn_nn::Params;
use serde::Serialize;

use super::{Corpus, EpochRecord};
use crate::bundle::{ModelError, ModelPart, TrainingRecord, stored_config};
use crate::eval::{SchemeCalibration, Scores};
use crate::model::Network;

/// The result of a training run.
#[derive(Debug)]
pub struct Fitted {
    /// The network, whose weights are `params`.
    pub network: Box<dyn Network>,
    /// The weights of the best epoch.
    pub params: Params<f32>,
    /// The training data.
    pub corpus: Corpus,
    /// The best epoch.
    pub best_epoch: usize,
    /// Scores of the best epoch on the development split.
    pub dev: Option<Scores>,
    /// All epochs, including pre-training.
    pub history: Vec<EpochRecord>,
}

impl Fitted {
    /// Duration of all epochs in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.history.iter().map(|record| record.seconds).sum()
    }

    /// The trained network as a part of a model.
    ///
    /// # Errors
    /// If the configuration cannot be written as JSON.
    pub fn into_part<C: Serialize>(
        self,
        kind: &str,
        config: &C,
        seed: u64,
        calibration: SchemeCalibration,
    ) -> Result<ModelPart, ModelError> {
        let record = TrainingRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed,
            best_epoch: self.best_epoch,
            dev: self.dev.map(|scores| scores.named()).unwrap_or_default(),
            corpus: self.corpus.report,
        };
        Ok(ModelPart {
            kind: kind.to_owned(),
            config: stored_config(config)?,
            featurizer: self.corpus.featurizer,
            encoder: self.corpus.encoder.shape(),
            domains: self.corpus.domains,
            network: self.network,
            params: self.params,
            record,
            calibration,
        })
    }
}
