//! The registry of systems. A [`SystemEntry`] has everything about a system except its settings.
//!
//! ```text
//! SystemEntry ─┬─ composition: how it is built from networks   → recipe (settings) → runner
//!              ├─ seeds: the default number of runs            → runner
//!              └─ tables, label, the paper's values            → tables
//! ```

mod paper;
mod systems;

pub use paper::{PAPER_RUNS, PaperValues};

use crate::tables::Table;

/// The number of runs per set, unless an entry has its own.
pub const DEFAULT_SEEDS: u64 = 3;

/// How a system is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Composition {
    /// A variant of IMN.
    Imn {
        /// The settings it starts from.
        base: Base,
        /// The settings it changes, as `KEY=VALUE`.
        changes: &'static [&'static str],
    },
    /// One compared network.
    Network {
        /// Its settings file: TOML with the placeholders `{set}` and `{documents}`.
        settings: &'static str,
        /// The settings it changes, as `KEY=VALUE`.
        changes: &'static [&'static str],
    },
    /// Two systems of the registry in sequence: the classifier reads the terms of the extractor.
    Pipeline {
        /// AE.
        extractor: &'static str,
        /// AS.
        classifier: &'static str,
    },
}

/// The settings that variants of IMN start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// IMN⁻ᵈ: no documents.
    ImnNoDocs,
    /// IMN.
    Imn,
}

/// The origin of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A variant of the paper's network. Only these can have a star in tables.
    Proposed,
    /// A system that the paper compares with.
    Baseline,
}

/// One system of the comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SystemEntry {
    /// The name in results, configurations and on the command line.
    pub name: &'static str,
    /// How it is built.
    pub composition: Composition,
    /// Whether it is proposed or a baseline.
    pub origin: Origin,
    /// The tables that show it, with its label in each. Parts of pipelines are in none.
    pub tables: &'static [(Table, &'static str)],
    /// The paper's values.
    pub paper: PaperValues,
    seeds: u64,
}

impl SystemEntry {
    const fn new(name: &'static str, composition: Composition, origin: Origin) -> Self {
        Self {
            name,
            composition,
            origin,
            tables: &[],
            paper: PaperValues::None,
            seeds: 0,
        }
    }

    /// A part of pipelines, which no table shows.
    const fn part(name: &'static str, composition: Composition) -> Self {
        Self::new(name, composition, Origin::Baseline)
    }

    const fn baseline(name: &'static str, composition: Composition) -> Self {
        Self::new(name, composition, Origin::Baseline).seeds(DEFAULT_SEEDS)
    }

    const fn proposed(name: &'static str, composition: Composition) -> Self {
        Self::new(name, composition, Origin::Proposed).seeds(DEFAULT_SEEDS)
    }

    const fn seeds(mut self, seeds: u64) -> Self {
        self.seeds = seeds;
        self
    }

    const fn shown(mut self, tables: &'static [(Table, &'static str)]) -> Self {
        self.tables = tables;
        self
    }

    const fn reported(mut self, paper: PaperValues) -> Self {
        self.paper = paper;
        self
    }

    /// The label in a table that shows the system.
    #[must_use]
    pub fn label(&self, table: Table) -> Option<&'static str> {
        let mut tables = self.tables.iter();
        tables
            .find(|(shown, _)| *shown == table)
            .map(|(_, label)| *label)
    }

    /// The default number of runs N per set, with the seeds 1 to N. A part of pipelines has as many
    /// as the pipeline with the most runs.
    #[must_use]
    pub fn default_seeds(&self) -> u64 {
        let users = SYSTEMS.iter().filter(|entry| match entry.composition {
            Composition::Pipeline {
                extractor,
                classifier,
            } => [extractor, classifier].contains(&self.name),
            Composition::Imn { .. } | Composition::Network { .. } => false,
        });
        let most = users.map(|entry| entry.seeds).max();
        self.seeds.max(most.unwrap_or(0))
    }
}

/// Every system. Parts come before the pipelines that use them.
pub const SYSTEMS: &[SystemEntry] = systems::SYSTEMS;

/// The system of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static SystemEntry> {
    SYSTEMS.iter().find(|entry| entry.name == name)
}

/// A name that no system has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no system {name:?}; known systems: {}", names())]
pub struct UnknownSystem {
    /// The unknown name.
    pub name: String,
}

fn names() -> String {
    let names: Vec<&str> = SYSTEMS.iter().map(|entry| entry.name).collect();
    names.join(", ")
}

/// The system of a name given by the user.
///
/// # Errors
/// If there is no such system. The error lists the known names.
pub fn parse(name: &str) -> Result<&'static SystemEntry, UnknownSystem> {
    find(name).ok_or_else(|| UnknownSystem {
        name: name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_parts_come_first() {
        for (i, entry) in SYSTEMS.iter().enumerate() {
            let earlier = &SYSTEMS[..i];
            assert!(
                earlier.iter().all(|other| other.name != entry.name),
                "{}",
                entry.name
            );
            if let Composition::Pipeline {
                extractor,
                classifier,
            } = entry.composition
            {
                for part in [extractor, classifier] {
                    let part = earlier.iter().find(|other| other.name == part).unwrap();
                    assert!(matches!(part.composition, Composition::Network { .. }));
                }
            }
        }
    }

    #[test]
    fn systems_of_the_papers_claims_have_five_runs_and_others_three() {
        let with = |seeds: u64| -> Vec<&str> {
            SYSTEMS
                .iter()
                .filter(|entry| !entry.tables.is_empty() && entry.default_seeds() == seeds)
                .map(|entry| entry.name)
                .collect()
        };
        let five = ["decnn-dtrans", "pipeline", "inabsa", "imn-no-docs", "imn"];
        assert_eq!(with(5), five);
        let shown = SYSTEMS.iter().filter(|entry| !entry.tables.is_empty());
        assert_eq!(with(3).len() + five.len(), shown.count());
        // PIPELINE has five runs, so its extractor has five too. CMLA's pipelines have three.
        assert_eq!(find("decnn").unwrap().default_seeds(), 5);
        assert_eq!(find("cmla").unwrap().default_seeds(), 3);
    }
}
