//! What the paper's tables of scores compare: systems, metrics, captions.

use std::fmt;
use std::str::FromStr;

use imn::eval::Metric;

/// A set of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Set {
    /// Its name in results.
    pub name: &'static str,
    /// Its name in the paper.
    pub label: &'static str,
}

/// The paper's sets in its order.
pub const SETS: [Set; 3] = {
    let [res14, lap14, res15] = imn::results::PAPER_SETS;
    [
        Set {
            name: res14,
            label: "D1",
        },
        Set {
            name: lap14,
            label: "D2",
        },
        Set {
            name: res15,
            label: "D3",
        },
    ]
};

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.label, self.name)
    }
}

/// Whose system it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A form of the paper's network: it may carry a star.
    Proposed,
    /// What the network is compared with.
    Baseline,
}

/// A system as a table shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct System {
    /// Its name in results.
    pub name: &'static str,
    /// What the table calls it.
    pub label: &'static str,
    /// Whose it is.
    pub role: Role,
}

const fn baseline(name: &'static str, label: &'static str) -> System {
    System {
        name,
        label,
        role: Role::Baseline,
    }
}

const fn proposed(name: &'static str, label: &'static str) -> System {
    System {
        name,
        label,
        role: Role::Proposed,
    }
}

const MAIN: [System; 11] = [
    baseline("cmla-alstm", "CMLA-ALSTM"),
    baseline("cmla-dtrans", "CMLA-dTrans"),
    baseline("decnn-alstm", "DECNN-ALSTM"),
    baseline("decnn-dtrans", "DECNN-dTrans"),
    baseline("pipeline", "PIPELINE"),
    baseline("mnn", "MNN"),
    baseline("inabsa", "INABSA"),
    proposed("imn-d-wo-de", "IMN⁻ᵈ wo DE"),
    proposed("imn-d", "IMN⁻ᵈ"),
    proposed("imn-wo-de", "IMN wo DE"),
    proposed("imn", "IMN"),
];

const ABLATION: [System; 6] = [
    proposed("vanilla", "vanilla model"),
    proposed("imn-d-t0", "+ opinion transmission"),
    proposed("imn-d", "+ message passing-a (IMN⁻ᵈ)"),
    proposed("imn-d-ds", "+ DS"),
    proposed("imn-d-dd", "+ DD"),
    proposed("imn", "+ message passing-d (IMN)"),
];

const ITERATIONS: [System; 6] = [
    proposed("imn-d-t0", "T = 0"),
    proposed("imn-d-t1", "T = 1"),
    proposed("imn-d", "T = 2"),
    proposed("imn-d-t3", "T = 3"),
    proposed("imn-d-t4", "T = 4"),
    proposed("imn-d-t5", "T = 5"),
];

const NO_OPINION: [System; 7] = [
    baseline("decnn-alstm-wo-op", "DECNN-ALSTM"),
    baseline("decnn-dtrans-wo-op", "DECNN-dTrans"),
    baseline("pipeline-wo-op", "PIPELINE"),
    baseline("mnn-wo-op", "MNN"),
    baseline("inabsa-wo-op", "INABSA"),
    proposed("imn-d-wo-op", "IMN⁻ᵈ"),
    proposed("imn-wo-op", "IMN"),
];

/// A table of scores of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// All systems by all five metrics.
    Main,
    /// What the parts of the network add.
    Ablation,
    /// How many iterations of message passing.
    Iterations,
    /// Systems that learn without labels of opinions.
    NoOpinion,
}

impl Table {
    /// All of them in the paper's order.
    pub const ALL: [Self; 4] = [
        Self::Main,
        Self::Ablation,
        Self::Iterations,
        Self::NoOpinion,
    ];

    /// The name that it is asked for by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Ablation => "ablation",
            Self::Iterations => "iterations",
            Self::NoOpinion => "no-opinion",
        }
    }

    /// A short heading.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Main => "Model comparison",
            Self::Ablation => "Ablation",
            Self::Iterations => "Iterations of message passing",
            Self::NoOpinion => "Without opinion labels",
        }
    }

    /// What is compared.
    #[must_use]
    pub const fn caption(self) -> &'static str {
        match self {
            Self::Main => {
                "Every system on the test sets. “wo DE”: without the domain's own word vectors."
            }
            Self::Ablation => "F1-I of the network as its parts are added one after the other.",
            Self::Iterations => "F1-I of IMN⁻ᵈ with different numbers of iterations T.",
            Self::NoOpinion => "The systems when they learn without labels of opinion terms.",
        }
    }

    /// Its systems in the paper's order.
    #[must_use]
    pub const fn systems(self) -> &'static [System] {
        match self {
            Self::Main => &MAIN,
            Self::Ablation => &ABLATION,
            Self::Iterations => &ITERATIONS,
            Self::NoOpinion => &NO_OPINION,
        }
    }

    /// Its metrics in the paper's order.
    #[must_use]
    pub const fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Main => &[
                Metric::F1A,
                Metric::F1O,
                Metric::AccS,
                Metric::F1S,
                Metric::F1I,
            ],
            Self::Ablation | Self::Iterations => &[Metric::F1I],
            Self::NoOpinion => &[Metric::F1A, Metric::AccS, Metric::F1S, Metric::F1I],
        }
    }

    /// Whether there are baselines, so that a system may carry a star.
    #[must_use]
    pub fn has_baselines(self) -> bool {
        self.systems()
            .iter()
            .any(|system| system.role == Role::Baseline)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no table has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no table is called {name:?}: there are main, ablation, iterations and no-opinion")]
pub struct UnknownTable {
    /// The name.
    pub name: String,
}

impl FromStr for Table {
    type Err = UnknownTable;

    fn from_str(name: &str) -> Result<Self, UnknownTable> {
        let unknown = || UnknownTable {
            name: name.to_owned(),
        };
        Self::ALL
            .into_iter()
            .find(|table| table.name() == name)
            .ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use imn::results::paper_scores;

    use super::*;

    #[test]
    fn tables_are_found_by_their_names() {
        for table in Table::ALL {
            assert_eq!(table.to_string().parse(), Ok(table));
        }
        let error = "Main".parse::<Table>().unwrap_err().to_string();
        assert!(error.contains("\"Main\""), "{error}");
        assert!(
            Table::ALL.iter().all(|table| error.contains(table.name())),
            "{error}"
        );
    }

    #[test]
    fn the_paper_has_a_value_for_every_cell() {
        for table in Table::ALL {
            for (system, set) in table
                .systems()
                .iter()
                .flat_map(|system| SETS.map(|set| (system, set)))
            {
                let paper = paper_scores(system.name, set.name).unwrap();
                for &metric in table.metrics() {
                    assert!(
                        paper.get(metric).is_some(),
                        "{table}: {} {set} {metric}",
                        system.name
                    );
                }
            }
        }
        assert!(Table::Main.has_baselines() && Table::NoOpinion.has_baselines());
        assert!(!Table::Ablation.has_baselines() && !Table::Iterations.has_baselines());
    }
}
