//! Tables of synthetic results.

mod cells;
mod claims;
mod pages;

use std::collections::BTreeMap;

use imn::eval::Metric;

use super::{Cell, Runs, Sheet, Table};
use crate::recipe::Recipe;
use crate::registry::find;
use crate::results::{ResultScores, RunResult};
use crate::sets::PaperSet;

/// A run in which all scores are equal.
fn run(system: &str, set: &str, seed: u64, score: f64) -> RunResult {
    RunResult {
        system: system.to_owned(),
        set: set.to_owned(),
        seed,
        scores: ResultScores {
            f1_a: score,
            f1_o: Some(score),
            acc_s: Some(score),
            f1_s: Some(score),
            f1_s_macro: Some(score),
            f1_i: Some(score),
        },
        dev: BTreeMap::new(),
        best_epoch: 1,
        seconds: 60.0,
        version: "0".to_owned(),
        config: serde_json::Value::Null,
    }
}

/// Runs of a system on a set with seeds from 1.
fn runs(system: &str, set: &str, scores: &[f64]) -> Vec<RunResult> {
    (1..)
        .zip(scores)
        .map(|(seed, &score)| run(system, set, seed, score))
        .collect()
}

/// The same runs on every set.
fn everywhere(system: &str, scores: &[f64]) -> Vec<RunResult> {
    PaperSet::ALL
        .iter()
        .flat_map(|set| runs(system, set.name(), scores))
        .collect()
}

fn sheet(table: Table, results: &[RunResult]) -> Sheet {
    Sheet::new(Recipe::Paper, table, &Runs::new(results))
}

fn f1_i<'a>(sheet: &'a Sheet, system: &str, set: &str) -> &'a Cell {
    sheet.cell(system, set, Metric::F1I).unwrap()
}
