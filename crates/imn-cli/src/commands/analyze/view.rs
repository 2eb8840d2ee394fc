//! Progress, warnings and summary of `imn analyze`, on standard error.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::{Duration, Instant};

use imn::text::shorten;
use imn_batch::read::{ColumnNote, LooksLike};
use imn_batch::write::parquet_parts;
use imn_batch::{Event, JobTotals, OutputTarget, Reason};
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget};

use crate::commands::values::counted;
use crate::progress::{say, set_template};

/// Most characters of a column name in a message.
const LONGEST_SHOWN: usize = 60;

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
            Event::Started { bytes, done, notes } => {
                self.before = *done;
                self.column_notes(notes);
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

    /// Shows each remark once, with the first of its sources.
    fn column_notes(&self, notes: &[(&str, &ColumnNote)]) {
        for (i, (source, note)) in notes.iter().enumerate() {
            let is_same = |other: &&(&str, &ColumnNote)| other.1 == *note;
            if notes[..i].iter().any(|other| is_same(&other)) {
                continue;
            }
            let more = match notes[i + 1..].iter().filter(is_same).count() as u64 {
                0 => String::new(),
                more => format!(" (and {})", counted(more, "other input")),
            };
            match note {
                ColumnNote::OneOfSeveral { column, others } => self.say(&format!(
                    "{source}{more}: the text is read from column {}, not from {}; --column \
                     chooses another",
                    quoted(column),
                    others
                        .iter()
                        .map(|name| quoted(name))
                        .collect::<Vec<_>>()
                        .join(", "),
                )),
                // A review would be lost, so --quiet does not hide it.
                ColumnNote::LooksLikeReview { column } => self.warn(&format!(
                    "warning: {source}{more}: column {} is used as the text; if it is a review, \
                     the file has no header: use --from txt",
                    quoted(column),
                )),
            }
        }
    }

    /// Warns that standard input is read as text but looks like another format.
    pub(super) fn mistaken_for_text(&self, format: LooksLike) {
        let (name, advice) = match format {
            LooksLike::Csv => ("CSV", "use --from csv"),
            LooksLike::Tsv => ("TSV", "use --from tsv"),
            LooksLike::Jsonl => ("JSONL", "use --from jsonl"),
            LooksLike::JsonArray => (
                "a JSON array",
                "convert it with `jq -c '.[]'` and use --from jsonl",
            ),
        };
        self.warn(&format!(
            "warning: standard input looks like {name}, but every line is read as plain text; \
             {advice}"
        ));
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
            // Until a Parquet job ends, its rows are in part files.
            OutputTarget::File(path) if resumable && parquet_parts(path).is_dir() => format!(
                "stopped after {} (so far in {}); run the same command with --resume to continue \
                 it and write {}",
                reviews(totals),
                parquet_parts(path).display(),
                path.display()
            ),
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

/// A column name for a message. It may be a whole review with line breaks.
fn quoted(column: &str) -> String {
    let line = column.replace(char::is_control, " ");
    format!("`{}`", shorten(line, LONGEST_SHOWN))
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
