//! Progress, warnings and summary of `imn analyze`, on standard error.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::{Duration, Instant};

use imn_batch::{Event, JobTotals, OutputTarget, Reason};
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget};

use crate::commands::values::counted;
use crate::progress::{say, set_template};

/// Shows the progress of a job.
pub(super) struct View {
    pub(super) bar: ProgressBar,
    quiet: bool,
    started: Instant,
    /// Totals of the earlier run that this one resumes.
    before: JobTotals,
    first: bool,
}

impl View {
    pub(super) fn new(quiet: bool, output: &OutputTarget) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // A bar would overwrite output on the same terminal.
        let shares_terminal = *output == OutputTarget::Stdout && std::io::stdout().is_terminal();
        if quiet || shares_terminal {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self {
            bar,
            quiet,
            started: Instant::now(),
            before: JobTotals::default(),
            first: true,
        }
    }

    pub(super) fn say(&self, text: &str) {
        if !self.quiet {
            self.warn(text);
        }
    }

    /// Prints a message even with --quiet.
    pub(super) fn warn(&self, text: &str) {
        self.bar.suspend(|| say(&format!("imn: {text}")));
    }

    pub(super) fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { bytes, done } => {
                self.before = *done;
                if done.reviews + done.errors > 0 {
                    self.say(&format!("resuming after {}", reviews(*done)));
                }
                let template = match bytes {
                    Some(bytes) => {
                        self.bar.set_length(*bytes);
                        "{bar:30} {bytes}/{total_bytes}, {msg}, {elapsed}, {eta} left"
                    }
                    None => "{spinner} {msg}, {elapsed}",
                };
                set_template(&self.bar, template);
                self.bar.set_message("0 reviews");
                self.bar.enable_steady_tick(Duration::from_millis(250));
            }
            Event::Written { bytes, totals } => {
                self.bar.set_position(*bytes);
                if std::mem::take(&mut self.first) && self.before.reviews > 0 {
                    // Rows of the earlier run are skipped fast and would distort the estimate.
                    self.bar.reset_eta();
                }
                self.bar
                    .set_message(format!("{}, {}", reviews(*totals), self.rate(*totals)));
            }
            Event::BadRow { source, error } => {
                let place = match error.place.line {
                    Some(line) => format!("{source}:{line}"),
                    None => format!("{source}, row {}", error.place.row),
                };
                let hint = match error.reason {
                    Reason::TooLong { .. } => " (--max-bytes)",
                    _ => "",
                };
                self.warn(&format!("{place}: {}{hint}", error.reason));
            }
            Event::NotEnglish {
                function_words,
                language,
            } => {
                let language = match language {
                    Some(language) => format!("; it looks like {language}"),
                    None => String::new(),
                };
                self.warn(&format!(
                    "warning: the text does not look like English (only {function_words} % of its \
                     words are the, and, was, ...{language}); the model was trained on English"
                ));
            }
        }
    }

    fn rate(&self, totals: JobTotals) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let done = totals.reviews.saturating_sub(self.before.reviews);
        let rate = done as f64 / seconds;
        if rate < 10.0 {
            format!("{rate:.1} reviews/s")
        } else {
            format!("{} reviews/s", HumanCount(rate.round() as u64))
        }
    }

    pub(super) fn stopped(&self, totals: JobTotals, resumable: bool, output: &OutputTarget) {
        let advice = if resumable {
            "; run the same command with --resume to continue it"
        } else {
            ""
        };
        self.say(&match output {
            OutputTarget::File(path)
                if totals.reviews == 0 && !resumable && !imn_io::output::is_device(path) =>
            {
                let kept = if path.exists() {
                    "stays as it was"
                } else {
                    "was not written"
                };
                format!(
                    "stopped before any review was done; {} {kept}",
                    path.display()
                )
            }
            _ => format!(
                "stopped after {} (written to {}){advice}",
                reviews(totals),
                place(output)
            ),
        });
    }

    pub(super) fn summary(&self, totals: JobTotals, errors: Option<&Path>) {
        let mut bad = counted(totals.errors, "error");
        if let (1.., Some(path)) = (totals.errors, errors) {
            bad += &format!(" (in {})", path.display());
        }
        self.say(&format!(
            "{}, {}, {bad}, {:.1} s, {}",
            reviews(totals),
            counted(totals.aspects, "aspect"),
            self.started.elapsed().as_secs_f64(),
            self.rate(totals)
        ));
    }
}

pub(super) fn place(output: &OutputTarget) -> String {
    match output {
        OutputTarget::Stdout => "standard output".to_owned(),
        OutputTarget::File(path) => path.display().to_string(),
    }
}

fn reviews(totals: JobTotals) -> String {
    counted(totals.reviews, "review")
}
