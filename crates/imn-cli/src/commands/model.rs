//! The options `--model`, `--scheme` and `--precision`.

use imn::analyze::Analyzer;
use imn::bundle::{DEFAULT, Model, Precision};
use imn_batch::ModelIdentity;
use imn_repro::fit::{self, FAMILIES};

use super::values;

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
    #[command(flatten)]
    precision: PrecisionArgs,
}

/// The option `--precision`.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct PrecisionArgs {
    /// Precision of matrix products: `f32`, `int8` (the fastest), or, for transformers on CPUs with
    /// AVX512-BF16, `bf16`. Few results differ [default: `int8` for a quantized model on CPUs with
    /// AVX2, otherwise `f32`].
    #[arg(long, env = "IMN_PRECISION", value_name = "PRECISION", value_parser = values::precision)]
    precision: Option<Precision>,
}

impl PrecisionArgs {
    /// Makes a model multiply in this precision, if one was given.
    pub fn apply(self, model: Model) -> anyhow::Result<Model> {
        match self.precision {
            Some(precision) => Ok(model.in_precision(precision)?),
            None => Ok(model),
        }
    }
}

impl ModelArgs {
    /// Opens the model for analysis.
    pub fn open(&self) -> anyhow::Result<Analyzer> {
        let model = open(&self.model, self.scheme.as_deref())?;
        Ok(fit::analyzer(self.precision.apply(model)?, &self.model)?)
    }

    /// Opens the model, and returns its identity for the journal of a job.
    pub fn open_identified(&self) -> anyhow::Result<(Analyzer, ModelIdentity)> {
        let (model, hash) = Model::open_with_hash(&self.model, FAMILIES)?;
        let model = fit::in_scheme(model, &self.model, self.scheme.as_deref())?;
        let analyzer = fit::analyzer(self.precision.apply(model)?, &self.model)?;
        let identity = ModelIdentity::new(&analyzer, &self.model, &hash, self.scheme.as_deref());
        Ok((analyzer, identity))
    }
}

/// Opens a model of any kind by name or path, and selects an annotation scheme.
pub fn open(name_or_path: &str, scheme: Option<&str>) -> anyhow::Result<Model> {
    Ok(fit::open_scheme(name_or_path, scheme)?)
}
