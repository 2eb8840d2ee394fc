//! What a run gives: the weights of the best epoch, and what a model file keeps of the run.

use imn_nn::Params;
use serde::Serialize;

use super::{Corpus, EpochRecord};
use crate::bundle::{ModelError, ModelPart, TrainingRecord, stored_config};
use crate::eval::{Calibration, Scores};
use crate::model::Network;

/// What a run gives.
#[derive(Debug)]
pub struct Fitted {
    /// The network.
    pub network: Box<dyn Network>,
    /// Its weights in the best epoch.
    pub params: Params<f32>,
    /// What it learnt from.
    pub corpus: Corpus,
    /// The epoch that was kept.
    pub best_epoch: usize,
    /// Its scores on the development split.
    pub dev: Option<Scores>,
    /// All epochs.
    pub history: Vec<EpochRecord>,
}

impl Fitted {
    /// Seconds of all epochs.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.history.iter().map(|record| record.seconds).sum()
    }

    /// The trained network as a part of a model.
    ///
    /// # Errors
    /// Only if the configuration cannot be stored.
    pub fn into_part<C: Serialize>(
        self,
        kind: &str,
        config: &C,
        seed: u64,
        calibration: Calibration,
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
