//! Which model answers, and in which annotation scheme: the same for every command that uses one.

use anyhow::Context as _;
use imn::analyze::Analyzer;
use imn::bundle::{DEFAULT, Model};
use imn_repro::fit::FAMILIES;
use serde_json::{Value, json};

/// The model that answers.
#[derive(Debug, Clone, clap::Args)]
pub struct ModelArgs {
    /// The model: the name of one that is built in, or a file.
    #[arg(long, short, env = "IMN_MODEL", value_name = "NAME|PATH", default_value = DEFAULT)]
    model: String,
    /// What counts as an aspect, where the model learnt several annotation schemes; the built-in one has `terms` (every aspect term)
    /// and `targets` (only what an opinion is about, the place or product itself included). The first one where not said.
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
}

impl ModelArgs {
    /// The model.
    pub fn open(&self) -> anyhow::Result<Analyzer> {
        let model = open(&self.model, self.scheme.as_deref())?;
        Analyzer::new(model).with_context(|| self.model.clone())
    }

    /// The model and its identity for the journal of a job: the hash of its bytes, and the scheme.
    pub fn open_identified(&self) -> anyhow::Result<(Analyzer, Value)> {
        let (model, hash) = Model::open_with_hash(&self.model, FAMILIES)?;
        let model = in_scheme(model, &self.model, self.scheme.as_deref())?;
        let identity = json!({"sha256": hash, "scheme": self.scheme});
        let analyzer = Analyzer::new(model).with_context(|| self.model.clone())?;
        Ok((analyzer, identity))
    }
}

/// The model of this name or file, whatever is inside, answering in an annotation scheme.
pub fn open(name_or_path: &str, scheme: Option<&str>) -> anyhow::Result<Model> {
    let model = Model::open_with(name_or_path, FAMILIES)?;
    in_scheme(model, name_or_path, scheme)
}

fn in_scheme(model: Model, name: &str, scheme: Option<&str>) -> anyhow::Result<Model> {
    match scheme {
        Some(scheme) => model.in_scheme(scheme).with_context(|| name.to_owned()),
        None => Ok(model),
    }
}
