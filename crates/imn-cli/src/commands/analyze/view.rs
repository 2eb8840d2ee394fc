//! What `imn analyze` shows on standard error while it runs and when it ends.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::{Duration, Instant};

use imn_batch::{Event, Output, Totals};
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What is shown while it runs.
pub(super) struct View {
    pub(super) bar: ProgressBar,
    quiet: bool,
    started: Instant,
    /// What an earlier run has done, until the first chunk of this one.
    before: Totals,
    first: bool,
}

impl View {
    pub(super) fn new(quiet: bool, output: &Output) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // A bar would be drawn into the output.
        let same = *output == Output::Stdout && std::io::stdout().is_terminal();
        if quiet || same {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self {
            bar,
            quiet,
            started: Instant::now(),
            before: Totals::default(),
            first: true,
        }
    }

    pub(super) fn say(&self, text: &str) {
        if !self.quiet {
            self.complain(text);
        }
    }

    /// Says something that even the quiet must know.
    fn complain(&self, text: &str) {
        self.bar.suspend(|| {
            #[expect(clippy::print_stderr, reason = "remarks go to standard error")]
            {
                eprintln!("imn: {text}");
            }
        });
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
                if let Ok(style) = ProgressStyle::with_template(template) {
                    self.bar.set_style(style);
                }
                self.bar.set_message("0 reviews");
                self.bar.enable_steady_tick(Duration::from_millis(250));
            }
            Event::Written { bytes, totals } => {
                self.bar.set_position(*bytes);
                if std::mem::take(&mut self.first) && self.before.reviews > 0 {
                    // What is passed over is no measure of what is to come.
                    self.bar.reset_eta();
                }
                self.bar
                    .set_message(format!("{}, {}", reviews(*totals), self.rate(*totals)));
            }
            Event::BadRow { source, error } => {
                let row = match error.place.line {
                    Some(line) => format!("line {line}"),
                    None => format!("row {}", error.place.row),
                };
                self.complain(&format!("{source}, {row}: {}", error.reason));
            }
            Event::NotEnglish {
                function_words,
                language,
            } => {
                let language = match language {
                    Some(language) => format!("; it looks like {language}"),
                    None => String::new(),
                };
                self.complain(&format!(
                    "warning: this does not look English ({function_words} % of its words are the, \
                     and, was, ...{language}); the model knows English only"
                ));
            }
        }
    }

    fn rate(&self, totals: Totals) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let done = totals.reviews.saturating_sub(self.before.reviews);
        let rate = done as f64 / seconds;
        if rate < 10.0 {
            format!("{rate:.1} reviews/s")
        } else {
            format!("{} reviews/s", HumanCount(rate.round() as u64))
        }
    }

    pub(super) fn summary(&self, totals: Totals, errors: Option<&Path>) {
        let bad = match (totals.errors, errors) {
            (0, _) => "0 errors".to_owned(),
            (count, Some(path)) => format!("{} errors (in {})", HumanCount(count), path.display()),
            (count, None) => format!("{} errors", HumanCount(count)),
        };
        self.say(&format!(
            "{}, {} aspects, {bad}, {:.1} s, {}",
            reviews(totals),
            HumanCount(totals.aspects),
            self.started.elapsed().as_secs_f64(),
            self.rate(totals)
        ));
    }
}

pub(super) fn place(output: &Output) -> String {
    match output {
        Output::Stdout => "standard output".to_owned(),
        Output::File(path) => path.display().to_string(),
    }
}

pub(super) fn reviews(totals: Totals) -> String {
    match totals.reviews {
        1 => "1 review".to_owned(),
        count => format!("{} reviews", HumanCount(count)),
    }
}
