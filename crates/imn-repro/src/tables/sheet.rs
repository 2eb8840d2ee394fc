//! A table filled with the results of runs.

use imn::eval::{Metric, Tail, Variance, t_test};

use super::runs::Runs;
use super::table::{Table, TableEntry};
use super::time::Time;
use crate::recipe::Recipe;
use crate::registry::{Origin, find};
use crate::results::Summary;
use crate::sets::PaperSet;

/// A difference with a smaller p-value is significant.
pub const SIGNIFICANT: f64 = 0.05;

/// One score of one system on one set.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The system.
    pub system: TableEntry,
    /// The set.
    pub set: PaperSet,
    /// The metric.
    pub metric: Metric,
    /// The score of each run.
    pub scores: Vec<f64>,
    /// Mean and deviation of the scores, if there are any.
    pub summary: Option<Summary>,
    /// The paper's value.
    pub paper: Option<f64>,
    /// Whether its mean, as displayed, is the best of at least two systems.
    pub best: bool,
    /// Whether this is a proposed system that is above every baseline, and significantly above each
    /// baseline with two or more runs.
    pub star: bool,
}

impl Cell {
    /// Fills a cell. `best` and `star`, which depend on the other systems, are set later.
    #[must_use]
    pub fn new(runs: &Runs, system: TableEntry, set: PaperSet, metric: Metric) -> Self {
        let scores = runs.scores(system.name, set.name(), metric);
        Self {
            system,
            set,
            metric,
            summary: Summary::of(&scores),
            scores,
            paper: find(system.name).and_then(|entry| entry.paper.get(set, metric)),
            best: false,
            star: false,
        }
    }

    /// Our mean minus the paper's value.
    #[must_use]
    pub fn difference(&self) -> Option<f64> {
        Some(self.summary?.mean - self.paper?)
    }

    /// Our mean.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        self.summary.map(|summary| summary.mean)
    }

    /// The p-value of the hypothesis that the scores are above those of another cell: one-tailed
    /// unpaired t-test with pooled variance. `None` if one of the cells has fewer than two runs.
    #[must_use]
    pub fn p_above(&self, other: &Self) -> Option<f64> {
        let test = t_test(&self.scores, &other.scores, Variance::Pooled, Tail::Greater);
        test.ok().map(|test| test.p_value)
    }
}

/// A mean as displayed, in hundredths. Means that look equal count as equal.
fn shown(mean: f64) -> i64 {
    (100.0 * mean).round() as i64
}

/// A table filled with the results of runs.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// Which table.
    pub table: Table,
    /// Its systems.
    pub systems: Vec<TableEntry>,
    /// All cells: by set, then by metric, then by system.
    pub cells: Vec<Cell>,
    /// The number of runs of its systems on its sets.
    pub runs: usize,
    /// The training time of these runs.
    pub time: Time,
}

impl Sheet {
    /// Fills a table with the runs of a recipe.
    #[must_use]
    pub fn new(recipe: Recipe, table: Table, runs: &Runs) -> Self {
        let systems = table.systems(recipe);
        let mut cells = Vec::new();
        for set in PaperSet::ALL {
            for &metric in table.metrics() {
                let mut row: Vec<Cell> = systems
                    .iter()
                    .map(|&system| Cell::new(runs, system, set, metric))
                    .collect();
                mark_best(&mut row);
                mark_stars(&mut row);
                cells.append(&mut row);
            }
        }
        let groups = systems
            .iter()
            .flat_map(|system| PaperSet::ALL.map(|set| runs.of(system.name, set.name()).len()));
        Self {
            table,
            cells,
            runs: groups.sum(),
            time: Time::of(&systems, runs),
            systems,
        }
    }

    /// Whether the table has baselines, which stars need.
    #[must_use]
    pub fn has_baselines(&self) -> bool {
        let mut systems = self.systems.iter();
        systems.any(|system| system.origin == Origin::Baseline)
    }

    /// The cell of a system, set and metric.
    #[must_use]
    pub fn cell(&self, system: &str, set: &str, metric: Metric) -> Option<&Cell> {
        let mut cells = self.cells.iter();
        cells.find(|cell| {
            cell.system.name == system && cell.set.name() == set && cell.metric == metric
        })
    }

    /// The number of cells that have runs.
    #[must_use]
    pub fn filled(&self) -> usize {
        self.cells
            .iter()
            .filter(|cell| cell.summary.is_some())
            .count()
    }

    /// The cells without runs: for each system its sets, with the metrics if only some are missing.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let of_system = |system: &TableEntry| {
            let sets: Vec<String> = PaperSet::ALL
                .into_iter()
                .filter_map(|set| self.missing_of(system, set))
                .collect();
            (!sets.is_empty()).then(|| format!("{}: {}", system.label, sets.join(", ")))
        };
        self.systems.iter().filter_map(of_system).collect()
    }

    fn missing_of(&self, system: &TableEntry, set: PaperSet) -> Option<String> {
        let empty = |metric: &&Metric| {
            let cell = self.cell(system.name, set.name(), **metric);
            cell.is_none_or(|cell| cell.summary.is_none())
        };
        let metrics: Vec<&str> = self
            .table
            .metrics()
            .iter()
            .filter(empty)
            .map(|metric| metric.name())
            .collect();
        match metrics.len() {
            0 => None,
            n if n == self.table.metrics().len() => Some(set.label().to_owned()),
            _ => Some(format!("{} ({})", set.label(), metrics.join(", "))),
        }
    }
}

fn mark_best(row: &mut [Cell]) {
    let means: Vec<i64> = row.iter().filter_map(Cell::mean).map(shown).collect();
    if let (Some(&best), 2..) = (means.iter().max(), means.len()) {
        for cell in row {
            cell.best = cell.mean().is_some_and(|mean| shown(mean) == best);
        }
    }
}

fn mark_stars(row: &mut [Cell]) {
    let baselines: Vec<Cell> = row
        .iter()
        .filter(|cell| cell.system.origin == Origin::Baseline)
        .cloned()
        .collect();
    for cell in row
        .iter_mut()
        .filter(|cell| cell.system.origin == Origin::Proposed)
    {
        cell.star = is_significant(cell, &baselines);
    }
}

fn is_significant(cell: &Cell, baselines: &[Cell]) -> bool {
    let Some(mean) = cell.mean() else {
        return false;
    };
    // A baseline without runs could be better.
    let is_above = |baseline: &Cell| baseline.mean().is_some_and(|baseline| mean > baseline);
    let above_all = baselines.iter().all(is_above);
    let tests: Vec<f64> = baselines
        .iter()
        .filter_map(|baseline| cell.p_above(baseline))
        .collect();
    above_all && !tests.is_empty() && tests.iter().all(|&p| p < SIGNIFICANT)
}
