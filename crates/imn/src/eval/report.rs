//! The scores of files of predictions, and the tests that compare two systems: what `imn score`
//! reports.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{
    Bootstrap, Counts, Intervals, Metric, PairedTest, PairingError, Scores, SentenceCountsDiffer,
    TTest, TTestError, Tail, Variance, pair, paired_test, t_test,
};
use crate::data::{self, AnnotatedSentence, DataError, DataFormat, Problem, ProblemKind};

/// Files to score.
#[derive(Debug, Clone)]
pub struct ScoreRequest {
    /// Gold annotations.
    pub gold: PathBuf,
    /// Predictions; several files are several runs of one system.
    pub predicted: Vec<PathBuf>,
    /// Predictions of a second system to compare with; empty for none.
    pub other: Vec<PathBuf>,
    /// Format of the gold annotations; detected if `None`.
    pub gold_format: Option<DataFormat>,
    /// Format of the predictions; detected if `None`.
    pub format: Option<DataFormat>,
    /// Resampling of the intervals and of the paired test.
    pub bootstrap: Bootstrap,
    /// Variance of the t-test over runs.
    pub variance: Variance,
}

/// The scores of one or two systems.
#[derive(Debug, Clone, Serialize)]
pub struct ScoreReport {
    /// The gold annotations.
    pub gold: PathBuf,
    /// The system.
    pub system: ScoredSystem,
    /// The second system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<ScoredSystem>,
    /// Whether the first system is better on these sentences, if both have one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paired_test: Option<Vec<PairedTest>>,
    /// Whether the first system is better over runs, if both have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_test: Option<Vec<RunsTest>>,
}

/// The runs of one system.
#[derive(Debug, Clone, Serialize)]
pub struct ScoredSystem {
    /// One per file.
    pub runs: Vec<ScoredRun>,
}

/// One file of predictions, or the predictions of one model.
#[derive(Debug, Clone, Serialize)]
pub struct ScoredRun {
    /// The file or model.
    pub file: PathBuf,
    /// The sum over all sentences.
    pub counts: Counts,
    /// The scores.
    pub scores: Scores,
    /// The confidence intervals of the scores.
    pub intervals: Intervals,
    /// The counts of each sentence.
    #[serde(skip)]
    pub sentences: Vec<Counts>,
}

impl ScoredRun {
    /// Scores one run from the counts of its sentences.
    #[must_use]
    pub fn new(file: PathBuf, sentences: Vec<Counts>, bootstrap: &Bootstrap) -> Self {
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

impl ScoredSystem {
    /// A metric of all runs; `None` if a run does not have it.
    #[must_use]
    pub fn scores(&self, metric: Metric) -> Option<Vec<f64>> {
        self.runs.iter().map(|run| run.scores.get(metric)).collect()
    }
}

/// The t-test of one metric over runs.
#[derive(Debug, Clone, Serialize)]
pub struct RunsTest {
    /// The metric.
    pub metric: Metric,
    /// The test.
    #[serde(flatten)]
    pub test: TTest,
}

/// Why files cannot be scored.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// Two inputs are standard input.
    #[error("standard input (-) can be read only once")]
    StandardInputTwice,
    /// A file cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// No gold sentences.
    #[error("{}: contains no sentences", path.display())]
    NoSentences {
        /// The gold annotations.
        path: PathBuf,
    },
    /// The predictions do not fit the gold annotations.
    #[error("{}: {error}", path.display())]
    Pairing {
        /// The predictions.
        path: PathBuf,
        /// What does not fit.
        #[source]
        error: PairingError,
    },
    /// One run on one side, several on the other.
    #[error(
        "cannot compare one run with several; give one file on each side (paired test) or at \
         least two on each (t-test)"
    )]
    OneRunAndSeveral,
    /// The paired test failed.
    #[error(transparent)]
    PairedTest(#[from] SentenceCountsDiffer),
    /// The t-test failed.
    #[error(transparent)]
    TTest(#[from] TTestError),
}

/// Annotated sentences, and the number of inside tags without a begin tag, which are ignored.
struct Annotated {
    sentences: Vec<AnnotatedSentence>,
    orphans: u64,
}

impl ScoreRequest {
    /// Reads the files and computes the scores. `warn` is called with warnings about the data.
    ///
    /// # Errors
    /// If a file cannot be read, or the files do not fit together.
    pub fn score(&self, warn: &mut dyn FnMut(&str)) -> Result<ScoreReport, ScoreError> {
        let standard = |path: &&PathBuf| data::is_standard_stream(path);
        let all = self.predicted.iter().chain(&self.other);
        if all.chain([&self.gold]).filter(standard).count() > 1 {
            return Err(ScoreError::StandardInputTwice);
        }
        let gold = read(&self.gold, self.gold_format, warn)?;
        if gold.sentences.is_empty() {
            let path = self.gold.clone();
            return Err(ScoreError::NoSentences { path });
        }
        let system = self.score_runs(&gold, &self.predicted, warn)?;
        let other = match self.other.as_slice() {
            [] => None,
            files => Some(self.score_runs(&gold, files, warn)?),
        };
        let (mut paired, mut over_runs) = (None, None);
        match other.as_ref().map(|other| (&*system.runs, &*other.runs)) {
            None => {}
            Some(([a], [b])) => {
                let test = || paired_test(&a.sentences, &b.sentences, &self.bootstrap);
                paired = (self.bootstrap.resamples > 0).then(test).transpose()?;
            }
            Some((a, b)) if a.len() > 1 && b.len() > 1 => {
                over_runs = Some(test_runs(&system, other.as_ref(), self.variance)?);
            }
            Some(_) => return Err(ScoreError::OneRunAndSeveral),
        }
        Ok(ScoreReport {
            gold: self.gold.clone(),
            system,
            other,
            paired_test: paired,
            t_test: over_runs,
        })
    }

    fn score_runs(
        &self,
        gold: &Annotated,
        files: &[PathBuf],
        warn: &mut dyn FnMut(&str),
    ) -> Result<ScoredSystem, ScoreError> {
        let run = |file: &PathBuf| {
            let predicted = read(file, self.format, warn)?;
            let sentences = pair(&gold.sentences, &predicted.sentences);
            let sentences = sentences.map_err(|error| ScoreError::Pairing {
                path: file.clone(),
                error,
            })?;
            let mut run = ScoredRun::new(file.clone(), sentences, &self.bootstrap);
            run.counts.gold_orphans += gold.orphans;
            run.counts.predicted_orphans += predicted.orphans;
            Ok(run)
        };
        let runs: Result<Vec<ScoredRun>, ScoreError> = files.iter().map(run).collect();
        Ok(ScoredSystem { runs: runs? })
    }
}

/// Reads annotated sentences of any format.
fn read(
    path: &Path,
    format: Option<DataFormat>,
    warn: &mut dyn FnMut(&str),
) -> Result<Annotated, DataError> {
    let loaded = data::load(path, format)?;
    let is_orphan = |problem: &&Problem| problem.kind == ProblemKind::OrphanTag;
    let orphans = loaded.problems.iter().filter(is_orphan).count() as u64;
    if !loaded.sentences.is_empty() && loaded.without_aspect_field == loaded.sentences.len() {
        warn(&format!(
            "{}: no sentence has the field \"aspects\"; scored as without aspects",
            path.display()
        ));
    }
    Ok(Annotated {
        sentences: loaded.strict()?,
        orphans,
    })
}

/// The paper's test: a one-tailed unpaired t-test of whether the first system is better.
fn test_runs(
    first: &ScoredSystem,
    second: Option<&ScoredSystem>,
    variance: Variance,
) -> Result<Vec<RunsTest>, TTestError> {
    let mut tests = Vec::new();
    for metric in Metric::ALL {
        let second = second.and_then(|second| second.scores(metric));
        if let (Some(a), Some(b)) = (first.scores(metric), second) {
            let test = t_test(&a, &b, variance, Tail::Greater)?;
            tests.push(RunsTest { metric, test });
        }
    }
    Ok(tests)
}
