//! The identity of a run: one system on one set with one seed.

use std::fmt;

use crate::registry::SystemEntry;
use crate::sets::PaperSet;

/// One run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Job {
    /// The system.
    pub system: &'static SystemEntry,
    /// The set.
    pub set: PaperSet,
    /// The seed.
    pub seed: u64,
}

impl Job {
    /// A run of a system on a set.
    #[must_use]
    pub const fn new(system: &'static SystemEntry, set: PaperSet, seed: u64) -> Self {
        Self { system, set, seed }
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (system, set, seed) = (self.system.name, self.set.name(), self.seed);
        write!(f, "{system} on {set}, seed {seed}")
    }
}
