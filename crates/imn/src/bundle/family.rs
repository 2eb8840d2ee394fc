//! Building the network that a model file describes.
//!
//! This crate builds IMN. A crate with other networks implements [`NetworkFamily`] for them and
//! opens model files with [`Model::open_with`](super::Model::open_with).

use imn_nn::Params;
use serde_json::Value;

use super::ModelError;
use crate::config::Config;
use crate::features::Lexicon;
use crate::model::{EncoderSource, Imn, Network};

/// The description of a network in a model file.
#[derive(Debug, Clone, Copy)]
pub struct Blueprint<'a> {
    /// Architecture of the network, e.g. `imn`.
    pub kind: &'a str,
    /// Configuration of the training run.
    pub config: &'a Value,
    /// Vocabulary or subword tokenizer.
    pub lexicon: &'a Lexicon,
    /// Input and sizes of the encoder, without weights.
    pub encoder: &'a EncoderSource,
    /// Number of domains that DD distinguishes.
    pub domains: usize,
}

/// Builds the networks of one crate from their blueprints.
pub trait NetworkFamily: Sync {
    /// Builds the network and registers its parameters in `params`, which hold shapes only. `None`
    /// if the kind does not belong to this family.
    fn build(
        &self,
        blueprint: Blueprint<'_>,
        params: &mut Params<f32>,
    ) -> Option<Result<Box<dyn Network>, ModelError>>;
}

/// IMN and its variants.
#[derive(Debug, Clone, Copy)]
pub struct ImnFamily;

impl ImnFamily {
    /// The kind of IMN in model files.
    pub const KIND: &'static str = "imn";
}

impl NetworkFamily for ImnFamily {
    fn build(
        &self,
        blueprint: Blueprint<'_>,
        params: &mut Params<f32>,
    ) -> Option<Result<Box<dyn Network>, ModelError>> {
        if blueprint.kind != Self::KIND {
            return None;
        }
        let mut build = || {
            let config: Config = serde_json::from_value(blueprint.config.clone())?;
            let encoder = blueprint.encoder.clone();
            let network = Imn::new(
                params,
                &config.model,
                encoder,
                blueprint.domains,
                config.seed,
            )?;
            Ok(Box::new(network) as Box<dyn Network>)
        };
        Some(build())
    }
}
