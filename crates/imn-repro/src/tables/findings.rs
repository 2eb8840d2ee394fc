//! What the paper claims, checked on our runs.
//!
//! A claim says that one system is above another in the mean of F1-I over the three sets, for a few pairs of systems. It holds if it holds for
//! every pair; it fails with one pair; and while a pair lacks runs on a set it cannot be told. Means alone decide; how sure they are is told
//! beside them by deviations, numbers of runs and, on each set, the p-value of a t-test.

use std::fmt;

use imn::eval::Metric;

use super::runs::Runs;
use super::sheet::Cell;
use super::table::{Role, SETS, System, Table};

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is so.
    Holds,
    /// It is not so.
    Fails,
    /// Runs are missing.
    Unknown,
}

impl Verdict {
    /// A name of one word, for a style.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Unknown => "unknown",
        }
    }

    fn of(above: Option<(f64, f64)>) -> Self {
        match above {
            None => Self::Unknown,
            Some((better, worse)) if better > worse => Self::Holds,
            Some(_) => Self::Fails,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Fails => "does not hold",
            Self::Unknown => "cannot be told yet",
        })
    }
}

/// One system should be above another.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The system that should be above.
    pub better: System,
    /// The other.
    pub worse: System,
    /// F1-I of both on each set.
    pub sets: [(Cell, Cell); 3],
}

impl Comparison {
    fn new(runs: &Runs, better: System, worse: System) -> Self {
        let cell = |system, set| Cell::new(runs, system, set, Metric::F1I);
        Self {
            better,
            worse,
            sets: SETS.map(|set| (cell(better, set), cell(worse, set))),
        }
    }

    /// Means over the sets, where both systems have runs on every one.
    #[must_use]
    pub fn means(&self) -> Option<(f64, f64)> {
        self.over_sets(Cell::mean)
    }

    /// The same of the paper's values.
    #[must_use]
    pub fn paper(&self) -> Option<(f64, f64)> {
        self.over_sets(|cell| cell.paper)
    }

    fn over_sets(&self, value: impl Fn(&Cell) -> Option<f64>) -> Option<(f64, f64)> {
        let n = self.sets.len() as f64;
        self.sets
            .iter()
            .try_fold((0.0, 0.0), |(a, b), (better, worse)| {
                Some((a + value(better)? / n, b + value(worse)? / n))
            })
    }

    /// What became of it.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.means())
    }
}

/// A claim of the paper with all that it compares.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What is claimed.
    pub claim: &'static str,
    /// What should be known beside it.
    pub note: Option<&'static str>,
    /// The pairs that it is about.
    pub comparisons: Vec<Comparison>,
}

impl Finding {
    /// What became of it.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let any = |verdict| {
            self.comparisons
                .iter()
                .any(|comparison| comparison.verdict() == verdict)
        };
        if any(Verdict::Fails) {
            Verdict::Fails
        } else if any(Verdict::Unknown) || self.comparisons.is_empty() {
            Verdict::Unknown
        } else {
            Verdict::Holds
        }
    }
}

/// The claims that a table is there for.
#[must_use]
pub fn findings(table: Table, runs: &Runs) -> Vec<Finding> {
    match table {
        Table::Main => vec![imn_above_all(runs), imn_d_above_baselines(runs)],
        Table::Ablation => vec![Finding {
            claim: "Each part that is added to the network adds to its F1-I.",
            note: None,
            comparisons: Table::Ablation
                .systems()
                .windows(2)
                .map(|pair| Comparison::new(runs, pair[1], pair[0]))
                .collect(),
        }],
        Table::Iterations => vec![Finding {
            claim: "Two iterations of message passing are better than none.",
            note: None,
            comparisons: pairs(runs, table, "imn-d", |other| other.name == "imn-d-t0"),
        }],
        Table::NoOpinion => vec![opinion_labels_help(runs)],
    }
}

fn imn_above_all(runs: &Runs) -> Finding {
    Finding {
        claim: "IMN is above every other system.",
        note: None,
        comparisons: pairs(runs, Table::Main, "imn", |other| other.name != "imn"),
    }
}

fn imn_d_above_baselines(runs: &Runs) -> Finding {
    Finding {
        claim: "IMN⁻ᵈ is above every baseline, and above itself without domain vectors.",
        note: Some("IMN wo DE is left out, for in the paper its mean is above that of IMN⁻ᵈ too."),
        comparisons: pairs(runs, Table::Main, "imn-d", |other| {
            other.role == Role::Baseline || other.name == "imn-d-wo-de"
        }),
    }
}

fn opinion_labels_help(runs: &Runs) -> Finding {
    let system = |name, label| System {
        name,
        label,
        role: Role::Proposed,
    };
    Finding {
        claim: "IMN⁻ᵈ and IMN are better with opinion labels than without.",
        note: None,
        comparisons: vec![
            Comparison::new(
                runs,
                system("imn-d", "IMN⁻ᵈ"),
                system("imn-d-wo-op", "IMN⁻ᵈ without labels"),
            ),
            Comparison::new(
                runs,
                system("imn", "IMN"),
                system("imn-wo-op", "IMN without labels"),
            ),
        ],
    }
}

/// A system of a table against those of its systems that are wanted.
fn pairs(
    runs: &Runs,
    table: Table,
    better: &str,
    wanted: impl Fn(&System) -> bool,
) -> Vec<Comparison> {
    let better = table.systems().iter().find(|system| system.name == better);
    let against = |&better: &System| {
        let others = table.systems().iter().filter(|other| wanted(other));
        others
            .map(move |&other| Comparison::new(runs, better, other))
            .collect()
    };
    better.map(against).unwrap_or_default()
}
