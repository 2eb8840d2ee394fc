//! JSONL: one object per line. Columns are keys of the objects.

use std::io::{BufRead, Cursor, Read as _};

use imn::analyze::{InputColumns, RawJson};
use imn_io::lines::{Line, Lines};

use super::object::{self, Keys};
use super::separators::first_line;
use super::source::Counter;
use super::{ColumnNote, Item, ReadSettings, RowReader, column, looks_like, path};
use crate::columns::TableHeader;
use crate::{InputError, Place, Reason, RowError, TextGuess};

pub(super) struct Jsonl {
    source: usize,
    name: String,
    lines: Lines<Box<dyn BufRead + Send>>,
    settings: ReadSettings,
    /// The first row, which is read when the source is opened.
    first: Option<Item>,
    /// Found in the first object.
    keys: Option<Keys>,
    note: Option<ColumnNote>,
    read: Counter,
}

impl Jsonl {
    /// Opens a source and reads its first row, so that a missing text is an error at once.
    pub(super) fn open(
        mut file: Box<dyn BufRead + Send>,
        settings: &ReadSettings,
        (source, name): (usize, String),
        read: Counter,
    ) -> Result<Self, InputError> {
        let limit = settings.max_bytes;
        let (start, line) = first_line(&mut file, limit).map_err(InputError::io(&name))?;
        if looks_like::is_array(&start[line.clone()]) {
            let before = start[..line.start].iter();
            return Err(InputError::JsonArray {
                source_name: name,
                line: before.filter(|&&byte| byte == b'\n').count() as u64 + 1,
            });
        }
        let file: Box<dyn BufRead + Send> = Box::new(Cursor::new(start).chain(file));
        let mut rows = Self {
            source,
            name,
            lines: Lines::new(file, limit),
            settings: settings.clone(),
            first: None,
            keys: None,
            note: None,
            read,
        };
        rows.first = rows.next_line()?;
        Ok(rows)
    }

    fn next_line(&mut self) -> Result<Option<Item>, InputError> {
        loop {
            let next = self.lines.next().map_err(InputError::io(&self.name))?;
            let Some((number, line)) = next else {
                return Ok(None);
            };
            let place = Place {
                source: self.source,
                row: number,
                line: Some(number),
            };
            let object = match line {
                Line::Whole(line) if line.trim_ascii().is_empty() => continue,
                Line::Whole(line) => object::parse(line),
                Line::TooLong => Err(Reason::TooLong {
                    limit: self.settings.max_bytes,
                }),
            };
            let object = match object {
                Ok(object) => object,
                Err(reason) => return Ok(Some(Err(RowError { place, reason }))),
            };
            let keys = match &self.keys {
                Some(keys) => keys,
                None => {
                    let (keys, note) = keys_of(&object, &self.settings, &self.name)?;
                    self.note = note;
                    self.keys.insert(keys)
                }
            };
            return Ok(Some(object::row(object, keys, place)));
        }
    }
}

/// Finds the text key and the id key in the first object of a source.
fn keys_of(
    object: &InputColumns,
    settings: &ReadSettings,
    name: &str,
) -> Result<(Keys, Option<ColumnNote>), InputError> {
    let mut names: Vec<String> = object.iter().map(|(name, _)| name.to_owned()).collect();
    // A requested path is a column, too. That of the text may end at null in some rows, which are
    // bad rows. Rows without an id are good ones, so a wrong path to the id is an error here.
    let text = settings.column.iter();
    let text = text.filter(|asked| path::may_lead(object, asked));
    let id = settings.id.iter();
    let id = id.filter(|asked| path::find(object, asked).is_ok());
    for asked in text.chain(id) {
        if !names.contains(asked) {
            names.push(asked.clone());
        }
    }
    let chosen = column::choose(&names, settings, name);
    let chosen = chosen.map_err(|error| with_paths(error, object))?;
    let note = ColumnNote::of(&names, chosen, settings);
    let text = names[chosen.text].clone();
    let is_object = |value: &RawJson| object::kind(value.get()) == "an object";
    if settings.column.is_none() && object.get(&text).is_some_and(is_object) {
        let error = InputError::NoTextColumn {
            source_name: name.to_owned(),
            asked: None,
            columns: Vec::new(),
            guess: None,
        };
        return Err(with_paths(error, object));
    }
    // The first object may lack an id that later ones have.
    let id = chosen
        .id
        .map_or_else(|| "id".to_owned(), |id| names[id].clone());
    let id = (id != text).then_some(id);
    Ok((Keys { text, id }, note))
}

/// An error about a missing column, with the paths of an object instead of its keys.
fn with_paths(mut error: InputError, object: &InputColumns) -> InputError {
    match &mut error {
        InputError::NoTextColumn { columns, guess, .. } => {
            *columns = path::all(object);
            *guess = path::usual_text(object).map(TextGuess::Path);
        }
        InputError::NoIdColumn { columns, .. } => *columns = path::all(object),
        _ => {}
    }
    error
}

impl RowReader for Jsonl {
    fn header(&self) -> Option<TableHeader> {
        None
    }

    fn note(&self) -> Option<&ColumnNote> {
        self.note.as_ref()
    }

    fn next_row(&mut self) -> Result<Option<Item>, InputError> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.next_line(),
        }
    }

    fn bytes_read(&self) -> u64 {
        self.read.get()
    }
}
