//! `imn analyze`: reviews in, aspects, opinions and sentiments out.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use imn_batch::read::{Format, Input, ReadSettings, Source};
use imn_batch::write::{OutputFormat, Per, WriteSettings};
use imn_batch::{Ended, Event, Job, Output, Start, Totals};
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::model::ModelArgs;
use super::values::{self, Unit};

const EXAMPLES: &str = "\
Examples:
  imn analyze \"The ramen was wonderful, but our waiter ignored us.\"
  imn analyze reviews.csv --out aspects.csv
  imn analyze reviews.parquet --column review_body --out analysed.parquet
  imn analyze 2023.jsonl.gz 2024.jsonl.zst --out all.jsonl.zst --resume
  imn analyze --explain \"The potato balls were not dry at all\"
  imn analyze --whole letters/*.txt --out letters.html
  zcat reviews.csv.gz | imn analyze --from csv | jq -c '.aspects[]'

An INPUT that is a file is read; - is standard input, which is read too where nothing is named; everything else is a text. A row that cannot be
read goes to the file of errors, and the job goes on. A job that was stopped or killed goes on with --resume, if files are read and JSONL, CSV or
Parquet is written. Exit codes: 0 all rows done, 1 some rows could not be read, 2 could not be done, 130 stopped by Ctrl-C. Forms: docs/analyze.md.";

/// Find aspects, opinions and sentiments in reviews: one sentence or millions.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Analyze {
    /// Texts, files (txt, csv, tsv, jsonl, parquet; also gzip and zstd), or - for standard input.
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    /// A text, whatever it looks like; may be given again.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    text: Vec<String>,
    /// The form of standard input (lines of text where not said) and of files (told by their names where not said).
    #[arg(long, value_enum, value_name = "FORM")]
    from: Option<InputForm>,
    /// A text file is one review, not one a line.
    #[arg(long)]
    whole: bool,
    /// The column, or JSON key, with the text; found by its name (text, review, content, body, ...) where not said.
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// The column, or JSON key, with ids; `id` where there is one.
    #[arg(long, value_name = "NAME")]
    id: Option<String>,
    #[command(flatten)]
    model: ModelArgs,
    /// The form of the output; told by the name of --out. Without either: pretty on a terminal, jsonl elsewhere.
    #[arg(long, value_enum, value_name = "FORM")]
    to: Option<OutputForm>,
    /// The output file (.jsonl, .csv, .parquet, .json, .html, .txt; also .gz and .zst); standard output where not said.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What a row of CSV is.
    #[arg(long, value_enum, default_value_t = RowOf::Aspect)]
    per: RowOf,
    /// Add what the network thought of every word, round by round (pretty, json, jsonl, html).
    #[arg(long)]
    explain: bool,
    /// What offsets count.
    #[arg(long, value_enum, default_value_t = Unit::Bytes)]
    offsets: Unit,
    /// Leave out aspects and opinions that are less sure than this, 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share)]
    min_confidence: f32,
    /// The most bytes that a row may have; longer ones are errors.
    #[arg(long, value_name = "N", default_value_t = 1 << 20)]
    max_bytes: usize,
    /// Where rows go that cannot be read; OUT.errors.jsonl, or standard error where there is no OUT.
    #[arg(long, value_name = "FILE")]
    errors: Option<PathBuf>,
    /// Go on with a job that was stopped or killed; begins it where there is none.
    #[arg(long, requires = "out", conflicts_with = "force")]
    resume: bool,
    /// Write the output anew if it is there.
    #[arg(long)]
    force: bool,
    /// Threads; all cores where not said. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,
    /// Colours in the pretty form.
    #[arg(long, value_enum, default_value_t = clap::ColorChoice::Auto, value_name = "WHEN")]
    color: clap::ColorChoice,
    /// No progress bar and no summary; the bar is left out anyway where standard error is not a terminal.
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum InputForm {
    /// A review a line.
    Txt,
    /// Commas between columns, names in the first row.
    Csv,
    /// Tabs between columns, names in the first row, no quoting.
    Tsv,
    /// A JSON object a line.
    Jsonl,
    /// Apache Parquet (files only).
    Parquet,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum OutputForm {
    /// For people: texts with their aspects in colours.
    Pretty,
    /// One indented array.
    Json,
    /// An object a line.
    Jsonl,
    /// A row an aspect, or a review (--per).
    Csv,
    /// A row a review (files only).
    Parquet,
    /// A page with highlighted terms.
    Html,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum RowOf {
    /// An aspect; a review without aspects has one too.
    Aspect,
    /// A review, with JSON in two columns.
    Review,
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a number from 0 to 1".to_owned()),
    }
}

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
            per: match self.per {
                RowOf::Aspect => Per::Aspect,
                RowOf::Review => Per::Review,
            },
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
        let (analyzer, model) = (self.model.open()?, self.model.identity()?);
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
            start: match (self.resume, self.force) {
                (true, _) => Start::Resume,
                (_, true) => Start::Force,
                _ => Start::New,
            },
        };
        let stop = stop_on_signals()?;
        let mut view = View::new(self.quiet, &job.output);
        let ended = job.run(&stop, &mut |event| view.show(&event))?;
        view.bar.finish_and_clear();
        Ok(match ended {
            Ended::FinishedBefore => {
                view.say(&format!(
                    "{} is finished already; --force does it again",
                    place(&job.output)
                ));
                ExitCode::SUCCESS
            }
            Ended::Stopped { totals, resumable } => {
                let onwards = if resumable {
                    "; the same command with --resume goes on"
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
            Ended::Finished(totals) => {
                if !only_texts || totals.errors > 0 {
                    view.summary(totals, job.errors.as_deref());
                }
                ExitCode::from(u8::from(totals.errors > 0))
            }
        })
    }

    /// What is to be read.
    fn sources(&self) -> anyhow::Result<Vec<Source>> {
        let mut sources = Vec::new();
        let mut texts = Vec::new();
        let add_texts = |texts: &mut Vec<String>, sources: &mut Vec<Source>| {
            if !texts.is_empty() {
                sources.push(Source {
                    input: Input::Texts(std::mem::take(texts)),
                    format: Format::Txt,
                });
            }
        };
        for input in &self.inputs {
            let path = Path::new(input);
            if imn::data::is_standard_stream(path) {
                add_texts(&mut texts, &mut sources);
                sources.push(self.stdin());
            } else if path.exists() {
                add_texts(&mut texts, &mut sources);
                sources.push(self.file(path)?);
            } else if !input.contains(char::is_whitespace) && Format::of_name(path).is_some() {
                bail!("{input}: no such file (a text that looks like one is given with --text)");
            } else {
                texts.push(input.clone());
            }
        }
        texts.extend(self.text.iter().cloned());
        add_texts(&mut texts, &mut sources);
        if sources.is_empty() {
            ensure!(
                !std::io::stdin().is_terminal(),
                "nothing to analyse: give a text, a file, or pipe something in"
            );
            sources.push(self.stdin());
        }
        let streams = sources
            .iter()
            .filter(|source| source.input == Input::Stdin)
            .count();
        ensure!(streams < 2, "standard input can only be read once");
        Ok(sources)
    }

    fn stdin(&self) -> Source {
        Source {
            input: Input::Stdin,
            format: self.text_format(self.from.map_or(Format::Txt, Format::from)),
        }
    }

    fn file(&self, path: &Path) -> anyhow::Result<Source> {
        ensure!(
            !path.is_dir(),
            "{} is a folder; name the files in it",
            path.display()
        );
        let told = self
            .from
            .map(Format::from)
            .or_else(|| Format::of_name(path));
        let format = match told {
            Some(format) => format,
            None if self.whole => Format::Txt,
            None => bail!(
                "{}: the name does not tell its form; say so with --from",
                path.display()
            ),
        };
        Ok(Source {
            input: Input::File(path.to_owned()),
            format: self.text_format(format),
        })
    }

    fn text_format(&self, format: Format) -> Format {
        match format {
            Format::Txt if self.whole => Format::Whole,
            format => format,
        }
    }

    fn output_format(&self, output: &Output) -> anyhow::Result<OutputFormat> {
        if let Some(to) = self.to {
            return Ok(match to {
                OutputForm::Pretty => OutputFormat::Pretty,
                OutputForm::Json => OutputFormat::Json,
                OutputForm::Jsonl => OutputFormat::Jsonl,
                OutputForm::Csv => OutputFormat::Csv,
                OutputForm::Parquet => OutputFormat::Parquet,
                OutputForm::Html => OutputFormat::Html,
            });
        }
        match output {
            Output::Stdout if std::io::stdout().is_terminal() => Ok(OutputFormat::Pretty),
            Output::Stdout => Ok(OutputFormat::Jsonl),
            Output::File(path) => OutputFormat::of_name(path).with_context(|| {
                format!(
                    "{}: the name does not tell the form; say so with --to",
                    path.display()
                )
            }),
        }
    }

    fn colors(&self, output: &Output) -> bool {
        match self.color {
            clap::ColorChoice::Always => true,
            clap::ColorChoice::Never => false,
            clap::ColorChoice::Auto => {
                let set =
                    |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                *output == Output::Stdout
                    && std::io::stdout().is_terminal()
                    && !set("NO_COLOR")
                    && !dumb
            }
        }
    }
}

impl From<InputForm> for Format {
    fn from(form: InputForm) -> Self {
        match form {
            InputForm::Txt => Self::Txt,
            InputForm::Csv => Self::Csv,
            InputForm::Tsv => Self::Tsv,
            InputForm::Jsonl => Self::Jsonl,
            InputForm::Parquet => Self::Parquet,
        }
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

fn place(output: &Output) -> String {
    match output {
        Output::Stdout => "standard output".to_owned(),
        Output::File(path) => path.display().to_string(),
    }
}

fn reviews(totals: Totals) -> String {
    match totals.reviews {
        1 => "1 review".to_owned(),
        count => format!("{} reviews", HumanCount(count)),
    }
}

/// What is shown while it runs.
struct View {
    bar: ProgressBar,
    quiet: bool,
    started: Instant,
    /// What an earlier run has done, until the first chunk of this one.
    before: Totals,
    first: bool,
}

impl View {
    fn new(quiet: bool, output: &Output) -> Self {
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

    fn say(&self, text: &str) {
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

    fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { bytes, done } => {
                self.before = *done;
                if done.reviews + done.errors > 0 {
                    self.say(&format!("going on after {}", reviews(*done)));
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
                self.bar.set_message(format!(
                    "{}, {}",
                    reviews(*totals),
                    self.rate(*totals)
                ));
            }
            Event::BadRow { source, error } => {
                let row = match error.place.line {
                    Some(line) => format!("line {line}"),
                    None => format!("row {}", error.place.row),
                };
                self.complain(&format!("{source}, {row}: {}", error.reason));
            }
            Event::NotEnglish { function_words } => self.complain(&format!(
                "warning: this does not look English ({function_words} % of its words are the, and, was, ...); \
                 the model knows English only"
            )),
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

    fn summary(&self, totals: Totals, errors: Option<&Path>) {
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
