//! The training time of runs.

use super::runs::Runs;
use super::table::TableEntry;
use crate::sets::PaperSet;

/// Training time in seconds. A network that several pipelines share counts in each of them: a run
/// does not say how long its parts took.
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
        let mut time = Self::default();
        for system in systems {
            for run in PaperSet::ALL
                .map(|set| runs.of(system.name, set.name()))
                .concat()
            {
                time.all += run.seconds;
                if run.seed == 1 {
                    time.first_seed += run.seconds;
                }
            }
        }
        time
    }
}
