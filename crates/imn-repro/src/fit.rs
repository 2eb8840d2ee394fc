//! Training of a compared system, with the same trainer as IMN.

use std::path::Path;

use imn::analyze::Analyzer;
use imn::bundle::{Blueprint, ImnFamily, Model, ModelError, ModelPart, NetworkFamily};
use imn::eval::SchemeCalibration;
use imn::features::Lexicon;
use imn::model::{EncoderSource, Network, Role, TagSet};
use imn::train::{Corpus, Fitted, TrainError, Trainer};
use imn_nn::Params;

use crate::config::SystemConfig;
use crate::systems::Setting;

/// Reads the data of a system and builds its network.
///
/// # Errors
/// If the settings are invalid or the data cannot be read.
pub fn trainer(config: &SystemConfig, folder: &Path) -> Result<Trainer, TrainError> {
    config.validate()?;
    let mut corpus = Corpus::load(&config.corpus(), folder, None)?;
    let tag_set = config.opinions.tag_set();
    let mut params = Params::new();
    let encoder = corpus.take_encoder();
    let setting = setting(encoder, corpus.featurizer.lexicon(), tag_set)?;
    let settings = config.network.settings();
    let network = settings.build(&mut params.builder(config.seed), setting);
    if network.role() == Role::Classifier {
        corpus = corpus.for_classifier(tag_set);
    }
    let configuration = config.to_toml()?;
    let settings = config.settings();
    Trainer::new(network, params, corpus, settings, configuration)
}

/// The words and vectors that a compared network is built for.
fn setting(
    encoder: EncoderSource,
    lexicon: &Lexicon,
    tag_set: TagSet,
) -> Result<Setting<'_>, ModelError> {
    match (encoder, lexicon) {
        (EncoderSource::Words(vectors), Lexicon::Words(vocabulary)) => Ok(Setting {
            vocabulary,
            vectors,
            tag_set,
        }),
        _ => {
            let text = "a compared system reads word vectors, not subwords";
            Err(ModelError::Inconsistent(text.to_owned()))
        }
    }
}

/// The trained network as a part of a model.
///
/// # Errors
/// If the configuration cannot be stored.
pub fn finish(config: &SystemConfig, fitted: Fitted) -> Result<ModelPart, ModelError> {
    let kind = config.network.kind();
    fitted.into_part(kind, config, config.seed, SchemeCalibration::default())
}

/// Builds the networks of this crate when a model file is opened.
#[derive(Debug, Clone, Copy)]
pub struct ComparedFamily;

impl NetworkFamily for ComparedFamily {
    fn build(
        &self,
        blueprint: Blueprint<'_>,
        params: &mut Params<f32>,
    ) -> Option<Result<Box<dyn Network>, ModelError>> {
        if !crate::systems::NetworkConfig::KINDS.contains(&blueprint.kind) {
            return None;
        }
        let mut build = || {
            let config: SystemConfig = serde_json::from_value(blueprint.config.clone())?;
            config.validate()?;
            let (encoder, tag_set) = (blueprint.encoder.clone(), config.opinions.tag_set());
            let setting = setting(encoder, blueprint.lexicon, tag_set)?;
            let settings = config.network.settings();
            Ok(settings.build(&mut params.builder(config.seed), setting))
        };
        Some(build())
    }
}

/// The families of all networks that a model file can contain.
pub const FAMILIES: &[&dyn NetworkFamily] = &[&ImnFamily, &ComparedFamily];

/// Opens a built-in model by name, or a model file, with any network.
///
/// # Errors
/// If the model does not exist or cannot be read.
pub fn open(name_or_path: &str) -> Result<Model, ModelError> {
    Model::open_with(name_or_path, FAMILIES)
}

/// Opens a model like [`open`], and selects one of its annotation schemes.
///
/// # Errors
/// If the model does not exist, cannot be read or does not have the scheme.
pub fn open_scheme(name_or_path: &str, scheme: Option<&str>) -> Result<Model, ModelError> {
    in_scheme(open(name_or_path)?, name_or_path, scheme)
}

/// Selects an annotation scheme of a model that was opened by this name.
///
/// # Errors
/// If the model does not have the scheme.
pub fn in_scheme(model: Model, name: &str, scheme: Option<&str>) -> Result<Model, ModelError> {
    let Some(scheme) = scheme else {
        return Ok(model);
    };
    model.in_scheme(scheme).map_err(|error| ModelError::In {
        path: name.into(),
        error: Box::new(error),
    })
}

/// An analyzer with a model that was opened by this name.
///
/// # Errors
/// If the model is not IMN.
pub fn analyzer(model: Model, name: &str) -> Result<Analyzer, ModelError> {
    Analyzer::new(model).map_err(|error| ModelError::In {
        path: name.into(),
        error: Box::new(error),
    })
}
