//! `imn inspect`: what is in a model bundle.

use std::io::{self, Write as _};
use std::process::ExitCode;

use imn::bundle::{Bundle, VERSION};
use imn::models;
use serde_json::json;

/// Show what is in a model bundle: configuration, training record, tensors.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn inspect reviews
  imn inspect model.imn
  imn inspect model.imn --config > again.toml
  imn inspect model.imn --json | jq .record.dev")]
pub struct Inspect {
    /// The model: the name of one that is built in, or a file.
    model: String,
    /// Print only the configuration, as a file that `imn train --config` takes.
    #[arg(long, conflicts_with = "json")]
    config: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Inspect {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let bundle = models::open(&self.model)?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        if self.config {
            write!(out, "{}", bundle.config.to_toml())?;
        } else if self.json {
            let tensors: Vec<_> = bundle
                .params
                .tensors()
                .map(|(name, shape, _)| json!({ "name": name, "shape": shape }))
                .collect();
            let all = json!({
                "format_version": VERSION,
                "config": bundle.config,
                "record": bundle.record,
                "calibration": bundle.calibration,
                "words": bundle.vocabulary.len(),
                "dimensions": bundle.dimensions,
                "domain_columns": bundle.domain_columns,
                "domains": bundle.domains,
                "numbers": bundle.params.count(),
                "tensors": tensors,
            });
            serde_json::to_writer_pretty(&mut out, &all).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            print(&mut out, &self.model, &bundle)?;
        }
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}

fn print(out: &mut impl io::Write, model: &str, bundle: &Bundle) -> io::Result<()> {
    let record = &bundle.record;
    let size = match std::fs::metadata(model) {
        Ok(file) => format!("{:.1} MB", file.len() as f64 / 1e6),
        Err(_) => "built in".to_owned(),
    };
    writeln!(
        out,
        "{model}: {} (format version {VERSION}, {size}, written by imn {})",
        bundle.config.name, record.version
    )?;
    let corpus = &record.corpus;
    writeln!(
        out,
        "trained on {} sentences, chosen on {} (epoch {}), {} + {} documents, seed {}, data {}",
        corpus.train,
        corpus.dev,
        record.best_epoch,
        corpus.sentiment_documents,
        corpus.domain_documents,
        record.seed,
        corpus.fingerprint
    )?;
    if !bundle.config.model.schemes.is_empty() {
        let schemes = bundle.config.model.schemes.join(", ");
        writeln!(out, "annotation schemes: {schemes}")?;
    }
    let scores: Vec<String> = record
        .dev
        .iter()
        .map(|(name, score)| format!("{name} {score:.2}"))
        .collect();
    writeln!(out, "on the development split: {}", scores.join(", "))?;
    writeln!(
        out,
        "{} words of {} dimensions (domain columns {:?}); {} numbers in all\n",
        bundle.vocabulary.len(),
        bundle.dimensions,
        bundle.domain_columns,
        bundle.params.count()
    )?;
    for (name, shape, data) in bundle.params.tensors() {
        let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
        writeln!(
            out,
            "  {name:<28} {:<16} {:>10}",
            shape.join(" × "),
            data.len()
        )?;
    }
    writeln!(out, "\n{}", bundle.config.to_toml())
}
