//! The paper's claims, on results that support them and on others.

use super::super::{AgainstPaper, Comparison, Finding, Verdict, findings};
use super::*;

fn verdicts(table: Table, results: &[RunResult]) -> Vec<Verdict> {
    findings(Recipe::Paper, table, &Runs::new(results))
        .iter()
        .map(Finding::verdict)
        .collect()
}

fn paper(system: &str, set: PaperSet) -> f64 {
    let entry = find(system).unwrap();
    entry.paper.get(set, Metric::F1I).unwrap()
}

/// Two runs of every system around the paper's values.
fn like_the_paper() -> Vec<RunResult> {
    let mut results = Vec::new();
    for system in Table::ALL
        .iter()
        .flat_map(|table| table.systems(Recipe::Paper))
    {
        for set in PaperSet::ALL {
            let f1_i = paper(system.name, set);
            results.extend(runs(system.name, set.name(), &[f1_i - 0.1, f1_i + 0.1]));
        }
    }
    results
}

#[test]
fn the_papers_values_support_its_claims() {
    let results = like_the_paper();
    for table in Table::ALL {
        let findings = findings(Recipe::Paper, table, &Runs::new(&results));
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
    // A mean that is below the paper's value by a rounding error counts as equal.
    let main = sheet(Table::Main, &results);
    assert!(
        main.cells
            .iter()
            .filter(|cell| cell.metric == Metric::F1I)
            .all(|cell| AgainstPaper::of(cell) == AgainstPaper::AtOrAbove)
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
        findings(Recipe::Paper, table, &runs)
            .iter()
            .map(names)
            .collect()
    };
    let main = pairs(Table::Main);
    assert_eq!([main[0].len(), main[1].len()], [10, 8]);
    assert!(main[0].contains(&("imn", "imn-no-docs")) && !main[0].contains(&("imn", "imn")));
    assert!(
        main[1].contains(&("imn-no-docs", "decnn-dtrans"))
            && !main[1].contains(&("imn-no-docs", "imn-wo-de"))
    );
    assert_eq!(
        pairs(Table::Ablation),
        [[
            ("imn-no-docs-t0", "vanilla"),
            ("imn-no-docs", "imn-no-docs-t0"),
            ("imn-ds", "imn-no-docs"),
            ("imn-ds-dd", "imn-ds"),
            ("imn", "imn-ds-dd")
        ]]
    );
    assert_eq!(
        pairs(Table::Iterations),
        [[("imn-no-docs", "imn-no-docs-t0")]]
    );
    assert_eq!(
        pairs(Table::NoOpinion),
        [[("imn-no-docs", "imn-no-docs-wo-op"), ("imn", "imn-wo-op")]]
    );
}

#[test]
fn one_failed_pair_fails_a_claim_and_a_missing_one_makes_it_inconclusive() {
    let mut results = like_the_paper();
    results.retain(|run| run.system != "mnn");
    assert_eq!(
        verdicts(Table::Main, &results),
        [Verdict::Inconclusive, Verdict::Inconclusive]
    );
    // A missing system does not change the verdict on a failed claim.
    results.retain(|run| run.system != "inabsa");
    // In the paper, the means over the sets are 62.36 (IMN) and 61.30 (IMN⁻ᵈ). Every run here is
    // 0.1 away from its paper value.
    results.extend(everywhere("inabsa", &[61.4, 61.6]));
    assert_eq!(
        verdicts(Table::Main, &results),
        [Verdict::Inconclusive, Verdict::Fails]
    );
    assert_eq!(
        verdicts(Table::Main, &[]),
        [Verdict::Inconclusive, Verdict::Inconclusive]
    );
}

/// The verdict on T = 2 against T = 0, and the comparison.
fn two_iterations(results: &[RunResult]) -> (Verdict, Comparison) {
    let mut finding = findings(Recipe::Paper, Table::Iterations, &Runs::new(results)).remove(0);
    (finding.verdict(), finding.comparisons.remove(0))
}

#[test]
fn differences_are_paired_by_seed_and_the_mean_over_sets_decides() {
    // For every seed, T = 2 is far above T = 0 on one set and slightly below on the other two.
    let mut results = everywhere("imn-no-docs-t0", &[60.0, 64.0, 62.0]);
    results.extend(runs("imn-no-docs", "res14", &[69.0, 73.0, 71.0]));
    results.extend(runs("imn-no-docs", "lap14", &[59.0, 63.0, 61.0]));
    assert_eq!(
        two_iterations(&results).0,
        Verdict::Inconclusive,
        "a set is missing"
    );
    results.extend(runs("imn-no-docs", "res15", &[59.0]));
    let (verdict, one_seed) = two_iterations(&results);
    assert_eq!(verdict, Verdict::Inconclusive, "one seed has no interval");
    let difference = one_seed.difference.unwrap();
    assert!((difference.mean - 7.0 / 3.0).abs() < 1e-9);
    assert_eq!((difference.interval, difference.pairs), (None, 1));
    assert_eq!(one_seed.sets.map(|set| set.unwrap().pairs), [3, 3, 1]);
    results.push(run("imn-no-docs", "res15", 3, 61.0));
    let (verdict, two_seeds) = two_iterations(&results);
    assert_eq!(verdict, Verdict::Holds);
    // Seed 2 is missing on one set, so it does not count.
    assert_eq!(two_seeds.difference.unwrap().pairs, 2);
    // The runs vary by points, but the differences do not. An unpaired test would find nothing.
    let interval = two_seeds.sets[1].unwrap().interval.unwrap();
    assert!((interval.low + 1.0).abs() < 1e-9 && (interval.high + 1.0).abs() < 1e-9);
}

#[test]
fn an_interval_around_zero_is_inconclusive() {
    let verdict = |differences: &[f64]| {
        let mut results = everywhere("imn-no-docs-t0", &vec![60.0; differences.len()]);
        let scores: Vec<f64> = differences.iter().map(|d| 60.0 + d).collect();
        results.extend(everywhere("imn-no-docs", &scores));
        two_iterations(&results).0
    };
    // Mean 1, deviation 1, three seeds: 1 ± 4.303 / √3.
    assert_eq!(verdict(&[0.0, 1.0, 2.0]), Verdict::Inconclusive);
    assert_eq!(verdict(&[0.0, -1.0, -2.0]), Verdict::Inconclusive);
    assert_eq!(verdict(&[2.5, 3.5, 4.5]), Verdict::Holds);
    assert_eq!(verdict(&[-2.5, -3.5, -4.5]), Verdict::Fails);
    // Equal scores are not above.
    assert_eq!(verdict(&[0.0, 0.0]), Verdict::Fails);
    assert_eq!(verdict(&[5.0]), Verdict::Inconclusive);
}

#[test]
fn a_mean_is_compared_with_the_paper() {
    // The paper's F1-I of IMN on res14 is 69.54.
    let against = |scores: &[f64]| {
        let results = runs("imn", "res14", scores);
        AgainstPaper::of(f1_i(&sheet(Table::Main, &results), "imn", "res14"))
    };
    assert_eq!(against(&[69.54]), AgainstPaper::AtOrAbove);
    assert_eq!(against(&[80.0]), AgainstPaper::AtOrAbove);
    assert_eq!(against(&[69.53]), AgainstPaper::Below);
    assert_eq!(against(&[]), AgainstPaper::NoRuns);
}
