//! Means, deviations, marks and missing cells.

use super::*;

#[test]
fn mean_deviation_runs_and_the_paper() {
    let sheet = sheet(Table::Main, &runs("imn", "res14", &[67.0, 69.0, 71.0]));
    let cell = f1_i(&sheet, "imn", "res14");
    let summary = cell.summary.unwrap();
    assert_eq!(
        (summary.mean, summary.deviation, summary.runs),
        (69.0, Some(2.0), 3)
    );
    assert_eq!(cell.paper, Some(69.54));
    assert!((cell.difference().unwrap() + 0.54).abs() < 1e-9);
    assert_eq!(sheet.runs, 3);
    assert_eq!((sheet.time.all, sheet.time.first_seed), (180.0, 60.0));
    let empty = f1_i(&sheet, "imn", "lap14");
    assert_eq!(
        (empty.summary, empty.difference(), empty.paper),
        (None, None, Some(58.37))
    );
}

#[test]
fn a_run_counts_once_and_other_results_do_not() {
    let mut results = runs("imn", "res14", &[67.0, 69.0]);
    results.push(run("imn", "res14", 2, 10.0));
    results.push(run("imn", "my-set", 1, 10.0));
    results.push(run("my-system", "res14", 1, 99.0));
    let all = Runs::new(&results);
    assert_eq!(all.repeated(), 1);
    let sheet = Sheet::new(Recipe::Paper, Table::Main, &all);
    assert_eq!(f1_i(&sheet, "imn", "res14").mean(), Some(68.0));
    assert_eq!(sheet.runs, 2);
}

#[test]
fn one_run_has_no_deviation_but_may_be_best() {
    let mut results = runs("mnn", "res14", &[60.0, 62.0]);
    results.extend(runs("imn", "res14", &[63.0]));
    let sheet = sheet(Table::Main, &results);
    let (imn, mnn) = (f1_i(&sheet, "imn", "res14"), f1_i(&sheet, "mnn", "res14"));
    assert_eq!(imn.summary.unwrap().deviation, None);
    assert!(imn.best && !mnn.best);
    assert!(!imn.star, "one run is no evidence");
}

#[test]
fn ties_share_the_best_and_a_row_of_one_has_none() {
    let mut results = runs("mnn", "res14", &[60.0, 62.0]);
    results.extend(runs("inabsa", "res14", &[61.001, 61.002]));
    results.extend(runs("imn", "res14", &[50.0, 52.0]));
    results.extend(runs("imn", "lap14", &[50.0, 52.0]));
    let sheet = sheet(Table::Main, &results);
    let best: Vec<&str> = sheet
        .cells
        .iter()
        .filter(|cell| cell.best && cell.metric == Metric::F1I)
        .map(|cell| cell.system.name)
        .collect();
    assert_eq!(best, ["mnn", "inabsa"]);
    assert!(!f1_i(&sheet, "imn", "lap14").best);
}

/// Means 3 and 2 above the baseline, variances 1, three runs each: t = 3 / √(2/3) = 3.67 and 2.45,
/// p = 0.011 and 0.035 with 4 degrees.
#[test]
fn a_star_needs_every_baseline() {
    let others: [&str; 5] = [
        "cmla-alstm",
        "cmla-dtrans",
        "decnn-alstm",
        "decnn-dtrans",
        "pipeline",
    ];
    let star_without = |missing: &str, baselines: &[(&str, &[f64])]| {
        let mut results = runs("imn-no-docs", "res14", &[69.0, 70.0, 71.0]);
        for (system, scores) in baselines {
            results.extend(runs(system, "res14", scores));
        }
        for system in others.into_iter().chain(["mnn", "inabsa"]) {
            let given = baselines.iter().any(|(name, _)| *name == system);
            if system != missing && !given {
                results.extend(runs(system, "res14", &[10.0]));
            }
        }
        f1_i(&sheet(Table::Main, &results), "imn-no-docs", "res14").star
    };
    let star = |baselines: &[(&str, &[f64])]| star_without("", baselines);
    let (far, near): (&[f64], &[f64]) = (&[66.0, 67.0, 68.0], &[68.0, 69.0, 70.0]);
    assert!(star(&[("mnn", far)]));
    assert!(star(&[("mnn", far), ("inabsa", &[67.0, 68.0, 69.0])]));
    // One point above the baseline: p = 0.14.
    assert!(!star(&[("mnn", far), ("inabsa", near)]));
    // A baseline with a single run is not tested, but its score must be lower.
    assert!(star(&[("mnn", far), ("inabsa", &[69.9])]));
    assert!(!star(&[("mnn", far), ("inabsa", &[70.1])]));
    assert!(
        !star(&[("inabsa", &[10.0])]),
        "no baseline has enough runs for a test"
    );
    assert!(!star(&[]));
    assert!(
        !star_without("decnn-dtrans", &[("mnn", far)]),
        "a baseline without runs could be better"
    );
    // Variants of IMN are not baselines.
    assert!(star(&[("mnn", far), ("imn", &[80.0, 81.0])]));
}

#[test]
fn baselines_and_variants_have_no_star() {
    let mut results = everywhere("mnn", &[80.0, 80.1]);
    results.extend(everywhere("inabsa", &[60.0, 60.1]));
    results.extend(everywhere("imn-no-docs", &[70.0, 70.1]));
    results.extend(everywhere("imn-no-docs-t0", &[60.0, 60.1]));
    for table in Table::ALL {
        assert!(
            sheet(table, &results).cells.iter().all(|cell| !cell.star),
            "{table}"
        );
    }
}

#[test]
fn missing_cells_are_counted_and_listed() {
    let mut results = everywhere("imn-no-docs", &[70.0]);
    results.extend(runs("imn-no-docs-t0", "lap14", &[60.0]));
    let iterations = sheet(Table::Iterations, &results);
    assert_eq!((iterations.filled(), iterations.cells.len()), (4, 18));
    assert_eq!(
        iterations.missing(),
        [
            "T = 0: D1, D3",
            "T = 1: D1, D2, D3",
            "T = 3: D1, D2, D3",
            "T = 4: D1, D2, D3",
            "T = 5: D1, D2, D3"
        ]
    );
    // The same runs are also in other tables.
    assert_eq!(sheet(Table::Ablation, &results).filled(), 4);
    assert_eq!(sheet(Table::Main, &results).filled(), 15);
    assert_eq!(sheet(Table::NoOpinion, &results).filled(), 0);
    // A run without opinions lacks one metric.
    results[0].scores.f1_o = None;
    let main = sheet(Table::Main, &results);
    assert_eq!(main.filled(), 14);
    assert!(
        main.missing().contains(&"IMN⁻ᵈ: D1 (F1-o)".to_owned()),
        "{:?}",
        main.missing()
    );
}

#[test]
fn the_time_of_a_table_is_that_of_its_runs() {
    let of = |system: &str, seconds| RunResult {
        seconds,
        ..run(system, "res14", 1, 60.0)
    };
    let results = [
        of("decnn", 60.0),
        of("decnn-alstm", 100.0),
        of("cmla", 50.0),
        of("cmla-alstm", 90.0),
        of("pipeline", 80.0),
    ];
    // Extractors on their own are not in the table.
    let time = sheet(Table::Main, &results).time.all;
    assert_eq!(time, 100.0 + 90.0 + 80.0);
}
