//! `imn analyze`: reviews in, aspects, opinions and sentiments out.

mod arguments;
mod settings;
mod view;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, ensure};
use imn_batch::read::{Input, ReadSettings};
use imn_batch::write::{OutputFormat, WriteSettings};
use imn_batch::{IfExists, Job, Outcome, Output};

pub use arguments::Analyze;
use view::{View, place, reviews};

impl Analyze {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let sources = self.sources()?;
        let output = match &self.out {
            Some(path) if !imn::data::is_standard_stream(path) => Output::File(path.clone()),
            _ => Output::Stdout,
        };
        let write = WriteSettings {
            format: self.output_format(&output)?,
            per: self.per.into(),
            unit: self.offsets.into(),
            color: self.colors(&output),
        };
        ensure!(
            write.format != OutputFormat::Parquet || output != Output::Stdout,
            "Parquet can only be written to a file; name one with --out"
        );
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build_global()
                .context("setting the number of threads")?;
        }
        ensure!(
            !self.explain || !matches!(write.format, OutputFormat::Csv | OutputFormat::Parquet),
            "explanations do not fit into a table; use --to pretty, json, jsonl or html with --explain"
        );
        let (analyzer, model) = self.model.open_identified()?;
        let only_texts = sources
            .iter()
            .all(|source| matches!(source.input, Input::Texts(_)));
        let errors = self.errors.clone().or_else(|| match &output {
            Output::File(path) => Some(beside(path, ".errors.jsonl")),
            Output::Stdout => None,
        });
        ensure!(
            errors.is_none() || errors != self.out,
            "errors and analyses cannot go to the same file"
        );
        let job = Job {
            analyzer: &analyzer,
            model,
            sources,
            read: ReadSettings {
                column: self.column.clone(),
                id: self.id.clone(),
                max_bytes: self.max_bytes,
            },
            write,
            min_confidence: self.min_confidence,
            explain: self.explain,
            output,
            errors,
            if_exists: match (self.resume, self.force) {
                (true, _) => IfExists::Resume,
                (_, true) => IfExists::Overwrite,
                _ => IfExists::Refuse,
            },
        };
        let stop = stop_on_signals()?;
        let mut view = View::new(self.quiet, &job.output);
        let ended = job.run(&stop, &mut |event| view.show(&event))?;
        view.bar.finish_and_clear();
        Ok(match ended {
            Outcome::FinishedBefore => {
                view.say(&format!(
                    "{} is finished already; use --force to do it again",
                    place(&job.output)
                ));
                ExitCode::SUCCESS
            }
            Outcome::Stopped { totals, resumable } => {
                let onwards = if resumable {
                    "; run the same command with --resume to continue"
                } else {
                    ""
                };
                view.say(&format!(
                    "stopped after {} (in {}){onwards}",
                    reviews(totals),
                    place(&job.output)
                ));
                ExitCode::from(130)
            }
            Outcome::Finished(totals) => {
                if !only_texts || totals.errors > 0 {
                    view.summary(totals, job.errors.as_deref());
                }
                ExitCode::from(u8::from(totals.errors > 0))
            }
        })
    }
}

/// A flag that Ctrl-C sets; a second one ends the program at once, and the journal still holds.
fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("listening to Ctrl-C")?;
    Ok(stop)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
