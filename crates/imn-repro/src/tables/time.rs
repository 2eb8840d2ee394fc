//! The training time of runs. A network that several pipelines share is trained once and counts
//! once.

use std::collections::BTreeMap;

use super::runs::Runs;
use super::table::TableEntry;
use crate::registry::{Composition, find};
use crate::results::RunResult;
use crate::sets::PaperSet;

/// Training time in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Time {
    /// Of all runs.
    pub all: f64,
    /// Of the runs with seed 1.
    pub first_seed: f64,
}

impl Time {
    /// The training time of these systems.
    pub(super) fn of(systems: &[TableEntry], runs: &Runs) -> Self {
        // The seconds of each network, by name, set and seed.
        let mut trained = BTreeMap::new();
        for system in systems {
            for set in PaperSet::ALL {
                for run in runs.of(system.name, set.name()) {
                    for (name, seconds) in parts(system.name, run, runs) {
                        trained.insert((name, set.name(), run.seed), seconds);
                    }
                }
            }
        }
        let first = trained.iter().filter(|((_, _, seed), _)| *seed == 1);
        Self {
            all: trained.values().sum(),
            first_seed: first.map(|(_, seconds)| seconds).sum(),
        }
    }
}

/// The networks trained for a run, with their seconds: the parts of a pipeline if the extractor has
/// a result of its own, otherwise the whole run.
fn parts(system: &'static str, run: &RunResult, runs: &Runs) -> Vec<(&'static str, f64)> {
    let whole = || vec![(system, run.seconds)];
    let Some(Composition::Pipeline {
        extractor,
        classifier,
    }) = find(system).map(|entry| entry.composition)
    else {
        return whole();
    };
    let mut extractors = runs.of(extractor, &run.set).into_iter();
    let own = extractors.find(|own| own.seed == run.seed);
    own.map_or_else(whole, |own| {
        vec![
            (extractor, own.seconds),
            (classifier, run.seconds - own.seconds),
        ]
    })
}
