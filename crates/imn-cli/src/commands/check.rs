//! `imn check`: counts and problems of a data set.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use imn::data::check::{CheckReport, Content, Counts, SetReport, check, find_sets};
use imn::data::{DataFormat, Polarity, Problem, ProblemKind, Sentiment, Severity};

use super::values::{self, percent};

/// Count sentences, labels and documents of data sets, and report problems.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn check data/aspect/res14
  imn check train.jsonl test.jsonl --allow leak
  imn check --json reviews.tsv.gz | jq .problems

The format of annotated sentences is detected from the content; document sets are .tsv and .csv. \
A folder that is not a data set itself is searched for data sets, and other files in it are \
listed as skipped. Training and test data are recognised by the words train, test, dev and valid \
in their paths, and compared for leaks.
Kinds for --allow: malformed, count-mismatch, unknown-tag, orphan-tag, offset-mismatch, overlap, \
mixed-polarity, duplicate-id, contradiction, leak.
Exit codes: 0 no problems or notes only, 1 a warning, an error or a damaged file, 2 no such file \
or an unknown format.")]
pub struct Check {
    /// Files and folders; - for standard input.
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Format of all of them [default: detected from the content].
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    format: Option<DataFormat>,
    /// Kinds of problems that do not fail the check (comma-separated). They are still shown.
    #[arg(long, value_parser = values::problem_kind, value_name = "KIND", value_delimiter = ',')]
    allow: Vec<ProblemKind>,
    /// Maximum number of problems to show of each kind; 0 shows counts only.
    #[arg(long, default_value_t = 10, value_name = "N")]
    show: usize,
    /// Print one JSON object with all counts and problems.
    #[arg(long)]
    json: bool,
}

impl Check {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut paths = Vec::new();
        let mut skipped = Vec::new();
        for path in &self.data {
            if self.format.is_some() {
                paths.push(path.clone());
            } else {
                let found = find_sets(path)?;
                paths.extend(found.sets);
                skipped.extend(found.skipped);
            }
        }
        let mut report = check(&paths, self.format)?;
        report.skipped = skipped;
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        if self.json {
            serde_json::to_writer(&mut out, &report)?;
            writeln!(out)?;
        } else {
            self.print(&report, &mut out)?;
        }
        out.flush()?;
        Ok(if report.is_wrong(&self.allow) {
            ExitCode::from(1)
        } else {
            ExitCode::SUCCESS
        })
    }

    fn print(&self, report: &CheckReport, out: &mut impl Write) -> anyhow::Result<()> {
        for set in &report.sets {
            print_set(set, out)?;
        }
        let mut by_kind: BTreeMap<(std::cmp::Reverse<Severity>, ProblemKind), Vec<&Problem>> =
            BTreeMap::new();
        for problem in &report.problems {
            by_kind
                .entry((std::cmp::Reverse(problem.severity), problem.kind))
                .or_default()
                .push(problem);
        }
        for ((severity, kind), problems) in by_kind {
            let allowed = if self.allow.contains(&kind) {
                ", allowed"
            } else {
                ""
            };
            let severity = match severity.0 {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            };
            writeln!(
                out,
                "\n{severity} {} ({}{allowed})",
                kind.name(),
                problems.len()
            )?;
            for problem in problems.iter().take(self.show) {
                writeln!(out, "  {problem}")?;
            }
            // With --show 0, the count above is enough.
            if problems.len() > self.show && self.show > 0 {
                writeln!(
                    out,
                    "  ... and {} more (--show {})",
                    problems.len() - self.show,
                    problems.len()
                )?;
            }
        }
        if !report.skipped.is_empty() {
            let names: Vec<String> = (report.skipped.iter().take(self.show))
                .map(|path| path.display().to_string())
                .collect();
            let more = if report.skipped.len() > names.len() {
                " ..."
            } else {
                ""
            };
            let colon = if names.is_empty() { "" } else { ": " };
            writeln!(
                out,
                "\nskipped, not a data format ({}){colon}{}{more}",
                report.skipped.len(),
                names.join(", ")
            )?;
        }
        if report.problems.is_empty() {
            writeln!(out, "\nno problems")?;
        }
        Ok(())
    }
}

fn print_set(set: &SetReport, out: &mut impl Write) -> std::io::Result<()> {
    match &set.content {
        Content::Sentences { format, counts } => {
            writeln!(out, "{} ({format})", set.path.display())?;
            print_counts(counts, out)
        }
        Content::Documents { labels, .. } => {
            writeln!(out, "{} (documents)", set.path.display())?;
            let all: usize = labels.values().sum();
            let shares: Vec<String> = Sentiment::CLASSES
                .into_iter()
                .filter_map(|label| labels.get(&label).map(|n| (label.short_name(), *n)))
                .map(|(name, n)| format!("{n} {name} ({:.1} %)", percent(n, all)))
                .collect();
            let colon = if shares.is_empty() { "" } else { ": " };
            writeln!(out, "  documents  {all}{colon}{}", shares.join(", "))
        }
    }
}

fn print_counts(counts: &Counts, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(
        out,
        "  sentences  {}, {} without an aspect; {} tokens, longest {}",
        counts.sentences, counts.without_aspect, counts.tokens, counts.longest
    )?;
    let without = counts.aspects
        - counts
            .polarities
            .values()
            .sum::<usize>()
            .min(counts.aspects);
    let shares: Vec<String> = Polarity::ALL
        .into_iter()
        .filter_map(|polarity| {
            let count = counts.polarities.get(&polarity)?;
            Some((polarity.name(), *count))
        })
        .chain((without > 0).then_some(("without polarity", without)))
        .map(|(name, n)| format!("{n} {name} ({:.1} %)", percent(n, counts.aspects)))
        .collect();
    let colon = if shares.is_empty() { "" } else { ": " };
    writeln!(
        out,
        "  aspects    {}{colon}{}",
        counts.aspects,
        shares.join(", ")
    )?;
    match counts.opinions {
        Some(opinions) => writeln!(out, "  opinions   {opinions}")?,
        None => writeln!(out, "  opinions   not annotated")?,
    }
    if let Some(links) = counts.links {
        writeln!(out, "  links      {links}")?;
    }
    if counts.categories > 0 {
        writeln!(out, "  categories {}", counts.categories)?;
    }
    if counts.shared_tokens > 0 {
        writeln!(
            out,
            "  shared     {} tokens in both kinds of terms; tag formats keep the aspect",
            counts.shared_tokens
        )?;
    }
    Ok(())
}
