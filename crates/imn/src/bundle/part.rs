//! One trained network with everything that is needed to run it.

use imn_nn::Params;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ModelError, TrainingRecord};
use crate::data::AnnotatedSentence;
use crate::eval::{Calibration, SchemeCalibration};
use crate::features::Featurizer;
use crate::model::{EncoderSource, Example, Imn, Network, Prediction};
use crate::predict;

/// A trained network: weights, featurizer, configuration, training record.
#[derive(Debug)]
pub struct ModelPart {
    /// Architecture of the network, e.g. `imn`.
    pub kind: String,
    /// The configuration of the training run, with every default written out.
    pub config: Value,
    /// Turns words into the network's input.
    pub featurizer: Featurizer,
    /// Input and sizes of the encoder, without weights.
    pub encoder: EncoderSource,
    /// Number of domains that DD distinguishes.
    pub domains: usize,
    /// The network, whose weights are `params`.
    pub network: Box<dyn Network>,
    /// The weights.
    pub params: Params<f32>,
    /// Data and scores of the training run.
    pub record: TrainingRecord,
    /// Maps the network's confidences to observed precision.
    pub calibration: SchemeCalibration,
}

/// A [`ModelPart`] whose network is IMN.
#[derive(Debug, Clone, Copy)]
pub struct ImnPart<'a> {
    /// The network, whose weights are `params`.
    pub network: &'a Imn,
    /// The weights.
    pub params: &'a Params<f32>,
    /// Turns words into the network's input.
    pub featurizer: &'a Featurizer,
    /// Maps the network's confidences to observed precision, in the scheme of the network.
    pub calibration: Calibration,
}

impl ModelPart {
    /// The configuration as type `C`: [`Config`](crate::config::Config) for IMN.
    ///
    /// # Errors
    /// If the stored configuration is not a `C`.
    pub fn config<C: DeserializeOwned>(&self) -> Result<C, ModelError> {
        Ok(serde_json::from_value(self.config.clone())?)
    }

    /// Whether the network was trained with exactly this configuration.
    #[must_use]
    pub fn has_config<C: DeserializeOwned + PartialEq>(&self, config: &C) -> bool {
        self.config::<C>().is_ok_and(|own| own == *config)
    }

    /// The `name` of the configuration, or else the kind of the network.
    #[must_use]
    pub fn name(&self) -> &str {
        self.config["name"].as_str().unwrap_or(&self.kind)
    }

    /// The part as IMN, or `None` for another network.
    #[must_use]
    pub fn imn(&self) -> Option<ImnPart<'_>> {
        let network = self.network.as_imn()?;
        Some(ImnPart {
            network,
            params: &self.params,
            featurizer: &self.featurizer,
            calibration: self.calibration.of(network.scheme_name()),
        })
    }

    /// SHA-256 of everything that training takes from a model that it starts from: tokenizer rules,
    /// lexicon, domains, calibration and weights. It does not depend on where the model is stored.
    ///
    /// # Errors
    /// If the lexicon or the calibration cannot be written as JSON.
    pub fn content_hash(&self) -> Result<String, ModelError> {
        let header = serde_json::to_vec(&(
            self.featurizer.rules().version(),
            self.featurizer.lexicon(),
            self.domains,
            &self.calibration,
        ))?;
        let mut hashes = vec![imn_io::sha256(&header)];
        let tensors: Vec<_> = self.params.tensors().collect();
        hashes.par_extend(tensors.par_iter().map(|(name, shape, data)| {
            let mut bytes = format!("{name} {shape:?}\n").into_bytes();
            bytes.extend(data.iter().flat_map(|value| value.to_le_bytes()));
            imn_io::sha256(&bytes)
        }));
        Ok(imn_io::sha256(hashes.concat().as_bytes()))
    }

    /// The network's input for a sentence, in the annotation scheme that the network predicts.
    #[must_use]
    pub fn example(&self, sentence: &AnnotatedSentence) -> Example {
        let scheme = self.network.as_imn().map_or(0, Imn::scheme);
        Example::unlabelled(self.featurizer.sentence(sentence)).in_scheme(scheme)
    }

    /// The network's predictions for sentences. It sees their words only, not their annotation.
    #[must_use]
    pub fn predict(&self, sentences: &[AnnotatedSentence]) -> Vec<Prediction> {
        let examples = sentences.iter().map(|sentence| self.example(sentence));
        self.predict_examples(&examples.collect::<Vec<_>>())
    }

    /// The network's predictions for examples. A classifier sees their aspects and opinions.
    #[must_use]
    pub fn predict_examples(&self, examples: &[Example]) -> Vec<Prediction> {
        predict::predict(self.network.as_ref(), &self.params, examples)
    }
}

/// A configuration in the form that model files store.
pub(crate) fn stored_config<C: Serialize>(config: &C) -> Result<Value, ModelError> {
    Ok(serde_json::to_value(config)?)
}
