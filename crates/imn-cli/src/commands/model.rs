//! Which model answers, and in which annotation scheme: the same for every command that uses one.

use anyhow::Context as _;
use imn::analyze::Analyzer;
use imn::models::{self, BUILT_IN};
use imn_batch::Fingerprint;
use serde_json::{Value, json};

/// The model that answers.
#[derive(Debug, Clone, clap::Args)]
pub struct ModelArgs {
    /// The model: the name of one that is built in, or a file.
    #[arg(long, short, env = "IMN_MODEL", value_name = "NAME|PATH", default_value = models::DEFAULT)]
    model: String,
    /// What counts as an aspect, where the model learnt several annotation schemes; the built-in one has `terms` (every aspect term)
    /// and `targets` (only what an opinion is about, the place or product itself included). The first one where not said.
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
}

impl ModelArgs {
    /// The model.
    pub fn open(&self) -> anyhow::Result<Analyzer> {
        let bundle = models::open(&self.model)?;
        Ok(Analyzer::new(match &self.scheme {
            Some(scheme) => bundle.in_scheme(scheme)?,
            None => bundle,
        }))
    }

    /// What tells it from others.
    pub fn identity(&self) -> anyhow::Result<Value> {
        let name = &self.model;
        let model = if BUILT_IN.iter().any(|model| model.name == name) {
            json!({"built_in": name, "program": env!("CARGO_PKG_VERSION")})
        } else {
            let path = std::fs::canonicalize(name).with_context(|| name.clone())?;
            serde_json::to_value(Fingerprint::of(&path).with_context(|| name.clone())?)?
        };
        Ok(json!({"model": model, "scheme": self.scheme}))
    }
}
