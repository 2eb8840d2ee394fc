//! The claims of the paper, checked with our runs.
//!
//! A claim says for some pairs of systems that one is above the other in F1-I. Each pair is judged
//! by the differences between runs with the same seed: d_s = mean over the three sets of (better −
//! worse), one value per seed s that both systems have on all three sets, and the 95 % t interval
//! of their mean. The pair holds if the interval is above 0, fails if no part of it is above 0, and
//! is inconclusive otherwise. A claim holds if all its pairs hold, and fails if one of them fails.

use std::collections::BTreeMap;
use std::fmt;

use imn::eval::{MeanDifference, Metric};

use super::runs::Runs;
use super::table::{Table, TableEntry};
use crate::recipe::Recipe;
use crate::registry::{Origin, find};
use crate::sets::PaperSet;

/// The confidence level of intervals.
pub const LEVEL: f64 = 0.95;

/// The verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The interval is above 0.
    Holds,
    /// No part of the interval is above 0.
    Fails,
    /// The interval contains 0 and values above it, or there are fewer than two common seeds.
    Inconclusive,
}

impl Verdict {
    /// The CSS class.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Inconclusive => "inconclusive",
        }
    }

    fn of(difference: Option<MeanDifference>) -> Self {
        match difference.and_then(|difference| difference.interval) {
            Some(interval) if interval.low > 0.0 => Self::Holds,
            Some(interval) if interval.high <= 0.0 => Self::Fails,
            Some(_) | None => Self::Inconclusive,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Fails => "does not hold",
            Self::Inconclusive => "inconclusive",
        })
    }
}

/// A pair of systems of a claim.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The system that is above, according to the paper.
    pub better: TableEntry,
    /// The other system.
    pub worse: TableEntry,
    /// The difference over the three sets, paired by seed.
    pub difference: Option<MeanDifference>,
    /// The difference on each set, paired by seed.
    pub sets: [Option<MeanDifference>; 3],
}

impl Comparison {
    fn new(runs: &Runs, better: TableEntry, worse: TableEntry) -> Self {
        let on_set = PaperSet::ALL
            .map(|set| runs.differences(better.name, worse.name, set.name(), Metric::F1I));
        Self {
            better,
            worse,
            difference: MeanDifference::of(&over_sets(&on_set), LEVEL),
            sets: on_set.map(|differences| {
                let differences: Vec<f64> = differences.into_values().collect();
                MeanDifference::of(&differences, LEVEL)
            }),
        }
    }

    /// The paper's means over the sets, of both systems.
    #[must_use]
    pub fn paper(&self) -> Option<(f64, f64)> {
        let mean = |system: TableEntry| -> Option<f64> {
            let paper = find(system.name)?.paper;
            let values = PaperSet::ALL.map(|set| paper.get(set, Metric::F1I));
            let sum: Option<f64> = values.into_iter().sum();
            Some(sum? / PaperSet::ALL.len() as f64)
        };
        Some((mean(self.better)?, mean(self.worse)?))
    }

    /// The verdict on this pair.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.difference)
    }
}

/// The mean over the sets, for every seed that all sets have.
fn over_sets(sets: &[BTreeMap<u64, f64>; 3]) -> Vec<f64> {
    let mean = |seed: &u64| -> Option<f64> {
        let sum: Option<f64> = sets.iter().map(|set| set.get(seed)).sum();
        Some(sum? / sets.len() as f64)
    };
    sets[0].keys().filter_map(mean).collect()
}

/// A claim of the paper and the pairs of systems that it compares.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The claim.
    pub claim: &'static str,
    /// A remark on it.
    pub note: Option<&'static str>,
    /// The pairs of systems.
    pub comparisons: Vec<Comparison>,
}

impl Finding {
    /// The verdict on the claim.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let any = |verdict| {
            self.comparisons
                .iter()
                .any(|comparison| comparison.verdict() == verdict)
        };
        if any(Verdict::Fails) {
            Verdict::Fails
        } else if any(Verdict::Inconclusive) || self.comparisons.is_empty() {
            Verdict::Inconclusive
        } else {
            Verdict::Holds
        }
    }
}

/// The claims that a table supports in the paper, as far as a recipe has the systems.
#[must_use]
pub fn findings(recipe: Recipe, table: Table, runs: &Runs) -> Vec<Finding> {
    let systems = table.systems(recipe);
    let findings = match table {
        Table::Main => vec![
            imn_above_all(runs, &systems),
            imn_no_docs_above_baselines(runs, &systems),
        ],
        Table::Ablation => vec![Finding {
            claim: "Each part that is added to the network increases its F1-I.",
            note: None,
            comparisons: systems
                .windows(2)
                .map(|pair| Comparison::new(runs, pair[1], pair[0]))
                .collect(),
        }],
        Table::Iterations => vec![Finding {
            claim: "Two iterations of message passing are better than none.",
            note: None,
            comparisons: pairs(runs, &systems, "imn-no-docs", |other| {
                other.name == "imn-no-docs-t0"
            }),
        }],
        Table::NoOpinion => vec![opinion_labels_help(runs)],
    };
    let compares = |finding: &Finding| !finding.comparisons.is_empty();
    findings.into_iter().filter(compares).collect()
}

fn imn_above_all(runs: &Runs, systems: &[TableEntry]) -> Finding {
    Finding {
        claim: "IMN is above every other system.",
        note: None,
        comparisons: pairs(runs, systems, "imn", |other| other.name != "imn"),
    }
}

fn imn_no_docs_above_baselines(runs: &Runs, systems: &[TableEntry]) -> Finding {
    Finding {
        claim: "IMN⁻ᵈ is above every baseline, and above itself without domain vectors.",
        note: Some(
            "IMN wo DE is left out, because its mean is above that of IMN⁻ᵈ in the paper as well.",
        ),
        comparisons: pairs(runs, systems, "imn-no-docs", |other| {
            other.origin == Origin::Baseline || other.name == "imn-no-docs-wo-de"
        }),
    }
}

fn opinion_labels_help(runs: &Runs) -> Finding {
    let system = |name, label| TableEntry {
        name,
        label,
        origin: Origin::Proposed,
    };
    Finding {
        claim: "IMN⁻ᵈ and IMN are better with opinion labels than without.",
        note: None,
        comparisons: vec![
            Comparison::new(
                runs,
                system("imn-no-docs", "IMN⁻ᵈ"),
                system("imn-no-docs-wo-op", "IMN⁻ᵈ without labels"),
            ),
            Comparison::new(
                runs,
                system("imn", "IMN"),
                system("imn-wo-op", "IMN without labels"),
            ),
        ],
    }
}

/// Compares one of the systems with the others that `wanted` selects.
fn pairs(
    runs: &Runs,
    systems: &[TableEntry],
    better: &str,
    wanted: impl Fn(&TableEntry) -> bool,
) -> Vec<Comparison> {
    let better = systems.iter().find(|system| system.name == better);
    let against = |&better: &TableEntry| {
        let others = systems.iter().filter(|other| wanted(other));
        others
            .map(move |&other| Comparison::new(runs, better, other))
            .collect()
    };
    better.map(against).unwrap_or_default()
}
