//! `imn convert`: from one format to another, without silent losses.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use imn::data::{
    AnnotatedSentence, DocumentFormat, Field, Format, Severity, check_writable, drop_fields,
    is_standard_stream, load_detected, losses, read_documents, without_losses, write,
    write_documents, write_to,
};

use super::values;
use crate::progress::say;

/// Convert annotated sentences or document sets between formats.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Formats of sentences: four-file (a folder), semeval14, semeval15, aste, conll, jsonl.
The source's is told by its content; the target's by its ending: a name without one is a four-file folder, .jsonl, .conll,
.txt or .aste (ASTE); .xml needs --to. Endings .gz and .zst pack the target. Document sets are .tsv and .csv.
- is standard input or, with --to, standard output. The target appears when all is written; something of another kind is
never overwritten.

What the target cannot hold stops the conversion unless it is named: --drop id,text,tokens,opinions,links,categories,
review,out-of-scope,meta,offsets,overlaps,conflict,unlinked,empty; of documents stars,columns.

Exit code: 0 done, 1 done, but labels were read by a rule (the warnings say which; see docs/data.md), 2 not done.

Examples:
  imn convert Restaurants_Train.xml train.jsonl
  imn convert train.jsonl train-folder --drop id,text
  imn convert triplets.txt train.conll
  imn convert train.jsonl train.xml --to semeval14 --drop opinions,links
  imn convert reviews.tsv.gz reviews.csv
  zcat train.jsonl.gz | imn convert - - --to conll --drop meta")]
pub struct Convert {
    /// What to read.
    from_path: PathBuf,
    /// What to write.
    to_path: PathBuf,
    /// The source's format.
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    from: Option<Format>,
    /// The target's format.
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    to: Option<Format>,
    /// Give up a field that the target cannot hold; may be repeated or separated by commas.
    #[arg(long, value_parser = values::field, value_name = "FIELD", value_delimiter = ',')]
    drop: Vec<Field>,
}

/// How many warnings are shown.
const SHOWN: usize = 20;

impl Convert {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let documents = (
            DocumentFormat::of_path(&self.from_path),
            DocumentFormat::of_path(&self.to_path),
        );
        if self.from.is_none() && self.to.is_none() {
            match documents {
                (Some(_), Some(to)) => {
                    let count = write_documents(
                        without_losses(
                            read_documents(&self.from_path)?,
                            &self.from_path,
                            &self.drop,
                        ),
                        &self.to_path,
                        to,
                    )?;
                    say(&format!("{count} documents → {}", self.to_path.display()));
                    return Ok(ExitCode::SUCCESS);
                }
                (Some(_), None) if is_standard_stream(&self.to_path) => {
                    bail!("document sets are written to a file whose name ends in .tsv or .csv")
                }
                (Some(_), None) | (None, Some(_)) => {
                    bail!(
                        "documents (.tsv, .csv) and annotated sentences hold different things; name both formats if the names mislead"
                    )
                }
                (None, None) => {}
            }
        }
        let to = target_format(&self.to_path, self.to)?;
        let (from, loaded) = load_detected(&self.from_path, self.from)?;
        // What was read by a rule rather than as it stands changes labels: the user must hear of it.
        let changed: Vec<String> = (loaded.problems.iter())
            .filter(|problem| problem.severity == Severity::Warning)
            .map(ToString::to_string)
            .collect();
        let sentences = loaded.strict()?;
        let count = sentences.len();
        write_without_losses(sentences, &self.to_path, to, &self.drop)?;
        say(&format!(
            "{count} sentences, {from} → {to}, {}",
            self.to_path.display()
        ));
        if changed.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        for line in changed.iter().take(SHOWN) {
            say(&format!("warning: {line}"));
        }
        if changed.len() > SHOWN {
            say(&format!(
                "warning: ... and {} more (imn check shows them)",
                changed.len() - SHOWN
            ));
        }
        Ok(ExitCode::from(1))
    }
}

/// The format to write: as said, or as the name of the file says.
pub(super) fn target_format(path: &Path, said: Option<Format>) -> anyhow::Result<Format> {
    if is_standard_stream(path) {
        return match said {
            None => bail!(
                "standard output has no ending that says the format; say --to jsonl or another"
            ),
            Some(Format::FourFile) => {
                bail!("the four-file layout is a folder and cannot go to standard output")
            }
            Some(format) => Ok(format),
        };
    }
    said.or_else(|| Format::of_new_path(path)).with_context(|| {
        format!(
            "{}: the ending does not say the format; say --to semeval14 or another",
            path.display()
        )
    })
}

/// Writes sentences, unless the format cannot hold something that is not to be dropped.
pub(super) fn write_without_losses(
    mut sentences: Vec<AnnotatedSentence>,
    path: &Path,
    to: Format,
    drop: &[Field],
) -> anyhow::Result<()> {
    drop_fields(&mut sentences, drop);
    let lost = losses(&sentences, to);
    if !lost.is_empty() {
        let named: Vec<String> = lost
            .iter()
            .map(|(field, count)| format!("{field} (of {count} sentences)"))
            .collect();
        let drop: Vec<&str> = lost.keys().map(|field| field.name()).collect();
        bail!(
            "{to} cannot hold {}; nothing was written (to go without: --drop {})",
            named.join(", "),
            drop.join(",")
        );
    }
    if is_standard_stream(path) {
        check_writable(&sentences, to)?;
        let out = std::io::BufWriter::new(std::io::stdout().lock());
        write_to(&sentences, out, to).map(std::mem::drop)?;
    } else {
        write(&sentences, path, to)?;
    }
    Ok(())
}
