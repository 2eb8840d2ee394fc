//! CSV (RFC 4180) and TSV (tabs, no quoting: a quotation mark is a quotation mark), with the names of the columns in the first row.
//!
//! Records are taken apart by `csv_core`, which fills buffers of ours: a record that does not fit is passed over without being held, and so is one
//! whose quotation mark is never closed.

use std::io::{self, BufRead};

use arrow_schema::DataType;
use csv_core::ReadRecordResult;
use serde_json::value::{RawValue, to_raw_value};

use super::column::{self, Chosen};
use super::source::Counter;
use super::texts::decode;
use super::{Item, ReadSettings, Rows};
use crate::columns::{Header, distinct};
use crate::{InputError, Place, Reason, Row, RowError};

/// Fields of a record, far more than any table has.
const MOST_FIELDS: usize = 1 << 16;

/// The records of a file.
struct Records {
    core: csv_core::Reader,
    source: Box<dyn BufRead + Send>,
    limit: usize,
    fields: Vec<u8>,
    ends: Vec<usize>,
    line: u64,
    done: bool,
}

/// A record: where its fields end.
enum Record {
    Whole { fields: usize, bytes: usize },
    TooLong,
    OpenQuote,
}

impl Records {
    fn new(source: Box<dyn BufRead + Send>, delimiter: u8, quoting: bool, limit: usize) -> Self {
        let core = csv_core::ReaderBuilder::new()
            .delimiter(delimiter)
            .quoting(quoting)
            .build();
        let mut records = Self {
            core,
            source,
            limit,
            fields: vec![0; 1 << 12],
            ends: vec![0; 1 << 5],
            line: 1,
            done: false,
        };
        // It would take a byte-order mark off the first bytes that it sees, wherever in the file they are; an empty line is none.
        let (fields, ends) = (&mut records.fields, &mut records.ends);
        records.core.read_record(b"\n", fields, ends);
        records
    }

    /// Passes over line ends before a record, so that its line is known.
    fn skip_line_ends(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.source.fill_buf()?;
            let used = buffer
                .iter()
                .take_while(|&&byte| matches!(byte, b'\r' | b'\n'));
            let used = used.count();
            let lines = buffer[..used].iter().filter(|&&byte| byte == b'\n').count();
            let more = used > 0 && used == buffer.len();
            self.line += lines as u64;
            self.source.consume(used);
            if !more {
                return Ok(());
            }
        }
    }

    /// The next record and the line that it begins on; `None` at the end.
    fn next(&mut self) -> io::Result<Option<(u64, Record)>> {
        if self.done {
            return Ok(None);
        }
        self.skip_line_ends()?;
        let begins = self.line;
        let (mut bytes, mut fields, mut long, mut begun) = (0, 0, false, false);
        loop {
            let input = self.source.fill_buf()?;
            let end = input.is_empty();
            if end && !begun {
                self.done = true;
                return Ok(None);
            }
            // A line end where the file ends: closed records take it as their end, an open quote as its text.
            let input = if end { &b"\n"[..] } else { input };
            let (result, read, wrote, ended) =
                self.core
                    .read_record(input, &mut self.fields[bytes..], &mut self.ends[fields..]);
            let lines = input[..read].iter().filter(|&&byte| byte == b'\n').count();
            bytes += wrote;
            fields += ended;
            if !end {
                self.line += lines as u64;
                self.source.consume(read);
                begun |= read > 0;
            }
            match result {
                ReadRecordResult::InputEmpty if end => {
                    self.done = true;
                    return Ok(Some((begins, Record::OpenQuote)));
                }
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    if self.fields.len() <= self.limit && !long {
                        let length = (self.fields.len() * 2).min(self.limit + 1);
                        self.fields.resize(length, 0);
                    } else {
                        (long, bytes) = (true, 0);
                    }
                }
                ReadRecordResult::OutputEndsFull => {
                    if self.ends.len() < MOST_FIELDS && !long {
                        self.ends.resize(self.ends.len() * 2, 0);
                    } else {
                        (long, fields) = (true, 0);
                    }
                }
                ReadRecordResult::Record if long || bytes > self.limit => {
                    self.done = end;
                    return Ok(Some((begins, Record::TooLong)));
                }
                ReadRecordResult::Record => {
                    self.done = end;
                    return Ok(Some((begins, Record::Whole { fields, bytes })));
                }
                ReadRecordResult::End => {
                    self.done = true;
                    return Ok(None);
                }
            }
        }
    }

    fn field(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.fields[start..self.ends[i]]
    }
}

/// A table.
pub(super) struct Delimited {
    records: Records,
    source: usize,
    name: String,
    names: Vec<String>,
    /// None in a file without a first row.
    chosen: Option<Chosen>,
    row: u64,
    read: Counter,
}

impl Delimited {
    /// A table whose columns stand between these bytes.
    pub(super) fn open(
        file: Box<dyn BufRead + Send>,
        delimiter: u8,
        settings: &ReadSettings,
        (source, name): (usize, String),
        read: Counter,
    ) -> Result<Self, InputError> {
        let mut records = Records::new(file, delimiter, delimiter == b',', settings.max_bytes);
        let first = records.next().map_err(InputError::io(&name))?;
        let refuse = |reason: &Reason| {
            Err(InputError::Header {
                source_name: name.clone(),
                reason: reason.to_string(),
            })
        };
        let mut names = Vec::new();
        let chosen = match first {
            None => None,
            Some((_, Record::OpenQuote)) => return refuse(&Reason::OpenQuote),
            Some((_, Record::TooLong)) => {
                let limit = settings.max_bytes;
                return refuse(&Reason::TooLong { limit });
            }
            Some((_, Record::Whole { fields, bytes })) => {
                if let Err(reason) = decode(&records.fields[..bytes]) {
                    return refuse(&reason);
                }
                let fields = (0..fields).map(|i| String::from_utf8_lossy(records.field(i)));
                names = distinct(fields.map(std::borrow::Cow::into_owned).collect());
                Some(column::choose(&names, settings, &name)?)
            }
        };
        Ok(Self {
            records,
            source,
            name,
            names,
            chosen,
            row: 0,
            read,
        })
    }

    fn row(
        &self,
        chosen: Chosen,
        place: Place,
        fields: usize,
        bytes: usize,
    ) -> Result<Row, Reason> {
        let expected = self.names.len();
        if fields != expected {
            let found = fields;
            return Err(Reason::Fields { expected, found });
        }
        decode(&self.records.fields[..bytes])?;
        let mut row = Row::of_text(place, String::new());
        for (i, name) in self.names.iter().enumerate() {
            let field = decode(self.records.field(i))?;
            if i == chosen.text {
                row.text = field.to_owned();
            } else if Some(i) == chosen.id {
                row.id = Some(json(field)?);
            } else {
                row.columns.push((name.clone(), json(field)?));
            }
        }
        Ok(row)
    }
}

fn json(field: &str) -> Result<Box<RawValue>, Reason> {
    to_raw_value(field).map_err(|error| Reason::Json(error.to_string()))
}

impl Rows for Delimited {
    fn header(&self) -> Option<Header> {
        let Some(chosen) = self.chosen else {
            return Some(Header::texts_only());
        };
        let others = self.names.iter().enumerate();
        let others = others.filter(|&(i, _)| i != chosen.text && Some(i) != chosen.id);
        Some(Header {
            id: chosen.id.map(|_| DataType::Utf8),
            columns: others
                .map(|(_, name)| (name.clone(), DataType::Utf8))
                .collect(),
        })
    }

    fn next_row(&mut self) -> Result<Option<Item>, InputError> {
        let Some(chosen) = self.chosen else {
            return Ok(None);
        };
        let next = self.records.next().map_err(InputError::io(&self.name))?;
        let Some((line, record)) = next else {
            return Ok(None);
        };
        self.row += 1;
        let place = Place {
            source: self.source,
            row: self.row,
            line: Some(line),
        };
        let row = match record {
            Record::Whole { fields, bytes } => self.row(chosen, place, fields, bytes),
            Record::OpenQuote => Err(Reason::OpenQuote),
            Record::TooLong => Err(Reason::TooLong {
                limit: self.records.limit,
            }),
        };
        Ok(Some(row.map_err(|reason| RowError { place, reason })))
    }

    fn bytes_read(&self) -> u64 {
        self.read.get()
    }
}
