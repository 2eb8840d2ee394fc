//! Progress output of `imn reproduce`: one bar per worker, and the estimated time of all runs.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use imn_repro::results::{RunResult, read_results};
use imn_repro::runner::{Job, Observer, Progress, RunError};
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget};

use super::estimate::Estimate;
use crate::progress::{say, set_template};

/// Shows the progress of all runs.
pub(super) struct View {
    bars: MultiProgress,
    workers: Vec<ProgressBar>,
    /// The bar of all runs, if there are several workers.
    all: Option<ProgressBar>,
    quiet: bool,
    on_dev: bool,
    stop: Arc<AtomicBool>,
    state: Mutex<State>,
}

struct State {
    estimate: Estimate,
    total: usize,
    /// Runs that have not started.
    waiting: Vec<Job>,
    /// Their estimated duration in seconds.
    waiting_seconds: Option<f64>,
    begun: usize,
    ended: usize,
    failed: usize,
    /// The run of each worker.
    running: Vec<Option<Running>>,
}

struct Running {
    job: Option<Job>,
    title: String,
    /// The network that is being trained.
    part: String,
    /// Start of its training.
    begun: Instant,
    /// Estimated seconds until it is finished.
    left: Option<f64>,
}

impl Running {
    fn new(job: Option<Job>, title: String) -> Self {
        Self {
            job,
            title,
            part: String::new(),
            begun: Instant::now(),
            left: None,
        }
    }
}

impl View {
    /// `on_dev`: the runs are trials, whose development scores go to standard output.
    pub(super) fn new(
        quiet: bool,
        on_dev: bool,
        results: &Path,
        jobs: &[Job],
        workers: usize,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let target = match quiet {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bars = MultiProgress::with_draw_target(target);
        let bar = || {
            let bar = bars.add(ProgressBar::new(0));
            set_template(&bar, "{bar:24} {percent:>3} % {msg}");
            bar
        };
        Self {
            workers: (0..workers).map(|_| bar()).collect(),
            all: (workers > 1).then(bar),
            bars,
            quiet,
            on_dev,
            stop,
            state: Mutex::new(State {
                estimate: Estimate::new(&read_results(results).unwrap_or_default()),
                total: jobs.len(),
                waiting: jobs.to_vec(),
                waiting_seconds: None,
                begun: 0,
                ended: 0,
                failed: 0,
                running: (0..workers).map(|_| None).collect(),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows work that is not a run.
    pub(super) fn begin(&self, title: &str) {
        if let Some(running) = self.state().running.first_mut() {
            *running = Some(Running::new(None, title.to_owned()));
        }
    }

    /// Removes all bars.
    pub(super) fn clear(&self) {
        for bar in self.workers.iter().chain(&self.all) {
            bar.finish_and_clear();
        }
    }

    fn show_all(&self, state: &State) {
        if let Some(bar) = &self.all {
            bar.set_length(state.total as u64);
            bar.set_position(state.ended as u64);
            let failed = match state.failed {
                0 => String::new(),
                failed => format!(", {failed} failed"),
            };
            let left = state.seconds_left(self.workers.len());
            let left = left.map_or_else(String::new, |left| format!("; {} left", time(left)));
            let (ended, total) = (state.ended, state.total);
            bar.set_message(format!("{ended} of {total} runs{failed}{left}"));
        }
    }
}

impl State {
    /// Estimates the duration of the runs that have not started. Called once per run, because every
    /// step shows the sum.
    fn estimate_waiting(&mut self) {
        let seconds = self.waiting.iter().map(|&job| self.estimate.seconds(job));
        self.waiting_seconds = seconds.sum();
    }

    /// Estimated seconds until all runs are finished.
    fn seconds_left(&self, workers: usize) -> Option<f64> {
        let running: Option<f64> = self
            .running
            .iter()
            .flatten()
            .map(|running| running.left.or_else(|| self.estimate.seconds(running.job?)))
            .sum();
        Some((self.waiting_seconds? + running?) / workers as f64)
    }
}

fn time(seconds: f64) -> HumanDuration {
    HumanDuration(Duration::from_secs_f64(seconds.max(0.0)))
}

impl Observer for View {
    fn started(&self, worker: usize, job: Job) {
        let mut state = self.state();
        state.waiting.retain(|waiting| *waiting != job);
        state.estimate_waiting();
        state.begun += 1;
        let title = format!("run {} of {}: {job}", state.begun, state.total);
        if let Some(bar) = self.workers.get(worker) {
            bar.set_length(0);
            bar.set_position(0);
            bar.set_message(format!("{title}: reading"));
        }
        if let Some(running) = state.running.get_mut(worker) {
            *running = Some(Running::new(Some(job), title));
        }
        self.show_all(&state);
    }

    fn progress(&self, worker: usize, part: &str, progress: &Progress) -> bool {
        let go_on = !self.stop.load(Ordering::Relaxed);
        let mut state = self.state();
        let (Some(bar), Some(Some(running))) =
            (self.workers.get(worker), state.running.get_mut(worker))
        else {
            return go_on;
        };
        if progress.steps == 0 {
            bar.set_message(format!("{}: waiting for {part}", running.title));
            return go_on;
        }
        if running.part != part {
            // The remaining time depends on the steps of this part only, not on reading data or on
            // earlier parts.
            part.clone_into(&mut running.part);
            running.begun = Instant::now();
        }
        let done = progress.step.max(1) as f64;
        let left = running.begun.elapsed().as_secs_f64() * (progress.steps as f64 - done) / done;
        running.left = Some(left);
        let best = progress
            .best
            .map_or_else(String::new, |best| format!(", best on dev {best:.2}"));
        let is_whole = running.job.is_some_and(|job| job.system.name == part);
        let part = match is_whole {
            true => String::new(),
            false => format!(" ({part})"),
        };
        let message = format!("{}{part}{best}; {} left", running.title, time(left));
        let all = match (&self.all, state.seconds_left(1)) {
            (None, Some(all)) => format!(", {} for all runs", time(all)),
            _ => String::new(),
        };
        bar.set_length(progress.steps as u64);
        bar.set_position(progress.step as u64);
        bar.set_message(format!("{message}{all}"));
        self.show_all(&state);
        go_on
    }

    fn finished(&self, worker: usize, _: Job, result: &Result<RunResult, RunError>) {
        let mut state = self.state();
        let running = state.running.get_mut(worker).and_then(Option::take);
        let title = running.map(|running| running.title).unwrap_or_default();
        state.ended += 1;
        match result {
            Ok(result) => {
                state.estimate.learn(result);
                state.estimate_waiting();
                let line = format!(
                    "{title}: {} (epoch {}, {:.0} s)",
                    scores(result, self.on_dev),
                    result.best_epoch,
                    result.seconds
                );
                self.bars.suspend(|| {
                    if self.on_dev {
                        // A closed pipe must not stop the runs.
                        writeln!(io::stdout(), "{line}").ok();
                    } else if !self.quiet {
                        say(&line);
                    }
                });
            }
            Err(error) if error.is_stop() => state.ended -= 1,
            Err(error) => {
                state.failed += 1;
                self.bars
                    .suspend(|| say(&format!("{title}: failed: {error}")));
            }
        }
        self.show_all(&state);
    }
}

/// The scores of a run: all of the development split, or the three main ones of the test set.
fn scores(result: &RunResult, on_dev: bool) -> String {
    if on_dev {
        let scores = result.dev.iter();
        let scores: Vec<String> = scores
            .map(|(name, score)| format!("{name} {score:.2}"))
            .collect();
        return format!("on dev {}", scores.join(", "));
    }
    let percent =
        |score: Option<f64>| score.map_or("–".to_owned(), |score| format!("{score:.2}"));
    let scores = &result.scores;
    format!(
        "F1-a {:.2}, acc-s {}, F1-I {}",
        scores.f1_a,
        percent(scores.acc_s),
        percent(scores.f1_i)
    )
}
