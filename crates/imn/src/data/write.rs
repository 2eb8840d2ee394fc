//! Writes annotated sentences in any format.
//!
//! The file is written under a temporary name and moved at the end, so a failure leaves an existing
//! file unchanged. Losses are counted by [`losses`](super::losses()); here, only sentences that
//! would be read back differently are errors.

use std::io::Write;
use std::path::Path;

use super::formats::{aste, conll, four_file, jsonl, semeval};
use super::output::{check_target, write_atomic};
use super::{AnnotatedSentence, DataError, DataFormat, Mark};

/// Writes sentences to a file or folder, compressed if the path ends in `.gz` or `.zst`.
///
/// An existing file is replaced only when the new one is complete, and only if it is in the same
/// format (see [`check_target`](super::check_target)). Fields that the format cannot represent are
/// left out; check [`losses`](super::losses()) first.
///
/// ```
/// use imn::data::{AnnotatedSentence, DataFormat, read, write};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("reviews.jsonl.gz");
/// let sentences = [AnnotatedSentence::from_text("Great soup!")];
/// write(&sentences, &path, DataFormat::Jsonl)?;
/// assert_eq!(read(&path)?[0].text, "Great soup!");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If a sentence cannot be written in this format (see [`check_writable`]), if the path has
/// something of another kind, or if the file cannot be written.
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
    write_atomic(path, |out| {
        write_to(sentences, out, format)
            .map(drop)
            .map_err(DataError::io(path))
    })
}

/// Writes sentences to a stream and returns it, flushed. Writes nothing for
/// [`DataFormat::FourFile`], which is a folder. Check the sentences with [`check_writable`] first.
///
/// ```
/// use imn::data::{AnnotatedSentence, DataFormat, write_to};
///
/// # fn main() -> std::io::Result<()> {
/// let sentences = [AnnotatedSentence::from_words(["Great", "soup"])];
/// let bytes = write_to(&sentences, Vec::new(), DataFormat::Aste)?;
/// assert_eq!(bytes, b"Great soup####[]\n");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the stream cannot be written.
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

/// Checks that all sentences would be read back as they are.
///
/// ```
/// use imn::data::{AnnotatedSentence, DataFormat, check_writable};
///
/// let sentences = [AnnotatedSentence::from_words(["New York"])];
/// assert!(check_writable(&sentences, DataFormat::Jsonl).is_ok());
/// assert!(check_writable(&sentences, DataFormat::Aste).is_err());
/// ```
///
/// # Errors
///
/// The first sentence that the format cannot represent, with the reason.
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
                    "token {w:?} contains white space, which separates tokens in {format} \
                     (to tokenize the text again: --drop tokens)"
                )
            }),
        DataFormat::Conll => {
            let breaks = |s: &str| s.contains(['\t', '\n', '\r']);
            if let Some(word) = sentence
                .words()
                .find(|s| s.is_empty() || breaks(s) || s.trim_end() != *s)
            {
                return Some(format!(
                    "token {word:?} contains white space that ends a column or a line \
                     (to tokenize the text again: --drop tokens)"
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
                "contains a tab or a line break"
            };
            Some(format!(
                "its {field} {name:?} {what}, which {format} cannot represent \
                 (to leave it out: --drop {field})"
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
