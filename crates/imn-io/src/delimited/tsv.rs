//! TSV: every line is a row, and tabs separate fields.

use std::io::{self, BufRead};
use std::ops::Range;

use super::{DelimitedRow, Fields, RowProblem};
use crate::lines::{Line, Lines};

pub(super) struct TsvRows {
    lines: Lines<Box<dyn BufRead + Send>>,
    bytes: Vec<u8>,
    bounds: Vec<Range<usize>>,
}

impl std::fmt::Debug for TsvRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TsvRows").finish_non_exhaustive()
    }
}

impl TsvRows {
    pub(super) fn new(source: Box<dyn BufRead + Send>, limit: usize) -> Self {
        Self {
            lines: Lines::new(source, limit),
            bytes: Vec::new(),
            bounds: Vec::new(),
        }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<DelimitedRow<'_>>> {
        let line = loop {
            match self.lines.next()? {
                None => return Ok(None),
                Some((_, Line::Whole([]))) => {}
                Some((line, Line::Whole(bytes))) => {
                    self.bytes.clear();
                    self.bytes.extend_from_slice(bytes);
                    break line;
                }
                Some((line, Line::TooLong)) => {
                    let fields = Err(RowProblem::TooLong);
                    return Ok(Some(DelimitedRow { line, fields }));
                }
            }
        };
        self.bounds.clear();
        let mut start = 0;
        for field in self.bytes.split(|&byte| byte == b'\t') {
            self.bounds.push(start..start + field.len());
            start += field.len() + 1;
        }
        let fields = Ok(Fields {
            bytes: &self.bytes,
            bounds: &self.bounds,
        });
        Ok(Some(DelimitedRow { line, fields }))
    }
}
