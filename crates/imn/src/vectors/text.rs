//! Text rows: `word 0.1 -0.2 …`, as GloVe and fastText write them.
//!
//! The last `dimensions` fields are the values, and everything before them is the word, because a
//! few words of large files contain spaces (". . ."). Surplus fields that are all numbers are an
//! error rather than part of a word. Only the ASCII space and tab separate fields: other white
//! space (U+00A0, U+0085) occurs inside words.

use std::io::{BufRead as _, Read as _};

use super::VectorError;
use super::rows::{RowParts, VectorRows};

/// Most bytes of a line; 4,096 dimensions with 17 digits take a fortieth of it.
const LONGEST_LINE: usize = 4 << 20;

/// First line of fastText and word2vec files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VectorHeader {
    pub(super) rows: u64,
    pub(super) dimensions: usize,
}

/// Parses a header: two whole numbers and nothing else.
pub(super) fn header(line: &[u8]) -> Option<VectorHeader> {
    let line = std::str::from_utf8(line).ok()?;
    let mut fields = line.split_ascii_whitespace();
    let header = VectorHeader {
        rows: fields.next()?.parse().ok()?,
        dimensions: fields.next()?.parse().ok()?,
    };
    (fields.next().is_none() && header.dimensions > 0).then_some(header)
}

fn is_separator(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Reads the next non-empty line into the buffer, without line end and trailing separators. False
/// at the end of the file.
///
/// This is not [`imn_io::lines`], because the binary format shares the input and the buffer, and
/// because files have gigabytes: `read_until` finds the line end several bytes at a time.
fn read_line(rows: &mut VectorRows) -> Result<bool, VectorError> {
    loop {
        rows.buffer.clear();
        rows.line += 1;
        let read = rows
            .input
            .by_ref()
            .take(LONGEST_LINE as u64)
            .read_until(b'\n', &mut rows.buffer)
            .map_err(|source| VectorError::Io {
                path: rows.path.clone(),
                source,
            })?;
        if read == 0 {
            return Ok(false);
        }
        if read == LONGEST_LINE && rows.buffer.last() != Some(&b'\n') {
            return Err(VectorError::TooLong {
                path: rows.path.clone(),
                line: rows.line,
                limit: LONGEST_LINE,
            });
        }
        let kept = rows
            .buffer
            .iter()
            .rposition(|&byte| !is_separator(byte) && byte != b'\n' && byte != b'\r')
            .map_or(0, |last| last + 1);
        rows.buffer.truncate(kept);
        if kept > 0 {
            return Ok(true);
        }
    }
}

/// Counts the numbers at the end of the first row, and puts the row back to be read again.
pub(super) fn dimensions_of_first_row(rows: &mut VectorRows) -> Result<usize, VectorError> {
    if !read_line(rows)? {
        return Err(VectorError::Empty {
            path: rows.path.clone(),
        });
    }
    let fields = fields(&rows.buffer);
    let numbers = fields
        .iter()
        .skip(1)
        .rev()
        .take_while(|&&(start, end)| is_number(&rows.buffer[start..end]))
        .count();
    if numbers == 0 {
        return Err(VectorError::NotVectors {
            path: rows.path.clone(),
            line: rows.line,
        });
    }
    let mut line = std::mem::take(&mut rows.buffer);
    line.push(b'\n');
    let rest = std::mem::replace(&mut rows.input, Box::new(std::io::empty()));
    rows.input = Box::new(std::io::Cursor::new(line).chain(rest));
    rows.line -= 1;
    Ok(numbers)
}

fn is_number(field: &[u8]) -> bool {
    std::str::from_utf8(field).is_ok_and(|field| field.parse::<f32>().is_ok())
}

/// Start and end of each field of a line.
fn fields(line: &[u8]) -> Vec<(usize, usize)> {
    let mut fields = Vec::new();
    let mut start = 0;
    for (at, &byte) in line.iter().enumerate() {
        if is_separator(byte) {
            if start < at {
                fields.push((start, at));
            }
            start = at + 1;
        }
    }
    if start < line.len() {
        fields.push((start, line.len()));
    }
    fields
}

/// Reads the next row.
pub(super) fn next(rows: &mut VectorRows) -> Result<Option<RowParts>, VectorError> {
    if !read_line(rows)? {
        return Ok(None);
    }
    let line = &rows.buffer;
    let separators = line.iter().filter(|&&byte| is_separator(byte)).count();
    if separators == rows.dimensions
        && let Some(word_end) = line.iter().position(|&byte| is_separator(byte))
    {
        return Ok(Some(RowParts {
            word_end,
            values_start: word_end + 1,
        }));
    }
    // A word with spaces, several spaces in a row, or a malformed line.
    let fields = fields(line);
    let wrong = |found| {
        Err(VectorError::Columns {
            path: rows.path.clone(),
            line: rows.line,
            expected: rows.dimensions,
            found,
        })
    };
    let Some(words) = fields
        .len()
        .checked_sub(rows.dimensions)
        .filter(|&words| words > 0)
    else {
        return wrong(fields.len().saturating_sub(1));
    };
    let surplus = &fields[1..words];
    if !surplus.is_empty()
        && surplus
            .iter()
            .all(|&(start, end)| is_number(&line[start..end]))
    {
        return wrong(fields.len() - 1);
    }
    Ok(Some(RowParts {
        word_end: fields[words - 1].1,
        values_start: fields[words].0,
    }))
}

/// Parses the values. The error is the first field that is not a finite number.
pub(super) fn parse(values: &[u8], out: &mut Vec<f32>) -> Result<(), String> {
    // Checked once for the whole row: large files spend most of their time in this loop.
    let Ok(values) = std::str::from_utf8(values) else {
        return Err(String::from_utf8_lossy(values).into_owned());
    };
    for field in values.split([' ', '\t']).filter(|field| !field.is_empty()) {
        match field.parse::<f32>() {
            Ok(number) if number.is_finite() => out.push(number),
            _ => return Err(field.to_owned()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<f32>)>, VectorError> {
        let input = Box::new(std::io::Cursor::new(bytes.to_vec()));
        let mut rows = VectorRows::from_reader(Path::new("vectors"), input)?;
        let mut all = Vec::new();
        let mut values = Vec::new();
        while let Some(row) = rows.next_row()? {
            row.read_into(&mut values)?;
            all.push((row.word.to_owned(), values.clone()));
        }
        Ok(all)
    }

    fn row(word: &str, values: &[f32]) -> (String, Vec<f32>) {
        (word.to_owned(), values.to_vec())
    }

    #[test]
    fn with_and_without_header_crlf_bom_and_trailing_spaces() {
        let expected = vec![row("tea", &[0.5, -1.0]), row("cup", &[1e-3, 2.0])];
        for text in [
            "tea 0.5 -1\ncup 0.001 2\n",
            "2 2\ntea 0.5 -1 \ncup 1e-3 2 \n",
            "tea 0.5 -1\r\n\r\ncup 0.001 2.0",
            "\u{feff}2 2\r\ntea\t0.5\t-1\r\ncup  0.001  2\r\n",
        ] {
            assert_eq!(read(text.as_bytes()).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn words_with_spaces_and_odd_white_space() {
        let text = "a 1 2\n. . . 3 4\nat mail@example.org 5 6\nno\u{a0}break 7 8\n 9 10\n";
        let words: Vec<String> = read(text.as_bytes())
            .unwrap()
            .into_iter()
            .map(|(word, _)| word)
            .collect();
        assert_eq!(
            words,
            ["a", ". . .", "at mail@example.org", "no\u{a0}break", ""]
        );
        assert_eq!(
            read(b". . . 3 4\na 1 2\n").unwrap()[0],
            row(". . .", &[3.0, 4.0])
        );
    }

    #[test]
    fn malformed_lines_are_located() {
        let message = |text: &str| {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            error
                .split_once(':')
                .map(|(_, rest)| rest.to_owned())
                .unwrap()
        };
        assert!(message("a 1 2\nb 1\n").starts_with("2: 1 values for a vector of 2"));
        assert!(
            message("2 3\na 1 2 3\n\nb 1 2 3 4\n").starts_with("4: 4 values for a vector of 3")
        );
        assert!(message("2 3\na 1 2\n").starts_with("2: 2 values for a vector of 3"));
        assert!(message("a 1 2\nb 1 x\n").starts_with("2: value 2 is \"x\""));
        assert!(message("a 1 2\nb nan 1\n").starts_with("2: value 1 is \"nan\""));
        assert!(message("just a text\n").starts_with("1: no numbers after the word"));
        assert!(message("").contains("no word vectors"));
    }

    #[test]
    fn a_file_without_line_ends_is_an_error() {
        let text = vec![b'a'; LONGEST_LINE + 10];
        assert!(matches!(
            read(&text),
            Err(VectorError::TooLong { line: 1, .. })
        ));
    }

    #[test]
    fn words_that_are_not_utf8_are_skipped() {
        assert_eq!(read(b"a 1 2\n\xff\xfe 3 4\nb 5 6\n").unwrap().len(), 2);
    }

    proptest! {
        #[test]
        fn rows_round_trip(
            rows in proptest::collection::vec(
                ("[^\\s\u{feff}]{1,6}", proptest::collection::vec(-1e6_f32..1e6, 3)), 1..8),
            header: bool,
        ) {
            let mut text = if header { format!("{} 3\n", rows.len()) } else { String::new() };
            for (word, values) in &rows {
                text.push_str(&format!("{word} {} {} {}\n", values[0], values[1], values[2]));
            }
            prop_assert_eq!(read(text.as_bytes()).unwrap(), rows);
        }

        #[test]
        fn nothing_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
            let _ = read(&[b"2 2\n", &bytes[..]].concat());
        }
    }
}
