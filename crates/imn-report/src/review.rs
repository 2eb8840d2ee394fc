//! Reads the input: one record of `imn analyze` per line.

use std::io::{self, BufRead};

use imn::analyze::{AnalyzedReview, SCHEMA};
use imn_io::lines::{Line, Lines};
use serde::Deserialize;

use crate::ReportError;
use crate::shorten::shorten;

/// Opens the decompressed input from its start.
pub type OpenReviews<'a> = dyn Fn() -> io::Result<Box<dyn BufRead>> + 'a;

/// The maximum length of a line in bytes.
const LONGEST: usize = 16 << 20;
/// If none of the first lines is a record, up to this one, the file is refused.
const PATIENCE: u64 = 50;

/// A line that is not a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// The line number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
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
            _ => error.to_string().replace(" at line 1 column", " at column"),
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

/// Calls `take` with every review and every bad line.
///
/// # Errors
/// If the input cannot be read, or has no analysed reviews.
pub(crate) fn each(
    source: &OpenReviews<'_>,
    mut take: impl FnMut(Result<AnalyzedReview, BadLine>),
) -> Result<(), ReportError> {
    let mut good = false;
    let mut first_bad: Option<BadLine> = None;
    let input = source().map_err(|error| ReportError::Io { line: 1, error })?;
    let mut lines = Lines::new(input, LONGEST);
    let mut before = 0;
    loop {
        let fail = |error| ReportError::Io {
            line: before + 1,
            error,
        };
        let Some((line, content)) = lines.next().map_err(fail)? else {
            break;
        };
        before = line;
        let parsed = match content {
            Line::Whole(bytes) if bytes.trim_ascii().is_empty() => continue,
            Line::Whole(bytes) => parse(bytes),
            Line::TooLong => Err(format!("longer than {} MB", LONGEST >> 20)),
        };
        match parsed {
            Ok(review) => {
                good = true;
                take(Ok(review));
            }
            Err(reason) => {
                // The reason may quote the line.
                let reason = shorten(reason, 200);
                let bad = BadLine { line, reason };
                let first = first_bad.get_or_insert_with(|| bad.clone());
                if !good && line > PATIENCE {
                    return Err(not_analysed(first.clone()));
                }
                take(Err(bad));
            }
        }
    }
    match first_bad {
        _ if good => Ok(()),
        Some(first) => Err(not_analysed(first)),
        None => Err(ReportError::Empty),
    }
}

fn not_analysed(BadLine { line, reason }: BadLine) -> ReportError {
    ReportError::NotAnalysed { line, reason }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(input: &[u8]) -> Result<(usize, Vec<BadLine>), ReportError> {
        let source = || Ok(Box::new(io::Cursor::new(input.to_vec())) as Box<dyn BufRead>);
        let (mut reviews, mut bad) = (0, Vec::new());
        each(&source, |line| match line {
            Ok(_) => reviews += 1,
            Err(line) => bad.push(line),
        })?;
        Ok((reviews, bad))
    }

    const GOOD: &str =
        r#"{"schema":1,"row":7,"text":"Nice.","aspects":[],"opinions":[],"new":[1]}"#;

    #[test]
    fn bad_lines_are_skipped_and_named() {
        let newer = r#"{"schema":2,"text":1}"#;
        let input = format!("{GOOD}\n\n{{\"schema\":1,\n{GOOD}\r\n{newer}\n{GOOD}");
        let (reviews, bad) = read(input.as_bytes()).unwrap();
        assert_eq!(reviews, 3);
        assert_eq!(bad.iter().map(|bad| bad.line).collect::<Vec<_>>(), [3, 5]);
        assert!(bad[1].reason.contains("its schema is 2"), "{bad:?}");
    }

    #[test]
    fn another_kind_of_file_is_refused() {
        let error = read(b"id,text\n1,Nice.\n").unwrap_err().to_string();
        assert!(
            error.contains("line 1") && error.contains("imn analyze"),
            "{error}"
        );
        let many = "x\n".repeat(1000) + GOOD;
        assert!(
            read(many.as_bytes())
                .unwrap_err()
                .to_string()
                .contains("line 1 ")
        );
        assert!(matches!(read(b" \n"), Err(ReportError::Empty)));
    }

    #[test]
    fn an_overlong_line_is_skipped() {
        let mut input = vec![b'['; LONGEST + 10];
        input.extend(format!("\n{GOOD}\n").as_bytes());
        let (reviews, bad) = read(&input).unwrap();
        assert_eq!((reviews, bad.len()), (1, 1));
        assert!(bad[0].reason.contains("16 MB"));
    }

    proptest! {
        #[test]
        fn no_line_stops_reading(lines in prop::collection::vec(".{0,60}", 0..8)) {
            let input = format!("{GOOD}\n{}\n{GOOD}", lines.join("\n"));
            let (reviews, _) = read(input.as_bytes()).unwrap();
            prop_assert_eq!(reviews, 2);
        }
    }
}
