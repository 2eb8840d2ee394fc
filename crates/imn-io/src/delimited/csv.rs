//! CSV with `csv_core`, the state machine inside the `csv` crate. It fills buffers that we provide,
//! so rows can have a size limit, and it distinguishes an open quotation mark at the end of the
//! file from a complete row.

use std::io::{self, BufRead};
use std::ops::Range;

use csv_core::ReadRecordResult;

use super::{DelimitedRow, Fields, RowProblem};

/// The maximum number of fields in a row: far more than any table has.
const MOST_FIELDS: usize = 1 << 16;

pub(super) struct CsvRows {
    core: csv_core::Reader,
    source: Box<dyn BufRead + Send>,
    limit: usize,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    bounds: Vec<Range<usize>>,
    line: u64,
    done: bool,
}

impl std::fmt::Debug for CsvRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CsvRows")
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}

impl CsvRows {
    pub(super) fn new(source: Box<dyn BufRead + Send>, delimiter: u8, limit: usize) -> Self {
        let mut rows = Self {
            core: csv_core::ReaderBuilder::new().delimiter(delimiter).build(),
            source,
            limit,
            bytes: vec![0; 1 << 12],
            ends: vec![0; 1 << 5],
            bounds: Vec::new(),
            line: 1,
            done: false,
        };
        // The core would remove a byte-order mark from the first bytes that it sees, wherever in
        // the file they are. After an empty line, which is not a row, it does not.
        rows.core
            .read_record(b"\n", &mut rows.bytes, &mut rows.ends);
        rows
    }

    /// Skips line ends before a row, so that the row's line number is known.
    fn skip_line_ends(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.source.fill_buf()?;
            let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
            let used = buffer.iter().take_while(is_end).count();
            let more = used > 0 && used == buffer.len();
            self.line += line_feeds(&buffer[..used]);
            self.source.consume(used);
            if !more {
                return Ok(());
            }
        }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<DelimitedRow<'_>>> {
        let Some((line, row)) = self.read()? else {
            return Ok(None);
        };
        let fields = row.map(|count| {
            let mut start = 0;
            self.bounds.clear();
            for &end in &self.ends[..count] {
                self.bounds.push(start..end);
                start = end;
            }
            Fields {
                bytes: &self.bytes[..start],
                bounds: &self.bounds,
            }
        });
        Ok(Some(DelimitedRow { line, fields }))
    }

    /// Reads the next row into the buffers. Returns the line on which it starts and its number of
    /// fields.
    fn read(&mut self) -> io::Result<Option<(u64, Result<usize, RowProblem>)>> {
        if self.done {
            return Ok(None);
        }
        self.skip_line_ends()?;
        let first_line = self.line;
        let (mut bytes, mut fields, mut too_long, mut begun) = (0, 0, false, false);
        loop {
            let buffer = self.source.fill_buf()?;
            let at_end = buffer.is_empty();
            if at_end && !begun {
                self.done = true;
                return Ok(None);
            }
            // At the end of the file the core gets a line end: it completes a row, but inside an
            // open quotation mark it is text.
            let input = if at_end { &b"\n"[..] } else { buffer };
            let (result, read, wrote, ended) =
                self.core
                    .read_record(input, &mut self.bytes[bytes..], &mut self.ends[fields..]);
            bytes += wrote;
            fields += ended;
            if !at_end {
                self.line += line_feeds(&input[..read]);
                self.source.consume(read);
                begun |= read > 0;
            }
            let row = match result {
                ReadRecordResult::InputEmpty if at_end => Err(RowProblem::OpenQuote),
                ReadRecordResult::InputEmpty => continue,
                ReadRecordResult::OutputFull => {
                    if self.bytes.len() <= self.limit && !too_long {
                        let length = (self.bytes.len() * 2).min(self.limit + 1);
                        self.bytes.resize(length, 0);
                    } else {
                        (too_long, bytes) = (true, 0);
                    }
                    continue;
                }
                ReadRecordResult::OutputEndsFull => {
                    if self.ends.len() < MOST_FIELDS && !too_long {
                        self.ends.resize(self.ends.len() * 2, 0);
                    } else {
                        (too_long, fields) = (true, 0);
                    }
                    continue;
                }
                ReadRecordResult::Record if too_long || bytes > self.limit => {
                    Err(RowProblem::TooLong)
                }
                ReadRecordResult::Record => Ok(fields),
                ReadRecordResult::End => {
                    self.done = true;
                    return Ok(None);
                }
            };
            self.done = at_end;
            return Ok(Some((first_line, row)));
        }
    }
}

fn line_feeds(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}
