//! The paper's claims on results that bear them out and on others.

use imn::results::paper_scores;

use super::super::{Finding, Reach, Verdict, findings};
use super::*;

fn verdicts(table: Table, results: &[RunResult]) -> Vec<Verdict> {
    findings(table, &Runs::new(results))
        .iter()
        .map(Finding::verdict)
        .collect()
}

/// Two runs of every system around the paper's values.
fn like_the_paper() -> Vec<RunResult> {
    let mut results = Vec::new();
    for system in Table::ALL.iter().flat_map(|table| table.systems()) {
        for set in SETS {
            let f1_i = paper_scores(system.name, set.name).unwrap().f1_i.unwrap();
            results.extend(runs(system.name, set.name, &[f1_i - 0.1, f1_i + 0.1]));
        }
    }
    results
}

#[test]
fn the_paper_bears_out_its_claims() {
    let results = like_the_paper();
    for table in Table::ALL {
        let findings = findings(table, &Runs::new(&results));
        assert!(!findings.is_empty());
        for finding in findings {
            assert_eq!(finding.verdict(), Verdict::Holds, "{}", finding.claim);
            for comparison in &finding.comparisons {
                let (better, worse) = comparison.paper().unwrap();
                assert!(
                    better > worse,
                    "{} {}",
                    comparison.better.name,
                    comparison.worse.name
                );
            }
        }
    }
    // A rounding error below the paper's value is at it.
    let main = sheet(Table::Main, &results);
    assert!(
        main.cells
            .iter()
            .filter(|cell| cell.metric == Metric::F1I)
            .all(|cell| Reach::of(cell) == Reach::Above)
    );
}

#[test]
fn claims_compare_what_they_say() {
    let runs = Runs::default();
    let pairs = |table| -> Vec<Vec<(&str, &str)>> {
        let names = |finding: &Finding| {
            finding
                .comparisons
                .iter()
                .map(|pair| (pair.better.name, pair.worse.name))
                .collect()
        };
        findings(table, &runs).iter().map(names).collect()
    };
    let main = pairs(Table::Main);
    assert_eq!([main[0].len(), main[1].len()], [10, 8]);
    assert!(main[0].contains(&("imn", "imn-d")) && !main[0].contains(&("imn", "imn")));
    assert!(
        main[1].contains(&("imn-d", "decnn-dtrans")) && !main[1].contains(&("imn-d", "imn-wo-de"))
    );
    assert_eq!(
        pairs(Table::Ablation),
        [[
            ("imn-d-t0", "vanilla"),
            ("imn-d", "imn-d-t0"),
            ("imn-d-ds", "imn-d"),
            ("imn-d-dd", "imn-d-ds"),
            ("imn", "imn-d-dd")
        ]]
    );
    assert_eq!(pairs(Table::Iterations), [[("imn-d", "imn-d-t0")]]);
    assert_eq!(
        pairs(Table::NoOpinion),
        [[("imn-d", "imn-d-wo-op"), ("imn", "imn-wo-op")]]
    );
}

#[test]
fn one_pair_makes_a_claim_fail_and_a_missing_one_leaves_it_open() {
    let mut results = like_the_paper();
    results.retain(|run| run.system != "mnn");
    assert_eq!(
        verdicts(Table::Main, &results),
        [Verdict::Unknown, Verdict::Unknown]
    );
    // A missing system does not save what fails.
    results.retain(|run| run.system != "inabsa");
    results.extend(everywhere("inabsa", &[61.5, 61.5]));
    assert_eq!(
        verdicts(Table::Main, &results),
        [Verdict::Unknown, Verdict::Fails]
    );
    assert_eq!(
        verdicts(Table::Main, &[]),
        [Verdict::Unknown, Verdict::Unknown]
    );
}

#[test]
fn means_over_sets_decide_and_each_set_has_its_test() {
    // T = 2 is far above on one set and a little below on two.
    let mut results = everywhere("imn-d-t0", &[60.0, 61.0, 62.0]);
    results.extend(runs("imn-d", "res14", &[69.0, 70.0, 71.0]));
    results.extend(runs("imn-d", "lap14", &[59.0, 60.0, 61.0]));
    let one_set_is_missing = verdicts(Table::Iterations, &results);
    assert_eq!(one_set_is_missing, [Verdict::Unknown]);
    results.extend(runs("imn-d", "res15", &[60.0]));
    let finding = findings(Table::Iterations, &Runs::new(&results)).remove(0);
    let pair = &finding.comparisons[0];
    let (better, worse) = pair.means().unwrap();
    assert!((better - 190.0 / 3.0).abs() < 1e-9 && (worse - 61.0).abs() < 1e-9);
    assert_eq!(finding.verdict(), Verdict::Holds);
    let p = |set: usize| pair.sets[set].0.p_above(&pair.sets[set].1);
    assert!(p(0).unwrap() < 0.001 && p(1).unwrap() > 0.5);
    assert_eq!(p(2), None, "one run");
    // The same means are not above.
    let same: Vec<RunResult> = ["imn-d", "imn-d-t0"]
        .iter()
        .flat_map(|system| everywhere(system, &[60.0]))
        .collect();
    assert_eq!(verdicts(Table::Iterations, &same), [Verdict::Fails]);
}

#[test]
fn two_points_below_the_paper_are_near() {
    // The paper's F1-I of IMN on res14 is 69.54.
    let reach = |score| {
        Reach::of(f1_i(
            &sheet(Table::Main, &runs("imn", "res14", &[score])),
            "imn",
            "res14",
        ))
    };
    assert_eq!(reach(69.54), Reach::Above);
    assert_eq!(reach(80.0), Reach::Above);
    assert_eq!(reach(69.53), Reach::Near);
    assert_eq!(reach(67.54), Reach::Near);
    assert_eq!(reach(67.53), Reach::Below);
    assert_eq!(
        Reach::of(f1_i(&sheet(Table::Main, &[]), "imn", "res14")),
        Reach::Unknown
    );
}
