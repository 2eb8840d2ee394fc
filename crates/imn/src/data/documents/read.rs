//! Reading documents one at a time, so that a file of any size needs the memory of one row.

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use imn_io::delimited::{DelimitedRows, Dialect, RowProblem};
use imn_io::encoding::UTF8_MARK;

use super::layout::DocumentLayout;
use super::{Document, DocumentFormat, parse_label, refusal};
use crate::data::{DataError, Place, open};

/// Bytes of a row, far more than any review has. A longer row is an error.
const MOST_BYTES: usize = 1 << 26;

/// Reads documents one at a time.
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

/// Opens a document set; its format is told by its name, TSV where that does not.
pub fn read_documents(path: &Path) -> Result<Documents, DataError> {
    let mut source = open(path)?;
    let head = source.fill_buf().map_err(DataError::io(path))?;
    if head.is_empty() {
        return Err(DataError::Empty {
            path: path.to_owned(),
        });
    }
    if head.starts_with(UTF8_MARK) {
        source.consume(UTF8_MARK.len());
    }
    let format = DocumentFormat::of_path(path).unwrap_or(DocumentFormat::Tsv);
    let dialect = match format {
        DocumentFormat::Tsv => Dialect::Tsv,
        DocumentFormat::Csv => Dialect::Csv,
    };
    Ok(Documents {
        path: path.to_owned(),
        rows: DelimitedRows::new(source, dialect, MOST_BYTES),
        format,
        layout: None,
        failed: false,
    })
}

impl Documents {
    /// The next row with its line; `None` at the end.
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
                        "close it, and double a quote that is part of the text",
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
            // A line of spaces and tabs is an empty line of TSV.
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
        // In TSV without names a label and then a text is all there is: further tabs are the text's.
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
                "label<TAB>text, a document a line"
            } else {
                "quote a text that has commas in it"
            };
            return Err(refusal(place(), message, fix));
        };
        let raw_label = label.clone();
        let Some(label) = parse_label(label) else {
            let message = format!("{label:?} is no label");
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

    /// A bad row is an error and the next call goes on after it; a bad file ends the iteration.
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
                    return Some(Err(refusal(
                        Place::new(&self.path, line),
                        format!(
                            "{} columns without names of which none or another than the first is a label",
                            row.len()
                        ),
                        "name the columns label and text in the first row, or have two: label, text",
                    )));
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
