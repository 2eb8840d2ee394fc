//! One trained network with everything that its use needs.

use imn_nn::Params;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ModelError, TrainingRecord};
use crate::data::AnnotatedSentence;
use crate::eval::Calibration;
use crate::features::Featurizer;
use crate::model::{EncoderSource, Example, Imn, Network, Prediction};
use crate::predict;

/// A trained network: weights, featurizer, configuration, training record.
#[derive(Debug)]
pub struct Part {
    /// The kind of the network: `imn`, or the name of another architecture.
    pub kind: String,
    /// The resolved configuration of the run.
    pub config: Value,
    /// Turns words into what the network reads.
    pub featurizer: Featurizer,
    /// What the encoder is built from, without values.
    pub encoder: EncoderSource,
    /// Domains that DD tells apart.
    pub domains: usize,
    /// The network.
    pub network: Box<dyn Network>,
    /// Its weights.
    pub params: Params<f32>,
    /// How it was trained.
    pub record: TrainingRecord,
    /// From the network's confidence to how often it is right.
    pub calibration: Calibration,
}

/// IMN with everything that its use needs.
#[derive(Debug, Clone, Copy)]
pub struct ImnPart<'a> {
    /// The network.
    pub network: &'a Imn,
    /// Its weights.
    pub params: &'a Params<f32>,
    /// Turns words into what the network reads.
    pub featurizer: &'a Featurizer,
    /// From the network's confidence to how often it is right.
    pub calibration: &'a Calibration,
}

impl Part {
    /// The configuration as its own type.
    ///
    /// # Errors
    /// If it is of another type.
    pub fn config<C: DeserializeOwned>(&self) -> Result<C, ModelError> {
        Ok(serde_json::from_value(self.config.clone())?)
    }

    /// Whether the network was trained with exactly this configuration.
    #[must_use]
    pub fn has_config<C: DeserializeOwned + PartialEq>(&self, config: &C) -> bool {
        self.config::<C>().is_ok_and(|own| own == *config)
    }

    /// What the system is called in results.
    #[must_use]
    pub fn name(&self) -> &str {
        self.config["name"].as_str().unwrap_or(&self.kind)
    }

    /// The part as IMN, where it is.
    #[must_use]
    pub fn imn(&self) -> Option<ImnPart<'_>> {
        Some(ImnPart {
            network: self.network.as_imn()?,
            params: &self.params,
            featurizer: &self.featurizer,
            calibration: &self.calibration,
        })
    }

    /// A sentence as the network reads it, in the annotation scheme that the network answers in.
    #[must_use]
    pub fn example(&self, sentence: &AnnotatedSentence) -> Example {
        let scheme = self.network.as_imn().map_or(0, Imn::scheme);
        Example::unlabelled(self.featurizer.sentence(sentence)).in_scheme(scheme)
    }

    /// The network's predictions for sentences, of which it sees the words only.
    #[must_use]
    pub fn predict(&self, sentences: &[AnnotatedSentence]) -> Vec<Prediction> {
        let examples = sentences.iter().map(|sentence| self.example(sentence));
        self.predict_examples(&examples.collect::<Vec<_>>())
    }

    /// The network's predictions for sentences of which something is known.
    #[must_use]
    pub fn predict_examples(&self, examples: &[Example]) -> Vec<Prediction> {
        predict::predict(self.network.as_ref(), &self.params, examples)
    }
}

/// A configuration as it is stored.
///
/// # Errors
/// If it cannot be written as JSON.
pub(crate) fn stored_config<C: Serialize>(config: &C) -> Result<Value, ModelError> {
    Ok(serde_json::to_value(config)?)
}
