//! Writing annotated sentences in any format.
//!
//! The file is written beside its target and moved at the end, so a failure leaves what was there.
//! Losses are counted elsewhere ([`losses`](super::losses())); here only what would be read back as
//! something else is refused.

use std::io::Write;
use std::path::Path;

use super::formats::{aste, conll, four_file, jsonl, semeval};
use super::output::{check_target, write_beside};
use super::{AnnotatedSentence, DataError, DataFormat, Mark};

/// Writes sentences in a format, packed where the path's name ends in `.gz` or `.zst`. What was there before is replaced only
/// when all is written, and never something of another kind. Nothing is checked for losses here; see
/// [`losses`](super::losses()).
pub fn write(
    sentences: &[AnnotatedSentence],
    path: &Path,
    format: DataFormat,
) -> Result<(), DataError> {
    check_writable(sentences, format)?;
    check_target(path, format)?;
    if format == DataFormat::FourFile {
        return four_file::write(sentences, path);
    }
    write_beside(path, |out| {
        write_to(sentences, out, format)
            .map(drop)
            .map_err(DataError::io(path))
    })
}

/// Writes sentences to a stream, which is given back flushed. The four-file layout is a folder and writes nothing here;
/// see [`check_writable`] for what would come back as something else.
pub fn write_to<W: Write>(
    sentences: &[AnnotatedSentence],
    mut out: W,
    format: DataFormat,
) -> std::io::Result<W> {
    match format {
        DataFormat::FourFile => {}
        DataFormat::Semeval14 => semeval::write14(sentences, &mut out)?,
        DataFormat::Semeval15 => semeval::write15(sentences, &mut out)?,
        DataFormat::Aste => aste::write(sentences, &mut out)?,
        DataFormat::Conll => conll::write(sentences, &mut out)?,
        DataFormat::Jsonl => jsonl::write(sentences, &mut out)?,
    }
    out.flush()?;
    Ok(out)
}

/// Refuses what would come back as something else.
///
/// # Errors
/// The first sentence that the format cannot hold, and why.
pub fn check_writable(
    sentences: &[AnnotatedSentence],
    format: DataFormat,
) -> Result<(), DataError> {
    for (i, sentence) in sentences.iter().enumerate() {
        if let Some(reason) = unwritable(sentence, format) {
            return Err(DataError::Unwritable {
                item: "sentence",
                number: i + 1,
                reason,
            });
        }
    }
    Ok(())
}

fn unwritable(sentence: &AnnotatedSentence, format: DataFormat) -> Option<String> {
    let names = [sentence.id.as_ref(), sentence.extra.review.as_ref()];
    match format {
        DataFormat::Jsonl => None,
        DataFormat::FourFile | DataFormat::Aste => sentence
            .words()
            .find(|w| w.is_empty() || w.contains(char::is_whitespace))
            .map(|w| {
                format!(
                    "token {w:?} has white space in it, which separates tokens in {format} (go without these tokens: \
                     --drop tokens)"
                )
            }),
        DataFormat::Conll => {
            let breaks = |s: &str| s.contains(['\t', '\n', '\r']);
            if let Some(word) = sentence
                .words()
                .find(|s| s.is_empty() || breaks(s) || s.trim_end() != *s)
            {
                return Some(format!(
                    "token {word:?} has white space that ends a column or a line (go without these tokens: \
                     --drop tokens)"
                ));
            }
            let fields = [
                ("id", sentence.id.as_ref()),
                ("review", sentence.extra.review.as_ref()),
            ];
            let (field, name) = fields
                .into_iter()
                .filter_map(|(field, name)| Some((field, name?)))
                .find(|(_, name)| name.is_empty() || breaks(name))?;
            let what = if name.is_empty() {
                "is empty"
            } else {
                "has a tab or a line break in it"
            };
            Some(format!(
                "its {field} {name:?} {what}, which {format} cannot hold (go without: --drop {field})"
            ))
        }
        DataFormat::Semeval14 | DataFormat::Semeval15 => {
            let is_bad = |c: char| {
                (c < ' ' && !matches!(c, '\n' | '\r' | '\t'))
                    || matches!(c, '\u{FFFE}' | '\u{FFFF}')
            };
            let fields = [Some(&sentence.text), names[0], names[1]]
                .into_iter()
                .flatten();
            if let Some(c) = fields.flat_map(|f| f.chars()).find(|c| is_bad(*c)) {
                return Some(format!(
                    "character U+{:04X} is not allowed in XML",
                    c as u32
                ));
            }
            let null = (0..sentence.aspects.len())
                .any(|i| sentence.mark_bytes(Mark::Aspect(i)).of(&sentence.text) == Some("NULL"));
            (format == DataFormat::Semeval15 && null)
                .then(|| "an aspect term NULL would be read as no term".to_owned())
        }
    }
}
