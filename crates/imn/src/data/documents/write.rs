//! Writing documents as they are read, and refusing what would be lost.

use std::io::Write;
use std::path::Path;

use super::{Document, DocumentFormat, parse_label, refusal};
use crate::data::output::write_beside;
use crate::data::{DataError, Field, Place};

/// Passes documents on, but for those that would lose something that is not to be dropped when they are written: stars, which become
/// `pos`, `neg` or `neu`, and other columns.
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
            return Err(refusal(place(), message, "to go without: --drop stars"));
        }
        if document.other_columns > 0 && !columns {
            let message = format!(
                "{} columns besides label and text would be lost",
                document.other_columns
            );
            return Err(refusal(place(), message, "to go without: --drop columns"));
        }
        Ok(document)
    })
}

/// Writes documents as they are read: `label`, `text`, the CSV with column names. What was there before is replaced only when
/// all of them are written.
///
/// # Errors
/// A text with a tab or line break cannot be written as TSV.
pub fn write_documents(
    documents: impl IntoIterator<Item = Result<Document, DataError>>,
    path: &Path,
    format: DocumentFormat,
) -> Result<usize, DataError> {
    write_beside(path, |out| write_documents_to(documents, out, path, format))
}

/// The same to a stream; `path` is what errors name.
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
                        "the text of line {} has a tab or a line break in it, which TSV cannot hold (write .csv)",
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
