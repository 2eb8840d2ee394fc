//! Reads stored records: the JSONL output of `imn analyze`, one record per line.

use std::io::{self, BufRead};

use imn_io::encoding::{StartError, WithoutMark, without_mark};
use imn_io::lines::{Line, Lines};
use imn_io::message::plain_json;
use serde::Deserialize;

use super::{AnalyzedReview, SCHEMA};
use crate::text::shorten;

/// Most bytes of a line. A text has at most 1 MB by default, but a record that lists an aspect for
/// every few words is many times longer than its text.
const MAX_BYTES: usize = 64 << 20;

/// Most characters of a reason, which may quote the line.
const MAX_REASON: usize = 200;

/// A line that is not a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// The line number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// Why the next record could not be read.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// The input cannot be read any further.
    #[error("line {line}: cannot read further (is the file damaged or truncated?): {error}")]
    Io {
        /// The line that was being read.
        line: u64,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// This line is not a record. Reading can continue with the next one.
    #[error("line {}: {}", .0.line, .0.reason)]
    Line(BadLine),
}

/// Iterator over stored records. Blank lines are skipped. Only one line is in memory.
///
/// ```
/// use imn::analyze::{StoredError, StoredReviews};
///
/// let json = r#"{"schema":1,"text":"Nice.","aspects":[],"opinions":[]}"#;
/// let file = format!("\u{feff}{json}\n\n{{}}\n");
/// let mut reviews = StoredReviews::new(file.as_bytes())?;
/// assert_eq!(reviews.next().unwrap()?.text, "Nice.");
/// let Some(Err(StoredError::Line(bad))) = reviews.next() else { panic!() };
/// assert_eq!((bad.line, bad.reason.as_str()), (3, "missing field `schema` at column 2"));
/// assert!(reviews.next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StoredReviews<R> {
    lines: Lines<WithoutMark<R>>,
    /// Number of the last line.
    line: u64,
}

impl<R: BufRead> StoredReviews<R> {
    /// Reads decompressed JSONL. A byte-order mark is skipped.
    ///
    /// # Errors
    /// If the first bytes cannot be read, or the input is UTF-16.
    pub fn new(source: R) -> Result<Self, StartError> {
        Self::with_limit(source, MAX_BYTES)
    }

    fn with_limit(source: R, limit: usize) -> Result<Self, StartError> {
        let lines = Lines::new(without_mark(source)?, limit);
        Ok(Self { lines, line: 0 })
    }
}

impl<R: BufRead> Iterator for StoredReviews<R> {
    type Item = Result<AnalyzedReview, StoredError>;

    fn next(&mut self) -> Option<Self::Item> {
        let limit = self.lines.limit();
        loop {
            let (line, content) = match self.lines.next() {
                Ok(next) => next?,
                Err(error) => {
                    let line = self.line + 1;
                    return Some(Err(StoredError::Io { line, error }));
                }
            };
            self.line = line;
            let review = match content {
                Line::Whole(bytes) if bytes.trim_ascii().is_empty() => continue,
                Line::Whole(bytes) => parse(bytes),
                Line::TooLong => Err(format!("longer than {} MB", limit >> 20)),
            };
            return Some(review.map_err(|reason| {
                let reason = shorten(reason, MAX_REASON);
                StoredError::Line(BadLine { line, reason })
            }));
        }
    }
}

fn parse(line: &[u8]) -> Result<AnalyzedReview, String> {
    let review: AnalyzedReview = serde_json::from_slice(line).map_err(|error| {
        // If the schema is another one, that is the reason, not a missing field.
        #[derive(Deserialize)]
        struct Versioned {
            schema: u32,
        }
        match serde_json::from_slice(line) {
            Ok(Versioned { schema }) if schema != SCHEMA => wrong_schema(schema),
            // Each line is parsed alone; its number in the file is reported separately.
            _ => plain_json(&error.to_string()).replace(" at line 1 column", " at column"),
        }
    })?;
    if review.schema != SCHEMA {
        return Err(wrong_schema(review.schema));
    }
    Ok(review)
}

fn wrong_schema(schema: u32) -> String {
    format!("its schema is {schema}, but this program reads schema {SCHEMA}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        r#"{"schema":1,"row":7,"text":"Nice.","aspects":[],"opinions":[],"new":[1]}"#;

    fn read(input: &[u8], limit: usize) -> (usize, Vec<BadLine>) {
        let (mut reviews, mut bad) = (0, Vec::new());
        for next in StoredReviews::with_limit(input, limit).unwrap() {
            match next {
                Ok(_) => reviews += 1,
                Err(StoredError::Line(line)) => bad.push(line),
                Err(error) => panic!("{error}"),
            }
        }
        (reviews, bad)
    }

    #[test]
    fn bad_lines_are_named_and_the_rest_is_read() {
        let newer = r#"{"schema":2,"text":1}"#;
        let also_newer = GOOD.replace(r#""schema":1"#, r#""schema":3"#);
        let mut input = format!("\u{feff}{GOOD}\n\n{{\"schema\":1,\n{GOOD}\r\n{newer}\n");
        input += &format!("{also_newer}\n{GOOD}");
        let (reviews, bad) = read(input.as_bytes(), MAX_BYTES);
        assert_eq!(reviews, 3);
        let lines: Vec<u64> = bad.iter().map(|bad| bad.line).collect();
        assert_eq!(lines, [3, 5, 6]);
        assert!(bad[1].reason.contains("its schema is 2"), "{bad:?}");
        assert!(bad[2].reason.contains("its schema is 3"), "{bad:?}");
    }

    #[test]
    fn reasons_are_in_the_terms_of_json() {
        let (_, bad) = read(b"{\"schema\":1,\ntext\n{\"schema\":[]}\n", MAX_BYTES);
        let reasons: Vec<&str> = bad.iter().map(|bad| bad.reason.as_str()).collect();
        assert_eq!(
            reasons,
            [
                "the line ends inside a value at column 12",
                "expected true, false or null at column 2",
                "a list, expected a whole number from 0 at column 10",
            ]
        );
    }

    #[test]
    fn a_line_over_the_limit_is_not_held_in_memory() {
        let limit = 2 << 20;
        let mut input = vec![b'['; limit + 10];
        input.extend(format!("\n{GOOD}\n").as_bytes());
        let (reviews, bad) = read(&input, limit);
        assert_eq!(reviews, 1);
        assert_eq!(bad[0].reason, "longer than 2 MB");
    }

    #[test]
    fn utf_16_is_refused() {
        let wide = StoredReviews::new(&b"\xff\xfe{\0"[..]);
        assert!(matches!(wide, Err(StartError::Utf16)));
    }

    #[test]
    fn the_reason_is_short() {
        let input = format!(r#"{{"schema":"{}"}}"#, "x".repeat(5000));
        let (_, bad) = read(input.as_bytes(), MAX_BYTES);
        assert_eq!(bad[0].reason.chars().count(), MAX_REASON + 1);
    }
}
