//! The progress of a run.

use imn::eval::Metric;
use imn::train::Event;

/// The progress of training.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Steps done.
    pub step: usize,
    /// Total steps; 0 while the run waits or reads its data.
    pub steps: usize,
    /// The best score on the development split so far.
    pub best: Option<f64>,
}

impl Progress {
    /// Updates the progress with an event of the trainer; `metric` selects the best epoch.
    pub(super) fn see(&mut self, event: &Event<'_>, metric: Metric) {
        match event {
            Event::Started { steps, .. } => self.steps = *steps,
            Event::Step { .. } => self.step += 1,
            Event::Epoch(record) if record.best => {
                self.best = record.dev.and_then(|dev| dev.get(metric));
            }
            Event::Epoch(_) => {}
        }
    }
}
