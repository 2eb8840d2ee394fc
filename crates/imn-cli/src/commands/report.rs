//! `imn report`: an HTML page about analysed reviews.

use std::fs::File;
use std::io::{BufRead, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use imn_report::{DateColumn, DateFormat, Report, ReportSettings, html, is_report};
use indicatif::{HumanCount, ProgressBar};

use super::overwrite::check_overwrite;
use super::values::{counted, refuse_input, share, write_file};
use crate::progress::{say, set_template};

/// Write an HTML page about analysed reviews: aspects, sentiments, opinions and trends.
#[derive(Debug, clap::Args)]
#[command(
    name = "report",
    after_help = "\
Examples:
  imn analyze reviews.csv --out analysed.jsonl
  imn report analysed.jsonl
  imn report analysed.jsonl.gz --out laptops.html --title \"Laptops in spring\" --min-count 5
  imn report analysed.jsonl --date written --date-format %m/%d/%Y
  imn report analysed.jsonl --min-confidence 0.3     without doubtful aspects

The page is one file without external resources. Lines that are not analysed reviews are skipped \
and reported, and the exit code is then 1."
)]
pub struct MakeReport {
    /// JSONL output of `imn analyze` (plain, gzip or zstd).
    analysed: PathBuf,
    /// Output file; - for standard output. An earlier report is overwritten.
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// Overwrite the output even if it is not a report.
    #[arg(long)]
    force: bool,
    /// Input column with the dates of the reviews. Trends need it.
    #[arg(long, value_name = "COLUMN")]
    date: Option<String>,
    /// Format of ambiguous dates, as for strptime, such as %m/%d/%Y. Unambiguous dates, such as
    /// 2024-03-01, are always read.
    #[arg(long, value_name = "FORMAT", requires = "date")]
    date_format: Option<String>,
    /// Title of the page.
    #[arg(long, default_value_t = ReportSettings::default().title)]
    title: String,
    /// Minimum occurrences of a group of aspects.
    #[arg(long, value_name = "N", default_value_t = ReportSettings::default().min_count)]
    min_count: u64,
    /// Number of groups to show.
    #[arg(long, value_name = "N", default_value_t = ReportSettings::default().top as u16)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1000))]
    top: u16,
    /// Minimum confidence of aspects and opinions, 0 to 1.
    #[arg(long, value_name = "P", default_value_t = ReportSettings::default().min_confidence)]
    #[arg(value_parser = share)]
    min_confidence: f32,
}

impl MakeReport {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let name = self.analysed.display().to_string();
        if imn::data::is_standard_stream(&self.analysed) {
            bail!("cannot read standard input, because the input is read twice; name a file");
        }
        let settings = ReportSettings {
            title: self.title,
            dates: match self.date {
                Some(name) => Some(DateColumn {
                    name,
                    format: match &self.date_format {
                        Some(format) => DateFormat::strptime(format)?,
                        None => DateFormat::Common,
                    },
                }),
                None => None,
            },
            min_count: self.min_count,
            top: self.top.into(),
            min_confidence: self.min_confidence,
        };
        let bar = progress(&self.analysed).with_context(|| name.clone())?;
        let to_stdout = imn::data::is_standard_stream(&self.out);
        if !to_stdout {
            refuse_input(&self.analysed, &self.out)?;
            if !self.force {
                check_overwrite(&self.out, "a report", is_report)?;
            }
        }
        let source = || {
            let file = bar.wrap_read(File::open(&self.analysed)?);
            Ok(imn_io::decompress(file)? as Box<dyn BufRead>)
        };
        let report = Report::make(&source, &settings).with_context(|| name.clone())?;
        bar.finish_and_clear();
        let page = html(&report);
        if to_stdout {
            std::io::stdout().lock().write_all(page.as_bytes())?;
        } else {
            write_file(&self.out, page.as_bytes())?;
        }
        Ok(summarize(&name, &self.out, &report, &settings))
    }
}

/// A progress bar over the two passes, hidden if standard error is not a terminal.
fn progress(path: &Path) -> anyhow::Result<ProgressBar> {
    let file = std::fs::metadata(path)?;
    ensure!(
        !file.is_dir(),
        "is a folder; name the JSONL file that `imn analyze` wrote"
    );
    let bar = ProgressBar::new(2 * file.len());
    set_template(&bar, "{bar:30} {bytes}/{total_bytes}, {eta} left");
    Ok(bar)
}

/// Prints a summary and the skipped lines; the exit code is 1 if lines were skipped.
fn summarize(input: &str, out: &Path, report: &Report, settings: &ReportSettings) -> ExitCode {
    let totals = &report.totals;
    if !imn::data::is_standard_stream(out) {
        let shown = report.groups.len() as u64;
        let hidden = match totals.groups - shown {
            0 => String::new(),
            _ => format!(", of which the page shows {}", HumanCount(shown)),
        };
        say(&format!(
            "wrote {}: {}, {} in {}{hidden}",
            out.display(),
            counted(totals.reviews, "review"),
            counted(totals.aspects.total(), "aspect"),
            counted(totals.groups, "group")
        ));
    }
    for bad in &totals.first_bad {
        say(&format!("{input}:{}: skipped: {}", bad.line, bad.reason));
    }
    let unlisted = totals.bad_lines - totals.first_bad.len() as u64;
    if unlisted > 0 {
        say(&format!(
            "{input}: skipped {} more",
            counted(unlisted, "line")
        ));
    }
    if let Some(trend) = &report.trend {
        let unread = &trend.dates.unread;
        if let Some(example) = &unread.example {
            let format = settings.dates.as_ref().map(|dates| &dates.format);
            let fix = match (format, &unread.formats[..]) {
                // It may be right for most dates, so another one is mentioned but not advised.
                (Some(DateFormat::Strptime(_)), [other, ..]) => {
                    format!("it does not match --date-format, but {other} fits")
                }
                (Some(DateFormat::Strptime(_)), []) => "it does not match --date-format".to_owned(),
                (Some(DateFormat::Common) | None, _) => unread.advice(),
            };
            say(&format!(
                "{input}: cannot parse {}, such as `{example}`; {fix}",
                counted(unread.unknown, "date"),
            ));
        }
        if let Some(day) = &unread.missing_day {
            say(&format!(
                "{input}: cannot parse {}, such as `{day}`: there is no such day",
                counted(unread.missing_days, "date")
            ));
        }
    }
    if totals.bad_lines > 0 {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    }
}
