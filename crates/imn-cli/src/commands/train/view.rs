//! Progress output of `imn train`.

use imn::eval::{Metric, Scores};
use imn::model::Phase;
use imn::train::{DocumentAccuracy, Event};
use indicatif::ProgressBar;

use crate::progress::{bar, say};

/// Progress output: a bar on a terminal, otherwise one line per epoch.
pub(super) struct View {
    bar: ProgressBar,
    quiet: bool,
    best: Option<(usize, f64)>,
    /// How many sentences the teacher has labelled.
    labelled: usize,
    /// Finished epochs and all epochs, with pre-training; `None` before the first.
    epochs: Option<(usize, usize)>,
}

impl View {
    pub(super) fn new(quiet: bool) -> Self {
        let template = "{bar:30} {pos}/{len} steps, {elapsed}, {eta} left {msg}";
        Self {
            bar: bar(quiet, template),
            quiet,
            best: None,
            labelled: 0,
            epochs: None,
        }
    }

    pub(super) fn say(&self, text: &str) {
        if self.quiet {
            return;
        }
        self.bar.suspend(|| say(text));
    }

    /// What a run says that was stopped by Ctrl-C.
    pub(super) fn stopped(&self) -> String {
        let after = match self.epochs {
            None => "stopped before the first epoch".to_owned(),
            Some((0, _)) => "stopped during the first epoch".to_owned(),
            Some((done, all)) => format!("stopped after epoch {done} of {all}"),
        };
        match self.epochs {
            Some((1.., _)) => format!("{after}; run the same command to continue"),
            _ => format!("{after}; the same command starts again"),
        }
    }

    /// The progress of the teacher.
    pub(super) fn labelled(&mut self, done: usize, all: usize) {
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message("| the teacher labels sentences");
        let tenth = |count: usize| count * 10 / all.max(1);
        if self.bar.is_hidden() && (done == all || tenth(done) > tenth(self.labelled)) {
            self.say(&format!(
                "the teacher has labelled {done} of {all} sentences"
            ));
        }
        self.labelled = done;
        if done == all {
            self.bar.set_position(0);
        }
    }

    pub(super) fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Started {
                done,
                epochs,
                steps,
            } => {
                self.bar.set_length(*steps as u64);
                self.epochs = Some((*done, *epochs));
                if *done > 0 {
                    self.say(&format!("resuming after epoch {done} of {epochs}"));
                }
            }
            Event::Step {
                phase, epoch, loss, ..
            } => {
                self.bar.inc(1);
                let phase = match phase {
                    Phase::Pretraining => "pre-training",
                    Phase::Training => "training",
                };
                let best = self.best.map_or_else(String::new, |(epoch, score)| {
                    format!(", best dev F1-I {score:.2} in epoch {epoch}")
                });
                self.bar
                    .set_message(format!("| {phase} epoch {epoch}, loss {loss:.3}{best}"));
            }
            Event::Epoch(record) => {
                if let Some((done, _)) = &mut self.epochs {
                    *done += 1;
                }
                let score = record.dev.as_ref().and_then(|dev| dev.get(Metric::F1I));
                if let (true, Some(score)) = (record.best, score) {
                    self.best = Some((record.epoch, score));
                }
                if self.bar.is_hidden() {
                    let dev = record.dev.as_ref().map(scores_line);
                    let documents = record.documents.map(documents_line);
                    let scores: Vec<String> = dev.into_iter().chain(documents).collect();
                    let scores = scores.join(", ");
                    let loss = record
                        .aspect_loss
                        .or(record.document_loss)
                        .unwrap_or_default();
                    let kept = if record.best { " *" } else { "" };
                    self.say(&format!(
                        "epoch {:3} {:.1} s loss {loss:.4} {scores}{kept}",
                        record.epoch, record.seconds
                    ));
                }
            }
        }
    }
}

/// The scores with their names, in one line.
pub(super) fn scores_line(scores: &Scores) -> String {
    let parts = Metric::ALL.into_iter().filter_map(|metric| {
        scores
            .get(metric)
            .map(|score| format!("{} {score:.2}", metric.name()))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// The accuracies on held-out documents with their names, in one line.
fn documents_line(documents: DocumentAccuracy) -> String {
    let tasks = [("DS", documents.sentiment), ("DD", documents.domain)];
    let parts = tasks
        .into_iter()
        .filter_map(|(name, accuracy)| Some(format!("{name} {:.2}", accuracy?)));
    parts.collect::<Vec<_>>().join(", ")
}
