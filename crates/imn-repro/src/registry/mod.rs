//! The registry of systems: one [`SystemEntry`] says everything about a system that is not a
//! setting.
//!
//! ```text
//! SystemEntry ─┬─ composition: how it is built from networks   → recipe (settings) → runner
//!              ├─ seeds: how many runs the comparison needs    → runner
//!              └─ tables, label, the paper's values            → tables
//! ```

mod paper;
mod systems;

pub use paper::{PAPER_RUNS, PaperValues};

use crate::tables::Table;

/// Runs per set that a system needs unless its entry says otherwise.
const DEFAULT_SEEDS: u64 = 3;

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
    /// Two systems of the registry in sequence: the classifier reads what the extractor found.
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

/// Who a system comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A variant of the paper's network. Only these carry a star in tables.
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
    /// Who it comes from.
    pub origin: Origin,
    /// The tables that show it, each with the label there. Parts of pipelines have none.
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

    /// The number of runs per set that the comparison needs, with the seeds 1 to N. A part of
    /// pipelines needs as many as the pipeline with the most.
    #[must_use]
    pub fn wanted_seeds(&self) -> u64 {
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

/// The system of a name that a user gave.
///
/// # Errors
/// If there is none; the error lists the known names.
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
    fn the_claims_of_the_paper_have_five_runs_and_the_rest_three() {
        let with = |seeds: u64| -> Vec<&str> {
            let entries = SYSTEMS.iter();
            let entries = entries.filter(|entry| !entry.tables.is_empty());
            let entries = entries.filter(|entry| entry.wanted_seeds() == seeds);
            entries.map(|entry| entry.name).collect()
        };
        let five = ["decnn-dtrans", "pipeline", "inabsa", "imn-no-docs", "imn"];
        assert_eq!(with(5), five);
        let shown = SYSTEMS.iter().filter(|entry| !entry.tables.is_empty());
        assert_eq!(with(3).len() + five.len(), shown.count());
        // PIPELINE has five, so its extractor has; CMLA is in pipelines of three.
        assert_eq!(find("decnn").unwrap().wanted_seeds(), 5);
        assert_eq!(find("cmla").unwrap().wanted_seeds(), 3);
    }
}
