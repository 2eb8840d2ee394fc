//! Estimated duration of a run, from earlier runs.

use imn_repro::results::RunResult;
use imn_repro::runner::Job;

/// Durations of earlier runs.
#[derive(Debug, Default)]
pub(super) struct Estimate {
    /// System, set, seconds.
    known: Vec<(String, String, f64)>,
}

impl Estimate {
    pub(super) fn new(results: &[RunResult]) -> Self {
        let mut estimate = Self::default();
        for result in results {
            estimate.learn(result);
        }
        estimate
    }

    pub(super) fn learn(&mut self, result: &RunResult) {
        let (system, set) = (result.system.clone(), result.set.clone());
        self.known.push((system, set, result.seconds));
    }

    /// The mean duration of earlier runs of the same system and set, otherwise of the same system,
    /// otherwise of all systems.
    pub(super) fn seconds(&self, job: Job) -> Option<f64> {
        let (system, set) = (job.system.name, job.set.name());
        self.mean(|known| known.0 == system && known.1 == set)
            .or_else(|| self.mean(|known| known.0 == system))
            .or_else(|| self.mean(|_| true))
    }

    fn mean(&self, keep: impl Fn(&(String, String, f64)) -> bool) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0);
        for known in self.known.iter().filter(|known| keep(known)) {
            sum += known.2;
            count += 1;
        }
        (count > 0).then(|| sum / f64::from(count))
    }
}

#[cfg(test)]
mod tests {
    use imn_repro::registry::find;
    use imn_repro::sets::PaperSet;

    use super::*;

    #[test]
    fn the_nearest_runs_tell_the_time() {
        let run = |system: &str, set: &str, seconds| RunResult {
            system: system.to_owned(),
            set: set.to_owned(),
            seconds,
            ..RunResult::default()
        };
        let seconds = |estimate: &Estimate, system: &str, set| {
            estimate.seconds(Job::new(find(system).unwrap(), set, 1))
        };
        let mut estimate = Estimate::new(&[run("mnn", "res14", 10.0), run("mnn", "res14", 30.0)]);
        assert_eq!(seconds(&estimate, "mnn", PaperSet::Res14), Some(20.0));
        assert_eq!(seconds(&estimate, "imn", PaperSet::Res14), Some(20.0));
        estimate.learn(&run("mnn", "lap14", 80.0));
        assert_eq!(seconds(&estimate, "mnn", PaperSet::Res14), Some(20.0));
        assert_eq!(seconds(&estimate, "mnn", PaperSet::Res15), Some(40.0));
        assert_eq!(seconds(&Estimate::default(), "imn", PaperSet::Res14), None);
    }
}
