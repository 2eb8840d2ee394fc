//! Writes documents as they are read, and rejects documents that would lose data.

use std::io::Write;
use std::path::Path;

use super::{Document, DocumentFormat, parse_label, refusal};
use crate::data::output::{check_document_target, write_atomic};
use crate::data::{DataError, Field, Place};

/// Turns documents that would lose data into errors, unless that loss is accepted in `drop`.
/// Documents lose stars, which become `pos`, `neg` or `neu` ([`Field::Stars`]), and other columns
/// ([`Field::Columns`]).
///
/// ```
/// use imn::data::{Field, read_documents, without_losses};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("reviews.tsv");
/// std::fs::write(&path, "5\tFast and quiet\n")?;
/// let mut strict = without_losses(read_documents(&path)?, &path, &[]);
/// assert!(strict.next().unwrap().is_err());
/// let mut lossy = without_losses(read_documents(&path)?, &path, &[Field::Stars]);
/// assert!(lossy.next().unwrap().is_ok());
/// # Ok(())
/// # }
/// ```
pub fn without_losses<D>(
    documents: D,
    path: &Path,
    drop: &[Field],
) -> impl Iterator<Item = Result<Document, DataError>>
where
    D: IntoIterator<Item = Result<Document, DataError>>,
{
    let drops = |field: Field| drop.contains(&field);
    let (stars, columns) = (drops(Field::Stars), drops(Field::Columns));
    let path = path.to_owned();
    documents.into_iter().map(move |document| {
        let document = document?;
        let place = || Place::new(&path, document.line);
        let named = parse_label(&document.raw_label).is_some()
            && document.raw_label.trim().parse::<f32>().is_err();
        if !named && !stars {
            let message = format!(
                "{:?} stars would become {}",
                document.raw_label,
                document.label.short_name()
            );
            return Err(refusal(place(), message, "to accept this: --drop stars"));
        }
        if document.other_columns > 0 && !columns {
            let message = format!(
                "{} columns besides label and text would be lost",
                document.other_columns
            );
            return Err(refusal(
                place(),
                message,
                "to leave them out: --drop columns",
            ));
        }
        Ok(document)
    })
}

/// Writes documents as they are read: label and text, in CSV under column names. Returns their
/// number. An existing file is replaced only when all documents are written, and only if it is
/// empty or a document set.
///
/// ```
/// use imn::data::{DocumentFormat, read_documents, write_documents};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let (from, to) = (folder.path().join("a.tsv"), folder.path().join("a.csv"));
/// std::fs::write(&from, "pos\tFast, quiet\n")?;
/// assert_eq!(write_documents(read_documents(&from)?, &to, DocumentFormat::Csv)?, 1);
/// assert_eq!(std::fs::read_to_string(&to)?, "label,text\npos,\"Fast, quiet\"\n");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If a document is an error, if a text with a tab or line break is to be written as TSV, if the
/// path has something of another kind, or if the file cannot be written.
pub fn write_documents(
    documents: impl IntoIterator<Item = Result<Document, DataError>>,
    path: &Path,
    format: DocumentFormat,
) -> Result<usize, DataError> {
    check_document_target(path, format)?;
    write_atomic(path, |out| write_documents_to(documents, out, path, format))
}

/// Writes documents to a stream. `path` is used only in errors.
fn write_documents_to(
    documents: impl IntoIterator<Item = Result<Document, DataError>>,
    out: &mut dyn Write,
    path: &Path,
    format: DocumentFormat,
) -> Result<usize, DataError> {
    let mut count = 0;
    match format {
        DocumentFormat::Tsv => {
            for document in documents {
                let document = document?;
                count += 1;
                if document.text.contains(['\t', '\n', '\r']) {
                    let reason = format!(
                        "the text of line {} contains a tab or a line break, which TSV cannot \
                         represent (write .csv)",
                        document.line
                    );
                    return Err(DataError::Unwritable {
                        item: "document",
                        number: count,
                        reason,
                    });
                }
                writeln!(out, "{}\t{}", document.label.short_name(), document.text)
                    .map_err(DataError::io(path))?;
            }
        }
        DocumentFormat::Csv => {
            let mut rows = csv::Writer::from_writer(&mut *out);
            let failed = |error: csv::Error| DataError::Io {
                path: path.to_owned(),
                source: error.into(),
            };
            rows.write_record(["label", "text"]).map_err(failed)?;
            for document in documents {
                let document = document?;
                count += 1;
                rows.write_record([document.label.short_name(), &document.text])
                    .map_err(failed)?;
            }
            rows.flush().map_err(DataError::io(path))?;
        }
    }
    out.flush().map_err(DataError::io(path))?;
    Ok(count)
}
