//! `imn convert`: conversion between data formats, without silent losses.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use imn::data::{
    AnnotatedSentence, DataFormat, DocumentFormat, Field, Severity, check_target, check_writable,
    drop_fields, is_standard_stream, load_detected, losses, read_documents, without_losses, write,
    write_documents, write_to,
};

use super::values;
use crate::progress::say;

/// Convert annotated sentences or document sets between formats.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn convert Restaurants_Train.xml train.jsonl
  imn convert train.jsonl train-folder --drop id,text
  imn convert triplets.txt train.conll
  imn convert train.jsonl train.xml --to semeval14 --drop opinions,links
  imn convert reviews.tsv.gz reviews.csv
  zcat train.jsonl.gz | imn convert - - --to conll --drop meta

Formats of sentences: four-file (a folder), semeval14, semeval15, aste, conll, jsonl. The format \
of FROM_PATH is detected from the content. The format of TO_PATH is inferred from the extension: \
none is a four-file folder, .jsonl, .conll, .txt or .aste (ASTE); .xml needs --to. Document sets \
are .tsv and .csv. With .gz or .zst, TO_PATH is compressed. TO_PATH appears when it is complete; \
a file of another format is never overwritten.
If the target format cannot represent a field, the conversion stops unless --drop names it: id, \
text, tokens, opinions, links, categories, review, out-of-scope, meta, offsets, overlaps, \
conflict, unlinked, empty; for documents stars, columns.
Exit codes: 0 success, 1 converted, but some labels were changed by a rule that a warning names \
(see docs/data.md), 2 failure.")]
pub struct Convert {
    /// File or folder to read; - for standard input.
    from_path: PathBuf,
    /// File or folder to write; - for standard output.
    to_path: PathBuf,
    /// Input format [default: detected from the content].
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    from: Option<DataFormat>,
    /// Output format [default: from the extension of TO_PATH].
    #[arg(long, value_parser = values::format, value_name = "FORMAT")]
    to: Option<DataFormat>,
    /// Fields to drop (comma-separated or repeated).
    #[arg(long, value_parser = values::field, value_name = "FIELD", value_delimiter = ',')]
    drop: Vec<Field>,
}

/// Maximum number of warnings to show.
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
                    values::refuse_input(&self.from_path, &self.to_path)?;
                    let count = write_documents(
                        without_losses(
                            read_documents(&self.from_path)?,
                            &self.from_path,
                            &self.drop,
                        ),
                        &self.to_path,
                        to,
                    )?;
                    say(&format!(
                        "wrote {count} documents to {}",
                        self.to_path.display()
                    ));
                    return Ok(ExitCode::SUCCESS);
                }
                (Some(_), None) if is_standard_stream(&self.to_path) => {
                    bail!("cannot write documents to standard output; name a .tsv or .csv file")
                }
                (Some(_), None) | (None, Some(_)) => {
                    bail!(
                        "cannot convert between documents (.tsv, .csv) and annotated sentences; \
                         if the extensions are misleading, use --from and --to"
                    )
                }
                (None, None) => {}
            }
        }
        let to = target_format(&self.to_path, self.to)?;
        check_output(&self.from_path, &self.to_path, to)?;
        let (from, loaded) = load_detected(&self.from_path, self.from)?;
        // Some rules of the readers change labels. The user must know.
        let changed: Vec<String> = (loaded.problems.iter())
            .filter(|problem| problem.severity == Severity::Warning)
            .map(ToString::to_string)
            .collect();
        let lines = loaded.lines.clone();
        let sentences = loaded.strict()?;
        let count = sentences.len();
        let place = |i: usize| {
            let line = lines.get(i).copied().unwrap_or(i + 1);
            match is_standard_stream(&self.from_path) {
                true => format!("line {line} of standard input"),
                false => format!("{}:{line}", self.from_path.display()),
            }
        };
        write_without_losses(sentences, &self.to_path, to, &self.drop, place)?;
        let place = match is_standard_stream(&self.to_path) {
            true => "standard output".to_owned(),
            false => self.to_path.display().to_string(),
        };
        say(&format!(
            "wrote {count} sentences to {place} ({from} → {to})"
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

/// The format to write: the requested one, or the one of the file's extension.
pub(super) fn target_format(
    path: &Path,
    requested: Option<DataFormat>,
) -> anyhow::Result<DataFormat> {
    if is_standard_stream(path) {
        return match requested {
            None => bail!(
                "standard output has no extension; name the format with --to, such as --to jsonl"
            ),
            Some(DataFormat::FourFile) => {
                bail!("the four-file layout is a folder; it cannot be written to standard output")
            }
            Some(format) => Ok(format),
        };
    }
    requested
        .or_else(|| DataFormat::of_new_path(path))
        .with_context(|| {
            format!(
                "{}: cannot infer the format from the extension; use --to, such as --to semeval14",
                path.display()
            )
        })
}

/// Fails if writing sentences to `output` would replace the data of `input`, or a file that is not
/// in this format.
pub(super) fn check_output(input: &Path, output: &Path, to: DataFormat) -> anyhow::Result<()> {
    if is_standard_stream(output) {
        return Ok(());
    }
    values::refuse_input(input, output)?;
    Ok(check_target(output, to)?)
}

/// Writes sentences. Fails if the format cannot represent a field that is not dropped. `place`
/// names the sentence with an index.
pub(super) fn write_without_losses(
    mut sentences: Vec<AnnotatedSentence>,
    path: &Path,
    to: DataFormat,
    drop: &[Field],
    place: impl Fn(usize) -> String,
) -> anyhow::Result<()> {
    // Dropping fields may remove sentences, so the first one is found before.
    let stays = |s: &AnnotatedSentence| !(drop.contains(&Field::Empty) && s.tokens.is_empty());
    let unlabelled = |s: &AnnotatedSentence| s.opinions.is_none() && stays(s);
    let first_unlabelled = sentences.iter().position(unlabelled);
    drop_fields(&mut sentences, drop);
    if to == DataFormat::Aste {
        // Triplets cannot distinguish "not annotated" from "none". A sentence without aspects and
        // opinions has no label to lose.
        for sentence in sentences.iter_mut().filter(|s| labels(s) == (0, 0)) {
            sentence.opinions.get_or_insert_default();
            sentence.links.get_or_insert_default();
        }
    }
    let lost: Vec<(Field, usize)> = losses(&sentences, to).into_iter().collect();
    if !lost.is_empty() {
        bail!(lossy(&sentences, to, &lost, first_unlabelled.map(place)));
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

/// What a format would lose, and which option accepts it, unless it would leave no label.
/// `unlabelled` is the place of the first sentence without opinion labels.
fn lossy(
    sentences: &[AnnotatedSentence],
    to: DataFormat,
    lost: &[(Field, usize)],
    unlabelled: Option<String>,
) -> String {
    // The four-file layout has opinions for all sentences or for none.
    let unlabelled = unlabelled.filter(|_| to == DataFormat::FourFile);
    let without = |fields: &[Field]| {
        let mut rest = sentences.to_vec();
        drop_fields(&mut rest, fields);
        all_labels(&rest)
    };
    let before = all_labels(sentences);
    let named: Vec<String> = lost
        .iter()
        .map(|&(field, count)| match field {
            Field::Unlinked => {
                let after = without(&[field]);
                let kinds = [
                    (before.0.saturating_sub(after.0), "aspect"),
                    (before.1.saturating_sub(after.1), "opinion"),
                ];
                let kinds: Vec<String> = kinds
                    .into_iter()
                    .filter(|(count, _)| *count > 0)
                    .map(|(count, kind)| values::counted(count as u64, kind))
                    .collect();
                format!("{field} ({})", kinds.join(" and "))
            }
            Field::Opinions if let Some(first) = &unlabelled => {
                let missing = sentences.iter().filter(|s| s.opinions.is_none()).count() as u64;
                let have = if missing == 1 { "has" } else { "have" };
                format!(
                    "{field} of only some sentences ({} {have} no opinion labels; the first is \
                     {first})",
                    values::counted(missing, "sentence")
                )
            }
            _ => format!("{field} ({})", values::counted(count as u64, "sentence")),
        })
        .collect();
    let named = named.join(", ");
    let fields: Vec<Field> = lost.iter().map(|(field, _)| *field).collect();
    let keep = if unlabelled.is_some() && fields.contains(&Field::Opinions) {
        "To keep the opinions, add \"opinions\": [] to the sentences that have none. "
    } else {
        ""
    };
    if before != (0, 0) && without(&fields) == (0, 0) {
        return format!(
            "{to} cannot represent {named}; nothing was written. {keep}No aspect or opinion would \
             be left: choose another format"
        );
    }
    let drop: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    format!(
        "{to} cannot represent {named}; nothing was written. {keep}To convert without it: \
         --drop {}",
        drop.join(",")
    )
}

/// The number of aspects and opinions of a sentence.
fn labels(sentence: &AnnotatedSentence) -> (usize, usize) {
    let opinions = sentence.opinions.as_ref().map_or(0, Vec::len);
    (sentence.aspects.len(), opinions)
}

fn all_labels(sentences: &[AnnotatedSentence]) -> (usize, usize) {
    let labels = sentences.iter().map(labels);
    labels.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}
