//! JSONL: one object per line. Columns are keys of the objects.

use std::io::BufRead;

use imn::analyze::InputColumns;
use imn_io::lines::{Line, Lines};

use super::object::{self, Keys};
use super::source::Counter;
use super::{Item, ReadSettings, RowReader, column};
use crate::columns::TableHeader;
use crate::{InputError, Place, Reason, RowError};

pub(super) struct Jsonl {
    pub(super) source: usize,
    pub(super) name: String,
    pub(super) lines: Lines<Box<dyn BufRead + Send>>,
    pub(super) settings: ReadSettings,
    /// Found in the first object.
    pub(super) keys: Option<Keys>,
    pub(super) read: Counter,
}

/// Finds the text key and the id key in the first object of a source.
pub(super) fn keys_of(
    object: &InputColumns,
    settings: &ReadSettings,
    name: &str,
) -> Result<Keys, InputError> {
    let names: Vec<String> = object.iter().map(|(name, _)| name.to_owned()).collect();
    let chosen = column::choose(&names, settings, name)?;
    let text = names[chosen.text].clone();
    // The first object may lack an id that later ones have.
    let id = chosen
        .id
        .map_or_else(|| "id".to_owned(), |id| names[id].clone());
    let id = (id != text).then_some(id);
    Ok(Keys { text, id })
}

impl RowReader for Jsonl {
    fn header(&self) -> Option<TableHeader> {
        None
    }

    fn next_row(&mut self) -> Result<Option<Item>, InputError> {
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
                    let keys = keys_of(&object, &self.settings, &self.name)?;
                    self.keys.insert(keys)
                }
            };
            return Ok(Some(object::row(object, keys, place)));
        }
    }

    fn bytes_read(&self) -> u64 {
        self.read.get()
    }
}
