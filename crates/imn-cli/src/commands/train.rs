//! `imn train`: trains a model from annotated sentences, documents and word vectors.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use imn::bundle::{Model, ModelPart, Storage};
use imn::config::{Config, Override};
use imn::data;
use imn::eval::{self, Counts, Metric, Scores};
use imn::model::Phase;
use imn::render::learning_curves;
use imn::train::{Corpus, EpochRecord, Event, Fitted, finish_imn, imn_trainer};
use imn_repro::results::{ResultScores, RunResult};
use indicatif::ProgressBar;

use crate::progress::{bar, say};
use crate::threads::ThreadArgs;

const EXAMPLES: &str = "\
Examples:
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
    /// Configuration file (TOML).
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Folder that paths in the configuration are relative to.
    #[arg(long, env = "IMN_DATA", default_value = ".", value_name = "DIR")]
    data: PathBuf,
    /// Override a setting of the configuration (repeatable).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<Override>,
    /// Model to start from, a built-in name or a file. Its network, vocabulary and weights are
    /// used.
    #[arg(long, value_name = "NAME|PATH")]
    init: Option<String>,
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
        let text = fs::read_to_string(&self.config)
            .with_context(|| format!("cannot read {}", self.config.display()))?;
        let mut config =
            Config::from_toml(&text, &self.set).with_context(|| match self.set.as_slice() {
                [] => format!("in {}", self.config.display()),
                _ => format!("in {} with the overrides of --set", self.config.display()),
            })?;
        let init = self.init.as_deref().map(initial).transpose()?;
        if let Some(part) = &init {
            // The weights fit only the model's own network, so its settings replace the configured
            // ones.
            config.model = part.config::<Config>()?.model;
        }
        let set = set_name(&config);
        let out = self.out.clone().unwrap_or_else(|| {
            PathBuf::from("runs")
                .join(&config.name)
                .join(format!("{set}.seed{}", config.seed))
        });
        let mut view = View::new(self.quiet);
        if out.join("model.imn").exists() {
            let old = fs::read_to_string(out.join("config.toml")).unwrap_or_default();
            if old != config.to_toml() {
                bail!(
                    "{}: contains a finished run with other settings; remove it, or name another \
                     folder with --out",
                    out.display()
                );
            }
            view.say(&format!(
                "{}: already finished; remove the folder to train again",
                out.display()
            ));
            return Ok(ExitCode::SUCCESS);
        }
        view.say(&format!(
            "reading data and word vectors from {}",
            self.data.display()
        ));
        let lexicon = init.as_ref().map(|part| part.featurizer.lexicon());
        let vocabulary = lexicon.and_then(|lexicon| lexicon.words());
        let corpus =
            Corpus::load(&(&config).into(), &self.data, vocabulary).with_context(|| {
                format!(
                    "cannot read the data of {} in the folder {} (set --data or IMN_DATA)",
                    self.config.display(),
                    self.data.display()
                )
            })?;
        fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
        fs::write(out.join("config.toml"), config.to_toml())?;
        view.say(&describe(&corpus));
        let mut trainer = imn_trainer(&config, &self.data, corpus, init.as_ref())?
            .with_checkpoint(&out.join("checkpoint"))?;
        if let Some(folder) = &self.pretrained {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
            let pretraining = config.of_pretraining().to_toml();
            trainer = trainer.with_pretrained(folder, pretraining)?;
        }

        let log_path = out.join("events.jsonl");
        let mut log = BufWriter::new(
            File::create(&log_path)
                .with_context(|| format!("cannot write {}", log_path.display()))?,
        );
        for record in trainer.history() {
            write_record(&mut log, record)?;
        }
        let mut failed = None;
        let trained = trainer.run(&mut |event: &Event<'_>| {
            if let Event::Epoch(record) = event
                && let Err(error) = write_record(&mut log, record)
            {
                failed = Some(error);
                return false;
            }
            view.show(event);
            true
        });
        if let Some(error) = failed {
            return Err(error.context(format!("cannot write {}", log_path.display())));
        }
        self.finish(&config, &set, &out, trained?, &mut view)?;
        Ok(ExitCode::SUCCESS)
    }

    fn finish(
        &self,
        config: &Config,
        set: &str,
        out: &Path,
        fitted: Fitted,
        view: &mut View,
    ) -> anyhow::Result<()> {
        let title = format!("{} on {set}, seed {}", config.name, config.seed);
        fs::write(
            out.join("curves.svg"),
            learning_curves(&title, &fitted.history),
        )?;
        let seconds = fitted.seconds();
        let model = finish_imn(config, fitted)?;
        model.save(&out.join("model.imn"), Storage::Full)?;
        let part = model
            .only_part()
            .context("the trained model has several parts")?;
        let record = &part.record;
        let score = |name: &str| record.dev.get(name).copied().unwrap_or_default();
        view.say(&format!(
            "best epoch {} of {}: dev F1-a {:.2}, F1-I {:.2}; {:.0} s",
            record.best_epoch,
            config.train.epochs,
            score("F1-a"),
            score("F1-I"),
            seconds
        ));
        if let (Some(test), false) = (&config.data.test, self.no_test) {
            let path = self.data.join(test);
            let gold = data::read(&path)?;
            let predicted = model.annotate(&gold)?;
            let scores: Scores = eval::pair(&gold, &predicted)?
                .into_iter()
                .sum::<Counts>()
                .scores();
            let result = RunResult {
                system: config.name.clone(),
                set: set.to_owned(),
                seed: config.seed,
                scores: ResultScores::from(&scores),
                dev: record.dev.clone(),
                best_epoch: record.best_epoch,
                seconds,
                version: record.version.clone(),
                config: serde_json::to_value(config)?,
            };
            fs::write(
                out.join("result.json"),
                serde_json::to_string_pretty(&result)? + "\n",
            )?;
            if let Some(folder) = &self.results {
                result.save(folder)?;
            }
            view.say(&format!("test {}", scores_line(&scores)));
        }
        // The model is saved, so the checkpoint is not needed any more.
        fs::remove_file(out.join("checkpoint")).ok();
        view.say(&format!("wrote {}", out.join("model.imn").display()));
        Ok(())
    }
}

/// The model that training starts from.
fn initial(name_or_path: &str) -> anyhow::Result<ModelPart> {
    let model = Model::open(name_or_path)?;
    let part = model.into_only_part();
    part.with_context(|| format!("{name_or_path}: cannot start from a pipeline of several parts"))
}

fn set_name(config: &Config) -> String {
    let named = config.data.set.clone();
    named.unwrap_or_else(|| {
        let name = config.data.train.first().file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    })
}

fn write_record(log: &mut impl std::io::Write, record: &EpochRecord) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *log, record)?;
    writeln!(log)?;
    log.flush()?;
    Ok(())
}

fn describe(corpus: &Corpus) -> String {
    let report = &corpus.report;
    let mut text = format!(
        "{} training sentences, {} development sentences; {} words",
        report.train, report.dev, report.words
    );
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

fn scores_line(scores: &Scores) -> String {
    let parts = Metric::ALL.into_iter().filter_map(|metric| {
        scores
            .get(metric)
            .map(|score| format!("{} {score:.2}", metric.name()))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Progress output: a bar on a terminal, otherwise one line per epoch.
struct View {
    bar: ProgressBar,
    quiet: bool,
    best: Option<(usize, f64)>,
}

impl View {
    fn new(quiet: bool) -> Self {
        let template = "{bar:30} {pos}/{len} steps, {elapsed}, {eta} left {msg}";
        Self {
            bar: bar(quiet, template),
            quiet,
            best: None,
        }
    }

    fn say(&self, text: &str) {
        if self.quiet {
            return;
        }
        self.bar.suspend(|| say(text));
    }

    fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Started {
                done,
                epochs,
                steps,
            } => {
                self.bar.set_length(*steps as u64);
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
                let score = record.dev.as_ref().and_then(|dev| dev.get(Metric::F1I));
                if let (true, Some(score)) = (record.best, score) {
                    self.best = Some((record.epoch, score));
                }
                if self.bar.is_hidden() {
                    let dev = record.dev.as_ref().map(scores_line).unwrap_or_default();
                    let loss = record
                        .aspect_loss
                        .or(record.document_loss)
                        .unwrap_or_default();
                    let kept = if record.best { " *" } else { "" };
                    self.say(&format!(
                        "epoch {:3} {:.1} s loss {loss:.4} {dev}{kept}",
                        record.epoch, record.seconds
                    ));
                }
            }
        }
    }
}
