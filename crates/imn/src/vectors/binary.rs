//! word2vec's binary format: a header line `rows dimensions`, then for each row the word, one
//! space, `dimensions` little-endian 32-bit floats and, from some writers, a line feed.

use std::io::{BufRead as _, Read as _};

use super::VectorError;
use super::rows::{RowParts, VectorRows};

/// Most bytes of a word; a longer one means that the file is damaged.
const LONGEST_WORD: usize = 1 << 16;

/// Whether the rows after a header are binary. The first row of a text file ends in a number. The
/// bytes of a binary row can look like the beginning of such a row ("tea 1", line feed), but not
/// like a whole one, and there are control characters among them.
pub(super) fn looks_binary(rows: &[u8], dimensions: usize) -> bool {
    let line = rows.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let Ok(line) = std::str::from_utf8(line) else {
        // A long line may be cut off here, but a text row would be cut inside its numbers, which
        // are ASCII.
        return true;
    };
    let last = line.split_ascii_whitespace().next_back();
    if last.is_some_and(|last| last.parse::<f32>().is_err()) {
        return true;
    }
    let is_whole = line.split_ascii_whitespace().count() > dimensions;
    let is_control = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
    !is_whole && rows.iter().any(is_control)
}

/// Reads the next row: word and values, one after the other in the buffer.
pub(super) fn next(rows: &mut VectorRows) -> Result<Option<RowParts>, VectorError> {
    let total = rows.stated_rows.unwrap_or(0);
    if rows.line >= total {
        return Ok(None);
    }
    rows.line += 1;
    let (path, row) = (&rows.path, rows.line);
    let io_error = |source| VectorError::Io {
        path: path.clone(),
        source,
    };
    let truncated = || VectorError::Truncated {
        path: path.clone(),
        row,
        rows: total,
    };

    rows.buffer.clear();
    let input = &mut rows.input;
    input
        .by_ref()
        .take(LONGEST_WORD as u64)
        .read_until(b' ', &mut rows.buffer)
        .map_err(io_error)?;
    if rows.buffer.pop_if(|last| *last == b' ').is_none() {
        if rows.buffer.len() < LONGEST_WORD {
            return Err(truncated());
        }
        return Err(VectorError::TooLong {
            path: path.clone(),
            line: row,
            limit: LONGEST_WORD,
        });
    }
    // Skip the line feed that ends the previous row.
    while rows
        .buffer
        .first()
        .is_some_and(|byte| matches!(byte, b'\n' | b'\r'))
    {
        rows.buffer.remove(0);
    }
    let word_end = rows.buffer.len();
    let bytes = rows.dimensions.saturating_mul(4);
    // `take` and `read_to_end` allocate for the bytes that exist: a wrong header cannot exhaust
    // memory.
    let read = input
        .by_ref()
        .take(bytes as u64)
        .read_to_end(&mut rows.buffer)
        .map_err(io_error)?;
    if read < bytes {
        return Err(truncated());
    }
    Ok(Some(RowParts {
        word_end,
        values_start: word_end,
    }))
}

/// Parses the values. The error is the first value that is not finite.
pub(super) fn parse(values: &[u8], out: &mut Vec<f32>) -> Result<(), String> {
    let (numbers, _) = values.as_chunks::<4>();
    for &number in numbers {
        let number = f32::from_le_bytes(number);
        if !number.is_finite() {
            return Err(number.to_string());
        }
        out.push(number);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::VectorFormat;
    use super::*;

    fn write(rows: &[(&str, Vec<f32>)], line_feeds: bool) -> Vec<u8> {
        let dimensions = rows.first().map_or(1, |(_, values)| values.len());
        let mut bytes = format!("{} {dimensions}\n", rows.len()).into_bytes();
        for (word, values) in rows {
            bytes.extend(word.bytes());
            bytes.push(b' ');
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            if line_feeds {
                bytes.push(b'\n');
            }
        }
        bytes
    }

    type Read = (VectorFormat, Vec<(String, Vec<f32>)>);

    fn read(bytes: &[u8]) -> Result<Read, VectorError> {
        let input = Box::new(std::io::Cursor::new(bytes.to_vec()));
        let mut rows = VectorRows::from_reader(Path::new("vectors"), input)?;
        let format = rows.format();
        let (mut all, mut values) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next_row()? {
            row.read_into(&mut values)?;
            all.push((row.word.to_owned(), values.clone()));
        }
        Ok((format, all))
    }

    #[test]
    fn both_dialects() {
        let rows = [
            ("tea", vec![0.5, -1.25, 3.0]),
            ("</s>", vec![0.001, 2.5e-8, -7.0]),
        ];
        for line_feeds in [false, true] {
            let (format, read) = read(&write(&rows, line_feeds)).unwrap();
            assert_eq!(format, VectorFormat::Word2VecBinary);
            assert_eq!(read.len(), 2);
            for ((word, values), (expected, numbers)) in read.iter().zip(&rows) {
                assert_eq!((word.as_str(), values), (*expected, numbers));
            }
        }
    }

    #[test]
    fn a_row_that_begins_like_text_is_binary() {
        let mut values = vec![f32::from_le_bytes(*b"1\n\x17?")];
        values.resize(50, 0.0);
        let (format, rows) = read(&write(&[("a", values.clone())], false)).unwrap();
        assert_eq!(format, VectorFormat::Word2VecBinary);
        assert_eq!(rows, [("a".to_owned(), values)]);
    }

    #[test]
    fn damage_is_located() {
        let whole = write(&[("tea", vec![0.5; 30]), ("cup", vec![0.25; 30])], true);
        let error = read(&whole[..whole.len() - 20]).unwrap_err();
        assert!(
            matches!(
                error,
                VectorError::Truncated {
                    row: 2,
                    rows: 2,
                    ..
                }
            ),
            "{error}"
        );
        let infinite = write(&[("tea", vec![0.5, f32::INFINITY])], false);
        assert!(matches!(
            read(&infinite),
            Err(VectorError::Number {
                line: 1,
                column: 2,
                ..
            })
        ));
    }

    #[test]
    fn a_wrong_header_allocates_no_memory() {
        let with = |header: &str| {
            let mut bytes = format!("{header}\nword ").into_bytes();
            bytes.extend([0_u8; 64]);
            read(&bytes)
        };
        assert!(matches!(
            with("9999999999 99999999999999"),
            Err(VectorError::TooWide { .. })
        ));
        assert!(matches!(
            with("9999999999 60000"),
            Err(VectorError::Truncated { row: 1, .. })
        ));
    }

    proptest! {
        #[test]
        fn rows_round_trip(
            values in proptest::collection::vec(
                proptest::collection::vec(-10.0_f32..10.0, 50),
                1..5,
            ),
            line_feeds: bool,
        ) {
            let rows: Vec<(&str, Vec<f32>)> =
                ["a", "bé", "c-d", "e"].into_iter().zip(values).collect();
            let (format, read) = read(&write(&rows, line_feeds)).unwrap();
            prop_assert_eq!(format, VectorFormat::Word2VecBinary);
            for ((word, values), (expected, numbers)) in read.iter().zip(&rows) {
                prop_assert_eq!((word.as_str(), values), (*expected, numbers));
            }
        }
    }
}
