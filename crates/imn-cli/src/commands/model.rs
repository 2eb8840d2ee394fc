//! The options `--model` and `--scheme`.

use anyhow::Context as _;
use imn::analyze::Analyzer;
use imn::bundle::{DEFAULT, Model};
use imn_repro::fit::FAMILIES;
use serde_json::{Value, json};

/// The options that select a model.
#[derive(Debug, Clone, clap::Args)]
pub struct ModelArgs {
    /// Name of a built-in model, or a model file.
    #[arg(long, short, env = "IMN_MODEL", value_name = "NAME|PATH", default_value = DEFAULT)]
    model: String,
    /// Annotation scheme, if the model has several: what counts as an aspect. The built-in models
    /// have `terms` (every aspect term) and `targets` (only what an opinion is about, including the
    /// place or product itself); `domains` also has `judged` (what is judged) and `phrases` (what
    /// is judged; opinions are whole phrases) [default: the model's first scheme].
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
}

impl ModelArgs {
    /// Opens the model for analysis.
    pub fn open(&self) -> anyhow::Result<Analyzer> {
        let model = open(&self.model, self.scheme.as_deref())?;
        Analyzer::new(model).with_context(|| self.model.clone())
    }

    /// Opens the model, and returns its identity for the journal of a job: the SHA-256 of its bytes
    /// and the scheme.
    pub fn open_identified(&self) -> anyhow::Result<(Analyzer, Value)> {
        let (model, hash) = Model::open_with_hash(&self.model, FAMILIES)?;
        let model = in_scheme(model, &self.model, self.scheme.as_deref())?;
        let identity = json!({"sha256": hash, "scheme": self.scheme});
        let analyzer = Analyzer::new(model).with_context(|| self.model.clone())?;
        Ok((analyzer, identity))
    }
}

/// Opens a model of any kind by name or path, and selects an annotation scheme.
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
