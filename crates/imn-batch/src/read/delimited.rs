//! CSV and TSV with a header row.

use std::io::BufRead;

use imn::analyze::RawJson;
use imn_io::columns::distinct;
use imn_io::delimited::{DelimitedRows, Dialect, RowProblem, TextFields};

use super::column::{self, Chosen};
use super::column_note::looks_like_text;
use super::separators::CsvStart;
use super::source::Counter;
use super::{ColumnNote, Item, ReadSettings, RowReader};
use crate::columns::{ColumnType, TableHeader};
use crate::{InputError, Place, Reason, Row, RowError, TextGuess};

/// A reader of CSV or TSV.
pub(super) struct Delimited {
    rows: DelimitedRows,
    dialect: Dialect,
    limit: usize,
    source: usize,
    name: String,
    names: Vec<String>,
    /// `None` in an empty file.
    chosen: Option<Chosen>,
    note: Option<ColumnNote>,
    row: u64,
    read: Counter,
}

impl Delimited {
    /// Opens a table and reads its header row.
    pub(super) fn open(
        file: Box<dyn BufRead + Send>,
        dialect: Dialect,
        settings: &ReadSettings,
        (source, name): (usize, String),
        read: Counter,
    ) -> Result<Self, InputError> {
        let limit = settings.max_bytes;
        let start = match dialect {
            Dialect::Csv => CsvStart::read(file, settings, &name)?,
            dialect => CsvStart {
                dialect,
                file,
                unread: None,
            },
        };
        let dialect = start.dialect;
        let mut rows = DelimitedRows::new(start.file, dialect, limit);
        let first = rows.next().map_err(InputError::io(&name))?;
        let mut names = Vec::new();
        let (mut chosen, mut note) = (None, None);
        if let Some(row) = first {
            let fields = row
                .fields
                .map_err(|problem| reason(problem, limit))
                .and_then(|fields| Ok(fields.decode()?))
                .map_err(|reason| InputError::Header {
                    source_name: name.clone(),
                    reason: reason.to_string(),
                })?;
            names = distinct(fields.iter().map(str::to_owned).collect());
            if let (Some(unread), [_], None) = (start.unread, &names[..], &settings.column) {
                return Err(unread.error(&name, row.line));
            }
            let found = column::choose(&names, settings, &name);
            let found = found.map_err(|error| with_guess(error, &names))?;
            note = ColumnNote::of_header(&names, found, settings);
            chosen = Some(found);
        }
        Ok(Self {
            rows,
            dialect,
            limit,
            source,
            name,
            names,
            chosen,
            note,
            row: 0,
            read,
        })
    }
}

/// An error about a missing column, with the remark that the header may be a review.
fn with_guess(mut error: InputError, names: &[String]) -> InputError {
    if let InputError::NoTextColumn { guess, .. } = &mut error {
        *guess = looks_like_text(names).then_some(TextGuess::FirstRow);
    }
    error
}

/// Builds a row from its fields.
fn row(
    names: &[String],
    chosen: Chosen,
    place: Place,
    fields: TextFields<'_>,
) -> Result<Row, Reason> {
    let mut row = Row::of_text(place, String::new());
    for (i, (name, field)) in names.iter().zip(fields.iter()).enumerate() {
        if i == chosen.text {
            row.text = field.to_owned();
        } else if Some(i) == chosen.id {
            row.id = Some(json(field)?);
        } else {
            row.columns.0.push((name.clone(), json(field)?));
        }
    }
    Ok(row)
}

fn json(field: &str) -> Result<RawJson, Reason> {
    RawJson::of_text(field).map_err(|error| Reason::Json(error.to_string()))
}

fn reason(problem: RowProblem, limit: usize) -> Reason {
    match problem {
        RowProblem::OpenQuote => Reason::OpenQuote,
        RowProblem::TooLong => Reason::TooLong { limit },
    }
}

impl RowReader for Delimited {
    fn header(&self) -> Option<TableHeader> {
        let Some(chosen) = self.chosen else {
            return Some(TableHeader::texts_only());
        };
        let is_other = |&(i, _): &(usize, _)| i != chosen.text && Some(i) != chosen.id;
        let others = self.names.iter().enumerate().filter(is_other);
        Some(TableHeader {
            id: chosen.id.map(|_| ColumnType::Text),
            columns: others
                .map(|(_, name)| (name.clone(), ColumnType::Text))
                .collect(),
        })
    }

    fn note(&self) -> Option<&ColumnNote> {
        self.note.as_ref()
    }

    fn next_row(&mut self) -> Result<Option<Item>, InputError> {
        let Some(chosen) = self.chosen else {
            return Ok(None);
        };
        let next = self.rows.next().map_err(InputError::io(&self.name))?;
        let Some(found) = next else {
            return Ok(None);
        };
        self.row += 1;
        let place = Place {
            source: self.source,
            row: self.row,
            line: Some(found.line),
        };
        let (names, dialect, limit) = (&self.names, self.dialect, self.limit);
        let item = found
            .fields
            .map_err(|problem| reason(problem, limit))
            .and_then(|fields| {
                let (expected, found) = (names.len(), fields.len());
                if found != expected {
                    return Err(Reason::Fields {
                        expected,
                        found,
                        dialect,
                    });
                }
                row(names, chosen, place, fields.decode()?)
            });
        Ok(Some(item.map_err(|reason| RowError { place, reason })))
    }

    fn bytes_read(&self) -> u64 {
        self.read.get()
    }
}
