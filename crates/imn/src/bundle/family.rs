//! Who builds the network of a stored part.
//!
//! This crate knows IMN. A crate with other networks implements [`NetworkFamily`] for them, and opens
//! model files with [`Model::open_with`](super::Model::open_with).

use imn_nn::Params;
use serde_json::Value;

use super::ModelError;
use crate::config::Config;
use crate::features::Lexicon;
use crate::model::{EncoderSource, Imn, Network};

/// What a model file says of a network.
#[derive(Debug, Clone, Copy)]
pub struct Blueprint<'a> {
    /// The kind of the network.
    pub kind: &'a str,
    /// The configuration of its run.
    pub config: &'a Value,
    /// What words are looked up in.
    pub lexicon: &'a Lexicon,
    /// What the encoder is built from, without values.
    pub encoder: &'a EncoderSource,
    /// Domains that DD tells apart.
    pub domains: usize,
}

/// Builds networks of some kinds.
pub trait NetworkFamily: Sync {
    /// The network of a blueprint in `params`, which hold shapes only; `None` where the kind is not
    /// of this family.
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
