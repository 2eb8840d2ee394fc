//! `imn analyze`: finds aspects, opinions and sentiments in reviews.

mod arguments;
mod settings;
mod view;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::ensure;
use imn_batch::read::{Input, ReadSettings};
use imn_batch::write::{OutputFormat, WriteSettings};
use imn_batch::{IfExists, Job, Outcome, OutputTarget};

use crate::interrupt::stop_on_interrupt;

pub use arguments::Analyze;
use view::{View, place};

impl Analyze {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let sources = self.sources()?;
        let output = match &self.out {
            Some(path) if !imn::data::is_standard_stream(path) => OutputTarget::File(path.clone()),
            _ => OutputTarget::Stdout,
        };
        let write = WriteSettings {
            format: self.output_format(&output)?,
            per: self.per,
            unit: self.offsets,
            color: self.colors(&output),
        };
        ensure!(
            write.format != OutputFormat::Parquet || output != OutputTarget::Stdout,
            "Parquet can only be written to a file; name one with --out"
        );
        self.threads.apply()?;
        ensure!(
            !self.explain || !matches!(write.format, OutputFormat::Csv | OutputFormat::Parquet),
            "--explain needs --to pretty, json, jsonl or html: tables cannot hold explanations"
        );
        let (analyzer, model) = self.model.open_identified()?;
        let only_texts = sources
            .iter()
            .all(|source| matches!(source.input, Input::Texts(_)));
        let errors = self.errors.clone().or_else(|| match &output {
            OutputTarget::File(path) => Some(with_suffix(path, ".errors.jsonl")),
            OutputTarget::Stdout => None,
        });
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
        let mut view = View::new(self.quiet, &job.output);
        if let Some(format) = self.mistaken_for_text(&job.sources) {
            view.mistaken_for_text(format);
        }
        let stop = stop_on_interrupt()?;
        let ended = job.run(&stop, &mut |event| view.show(&event))?;
        view.bar.finish_and_clear();
        Ok(match ended {
            Outcome::FinishedBefore(_) => {
                view.say(&format!(
                    "{}: already finished; use --force to analyse again",
                    place(&job.output)
                ));
                ExitCode::SUCCESS
            }
            Outcome::Stopped { totals, resumable } => {
                view.stopped(totals, resumable, &job.output);
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

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
