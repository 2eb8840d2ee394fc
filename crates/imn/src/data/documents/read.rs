//! Reads documents one at a time: a file of any size needs the memory of one row.

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use imn_io::delimited::{DelimitedRows, Dialect, RowProblem};

use super::layout::{DocumentLayout, unidentified};
use super::{Document, DocumentFormat, parse_label, refusal};
use crate::data::input::open_text;
use crate::data::{DataError, Place};

/// Most bytes of a row, far more than any review has. A longer row is an error.
const MOST_BYTES: usize = 1 << 26;

/// Iterator over the documents of a file.
pub struct Documents {
    path: PathBuf,
    rows: DelimitedRows,
    format: DocumentFormat,
    layout: Option<DocumentLayout>,
    failed: bool,
}

impl std::fmt::Debug for Documents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Documents")
            .field("path", &self.path)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

/// Opens a document set. The format is inferred from the extension [default: TSV].
///
/// ```
/// use imn::data::{Sentiment, read_documents};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("reviews.csv");
/// std::fs::write(&path, "stars,text\n5,\"Fast, quiet\"\n1,Broken\n")?;
/// let documents = read_documents(&path)?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(documents[0].text, "Fast, quiet");
/// assert_eq!(documents[1].label, Sentiment::Negative);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be opened or is empty.
pub fn read_documents(path: &Path) -> Result<Documents, DataError> {
    let mut source = open_text(path)?;
    let head = source.fill_buf().map_err(DataError::io(path))?;
    if head.is_empty() {
        return Err(DataError::Empty {
            path: path.to_owned(),
        });
    }
    let format = DocumentFormat::of_path(path).unwrap_or(DocumentFormat::Tsv);
    let dialect = match format {
        DocumentFormat::Tsv => Dialect::Tsv,
        DocumentFormat::Csv => Dialect::Csv,
    };
    Ok(Documents {
        path: path.to_owned(),
        rows: DelimitedRows::new(Box::new(source), dialect, MOST_BYTES),
        format,
        layout: None,
        failed: false,
    })
}

impl Documents {
    /// The next row and its line number; `None` at the end.
    fn next_row(&mut self) -> Option<Result<(usize, Vec<String>), DataError>> {
        let path = &self.path;
        loop {
            let row = match self.rows.next() {
                Ok(row) => row?,
                Err(error) => return Some(Err(DataError::io(path)(error))),
            };
            let line = usize::try_from(row.line).unwrap_or(usize::MAX);
            let place = Place::new(path, line);
            let fields = match row.fields {
                Ok(fields) => fields,
                Err(RowProblem::OpenQuote) => {
                    return Some(Err(refusal(
                        place,
                        "quote never closed".to_owned(),
                        "close it, and double every quote that is part of the text",
                    )));
                }
                Err(RowProblem::TooLong) => {
                    let message = format!("longer than {} MB", MOST_BYTES >> 20);
                    return Some(Err(refusal(place, message, "a row is one document")));
                }
            };
            let Ok(fields) = fields.decode() else {
                return Some(Err(DataError::Encoding { place }));
            };
            // In TSV, a line of spaces and tabs is an empty line.
            let blank = fields.iter().all(|field| field.trim().is_empty());
            if self.format == DocumentFormat::Csv || !blank {
                return Some(Ok((line, fields.iter().map(str::to_owned).collect())));
            }
        }
    }

    fn document(
        &self,
        layout: DocumentLayout,
        line: usize,
        fields: &[String],
    ) -> Result<Document, DataError> {
        let place = || Place::new(&self.path, line);
        let tabs = self.format == DocumentFormat::Tsv;
        // In TSV without column names, everything after the label is the text, including tabs.
        let open_ended = tabs && !layout.named && layout.label == 0;
        let fits = if open_ended {
            fields.len() >= 2
        } else {
            fields.len() == layout.width
        };
        let (Some(label), Some(text), true) =
            (fields.get(layout.label), fields.get(layout.text), fits)
        else {
            let message = format!(
                "{} columns, but the first row has {}",
                fields.len(),
                layout.width
            );
            let fix = if tabs {
                "one document per line: label<TAB>text"
            } else {
                "quote a text that contains commas"
            };
            return Err(refusal(place(), message, fix));
        };
        let raw_label = label.clone();
        let Some(label) = parse_label(label) else {
            let message = format!("{label:?} is not a label");
            return Err(refusal(
                place(),
                message,
                "pos, neg, neu, or stars from 1 to 5",
            ));
        };
        let text = match fields.get(1..) {
            Some(all) if open_ended => all.join("\t"),
            _ => text.clone(),
        };
        Ok(Document {
            label,
            text,
            line,
            raw_label,
            other_columns: if layout.named { layout.width - 2 } else { 0 },
        })
    }
}

impl Iterator for Documents {
    type Item = Result<Document, DataError>;

    /// A malformed row is an error, and the next call continues after it. An I/O error ends the
    /// iteration.
    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            let (line, fields) = match self.next_row()? {
                Ok(row) => row,
                Err(error) => {
                    self.failed = matches!(error, DataError::Io { .. });
                    return Some(Err(error));
                }
            };
            if self.layout.is_none() {
                let row: Vec<&str> = fields.iter().map(String::as_str).collect();
                let tabs = self.format == DocumentFormat::Tsv;
                let Some(layout) = DocumentLayout::of(&row, tabs) else {
                    self.failed = true;
                    let (problem, fix) = unidentified(&row);
                    return Some(Err(refusal(Place::new(&self.path, line), problem, fix)));
                };
                self.layout = Some(layout);
                if layout.named {
                    continue;
                }
            }
            let layout = self.layout?;
            return Some(self.document(layout, line, &fields));
        }
        None
    }
}
