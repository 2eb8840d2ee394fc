//! `imn train`: trains a model from annotated sentences, documents and word vectors, or adapts a
//! trained model to annotated sentences.

mod view;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::{bail, ensure};
use imn::bundle::TrainingRecord;
use imn::config::Override;
use imn::train::{Corpus, TrainError};
use imn_repro::training::{
    RunEnd, TrainingEvent, TrainingRun, TrainingRunError, adapted, default_folder, read_config,
};

use self::view::{View, scores_line};
use crate::interrupt::stop_on_interrupt;
use crate::progress::say;
use crate::threads::ThreadArgs;

const EXAMPLES: &str = "\
Examples:
  imn train --init reviews --data examples/bikes/train.jsonl --out runs/bikes
  imn train --config examples/bikes/bikes.toml --data examples/bikes
  imn train --config configs/paper/imn-no-docs.res14.toml --data DIR
  imn train --config mine.toml --set seed=2 --set train.epochs=40
  imn train --config mine.toml --init runs/mine/train.seed1/model.imn --out runs/more

The output folder gets model.imn (the best epoch on the development split), events.jsonl (one \
epoch per line), curves.svg, config.toml (all settings) and, if the configuration names a test \
set, result.json. The same command resumes a stopped run after its last finished epoch and \
produces the same weights. Settings: docs/training.md.";

/// Train a model on annotated sentences.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Train {
    /// Configuration file (TOML). Without it, the model of --init is adapted to the labelled
    /// sentences of --data.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder that paths in the configuration are relative to; without --config, a file or
    /// four-file folder of labelled sentences, in any format that `imn check` reads.
    #[arg(long, env = "IMN_DATA", default_value = ".", value_name = "DIR|FILE")]
    data: PathBuf,
    /// Override a setting of the configuration (repeatable).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<Override>,
    /// Model to start from, a built-in name or a file. Its network, vocabulary and weights are
    /// used.
    #[arg(long, value_name = "NAME|PATH")]
    init: Option<String>,
    /// Annotation scheme of the sentences, without --config [default: the model's first].
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    scheme: Option<String>,
    /// Output folder [default: runs/NAME/SET.seedN].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder to also save the result in, for `imn reproduce tables --results`.
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Cache of pre-trained networks: one with the same settings is reused, a new one is saved.
    #[arg(long, value_name = "DIR")]
    pretrained: Option<PathBuf>,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Do not evaluate on the test set, even if the configuration names one.
    #[arg(long)]
    no_test: bool,
    /// No progress output.
    #[arg(long)]
    quiet: bool,
}

impl Train {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.threads.apply()?;
        let read_from = self.data.display().to_string();
        let (config, data, init) = match (&self.config, &self.init) {
            (None, None) => bail!(
                "nothing to train: name a configuration (--config FILE), or a model and a file of \
                 labelled sentences to adapt it to (--init reviews --data FILE)"
            ),
            (Some(path), name) => {
                let config = read_config(path, &self.set, name.as_deref())?;
                (config, self.data, None)
            }
            (None, Some(name)) => {
                ensure!(
                    self.data != Path::new("."),
                    "--init without --config adapts the model to a file of labelled sentences; \
                     name it with --data FILE"
                );
                let scheme = self.scheme.as_deref();
                let (config, folder, part) = adapted(name, &self.data, scheme, &self.set)?;
                (config, folder, Some(part))
            }
        };
        let out = self.out.unwrap_or_else(|| default_folder(&config));
        let mut view = View::new(self.quiet);
        let epochs = config.train.epochs;
        let run = TrainingRun {
            config_name: self.config.map(|path| path.display().to_string()),
            config,
            data,
            init,
            out: out.clone(),
            results: self.results,
            pretrained: self.pretrained,
            test: !self.no_test,
        };
        let model = run.model();
        let stop = stop_on_interrupt()?;
        let mut before = None;
        let end = run.run(&mut |progress| {
            match progress {
                TrainingEvent::Reading => view.say(&format!("reading data from {read_from}")),
                TrainingEvent::Read(corpus) => view.say(&describe(corpus)),
                TrainingEvent::Labelled(done, all) => view.labelled(done, all),
                TrainingEvent::Before(scores) => {
                    view.say(&format!("before training: dev {}", scores_line(&scores)));
                    before = scores.integrated.map(|scores| scores.f1);
                }
                TrainingEvent::Training(event) => view.show(event),
                TrainingEvent::Saved(record, seconds) => {
                    view.say(&best_epoch(record, epochs, seconds));
                    let after = record.dev.get("F1-I").copied();
                    if let (Some(before), Some(after)) = (before, after)
                        && after <= before
                    {
                        say(&no_gain(before, record.corpus.dev));
                    }
                }
                TrainingEvent::Tested(scores) => view.say(&format!("test {}", scores_line(scores))),
            }
            !stop.load(Ordering::Relaxed)
        });
        if let Err(TrainingRunError::Train(TrainError::Stopped)) = end {
            view.say(&view.stopped());
            return Ok(ExitCode::from(130));
        }
        view.say(&match end? {
            RunEnd::Finished => format!("wrote {}", model.display()),
            RunEnd::FinishedBefore => format!(
                "{}: already finished; remove the folder to train again",
                out.display()
            ),
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn best_epoch(record: &TrainingRecord, epochs: usize, seconds: f64) -> String {
    let score = |name: &str| record.dev.get(name).copied().unwrap_or_default();
    format!(
        "best epoch {} of {epochs}: dev F1-a {:.2}, F1-I {:.2}; {seconds:.0} s",
        record.best_epoch,
        score("F1-a"),
        score("F1-I"),
    )
}

/// The warning that no epoch was better than the model that training started from.
fn no_gain(before: f64, sentences: usize) -> String {
    format!(
        "warning: no epoch has a higher F1-I on the {sentences} development sentences than before \
         training ({before:.2}), so the new model may be worse than the one it started from; \
         compare both on sentences that neither was trained on, or label more sentences"
    )
}

fn describe(corpus: &Corpus) -> String {
    let report = &corpus.report;
    let mut text = format!(
        "{} training sentences, {} development sentences",
        report.train, report.dev
    );
    if report.left_out > 0 {
        text += &format!(" ({} left out)", report.left_out);
    }
    text += &format!("; {} words", report.words);
    if report.sentiment_documents > 0 {
        text += &format!(
            "; {} documents for sentiment, {} for domain",
            report.sentiment_documents, report.domain_documents
        );
    }
    if report.bad_documents > 0 {
        text += &format!(" ({} malformed rows skipped)", report.bad_documents);
    }
    for (name, hits) in &report.vectors {
        text += &format!(", {hits} of them in {name}");
    }
    text
}
