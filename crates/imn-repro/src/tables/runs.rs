//! Results grouped by system and set.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use imn::eval::Metric;

use crate::results::RunResult;

/// The runs that fill the tables. Of several results with the same system, set and seed, only the
/// first counts.
#[derive(Debug, Clone, Default)]
pub struct Runs<'a> {
    groups: BTreeMap<(&'a str, &'a str), BTreeMap<u64, &'a RunResult>>,
    repeated: usize,
}

impl<'a> Runs<'a> {
    /// Groups results.
    #[must_use]
    pub fn new(results: &'a [RunResult]) -> Self {
        let mut runs = Self::default();
        for result in results {
            let group = runs
                .groups
                .entry((&result.system, &result.set))
                .or_default();
            match group.entry(result.seed) {
                Entry::Vacant(place) => {
                    place.insert(result);
                }
                Entry::Occupied(_) => runs.repeated += 1,
            }
        }
        runs
    }

    /// The systems and sets that have runs, in alphabetical order.
    pub fn groups(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.groups.keys().copied()
    }

    /// The runs of a system on a set, by seed.
    #[must_use]
    pub fn of(&self, system: &str, set: &str) -> Vec<&'a RunResult> {
        let group = self.groups.get(&(system, set));
        group.map_or_else(Vec::new, |group| group.values().copied().collect())
    }

    /// The scores of a system on a set, by seed.
    #[must_use]
    pub fn scores(&self, system: &str, set: &str, metric: Metric) -> Vec<f64> {
        let runs = self.of(system, set).into_iter();
        runs.filter_map(|run| run.scores.get(metric)).collect()
    }

    /// The difference between the scores of two systems on a set, for every seed that both have.
    #[must_use]
    pub fn differences(
        &self,
        better: &str,
        worse: &str,
        set: &str,
        metric: Metric,
    ) -> BTreeMap<u64, f64> {
        let scores = |system: &str| -> BTreeMap<u64, f64> {
            let runs = self.of(system, set).into_iter();
            runs.filter_map(|run| Some((run.seed, run.scores.get(metric)?)))
                .collect()
        };
        let worse = scores(worse);
        let pairs = scores(better).into_iter();
        pairs
            .filter_map(|(seed, score)| Some((seed, score - worse.get(&seed)?)))
            .collect()
    }

    /// The number of results that were left out because an earlier one is of the same run.
    #[must_use]
    pub const fn repeated(&self) -> usize {
        self.repeated
    }
}
