//! Runs that none of the paper's tables shows: extractors alone, and the user's own systems or
//! sets.

use imn::eval::Metric;

use super::runs::Runs;
use super::table::Table;
use crate::registry::find;
use crate::results::{RunResult, Summary};
use crate::sets::PaperSet;

/// The runs of one system on one set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OtherRuns<'a> {
    pub(super) system: &'a str,
    pub(super) set: &'a str,
    pub(super) runs: usize,
    /// One summary per metric.
    pub(super) scores: Vec<Option<Summary>>,
    /// The paper's values, one per metric, if it has any.
    pub(super) paper: Option<Vec<Option<f64>>>,
    /// F1-I on the development split.
    pub(super) dev: Option<Summary>,
    /// Minutes per run.
    pub(super) minutes: f64,
}

/// The column heads.
pub(super) fn heads() -> Vec<&'static str> {
    let metrics = Metric::ALL.into_iter().map(Metric::name);
    ["system", "set", "runs"]
        .into_iter()
        .chain(metrics)
        .chain(["F1-I on dev", "minutes per run"])
        .collect()
}

/// The runs that none of the paper's tables shows, by system and set.
pub(super) fn other_runs<'a>(runs: &Runs<'a>) -> Vec<OtherRuns<'a>> {
    let groups = runs.groups();
    groups
        .filter(|&(system, set)| !is_shown(system, set))
        .map(|(system, set)| of_group(system, set, &runs.of(system, set)))
        .collect()
}

fn is_shown(system: &str, set: &str) -> bool {
    let is_paper_set = set.parse::<PaperSet>().is_ok();
    let in_table = |table: &Table| find(system).is_some_and(|e| e.label(*table).is_some());
    is_paper_set && Table::ALL.iter().any(in_table)
}

fn of_group<'a>(system: &'a str, set: &'a str, runs: &[&RunResult]) -> OtherRuns<'a> {
    let scores = |metric: Metric| -> Vec<f64> {
        runs.iter()
            .filter_map(|run| run.scores.get(metric))
            .collect()
    };
    let dev: Vec<f64> = runs
        .iter()
        .filter_map(|run| run.dev.get(Metric::F1I.name()).copied())
        .collect();
    let paper = find(system).zip(set.parse::<PaperSet>().ok());
    let paper = paper.map(|(entry, set)| Metric::ALL.map(|metric| entry.paper.get(set, metric)));
    OtherRuns {
        system,
        set,
        runs: runs.len(),
        scores: Metric::ALL
            .into_iter()
            .map(|metric| Summary::of(&scores(metric)))
            .collect(),
        paper: paper
            .filter(|values| values.iter().any(Option::is_some))
            .map(Vec::from),
        dev: Summary::of(&dev),
        minutes: runs.iter().map(|run| run.seconds).sum::<f64>() / 60.0 / runs.len() as f64,
    }
}

impl OtherRuns<'_> {
    /// Our cells, one per column head.
    pub(super) fn cells(&self) -> Vec<String> {
        let summary = |summary: &Option<Summary>| {
            summary.map_or_else(|| "–".to_owned(), |summary| summary.to_string())
        };
        let mut cells = vec![
            self.system.to_owned(),
            self.set.to_owned(),
            self.runs.to_string(),
        ];
        cells.extend(self.scores.iter().map(summary));
        cells.push(summary(&self.dev));
        cells.push(format!("{:.1}", self.minutes));
        cells
    }

    /// The paper's cells, one per metric.
    pub(super) fn paper_cells(&self) -> Option<Vec<String>> {
        let value = |value: &Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"))
        };
        let values = self.paper.as_ref()?;
        Some(values.iter().map(value).collect())
    }
}
