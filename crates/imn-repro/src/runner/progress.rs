//! How far a run is.

use imn::eval::Metric;
use imn::train::Event;

/// How far training is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Steps done.
    pub step: usize,
    /// Steps in all; 0 while the run waits or reads its data.
    pub steps: usize,
    /// The best score on the development split so far.
    pub best: Option<f64>,
}

impl Progress {
    /// Takes an event of the trainer in; `metric` chooses the epoch.
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
