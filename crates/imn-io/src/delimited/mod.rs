//! Rows of CSV (RFC 4180) and TSV (tabs, no quoting: a quotation mark is an ordinary character).
//!
//! A row that exceeds the limit is skipped without being held in memory. So is a row whose
//! quotation mark is never closed, which extends to the end of the file.

mod csv;
mod tsv;

use std::io::{self, BufRead};
use std::ops::Range;

use crate::encoding::{NotUtf8, decode};

/// The kind of a delimited file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Commas, with quoting as in RFC 4180. A quoted field may contain line breaks.
    Csv,
    /// Semicolons, with quoting as in RFC 4180. Excel writes them where the comma is the decimal
    /// separator.
    Semicolons,
    /// Tabs, without quoting. Every line is a row.
    Tsv,
}

/// Why a row cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowProblem {
    /// Longer than the limit, or with far more fields than any table has.
    TooLong,
    /// A quotation mark is never closed, so the rest of the file belongs to this row.
    OpenQuote,
}

/// A row of a table.
#[derive(Debug)]
pub struct DelimitedRow<'a> {
    /// The line on which it starts, counted from 1.
    pub line: u64,
    /// Its fields.
    pub fields: Result<Fields<'a>, RowProblem>,
}

/// The fields of a row as bytes.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    bounds: &'a [Range<usize>],
}

impl<'a> Fields<'a> {
    /// How many fields there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a row has at least one field")]
    pub fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Decodes the fields as UTF-8. All bytes of the row are checked in one pass.
    ///
    /// # Errors
    /// If a field is not UTF-8.
    pub fn decode(self) -> Result<TextFields<'a>, NotUtf8> {
        let text = decode(self.bytes)?;
        // The bytes of two fields can be valid UTF-8 together although the boundary between them is
        // inside a character.
        let inside = |bound: &&Range<usize>| !text.is_char_boundary(bound.end);
        if let Some(bound) = self.bounds.iter().find(inside) {
            let start = (0..bound.end).rfind(|&at| text.is_char_boundary(at));
            return Err(NotUtf8 {
                at: start.unwrap_or(0) + 1,
            });
        }
        Ok(TextFields {
            text,
            bounds: self.bounds,
        })
    }
}

/// The fields of a row as text.
#[derive(Debug, Clone, Copy)]
pub struct TextFields<'a> {
    text: &'a str,
    bounds: &'a [Range<usize>],
}

impl<'a> TextFields<'a> {
    /// Iterates over the fields.
    pub fn iter(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let text = self.text;
        // `Fields::decode` has checked that the bounds are character boundaries.
        let field = move |bound: &Range<usize>| text.get(bound.clone()).unwrap_or_default();
        self.bounds.iter().map(field)
    }
}

/// Reads the rows of a table, including the header row.
///
/// ```
/// use imn_io::delimited::{DelimitedRows, Dialect};
/// let table = b"text,stars\n\"good, warm\",5\n";
/// let mut rows = DelimitedRows::new(Box::new(&table[..]), Dialect::Csv, 1000);
/// rows.next()?;
/// let row = rows.next()?.expect("a second row");
/// let fields = row.fields.expect("a good row").decode()?;
/// assert_eq!((row.line, fields.iter().collect::<Vec<_>>()), (2, vec!["good, warm", "5"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DelimitedRows(Inner);

#[derive(Debug)]
enum Inner {
    Csv(Box<csv::CsvRows>),
    Tsv(tsv::TsvRows),
}

impl DelimitedRows {
    /// Reads rows of at most `limit` bytes from `source`.
    #[must_use]
    pub fn new(source: Box<dyn BufRead + Send>, dialect: Dialect, limit: usize) -> Self {
        Self(match dialect {
            Dialect::Csv => Inner::Csv(Box::new(csv::CsvRows::new(source, b',', limit))),
            Dialect::Semicolons => Inner::Csv(Box::new(csv::CsvRows::new(source, b';', limit))),
            Dialect::Tsv => Inner::Tsv(tsv::TsvRows::new(source, limit)),
        })
    }

    /// The next row; `None` at the end. Empty lines are skipped.
    ///
    /// # Errors
    /// If the source cannot be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "a row borrows the buffer, which an iterator's item cannot"
    )]
    pub fn next(&mut self) -> io::Result<Option<DelimitedRow<'_>>> {
        match &mut self.0 {
            Inner::Csv(rows) => rows.next(),
            Inner::Tsv(rows) => rows.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    type Found = Vec<(u64, Result<Vec<String>, String>)>;

    fn read(bytes: &[u8], dialect: Dialect, buffer: usize, limit: usize) -> Found {
        let source = BufReader::with_capacity(buffer, io::Cursor::new(bytes.to_vec()));
        let mut rows = DelimitedRows::new(Box::new(source), dialect, limit);
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let fields = match row.fields.map(Fields::decode) {
                Err(problem) => Err(format!("{problem:?}")),
                Ok(Err(error)) => Err(error.to_string()),
                Ok(Ok(fields)) => Ok(fields.iter().map(str::to_owned).collect()),
            };
            found.push((row.line, fields));
        }
        found
    }

    fn row(line: u64, fields: &[&str]) -> (u64, Result<Vec<String>, String>) {
        (
            line,
            Ok(fields.iter().map(|&field| field.to_owned()).collect()),
        )
    }

    fn bad(line: u64, reason: &str) -> (u64, Result<Vec<String>, String>) {
        (line, Err(reason.to_owned()))
    }

    #[test]
    fn csv_rows_know_their_lines() {
        let table = b"a,b\r\n\n\"two\nlines\",\"x \"\"y\"\"\"\n5\" screen,z\n";
        let expected = [
            row(1, &["a", "b"]),
            row(3, &["two\nlines", "x \"y\""]),
            row(5, &["5\" screen", "z"]),
        ];
        assert_eq!(read(table, Dialect::Csv, 3, 100), expected);
    }

    #[test]
    fn semicolons_separate_and_commas_do_not() {
        let table = b"a;b\n1,5;\"x; y\"\n";
        let expected = [row(1, &["a", "b"]), row(2, &["1,5", "x; y"])];
        assert_eq!(read(table, Dialect::Semicolons, 3, 100), expected);
    }

    #[test]
    fn an_open_quote_is_one_bad_row() {
        for end in ["", "\n"] {
            let table = format!("pos,a\nneg,\"b\npos,c{end}");
            let expected = [row(1, &["pos", "a"]), bad(2, "OpenQuote")];
            assert_eq!(read(table.as_bytes(), Dialect::Csv, 8, 100), expected);
        }
    }

    #[test]
    fn tsv_has_no_quoting_and_rows_are_lines() {
        let table = b"a\tb\r\n\n\"x\ty \rz\n\t\nlast";
        let expected = [
            row(1, &["a", "b"]),
            row(3, &["\"x", "y \rz"]),
            row(4, &["", ""]),
            row(5, &["last"]),
        ];
        assert_eq!(read(table, Dialect::Tsv, 3, 100), expected);
    }

    #[test]
    fn long_rows_are_skipped() {
        let table = format!("a\n{}\nb\n", "x".repeat(5000));
        for dialect in [Dialect::Csv, Dialect::Tsv] {
            let expected = [row(1, &["a"]), bad(2, "TooLong"), row(3, &["b"])];
            assert_eq!(read(table.as_bytes(), dialect, 7, 100), expected);
        }
    }

    #[test]
    fn a_character_may_not_be_split_between_fields() {
        // Without the comma, the bytes of both fields would form one character.
        let expected = [bad(1, "not UTF-8: byte 2")];
        assert_eq!(read(b"a\xc3,\xa9", Dialect::Csv, 9, 100), expected);
        let expected = [bad(1, "not UTF-8: byte 2")];
        assert_eq!(read(b"a\xff\tb", Dialect::Tsv, 9, 100), expected);
    }

    proptest! {
        #[test]
        fn written_tables_come_back(
            table in prop::collection::vec(prop::collection::vec("[a-c\",\n\r\t é]{1,6}", 3), 1..6),
            buffer in 1_usize..9,
        ) {
            let mut writer = ::csv::Writer::from_writer(Vec::new());
            for row in &table {
                writer.write_record(row).unwrap();
            }
            let bytes = writer.into_inner().unwrap();
            let found = read(&bytes, Dialect::Csv, buffer, 1000);
            let found: Vec<Vec<String>> = found.into_iter().map(|(_, row)| row.unwrap()).collect();
            prop_assert_eq!(found, table);
        }

        #[test]
        fn buffers_do_not_matter(
            bytes in prop::collection::vec(
                prop::sample::select(b"ab,\t\"\r\n\xc3\xa9".to_vec()),
                0..60,
            ),
            buffer in 1_usize..9,
            limit in 1_usize..20,
        ) {
            for dialect in [Dialect::Csv, Dialect::Tsv] {
                let small = read(&bytes, dialect, buffer, limit);
                prop_assert_eq!(small, read(&bytes, dialect, 1000, limit));
            }
        }
    }
}
