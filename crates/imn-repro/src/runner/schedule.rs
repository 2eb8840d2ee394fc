//! Parallel runs: workers take jobs from one list.
//!
//! A worker takes the first job that does not have to wait for a network that another worker is
//! training. This only keeps workers busy; it is the locks in the work folder that prevent training
//! a network twice at once. A run that fails does not stop the others.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use imn::config::Override;

use super::{Job, Progress, RunError, Runner};
use crate::registry::Composition;
use crate::results::RunResult;

/// How often an idle worker checks whether a job can start.
const PATIENCE: Duration = Duration::from_millis(500);

/// The purpose of a run.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// A result: trained with the recipe's settings and scored once on the test set.
    Result,
    /// A trial on the development split, with changed settings.
    Trial(&'a [Override]),
}

/// The number of parallel runs, and their threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workers {
    /// The number of parallel runs.
    pub count: usize,
    /// Threads per run; `None` for the program's global thread pool.
    pub threads: Option<usize>,
}

/// Observes all runs. Workers are numbered from 0.
pub trait Observer: Sync {
    /// A worker starts a run.
    fn started(&self, worker: usize, job: Job);

    /// The progress of a worker with a network of its run. Returns whether to continue; `false`
    /// stops all runs.
    fn progress(&self, worker: usize, part: &str, progress: &Progress) -> bool;

    /// A worker has finished a run.
    fn finished(&self, worker: usize, job: Job, result: &Result<RunResult, RunError>);
}

/// The runs that did not finish.
#[derive(Debug, Default)]
pub struct ScheduleReport {
    /// Runs that failed and their errors, in the order of the jobs.
    pub failed: Vec<(Job, RunError)>,
    /// Runs that were stopped or never started.
    pub stopped: Vec<Job>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Job>,
    running: Vec<Job>,
    is_stopped: bool,
    report: ScheduleReport,
}

struct Schedule<'a> {
    runner: &'a Runner,
    /// The runner of the networks that are trained, which is another one for trials.
    trains: Runner,
    purpose: Purpose<'a>,
    observer: &'a dyn Observer,
    state: Mutex<State>,
    changed: Condvar,
}

impl Runner {
    /// Does all runs, several in parallel. Runs whose result exists are skipped.
    ///
    /// # Errors
    /// If the threads cannot be started. Errors of runs are in the report.
    pub fn run_all(
        &self,
        jobs: Vec<Job>,
        purpose: Purpose<'_>,
        workers: Workers,
        observer: &dyn Observer,
    ) -> Result<ScheduleReport, RunError> {
        let order = jobs.clone();
        let schedule = Schedule {
            runner: self,
            trains: match purpose {
                Purpose::Result => self.clone(),
                Purpose::Trial(_) => self.for_trials(),
            },
            purpose,
            observer,
            state: Mutex::new(State {
                waiting: jobs,
                ..State::default()
            }),
            changed: Condvar::new(),
        };
        let pool = |_| -> Result<Option<rayon::ThreadPool>, RunError> {
            let build = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            Ok(workers.threads.map(build).transpose()?)
        };
        let pools: Result<Vec<_>, RunError> = (0..workers.count).map(pool).collect();
        let pools = pools?;
        std::thread::scope(|scope| {
            for (worker, pool) in pools.iter().enumerate() {
                let schedule = &schedule;
                scope.spawn(move || match pool {
                    Some(pool) => pool.install(|| schedule.work(worker)),
                    None => schedule.work(worker),
                });
            }
        });
        let mut state = schedule
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        state.report.stopped.append(&mut state.waiting);
        // Runs finish in any order, but the order of the report is fixed.
        let place = |(job, _): &(Job, RunError)| order.iter().position(|given| given == job);
        state.report.failed.sort_by_key(place);
        Ok(state.report)
    }

    /// Whether a run would have to wait for a network that a running job is training.
    fn must_wait(&self, job: Job, running: &[Job]) -> bool {
        let is_shared = |part: &&str| {
            let at_same_place = |other: &&Job| other.set == job.set && other.seed == job.seed;
            let others = running.iter().filter(at_same_place);
            others
                .flat_map(|other| parts(*other))
                .any(|own| own == *part)
        };
        let is_trained = |part: &str| self.model_path(part, job).exists();
        let mut shared = parts(job).into_iter().filter(is_shared);
        shared.any(|part| !is_trained(part))
    }
}

/// The networks that are trained for a run.
fn parts(job: Job) -> Vec<&'static str> {
    match job.system.composition {
        Composition::Imn { .. } | Composition::Network { .. } => vec![job.system.name],
        Composition::Pipeline {
            extractor,
            classifier,
        } => vec![extractor, classifier],
    }
}

/// A job that a worker does. It is no longer running when this is dropped, also by a panic, for
/// which the other workers would otherwise wait for ever.
struct Running<'s, 'a> {
    schedule: &'s Schedule<'a>,
    job: Job,
}

impl Drop for Running<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.schedule.state();
        state.running.retain(|running| *running != self.job);
        drop(state);
        self.schedule.changed.notify_all();
    }
}

impl Schedule<'_> {
    /// No code panics while it changes the state, so a poisoned lock still holds a valid state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, worker: usize) {
        while let Some(job) = self.take() {
            let _running = Running {
                schedule: self,
                job,
            };
            let made = matches!(self.purpose, Purpose::Result)
                && matches!(self.runner.result(job), Ok(Some(_)));
            // Another process may have done this run in the meantime.
            if !made {
                self.make(worker, job);
            }
        }
    }

    /// Takes the next job; `None` if there are none left.
    fn take(&self) -> Option<Job> {
        let mut state = self.state();
        loop {
            if state.is_stopped || state.waiting.is_empty() {
                return None;
            }
            let mut waiting = state.waiting.iter();
            let free = waiting.position(|job| !self.trains.must_wait(*job, &state.running));
            if let Some(free) = free {
                let job = state.waiting.remove(free);
                state.running.push(job);
                return Some(job);
            }
            let waited = self.changed.wait_timeout(state, PATIENCE);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn make(&self, worker: usize, job: Job) {
        self.observer.started(worker, job);
        let watch = &mut |part: &str, progress: &Progress| {
            self.observer.progress(worker, part, progress) && !self.state().is_stopped
        };
        let result = match self.purpose {
            Purpose::Result => self.runner.run(job, watch),
            Purpose::Trial(changes) => self.runner.try_on_dev(job, changes, watch),
        };
        self.observer.finished(worker, job, &result);
        let mut state = self.state();
        match result {
            Ok(_) => {}
            Err(error) if error.is_stop() => {
                state.is_stopped = true;
                state.report.stopped.push(job);
            }
            Err(error) => state.report.failed.push((job, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;
    use crate::registry::find;
    use crate::sets::PaperSet;
    use imn::bundle::Precision;

    fn job(system: &str, set: PaperSet, seed: u64) -> Job {
        Job::new(find(system).unwrap(), set, seed)
    }

    fn runner(folder: &std::path::Path) -> Runner {
        Runner {
            recipe: Recipe::Paper,
            data: folder.join("data"),
            results: folder.join("results"),
            work: folder.join("work"),
            precision: Precision::F32,
        }
    }

    #[test]
    fn a_run_waits_for_a_network_that_another_one_trains() {
        let folder = tempfile::tempdir().unwrap();
        let runner = runner(folder.path());
        let running = [job("decnn-alstm", PaperSet::Res14, 1)];
        let waits = |system: &str, set, seed| runner.must_wait(job(system, set, seed), &running);
        assert!(waits("decnn-dtrans", PaperSet::Res14, 1));
        assert!(waits("decnn", PaperSet::Res14, 1));
        assert!(waits("cmla-alstm", PaperSet::Res14, 1));
        assert!(!waits("cmla-dtrans", PaperSet::Res14, 1));
        assert!(!waits("decnn-dtrans", PaperSet::Lap14, 1));
        assert!(!waits("decnn-dtrans", PaperSet::Res14, 2));
        assert!(!waits("decnn-dtrans-wo-op", PaperSet::Res14, 1));
        assert!(!waits("imn", PaperSet::Res14, 1));
        // Several runs can use a trained network at the same time.
        let decnn = runner.model_path("decnn", running[0]);
        std::fs::create_dir_all(decnn.parent().unwrap()).unwrap();
        std::fs::write(&decnn, "").unwrap();
        assert!(!waits("decnn-dtrans", PaperSet::Res14, 1));
        assert!(waits("cmla-alstm", PaperSet::Res14, 1));
    }

    /// Records the calls.
    #[derive(Default)]
    struct Seen {
        started: Mutex<Vec<String>>,
        finished: Mutex<Vec<String>>,
    }

    impl Observer for Seen {
        fn started(&self, worker: usize, job: Job) {
            assert!(worker < 2);
            self.started.lock().unwrap().push(job.to_string());
        }

        fn progress(&self, _: usize, _: &str, _: &Progress) -> bool {
            true
        }

        fn finished(&self, _: usize, job: Job, result: &Result<RunResult, RunError>) {
            assert!(result.is_err());
            self.finished.lock().unwrap().push(job.to_string());
        }
    }

    #[test]
    fn a_failed_run_does_not_stop_the_others_and_a_finished_one_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let runner = runner(folder.path());
        let jobs: Vec<Job> = PaperSet::ALL
            .into_iter()
            .flat_map(|set| ["decnn", "pipeline", "mnn"].map(|system| job(system, set, 1)))
            .collect();
        let made = RunResult {
            system: "mnn".to_owned(),
            set: "lap14".to_owned(),
            seed: 1,
            ..RunResult::default()
        };
        made.save(&runner.results).unwrap();
        let workers = Workers {
            count: 2,
            threads: Some(1),
        };
        let seen = Seen::default();
        let report = runner
            .run_all(jobs.clone(), Purpose::Result, workers, &seen)
            .unwrap();
        // Without data, all runs fail. They are reported in the order of the jobs.
        let failed: Vec<Job> = report.failed.iter().map(|(job, _)| *job).collect();
        let not_made = jobs
            .into_iter()
            .filter(|given| *given != job("mnn", PaperSet::Lap14, 1));
        assert_eq!(failed, not_made.collect::<Vec<_>>());
        assert!(report.stopped.is_empty());
        let started = seen.started.into_inner().unwrap();
        assert_eq!(started.len(), 8);
        assert!(!started.contains(&"mnn on lap14, seed 1".to_owned()));
        assert_eq!(seen.finished.into_inner().unwrap().len(), 8);
    }
}
