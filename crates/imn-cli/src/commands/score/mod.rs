//! `imn score`: how good predictions are, and whether one system is better than another.

mod print;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use imn::data::{AnnotatedSentence, Format, Problem, ProblemKind};
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
  imn score gold.xml a.jsonl --other b.jsonl                     paired test on the same sentences
  imn score gold.xml a1.jsonl a2.jsonl --other b1.jsonl b2.jsonl t-test over runs
  imn score gold.jsonl predicted.jsonl --json | jq '.system.runs[0].scores.integrated.f1'

Scores are in percent. F1-a: aspect terms. F1-o: opinion terms. acc-s, F1-s: sentiments of the \
correctly extracted aspects (F1-s from macro precision and recall; macro-F1-s is the mean of the \
classes' F1s). F1-I: aspects with their sentiments. Aspects labelled conflict count for F1-a only. \
See docs/scores.md.";

/// Score predictions against gold annotation, in any of the formats.
///
/// Sentences are matched by order; their texts must agree apart from white space and letter case.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Score {
    /// The gold annotation: a file, a folder of the four-file layout, or - for standard input.
    gold: PathBuf,
    /// The predictions; several files are several runs of one system.
    #[arg(required = true)]
    predicted: Vec<PathBuf>,
    /// Predictions of another system to compare with; several files are several runs.
    #[arg(long, num_args = 1.., value_name = "PREDICTED2")]
    other: Vec<PathBuf>,
    /// Rounds of the bootstrap and of the paired test; 0 for neither.
    #[arg(long, default_value_t = Bootstrap::default().resamples, value_name = "N")]
    resamples: u32,
    /// Confidence level of the intervals, in percent.
    #[arg(long, default_value_t = 95.0, value_parser = percent, value_name = "PERCENT")]
    level: f64,
    /// Seed of the random draws; the same seed gives the same output.
    #[arg(long, default_value_t = Bootstrap::default().seed)]
    seed: u64,
    /// Let the t-test over runs assume that variances may differ (Welch) instead of pooling them (Student).
    #[arg(long)]
    welch: bool,
    /// The format of the gold annotation, where telling it fails.
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    gold_format: Option<Format>,
    /// The format of the predictions, where telling it fails.
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    format: Option<Format>,
    /// Print JSON: counts, scores, intervals, tests.
    #[arg(long)]
    json: bool,
}

pub(super) fn percent(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Err(format!(
            "a number of percent from 1 to 100; did you mean {}?",
            (value * 1e4).round() / 100.0
        )),
        Ok(value) if value > 0.0 && value < 100.0 => Ok(value),
        _ => Err("a number between 0 and 100".to_owned()),
    }
}

/// All that is printed.
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

/// One system: its runs.
#[derive(Serialize)]
struct System {
    runs: Vec<Run>,
}

/// One file of predictions, or one model's predictions.
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
    /// Scores one run, given what was counted in each sentence.
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
            "- is standard input and can be read once only"
        );
        let gold = read(&self.gold, self.gold_format)?;
        ensure!(
            !gold.sentences.is_empty(),
            "{}: no sentences in it",
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
                "one run cannot be compared with several: give one file on both sides (paired test) or at least \
                 two on both (t-test)"
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

/// Annotated sentences, and how many inside tags without a beginning were ignored to read them.
struct Annotated {
    sentences: Vec<AnnotatedSentence>,
    orphans: u64,
}

/// Reads annotated sentences in whatever format they are.
fn read(path: &Path, format: Option<Format>) -> anyhow::Result<Annotated> {
    let loaded = imn::data::load(path, format)?;
    let is_orphan = |problem: &&Problem| problem.kind == ProblemKind::OrphanTag;
    let orphans = loaded.problems.iter().filter(is_orphan).count() as u64;
    if !loaded.sentences.is_empty() && loaded.without_aspect_field == loaded.sentences.len() {
        say(&format!(
            "warning: {}: no sentence has the field \"aspects\", so nothing is annotated; it counts as no aspects at all",
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
    format: Option<Format>,
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

/// The paper's test: is the first system better, one-tailed and unpaired?
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
