//! Reads the input: one record of `imn analyze` per line.

use std::io::{self, BufRead};

use imn::analyze::{AnalyzedReview, BadLine, StoredError, StoredReviews};
use imn_io::encoding::StartError;

use crate::ReportError;

/// Opens the decompressed input from its start.
pub type OpenReviews<'a> = dyn Fn() -> io::Result<Box<dyn BufRead>> + 'a;

/// If none of the first lines is a record, up to this one, the file is refused.
const PATIENCE: u64 = 50;

/// Calls `take` with every review, without terms of low confidence, and with every bad line.
///
/// # Errors
/// If the input cannot be read, or has no analysed reviews.
pub(crate) fn each(
    source: &OpenReviews<'_>,
    min_confidence: f32,
    mut take: impl FnMut(Result<AnalyzedReview, BadLine>),
) -> Result<(), ReportError> {
    let mut good = false;
    let mut first_bad: Option<BadLine> = None;
    let input = source().map_err(|error| ReportError::Io { line: 1, error })?;
    let reviews = StoredReviews::new(input).map_err(|error| match error {
        StartError::Io(error) => ReportError::Io { line: 1, error },
        StartError::Utf16 => ReportError::Utf16,
    })?;
    for review in reviews {
        match review {
            Ok(mut review) => {
                good = true;
                review.retain_confident(min_confidence);
                take(Ok(review));
            }
            Err(StoredError::Line(bad)) => {
                let first = first_bad.get_or_insert_with(|| bad.clone());
                if !good && bad.line > PATIENCE {
                    return Err(not_analysed(first.clone()));
                }
                take(Err(bad));
            }
            Err(StoredError::Io { line, error }) => return Err(ReportError::Io { line, error }),
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
        each(&source, 0.0, |line| match line {
            Ok(_) => reviews += 1,
            Err(line) => bad.push(line),
        })?;
        Ok((reviews, bad))
    }

    const GOOD: &str =
        r#"{"schema":1,"row":7,"text":"Nice.","aspects":[],"opinions":[],"new":[1]}"#;

    #[test]
    fn bad_lines_are_skipped_and_a_byte_order_mark_is_not_one() {
        let input = format!("\u{feff}{GOOD}\n\n{{\"schema\":1,\n{GOOD}\r\n");
        let (reviews, bad) = read(input.as_bytes()).unwrap();
        assert_eq!((reviews, bad.len(), bad[0].line), (2, 1, 3));
        let error = read(b"\xff\xfe{\0").unwrap_err().to_string();
        assert!(error.contains("UTF-16"), "{error}");
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

    proptest! {
        #[test]
        fn no_line_stops_reading(lines in prop::collection::vec(".{0,60}", 0..8)) {
            let input = format!("{GOOD}\n{}\n{GOOD}", lines.join("\n"));
            let (reviews, _) = read(input.as_bytes()).unwrap();
            prop_assert_eq!(reviews, 2);
        }
    }
}
