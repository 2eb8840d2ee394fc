//! `imn report`: a page about many analysed reviews.

use std::fs::File;
use std::io::{BufRead, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use imn_report::{DateColumn, DateForm, Report, Settings, html};
use indicatif::{ProgressBar, ProgressStyle};

use super::values::write_file;

/// Make a page about many analysed reviews: aspects, sentiments, opinions, trends.
#[derive(Debug, clap::Args)]
#[command(
    name = "report",
    after_help = "\
Examples:
  imn analyze reviews.csv --out analysed.jsonl
  imn report analysed.jsonl
  imn report analysed.jsonl.gz --out laptops.html --title \"Laptops in spring\" --date written --min-count 5
  imn report analysed.jsonl --date when --date-format %m/%d/%Y

The page is one file and needs nothing but a browser. Lines that are no analysed review are skipped and named; the exit code is 1 then."
)]
pub struct MakeReport {
    /// What `imn analyze` wrote, as JSONL; plain, gzip or zstd.
    analysed: PathBuf,
    /// Where the page goes; - is standard output.
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// The column of the reviews' data that has their dates; without it there are no trends.
    #[arg(long, value_name = "COLUMN")]
    date: Option<String>,
    /// How dates are written, where it can be taken in two ways, as strptime takes it: %m/%d/%Y.
    #[arg(long, value_name = "FORM", requires = "date")]
    date_format: Option<String>,
    /// What the page is called.
    #[arg(long, default_value_t = Settings::default().title)]
    title: String,
    /// How often a group of aspects must occur to be shown.
    #[arg(long, value_name = "N", default_value_t = Settings::default().min_count)]
    min_count: u64,
    /// How many groups are shown.
    #[arg(long, value_name = "N", default_value_t = Settings::default().top as u16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    top: u16,
}

impl MakeReport {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let name = self.analysed.display().to_string();
        if imn::data::is_standard_stream(&self.analysed) {
            bail!("the reviews are read twice, which standard input cannot be; name a file");
        }
        let settings = Settings {
            title: self.title,
            dates: match self.date {
                Some(name) => Some(DateColumn {
                    name,
                    form: match &self.date_format {
                        Some(form) => DateForm::given(form)?,
                        None => DateForm::Usual,
                    },
                }),
                None => None,
            },
            min_count: self.min_count,
            top: self.top.into(),
        };
        let bar = progress(&self.analysed).with_context(|| name.clone())?;
        let source = || {
            let file = bar.wrap_read(File::open(&self.analysed)?);
            Ok(imn_io::decompress(file)? as Box<dyn BufRead>)
        };
        let report = Report::make(&source, &settings).with_context(|| name.clone())?;
        bar.finish_and_clear();
        let page = html(&report);
        if imn::data::is_standard_stream(&self.out) {
            std::io::stdout().lock().write_all(page.as_bytes())?;
        } else {
            write_file(&self.out, page.as_bytes())?;
        }
        Ok(told(&name, &self.out, &report))
    }
}

/// A bar over the two passes; nothing where there is no terminal.
fn progress(path: &Path) -> anyhow::Result<ProgressBar> {
    let file = std::fs::metadata(path)?;
    ensure!(
        !file.is_dir(),
        "is a folder; name the file that `imn analyze` wrote"
    );
    let bar = ProgressBar::new(2 * file.len());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes}, {eta} left") {
        bar.set_style(style);
    }
    Ok(bar)
}

/// Says what was made and what was left out.
#[expect(clippy::print_stderr, reason = "what happened goes to standard error")]
fn told(input: &str, out: &Path, report: &Report) -> ExitCode {
    let totals = &report.totals;
    if !imn::data::is_standard_stream(out) {
        eprintln!(
            "{}: {}, {} in {}",
            out.display(),
            counted(totals.reviews, "review"),
            counted(totals.aspects.total(), "aspect"),
            counted(totals.groups, "group")
        );
    }
    for bad in &totals.first_bad {
        eprintln!("{input}:{}: skipped: {}", bad.line, bad.reason);
    }
    let unnamed = totals.bad_lines - totals.first_bad.len() as u64;
    if unnamed > 0 {
        eprintln!("{input}: {} more skipped", counted(unnamed, "line"));
    }
    if let Some(trend) = &report.trend {
        let dates = &trend.dates;
        if dates.unreadable > 0 {
            let example = dates.example.as_deref().unwrap_or_default();
            eprintln!(
                "{input}: {} dates cannot be read, such as `{example}`",
                dates.unreadable
            );
        }
    }
    if totals.bad_lines > 0 {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    }
}

/// `1 review`, `2 reviews`.
fn counted(number: u64, one: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {one}{s}")
}
