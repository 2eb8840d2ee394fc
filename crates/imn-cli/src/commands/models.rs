//! `imn models`: the models that are part of the program.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use imn::bundle::{BUILT_IN, BuiltIn, DEFAULT};
use imn::config::Config;
use imn::model::EncoderSource;
use serde::Serialize;
use serde_json::Value;

const EXAMPLES: &str = "\
Examples:
  imn models
  imn models --json | jq -r '.[].name'
  imn analyze --model fast reviews.csv

Domains are those of the training sentences; a model works on others too, less well. F1-I is \
the F1 score of aspects, where an aspect is correct if both its words and its sentiment are. It is \
shown for the raw text of three test sets and for the development parts of eight other data sets. \
Each is scored in its own annotation scheme, if the model has that scheme. models/NAME.md has all \
scores.";

/// The scores of each built-in model, as `scripts/model-scores.sh` printed them.
const SCORES: [(&str, &str); 2] = [
    (
        "reviews",
        include_str!("../../../../models/reviews.scores.json"),
    ),
    ("fast", include_str!("../../../../models/fast.scores.json")),
];

/// The test sets of the paper.
const TESTS: [&str; 3] = ["res14", "lap14", "res15"];

/// The other development sets.
const OTHERS: [&str; 8] = [
    "mams",
    "electronics",
    "fashion",
    "beauty",
    "home",
    "food",
    "course",
    "hotel",
];

/// The domain of each training set, by the beginning of its file name.
const DOMAINS: [(&str, &str); 11] = [
    ("res14", "restaurants"),
    ("res15", "restaurants"),
    ("mams", "restaurants"),
    ("lap14", "laptops"),
    ("electronics", "electronics"),
    ("fashion", "fashion"),
    ("beauty", "beauty"),
    ("home", "home"),
    ("food", "food"),
    ("course", "courses"),
    ("hotel", "hotels"),
];

/// List the built-in models with their domains, schemes, sizes, speed and scores.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Models {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A built-in model as it is listed.
#[derive(Debug, Serialize)]
struct Listed {
    name: &'static str,
    default: bool,
    about: &'static str,
    bytes: usize,
    speed: Speed,
    schemes: Vec<String>,
    /// The domains of its training sentences.
    domains: Vec<&'static str>,
    f1_i: F1,
    /// Right sentiments of the found aspects, in percent.
    sentiment_accuracy: BTreeMap<&'static str, f64>,
}

/// How fast a model is beside the others, by its encoder.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum Speed {
    /// CNN layers over word vectors.
    High,
    /// A transformer.
    Medium,
}

#[derive(Debug, Serialize)]
struct F1 {
    /// One value per test set.
    tests: BTreeMap<&'static str, f64>,
    /// One value per other development set.
    others: BTreeMap<&'static str, f64>,
    mean_of_others: f64,
}

impl Models {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let models: Vec<Listed> = BUILT_IN.iter().map(list).collect::<anyhow::Result<_>>()?;
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, &models).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            models.iter().try_for_each(|model| print(&mut out, model))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(built_in: &BuiltIn) -> anyhow::Result<Listed> {
    let model = super::model::open(built_in.name, None)?;
    let part = model.only_part().context("a built-in pipeline")?;
    let stored = SCORES.iter().find(|(name, _)| *name == built_in.name);
    let stored: Value = serde_json::from_str(stored.map_or("{}", |(_, text)| text))?;
    let scores = |sets: &[&'static str], pointer: &str| -> BTreeMap<&'static str, f64> {
        let known = sets.iter();
        known
            .filter_map(|set| Some((*set, stored[*set].pointer(pointer)?.as_f64()?)))
            .collect()
    };
    let others = scores(&OTHERS, "/scores/integrated/f1");
    Ok(Listed {
        name: built_in.name,
        default: built_in.name == DEFAULT,
        about: built_in.about,
        bytes: built_in.size(),
        speed: match part.encoder {
            EncoderSource::Words(_) => Speed::High,
            EncoderSource::Subwords(_) => Speed::Medium,
        },
        schemes: model.schemes().to_vec(),
        domains: domains(&part.config::<Config>()?),
        f1_i: F1 {
            tests: scores(&TESTS, "/scores/integrated/f1"),
            mean_of_others: others.values().sum::<f64>() / others.len().max(1) as f64,
            others,
        },
        sentiment_accuracy: scores(&["mams", "hard"], "/scores/sentiment/accuracy"),
    })
}

/// The domains of the training files, each once.
fn domains(config: &Config) -> Vec<&'static str> {
    let files: Vec<String> = config
        .data
        .train
        .all()
        .iter()
        .map(|path| set(path))
        .collect();
    let trained = DOMAINS
        .iter()
        .filter(|(set, _)| files.iter().any(|file| file == set));
    let mut domains: Vec<&str> = trained.map(|&(_, domain)| domain).collect();
    domains.dedup();
    domains
}

/// The file name up to its first full stop.
fn set(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

fn print(out: &mut impl io::Write, model: &Listed) -> io::Result<()> {
    let default = if model.default { " (default)" } else { "" };
    let speed = match model.speed {
        Speed::High => "high (CNN over word vectors)",
        Speed::Medium => "medium (transformer)",
    };
    writeln!(out, "{}{default}: {}", model.name, model.about)?;
    let megabytes = model.bytes as f64 / 1e6;
    writeln!(out, "  size: {megabytes:.1} MB; speed: {speed}")?;
    writeln!(out, "  domains: {}", model.domains.join(", "))?;
    writeln!(out, "  schemes: {}", model.schemes.join(", "))?;
    writeln!(
        out,
        "  F1-I on test sets: {}",
        in_order(&TESTS, &model.f1_i.tests)
    )?;
    let others = in_order(&OTHERS, &model.f1_i.others);
    let mean = model.f1_i.mean_of_others;
    writeln!(out, "  F1-I on development sets: {others}; mean {mean:.2}")?;
    let accuracy = in_order(&["mams", "hard"], &model.sentiment_accuracy);
    writeln!(out, "  right sentiments of found aspects, %: {accuracy}")
}

/// The names and values in the order of `sets`.
fn in_order(sets: &[&'static str], values: &BTreeMap<&'static str, f64>) -> String {
    let known = sets
        .iter()
        .filter_map(|set| Some(format!("{set} {:.2}", values.get(set)?)));
    known.collect::<Vec<_>>().join(", ")
}
