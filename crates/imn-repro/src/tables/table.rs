//! The paper's tables of scores: their systems, metrics and captions.

use std::fmt;
use std::str::FromStr;

use imn::eval::Metric;

use crate::recipe::Recipe;
use crate::registry::{Origin, SYSTEMS, SystemEntry};

/// A system as a table shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableEntry {
    /// Its name in results.
    pub name: &'static str,
    /// Its label in the table.
    pub label: &'static str,
    /// Whether it is proposed or a baseline.
    pub origin: Origin,
}

/// A table of scores of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// All systems, with all five metrics.
    Main,
    /// What each part of the network contributes.
    Ablation,
    /// Different numbers of message-passing iterations.
    Iterations,
    /// Systems trained without opinion labels.
    NoOpinion,
}

impl Table {
    /// All tables, in the paper's order.
    pub const ALL: [Self; 4] = [
        Self::Main,
        Self::Ablation,
        Self::Iterations,
        Self::NoOpinion,
    ];

    /// The name on the command line.
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

    /// The caption: what is compared.
    #[must_use]
    pub const fn caption(self) -> &'static str {
        match self {
            Self::Main => "All systems on the test sets. “wo DE”: without domain word vectors.",
            Self::Ablation => "F1-I of the network as its parts are added one by one.",
            Self::Iterations => "F1-I of IMN⁻ᵈ with different numbers of iterations T.",
            Self::NoOpinion => "The systems trained without opinion labels.",
        }
    }

    /// Its systems that a recipe has, in the paper's order.
    #[must_use]
    pub fn systems(self, recipe: Recipe) -> Vec<TableEntry> {
        let table_entry = |entry: &SystemEntry| {
            Some(TableEntry {
                name: entry.name,
                label: entry.label(self)?,
                origin: entry.origin,
            })
        };
        SYSTEMS
            .iter()
            .filter(|entry| recipe.includes(entry))
            .filter_map(table_entry)
            .collect()
    }

    /// Its metrics, in the paper's order.
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
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no table has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no table {name:?}; the tables are main, ablation, iterations and no-opinion")]
pub struct UnknownTable {
    /// The unknown name.
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
    use super::*;
    use crate::registry::find;
    use crate::sets::PaperSet;

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
    fn tables_have_the_systems_and_the_order_of_the_paper() {
        let names = |table: Table| -> Vec<&str> {
            let systems = table.systems(Recipe::Paper).into_iter();
            systems.map(|system| system.name).collect()
        };
        assert_eq!(
            names(Table::Main),
            [
                "cmla-alstm",
                "cmla-dtrans",
                "decnn-alstm",
                "decnn-dtrans",
                "pipeline",
                "mnn",
                "inabsa",
                "imn-no-docs-wo-de",
                "imn-no-docs",
                "imn-wo-de",
                "imn"
            ]
        );
        assert_eq!(
            names(Table::Ablation),
            [
                "vanilla",
                "imn-no-docs-t0",
                "imn-no-docs",
                "imn-ds",
                "imn-ds-dd",
                "imn"
            ]
        );
        assert_eq!(
            names(Table::Iterations),
            [
                "imn-no-docs-t0",
                "imn-no-docs-t1",
                "imn-no-docs",
                "imn-no-docs-t3",
                "imn-no-docs-t4",
                "imn-no-docs-t5"
            ]
        );
        assert_eq!(
            names(Table::NoOpinion),
            [
                "decnn-alstm-wo-op",
                "decnn-dtrans-wo-op",
                "pipeline-wo-op",
                "mnn-wo-op",
                "inabsa-wo-op",
                "imn-no-docs-wo-op",
                "imn-wo-op"
            ]
        );
    }

    #[test]
    fn a_recipe_with_an_encoder_has_no_word_vectors_and_no_compared_systems() {
        let names = |table: Table| -> Vec<&str> {
            let systems = table.systems(Recipe::Minilm).into_iter();
            systems.map(|system| system.name).collect()
        };
        assert_eq!(names(Table::Main), ["imn-no-docs", "imn"]);
        assert_eq!(names(Table::NoOpinion), ["imn-no-docs-wo-op", "imn-wo-op"]);
        for table in [Table::Ablation, Table::Iterations] {
            assert_eq!(table.systems(Recipe::Minilm), table.systems(Recipe::Paper));
        }
    }

    #[test]
    fn the_paper_has_a_value_for_every_cell() {
        for table in Table::ALL {
            for (system, set) in table
                .systems(Recipe::Paper)
                .into_iter()
                .flat_map(|system| PaperSet::ALL.map(|set| (system, set)))
            {
                let paper = find(system.name).unwrap().paper;
                for &metric in table.metrics() {
                    assert!(
                        paper.get(set, metric).is_some(),
                        "{table}: {} {set} {metric}",
                        system.name
                    );
                }
            }
        }
    }
}
