//! Tables of results as Markdown: mean ± standard deviation over runs, the paper's value beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{PAPER_RUNS, RunResult, Summary, paper_scores};
use crate::eval::Metric;

fn cell(out: &mut String, values: impl Iterator<Item = f64>) {
    let _ = match Summary::of(&values.collect::<Vec<f64>>()) {
        None => write!(out, " – |"),
        Some(summary) => write!(out, " {summary} |"),
    };
}

/// A table of all results: a line a system and set, and the paper's line below it where it has one.
#[must_use]
pub fn markdown(results: &[RunResult]) -> String {
    let mut groups: BTreeMap<(&str, &str), Vec<&RunResult>> = BTreeMap::new();
    for result in results {
        groups
            .entry((&result.system, &result.set))
            .or_default()
            .push(result);
    }
    let mut out = String::from("| system | set | runs |");
    for metric in Metric::ALL {
        let _ = write!(out, " {metric} |");
    }
    out.push_str(" F1-I on dev | minutes a run |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for ((system, set), runs) in &groups {
        let _ = write!(out, "| {system} | {set} | {} |", runs.len());
        for metric in Metric::ALL {
            let values = runs.iter().filter_map(|run| run.scores.get(metric));
            cell(&mut out, values);
        }
        let dev = runs.iter().filter_map(|run| run.dev.get("F1-I").copied());
        cell(&mut out, dev);
        let minutes = runs.iter().map(|run| run.seconds).sum::<f64>() / 60.0 / runs.len() as f64;
        let _ = writeln!(out, " {minutes:.1} |");
        if let Some(paper) = paper_scores(system, set) {
            let _ = write!(out, "| *paper* | {set} | {PAPER_RUNS} |");
            for metric in Metric::ALL {
                let _ = match paper.get(metric) {
                    None => write!(out, " – |"),
                    Some(value) => write!(out, " *{value:.2}* |"),
                };
            }
            out.push_str(" – | – |\n");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::ResultScores;
    use super::*;

    fn result(set: &str, seed: u64, f1_i: f64) -> RunResult {
        RunResult {
            system: "imn-d".to_owned(),
            set: set.to_owned(),
            seed,
            scores: ResultScores {
                f1_a: 80.0,
                f1_i: Some(f1_i),
                ..ResultScores::default()
            },
            dev: BTreeMap::from([("F1-I".to_owned(), 60.0)]),
            best_epoch: 3,
            seconds: 90.0,
            version: "0".to_owned(),
            config: serde_json::json!({ "name": "imn-d" }),
        }
    }

    #[test]
    fn means_and_deviations_over_runs_with_the_paper_below() {
        let table = markdown(&[
            result("lap14", 1, 55.0),
            result("lap14", 2, 57.0),
            result("mine", 1, 50.0),
        ]);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(
            lines[2],
            "| imn-d | lap14 | 2 | 80.00 ± 0.00 | – | – | – | – | 56.00 ± 1.41 | 60.00 ± 0.00 | 1.5 |"
        );
        assert!(lines[3].starts_with("| *paper* | lap14 | 5 | *78.46*"));
        assert_eq!(
            lines[4],
            "| imn-d | mine | 1 | 80.00 | – | – | – | – | 50.00 | 60.00 | 1.5 |"
        );
        assert_eq!(lines.len(), 5);
    }

    #[test]
    fn files_are_found_by_system_set_and_seed() {
        let folder = tempfile::tempdir().unwrap();
        for result in [
            result("res14", 2, 1.0),
            result("lap14", 1, 2.0),
            result("lap14", 1, 3.0),
        ] {
            result.save(folder.path()).unwrap();
        }
        let read = super::super::read_results(folder.path()).unwrap();
        // The third is another result of the second run: it took its place.
        assert_eq!(read, [result("lap14", 1, 3.0), result("res14", 2, 1.0)]);
        std::fs::write(folder.path().join("x.json"), "{}").unwrap();
        assert!(
            super::super::read_results(folder.path())
                .unwrap_err()
                .to_string()
                .contains("x.json")
        );
    }
}
