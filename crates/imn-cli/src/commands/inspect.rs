//! `imn inspect`: the contents of a model.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use imn::bundle::{ImnFamily, Model, ModelPart, VERSION};
use imn::config::Config;
use imn::model::EncoderSource;
use imn_repro::config::SystemConfig;
use serde_json::{Value, json};

/// Show the configuration, training record and tensors of a model.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn inspect reviews
  imn inspect model.imn
  imn inspect model.imn --config > config.toml
  imn inspect model.imn --json | jq .parts[0].record.dev
  imn inspect runs/reproduce/paper/pipeline/lap14.seed1.imn      both parts of a pipeline")]
pub struct Inspect {
    /// Name of a built-in model, or a model file.
    model: String,
    /// Print only the configuration, in the format of `imn train --config`.
    #[arg(long, conflicts_with = "json")]
    config: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Inspect {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let model = super::model::open(&self.model, None)?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        if self.config {
            let part = model.only_part().with_context(|| {
                let model = &self.model;
                format!("{model}: a pipeline has one configuration per part; use --json")
            })?;
            write!(out, "{}", config_toml(part)?)?;
        } else if self.json {
            let parts: Vec<Value> = model.parts().into_iter().map(describe).collect();
            let all = json!({ "format_version": VERSION, "parts": parts });
            serde_json::to_writer_pretty(&mut out, &all).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            print(&mut out, &self.model, &model)?;
        }
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The configuration in the format of `imn train --config`.
fn config_toml(part: &ModelPart) -> anyhow::Result<String> {
    if part.kind == ImnFamily::KIND {
        return Ok(part.config::<Config>()?.to_toml()?);
    }
    Ok(part.config::<SystemConfig>()?.to_toml()?)
}

fn describe(part: &ModelPart) -> Value {
    let tensors: Vec<Value> = part
        .params
        .tensors()
        .map(|(name, shape, _)| json!({ "name": name, "shape": shape }))
        .collect();
    json!({
        "kind": part.kind,
        "config": part.config,
        "record": part.record,
        "calibration": part.calibration,
        "lexicon": part.featurizer.lexicon().len(),
        "encoder": encoder(part),
        "domains": part.domains,
        "numbers": part.params.count(),
        "tensors": tensors,
    })
}

/// A description of the encoder and its vocabulary.
fn encoder(part: &ModelPart) -> String {
    let entries = part.featurizer.lexicon().len();
    match &part.encoder {
        EncoderSource::Words(vectors) => {
            let (dimensions, columns) = (vectors.dimensions, &vectors.domain_columns);
            format!("{entries} words of {dimensions} dimensions (domain columns {columns:?})")
        }
        EncoderSource::Subwords(sizes) => {
            let (layers, hidden) = (sizes.layers, sizes.hidden);
            format!("{entries} subwords, a transformer of {layers} layers and {hidden} columns")
        }
    }
}

fn print(out: &mut impl io::Write, name: &str, model: &Model) -> anyhow::Result<()> {
    let size = match std::fs::metadata(name) {
        Ok(file) => format!("{:.1} MB", file.len() as f64 / 1e6),
        Err(_) => "built in".to_owned(),
    };
    writeln!(out, "{name} ({size}) contains {}", model.describe())?;
    if !model.schemes().is_empty() {
        let schemes = model.schemes().join(", ");
        writeln!(out, "annotation schemes: {schemes}")?;
    }
    for part in model.parts() {
        print_part(out, part)?;
    }
    Ok(())
}

fn print_part(out: &mut impl io::Write, part: &ModelPart) -> anyhow::Result<()> {
    let (record, corpus) = (&part.record, &part.record.corpus);
    writeln!(
        out,
        "\n{} (network {}), written by imn {}",
        part.name(),
        part.kind,
        record.version
    )?;
    writeln!(
        out,
        "data: {} training sentences, {} development sentences, {} documents for sentiment, {} for \
         domain; fingerprint {}",
        corpus.train,
        corpus.dev,
        corpus.sentiment_documents,
        corpus.domain_documents,
        corpus.fingerprint
    )?;
    writeln!(
        out,
        "training: seed {}, best epoch {}",
        record.seed, record.best_epoch
    )?;
    let scores: Vec<String> = record
        .dev
        .iter()
        .map(|(name, score)| format!("{name} {score:.2}"))
        .collect();
    writeln!(out, "development scores: {}", scores.join(", "))?;
    writeln!(out, "encoder: {}", encoder(part))?;
    writeln!(out, "parameters: {}\n", part.params.count())?;
    for (name, shape, data) in part.params.tensors() {
        let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
        writeln!(
            out,
            "  {name:<28} {:<16} {:>10}",
            shape.join(" × "),
            data.len()
        )?;
    }
    writeln!(out, "\n{}", config_toml(part)?)?;
    Ok(())
}
