//! The options `--model` and `--scheme`.

use imn::analyze::Analyzer;
use imn::bundle::{DEFAULT, Model};
use imn_repro::fit::{self, FAMILIES};
use serde_json::{Value, json};

/// The options that select a model.
#[derive(Debug, Clone, clap::Args)]
pub struct ModelArgs {
    /// Name of a built-in model, or a model file.
    #[arg(long, short, env = "IMN_MODEL", value_name = "NAME|PATH", default_value = DEFAULT)]
    model: String,
    /// Annotation scheme, if the model has several: what counts as an aspect. The built-in models
    /// have `judged` (what is judged), `terms` (every aspect term, judged or not), `targets` (what
    /// is judged, including the place itself) and `phrases` (what is judged; opinions are whole
    /// phrases) [default: the model's first scheme].
    #[arg(long, value_name = "NAME")]
    scheme: Option<String>,
}

impl ModelArgs {
    /// Opens the model for analysis.
    pub fn open(&self) -> anyhow::Result<Analyzer> {
        let model = open(&self.model, self.scheme.as_deref())?;
        Ok(fit::analyzer(model, &self.model)?)
    }

    /// Opens the model, and returns its identity for the journal of a job: the SHA-256 of its bytes
    /// and the scheme, with the name for messages.
    pub fn open_identified(&self) -> anyhow::Result<(Analyzer, Value)> {
        let (model, hash) = Model::open_with_hash(&self.model, FAMILIES)?;
        let model = fit::in_scheme(model, &self.model, self.scheme.as_deref())?;
        let identity = json!({"name": self.model, "sha256": hash, "scheme": self.scheme});
        let analyzer = fit::analyzer(model, &self.model)?;
        Ok((analyzer, identity))
    }
}

/// Opens a model of any kind by name or path, and selects an annotation scheme.
pub fn open(name_or_path: &str, scheme: Option<&str>) -> anyhow::Result<Model> {
    Ok(fit::open_scheme(name_or_path, scheme)?)
}
