//! Inputs that have only texts: arguments, lines of a file, whole files.

use std::io::{self, BufRead, Read as _};
use std::sync::Arc;

use imn_io::encoding::decode;
use imn_io::lines::{Line, Lines};

use super::source::Counter;
use super::{Item, RowReader};
use crate::columns::TableHeader;
use crate::{InputError, Place, Reason, Row, RowError};

/// A reader of literal texts.
pub(super) struct Given {
    pub(super) source: usize,
    pub(super) texts: Arc<[String]>,
    /// How many texts were read.
    pub(super) read: usize,
    pub(super) limit: usize,
}

impl RowReader for Given {
    fn header(&self) -> Option<TableHeader> {
        Some(TableHeader::texts_only())
    }

    fn next_row(&mut self) -> Result<Option<Item>, InputError> {
        let Some(text) = self.texts.get(self.read) else {
            return Ok(None);
        };
        self.read += 1;
        let place = Place {
            source: self.source,
            row: self.read as u64,
            line: None,
        };
        let limit = self.limit;
        Ok(Some(if text.len() > limit {
            let reason = Reason::TooLong { limit };
            Err(RowError { place, reason })
        } else {
            Ok(Row::of_text(place, text.clone()))
        }))
    }

    fn bytes_read(&self) -> u64 {
        0
    }
}

/// A reader of one review per line. Blank lines are skipped.
pub(super) struct TextLines {
    pub(super) source: usize,
    pub(super) name: String,
    pub(super) lines: Lines<Box<dyn BufRead + Send>>,
    pub(super) limit: usize,
    pub(super) read: Counter,
}

impl RowReader for TextLines {
    fn header(&self) -> Option<TableHeader> {
        Some(TableHeader::texts_only())
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
            let text = match line {
                Line::TooLong => Err(Reason::TooLong { limit: self.limit }),
                Line::Whole(line) => decode(line).map_err(Reason::from),
            };
            match text {
                Ok(text) if text.trim().is_empty() => {}
                Ok(text) => return Ok(Some(Ok(Row::of_text(place, text.to_owned())))),
                Err(reason) => return Ok(Some(Err(RowError { place, reason }))),
            }
        }
    }

    fn bytes_read(&self) -> u64 {
        self.read.get()
    }
}

/// A reader of a whole file as one review.
pub(super) struct Whole {
    pub(super) source: usize,
    pub(super) name: String,
    /// `None` once it was read.
    pub(super) file: Option<Box<dyn BufRead + Send>>,
    pub(super) limit: usize,
    pub(super) read: Counter,
}

impl RowReader for Whole {
    fn header(&self) -> Option<TableHeader> {
        Some(TableHeader::texts_only())
    }

    fn next_row(&mut self) -> Result<Option<Item>, InputError> {
        let Some(mut file) = self.file.take() else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.by_ref()
            .take(self.limit as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(InputError::io(&self.name))?;
        // The rest is read and dropped, so that damage after the limit is still an error.
        io::copy(&mut file, &mut io::sink()).map_err(InputError::io(&self.name))?;
        let place = Place {
            source: self.source,
            row: 1,
            line: Some(1),
        };
        let text = if bytes.len() > self.limit {
            Err(Reason::TooLong { limit: self.limit })
        } else {
            decode(&bytes).map_err(Reason::from)
        };
        Ok(Some(match text {
            Ok(text) => Ok(Row::of_text(place, text.to_owned())),
            Err(reason) => Err(RowError { place, reason }),
        }))
    }

    fn bytes_read(&self) -> u64 {
        self.read.get()
    }
}
