//! `imn score`: scores of predictions, and tests between systems.

mod print;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use imn::data::DataFormat;
use imn::eval::{Bootstrap, ScoreRequest, Variance};

pub(super) use print::print_run;

use super::values;
use crate::progress::say;

const EXAMPLES: &str = "\
Examples:
  imn score gold.jsonl predicted.jsonl
  imn score data/aspect/res14/test predicted.jsonl --resamples 10000
  imn score gold.xml a.jsonl --other b.jsonl                      paired test
  imn score gold.xml a1.jsonl a2.jsonl --other b1.jsonl b2.jsonl  t-test over runs
  imn score gold.jsonl predicted.jsonl --json | jq '.system.runs[0].scores.integrated.f1'

Scores, in percent: F1-a of aspect terms, F1-o of opinion terms, acc-s and F1-s of the \
sentiments of correctly extracted aspects (F1-s from macro precision and recall; macro-F1-s is \
the mean of the F1 of the classes), F1-I of aspects with their sentiments. Aspects labelled \
conflict count for F1-a only. See docs/scores.md.";

/// Score predictions against gold annotations, and compare two systems.
///
/// Sentences are matched by order. Their texts must agree, except for white space and letter case.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Score {
    /// Gold annotations: a file in any format, a four-file folder, or - for standard input.
    gold: PathBuf,
    /// Predictions; several files are several runs of one system.
    #[arg(required = true)]
    predicted: Vec<PathBuf>,
    /// Predictions of a second system to compare with; several files are several runs.
    #[arg(long, num_args = 1.., value_name = "PREDICTED2")]
    other: Vec<PathBuf>,
    /// Resamples of the bootstrap and of the paired test; 0 for neither.
    #[arg(long, default_value_t = Bootstrap::default().resamples, value_name = "N")]
    resamples: u32,
    /// Level of the confidence intervals, in percent.
    #[arg(long, default_value_t = 95.0, value_parser = percent, value_name = "PERCENT")]
    level: f64,
    /// Seed of the resampling.
    #[arg(long, default_value_t = Bootstrap::default().seed)]
    seed: u64,
    /// Use Welch's t-test over runs (unequal variances) instead of Student's (pooled variance).
    #[arg(long)]
    welch: bool,
    /// Format of GOLD [default: detected from the content].
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    gold_format: Option<DataFormat>,
    /// Format of the predictions [default: detected from the content].
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    format: Option<DataFormat>,
    /// Print counts, scores, intervals and tests as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn percent(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Err(format!(
            "expected percent, not a fraction; did you mean {}?",
            (value * 1e4).round() / 100.0
        )),
        Ok(value) if value > 0.0 && value < 100.0 => Ok(value),
        _ => Err("expected a number between 0 and 100".to_owned()),
    }
}

impl Score {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let bootstrap = Bootstrap {
            resamples: self.resamples,
            level: self.level / 100.0,
            seed: self.seed,
        };
        let request = ScoreRequest {
            gold: self.gold,
            predicted: self.predicted,
            other: self.other,
            gold_format: self.gold_format,
            format: self.format,
            bootstrap,
            variance: if self.welch {
                Variance::Welch
            } else {
                Variance::Pooled
            },
        };
        let report = request.score(&mut |warning| say(&format!("warning: {warning}")))?;
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, &report).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            print::print(&mut out, &report, request.variance, self.level)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
