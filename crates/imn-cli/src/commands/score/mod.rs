//! `imn score`: scores of predictions, and tests between systems.

mod print;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use imn::data::{AnnotatedSentence, DataFormat, Problem, ProblemKind};
use imn::eval::{
    Bootstrap, Counts, Intervals, Metric, PairedTest, Scores, TTest, Tail, Variance, pair,
    paired_test, t_test,
};
use serde::Serialize;

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

/// The output.
#[derive(Serialize)]
struct Report {
    gold: PathBuf,
    system: System,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<System>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paired_test: Option<Vec<PairedTest>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    t_test: Option<Vec<RunsTest>>,
    #[serde(skip)]
    welch: bool,
}

/// The runs of one system.
#[derive(Serialize)]
struct System {
    runs: Vec<Run>,
}

/// One file of predictions, or the predictions of one model.
#[derive(Serialize)]
pub(super) struct Run {
    file: PathBuf,
    counts: Counts,
    scores: Scores,
    intervals: Intervals,
    #[serde(skip)]
    sentences: Vec<Counts>,
}

impl Run {
    /// Scores one run from the counts of its sentences.
    pub(super) fn new(file: PathBuf, sentences: Vec<Counts>, bootstrap: &Bootstrap) -> Self {
        let counts: Counts = sentences.iter().sum();
        Self {
            file,
            counts,
            scores: counts.scores(),
            intervals: bootstrap.intervals(&sentences),
            sentences,
        }
    }
}

/// The t-test of one metric over runs.
#[derive(Serialize)]
struct RunsTest {
    metric: Metric,
    #[serde(flatten)]
    test: TTest,
}

impl Score {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let bootstrap = Bootstrap {
            resamples: self.resamples,
            level: self.level / 100.0,
            seed: self.seed,
        };
        let standard = |path: &&PathBuf| imn::data::is_standard_stream(path);
        let all = self.predicted.iter().chain(&self.other);
        ensure!(
            all.chain([&self.gold]).filter(standard).count() < 2,
            "standard input (-) can be read only once"
        );
        let gold = read(&self.gold, self.gold_format)?;
        ensure!(
            !gold.sentences.is_empty(),
            "{}: contains no sentences",
            self.gold.display()
        );
        let system = score_runs(&gold, &self.predicted, self.format, &bootstrap)?;
        let other = match self.other.as_slice() {
            [] => None,
            files => Some(score_runs(&gold, files, self.format, &bootstrap)?),
        };
        let mut report = Report {
            gold: self.gold,
            system,
            other,
            paired_test: None,
            t_test: None,
            welch: self.welch,
        };
        match report
            .other
            .as_ref()
            .map(|other| (&*report.system.runs, &*other.runs))
        {
            None => {}
            Some(([a], [b])) => {
                let test = || paired_test(&a.sentences, &b.sentences, &bootstrap);
                report.paired_test = (bootstrap.resamples > 0).then(test).transpose()?;
            }
            Some((a, b)) if a.len() > 1 && b.len() > 1 => {
                let variance = if self.welch {
                    Variance::Welch
                } else {
                    Variance::Pooled
                };
                report.t_test = Some(test_runs(a, b, variance)?);
            }
            Some(_) => bail!(
                "cannot compare one run with several; give one file on each side (paired test) or \
                 at least two on each (t-test)"
            ),
        }
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, &report).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            print::print(&mut out, &report, self.level)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Annotated sentences, and the number of inside tags without a begin tag, which are ignored.
struct Annotated {
    sentences: Vec<AnnotatedSentence>,
    orphans: u64,
}

/// Reads annotated sentences of any format.
fn read(path: &Path, format: Option<DataFormat>) -> anyhow::Result<Annotated> {
    let loaded = imn::data::load(path, format)?;
    let is_orphan = |problem: &&Problem| problem.kind == ProblemKind::OrphanTag;
    let orphans = loaded.problems.iter().filter(is_orphan).count() as u64;
    if !loaded.sentences.is_empty() && loaded.without_aspect_field == loaded.sentences.len() {
        say(&format!(
            "warning: {}: no sentence has the field \"aspects\"; scored as without aspects",
            path.display()
        ));
    }
    Ok(Annotated {
        sentences: loaded.strict()?,
        orphans,
    })
}

fn score_runs(
    gold: &Annotated,
    files: &[PathBuf],
    format: Option<DataFormat>,
    bootstrap: &Bootstrap,
) -> anyhow::Result<System> {
    let run = |file: &PathBuf| {
        let predicted = read(file, format)?;
        let sentences = pair(&gold.sentences, &predicted.sentences)
            .with_context(|| file.display().to_string())?;
        let mut run = Run::new(file.clone(), sentences, bootstrap);
        run.counts.gold_orphans += gold.orphans;
        run.counts.predicted_orphans += predicted.orphans;
        Ok(run)
    };
    Ok(System {
        runs: files.iter().map(run).collect::<anyhow::Result<_>>()?,
    })
}

fn scores_of(runs: &[Run], metric: Metric) -> Option<Vec<f64>> {
    runs.iter().map(|run| run.scores.get(metric)).collect()
}

/// The paper's test: a one-tailed unpaired t-test of whether the first system is better.
fn test_runs(a: &[Run], b: &[Run], variance: Variance) -> anyhow::Result<Vec<RunsTest>> {
    let mut tests = Vec::new();
    for metric in Metric::ALL {
        if let (Some(a), Some(b)) = (scores_of(a, metric), scores_of(b, metric)) {
            tests.push(RunsTest {
                metric,
                test: t_test(&a, &b, variance, Tail::Greater)?,
            });
        }
    }
    Ok(tests)
}
