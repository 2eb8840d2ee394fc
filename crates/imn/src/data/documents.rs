//! Whole reviews with one label: TSV and CSV, read one at a time so that any size will do.
//!
//! The label is `pos`, `neg`, `neu` (or spelt out), or stars from 1 to 5: up to 2 is negative, from 4 on positive, between
//! them neutral. A first row with column names (`label`, `sentiment`, `stars`, `rating`, ... and `text`, `review`, ...) is
//! used; without one there are two columns, and the label is whichever reads as one (in TSV with the label first, further tabs
//! are the text's). TSV has no quoting (a quotation mark is a quotation mark); CSV has, and may hold line breaks.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::format::ending;
use super::output::write_beside;
use super::quotes::{OpenQuote, QuoteWatch};
use super::{DataError, Field, Place, Problem, ProblemKind, open};

/// The sentiment of a whole document: the paper's Y^ds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentLabel {
    /// `pos`, or 4 stars and more.
    Positive,
    /// `neg`, or 2 stars and less.
    Negative,
    /// `neu`, or about 3 stars.
    Neutral,
}

impl DocumentLabel {
    /// All labels.
    pub const ALL: [Self; 3] = [Self::Positive, Self::Negative, Self::Neutral];

    /// `pos`, `neg` or `neu`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "pos",
            Self::Negative => "neg",
            Self::Neutral => "neu",
        }
    }

    /// A label or stars.
    ///
    /// ```
    /// use imn::data::DocumentLabel;
    ///
    /// assert_eq!(DocumentLabel::parse("POS"), Some(DocumentLabel::Positive));
    /// assert_eq!(DocumentLabel::parse("2.0"), Some(DocumentLabel::Negative));
    /// assert_eq!(DocumentLabel::parse("0"), None);
    /// ```
    #[must_use]
    pub fn parse(field: &str) -> Option<Self> {
        let field = field.trim();
        let is = |names: &[&str]| names.iter().any(|name| field.eq_ignore_ascii_case(name));
        if is(&["pos", "positive"]) {
            return Some(Self::Positive);
        }
        if is(&["neg", "negative"]) {
            return Some(Self::Negative);
        }
        if is(&["neu", "neutral"]) {
            return Some(Self::Neutral);
        }
        match field.parse::<f32>().ok()? {
            stars if (1.0..=2.0).contains(&stars) => Some(Self::Negative),
            stars if (4.0..=5.0).contains(&stars) => Some(Self::Positive),
            stars if stars > 2.0 && stars < 4.0 => Some(Self::Neutral),
            _ => None,
        }
    }
}

/// A labelled document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The label.
    pub label: DocumentLabel,
    /// The raw text.
    pub text: String,
    /// The line that it starts on.
    pub line: usize,
    /// The label as it stands in the file: a name, or stars.
    pub raw_label: String,
    /// Columns besides label and text, which are not read.
    pub other_columns: usize,
}

/// A format of document sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentFormat {
    /// Tabs between columns, a document a line, no quoting.
    Tsv,
    /// Commas between columns, quoting as in RFC 4180.
    Csv,
}

impl DocumentFormat {
    /// The format that a file's name says, if it says one.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        match ending(path).as_deref() {
            Some("tsv") => Some(Self::Tsv),
            Some("csv") => Some(Self::Csv),
            _ => None,
        }
    }
}

/// Which columns hold what.
#[derive(Debug, Clone, Copy)]
struct Layout {
    label: usize,
    text: usize,
    /// How many columns the first row has.
    width: usize,
    /// Whether the first row names them.
    named: bool,
}

impl Layout {
    /// From the first row.
    fn of(row: &[&str], tabs: bool) -> Option<Self> {
        let width = row.len();
        let named = |names: &[&str]| {
            row.iter()
                .position(|f| names.iter().any(|name| f.trim().eq_ignore_ascii_case(name)))
        };
        let label = named(&[
            "label",
            "sentiment",
            "polarity",
            "stars",
            "star_rating",
            "rating",
            "score",
            "class",
        ]);
        let text = named(&[
            "text",
            "review",
            "review_text",
            "reviewtext",
            "content",
            "body",
            "sentence",
            "document",
        ]);
        if let (Some(label), Some(text)) = (label, text) {
            return Some(Self {
                label,
                text,
                width,
                named: true,
            });
        }
        let is_label = |at: usize| {
            row.get(at)
                .is_some_and(|f| DocumentLabel::parse(f).is_some())
        };
        // Of more columns without names nobody can tell which is the text.
        let label = match width {
            2 if is_label(0) => 0,
            2 if is_label(1) => 1,
            3.. if tabs && is_label(0) => 0,
            _ => return None,
        };
        Some(Self {
            label,
            text: 1 - label,
            width,
            named: false,
        })
    }
}

enum Rows {
    Tsv {
        source: Box<dyn BufRead + Send>,
        line: usize,
    },
    Csv(Box<csv::Reader<QuoteWatch>>, OpenQuote),
}

/// Reads documents one at a time.
pub struct Documents {
    path: PathBuf,
    rows: Rows,
    layout: Option<Layout>,
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
    if head.starts_with("\u{FEFF}".as_bytes()) {
        source.consume(3);
    }
    let rows = match DocumentFormat::of_path(path).unwrap_or(DocumentFormat::Tsv) {
        DocumentFormat::Tsv => Rows::Tsv { source, line: 0 },
        DocumentFormat::Csv => {
            let (source, open_quote) = QuoteWatch::new(source);
            let reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(source);
            Rows::Csv(Box::new(reader), open_quote)
        }
    };
    Ok(Documents {
        path: path.to_owned(),
        rows,
        layout: None,
        failed: false,
    })
}

impl Documents {
    /// The next row with its line; `None` at the end.
    fn next_row(&mut self) -> Option<Result<(usize, Vec<String>), DataError>> {
        let path = &self.path;
        match &mut self.rows {
            Rows::Tsv { source, line } => loop {
                let mut bytes = Vec::new();
                match source.read_until(b'\n', &mut bytes) {
                    Ok(0) => return None,
                    Ok(_) => {}
                    Err(error) => return Some(Err(DataError::io(path)(error))),
                }
                *line += 1;
                let Ok(text) = String::from_utf8(bytes) else {
                    return Some(Err(DataError::Encoding {
                        place: Place::new(path, *line),
                    }));
                };
                let text = text.trim_end_matches(['\n', '\r']);
                if !text.trim().is_empty() {
                    let fields = text.split('\t').map(str::to_owned).collect();
                    return Some(Ok((*line, fields)));
                }
            },
            Rows::Csv(reader, open_quote) => {
                let mut record = csv::StringRecord::new();
                let start = reader.position().line();
                let place =
                    |line: u64| Place::new(path, usize::try_from(line).unwrap_or(usize::MAX));
                match reader.read_record(&mut record) {
                    Ok(false) => None,
                    Ok(true) => {
                        if let Some(line) = open_quote.line() {
                            return Some(Err(refusal(
                                Place::new(path, line),
                                "quote never closed".to_owned(),
                                "close it, and double a quote that is part of the text",
                            )));
                        }
                        let line = record.position().map_or(start, csv::Position::line);
                        let fields = record.iter().map(str::to_owned).collect();
                        Some(Ok((place(line).line, fields)))
                    }
                    Err(error) => Some(Err(match error.kind() {
                        csv::ErrorKind::Utf8 { .. } => DataError::Encoding {
                            place: place(start),
                        },
                        csv::ErrorKind::Io(_) => DataError::Io {
                            path: path.clone(),
                            source: error.into(),
                        },
                        _ => refusal(
                            place(start),
                            error.to_string(),
                            "quote fields as in RFC 4180",
                        ),
                    })),
                }
            }
        }
    }

    fn document(
        &self,
        layout: Layout,
        line: usize,
        fields: &[String],
    ) -> Result<Document, DataError> {
        let place = || Place::new(&self.path, line);
        let tabs = matches!(self.rows, Rows::Tsv { .. });
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
        let Some(label) = DocumentLabel::parse(label) else {
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

fn refusal(place: Place, message: String, fix: &str) -> DataError {
    DataError::Content(Problem::new(place, ProblemKind::Malformed, message, fix))
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
                let tabs = matches!(self.rows, Rows::Tsv { .. });
                let Some(layout) = Layout::of(&row, tabs) else {
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
        let named = DocumentLabel::parse(&document.raw_label).is_some()
            && document.raw_label.trim().parse::<f32>().is_err();
        if !named && !stars {
            let message = format!(
                "{:?} stars would become {}",
                document.raw_label,
                document.label.name()
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
///
/// # Errors
/// As [`write_documents`].
pub fn write_documents_to(
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
                writeln!(out, "{}\t{}", document.label.name(), document.text)
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
                rows.write_record([document.label.name(), &document.text])
                    .map_err(failed)?;
            }
            rows.flush().map_err(DataError::io(path))?;
        }
    }
    out.flush().map_err(DataError::io(path))?;
    Ok(count)
}
