//! `imn align`: transfers the labels of the paper's cleaned files to the raw text of the official
//! files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use imn::data::{Alignment, DataFormat, ProblemKind, write};
use imn_repro::sets::{PaperSet, SetPart};
use serde::Serialize;

use super::values::percent;

/// Transfer the labels of the paper's data sets to the original raw text.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn align --data data                          statistics only
  imn align --data data --out raw                all sets as JSONL
  imn align --data data --set res15 --list       every disagreement

The data folder has aspect/{res14,lap14,res15}/{train,test}/ (four files each) and semeval_xml/ \
(the official files). The output has the number of aligned sentences, the other sentences with \
reasons, and how far tokens and aspects agree with the official files. With --out, the sentences \
are written to res14.train.jsonl and so on. Unaligned sentences do not change the exit code. \
Sentences are numbered from 1.")]
pub struct Align {
    /// Data folder.
    #[arg(long, env = "IMN_DATA", value_name = "DIR")]
    data: PathBuf,
    /// Only these sets (comma-separated) [default: all three].
    #[arg(long = "set", value_name = "SET", value_delimiter = ',')]
    sets: Vec<PaperSet>,
    /// Folder to write the sentences to [default: none, print statistics only].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// List every token that differs and every label that was widened.
    #[arg(long)]
    list: bool,
    /// Print one JSON object per train or test set.
    #[arg(long)]
    json: bool,
}

#[derive(Default, Serialize)]
struct Figures {
    sentences: usize,
    aligned: usize,
    approximate: usize,
    found: usize,
    tokens_agree: usize,
    aspects_same: usize,
    aspects_differ: usize,
    labels_cut: usize,
}

impl Figures {
    fn of(alignment: &Alignment) -> Self {
        Self {
            sentences: alignment.sentences.len() + alignment.unaligned.len(),
            aligned: alignment.sentences.len(),
            approximate: alignment.approximate,
            found: alignment.agreement.found,
            tokens_agree: alignment.agreement.agree,
            aspects_same: alignment.cross_check.same,
            aspects_differ: alignment.cross_check.differ.len(),
            labels_cut: alignment
                .problems
                .iter()
                .filter(|p| p.kind == ProblemKind::CutToken)
                .count(),
        }
    }

    fn add(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.aligned += other.aligned;
        self.approximate += other.approximate;
        self.found += other.found;
        self.tokens_agree += other.tokens_agree;
        self.aspects_same += other.aspects_same;
        self.aspects_differ += other.aspects_differ;
        self.labels_cut += other.labels_cut;
    }

    fn print(&self, name: &str, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(
            out,
            "{name:<12} aligned {}/{} ({:.2} %, {} approximately), same tokens {}/{} ({:.2} %), \
             official aspects {} same {} different, labels inside a token {}",
            self.aligned,
            self.sentences,
            percent(self.aligned, self.sentences),
            self.approximate,
            self.tokens_agree,
            self.found,
            percent(self.tokens_agree, self.found),
            self.aspects_same,
            self.aspects_differ,
            self.labels_cut,
        )
    }
}

impl Align {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        if let Some(folder) = &self.out {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let mut total = Figures::default();
        let asked = |set: &PaperSet| self.sets.is_empty() || self.sets.contains(set);
        for set in PaperSet::ALL.into_iter().filter(asked) {
            for part in SetPart::ALL {
                let alignment = set.align(&self.data, part)?;
                let figures = Figures::of(&alignment);
                let name = format!("{}.{}", set.name(), part.name());
                if self.json {
                    print_json(&name, &figures, &alignment, &mut out)?;
                } else {
                    figures.print(&name, &mut out)?;
                    self.print_rest(&set.folder(&self.data, part), &alignment, &mut out)?;
                }
                if let Some(folder) = &self.out {
                    write(
                        &alignment.sentences,
                        &folder.join(format!("{name}.jsonl")),
                        DataFormat::Jsonl,
                    )?;
                }
                total.add(&figures);
            }
        }
        if !self.json {
            total.print("all", &mut out)?;
        }
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }

    fn print_rest(
        &self,
        folder: &Path,
        alignment: &Alignment,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let file = folder.join("sentence.txt");
        let file = file.display();
        for sentence in &alignment.unaligned {
            writeln!(
                out,
                "  unaligned {file}:{}: {}: {}",
                sentence.source + 1,
                sentence.reason,
                sentence.text
            )?;
        }
        for differ in &alignment.cross_check.differ {
            let name =
                |p: Option<imn::data::Polarity>| p.map_or("not there", imn::data::Polarity::name);
            let (ours, theirs) = (name(differ.labelled), name(differ.raw));
            writeln!(
                out,
                "  aspect {file}:{}: {:?}: labelled {ours}, official {theirs}",
                differ.source + 1,
                differ.term
            )?;
        }
        if self.list {
            for (source, theirs, ours) in &alignment.agreement.differ {
                writeln!(
                    out,
                    "  tokens {file}:{}: {theirs:?} in the file, {ours:?} by the tokenizer",
                    source + 1
                )?;
            }
            for problem in &alignment.problems {
                writeln!(
                    out,
                    "  label {file}:{}: {} ({})",
                    problem.place.line, problem.message, problem.fix
                )?;
            }
        }
        Ok(())
    }
}

fn print_json(
    name: &str,
    figures: &Figures,
    alignment: &Alignment,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Line<'a> {
        part: &'a str,
        #[serde(flatten)]
        figures: &'a Figures,
        unaligned: &'a [imn::data::Unaligned],
        tokens_differ: Vec<(usize, &'a str, &'a str)>,
        aspects_differ_list: &'a [imn::data::Difference],
    }
    let line = Line {
        part: name,
        figures,
        unaligned: &alignment.unaligned,
        tokens_differ: (alignment.agreement.differ.iter())
            .map(|(source, theirs, ours)| (source + 1, theirs.as_str(), ours.as_str()))
            .collect(),
        aspects_differ_list: &alignment.cross_check.differ,
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)?;
    Ok(())
}
