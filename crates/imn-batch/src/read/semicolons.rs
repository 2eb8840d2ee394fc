//! CSV with semicolons, which Excel writes where the comma is the decimal separator.
//!
//! Such a file is read as ordinary CSV in which semicolons and commas are exchanged, and the fields
//! are exchanged back. Both are ASCII, so no other character is affected.

use std::io::{self, BufRead, BufReader, Cursor, Read};

/// A source of CSV, and whether its semicolons and commas are exchanged.
pub(super) struct Separated {
    pub(super) file: Box<dyn BufRead + Send>,
    pub(super) exchanged: bool,
}

impl Separated {
    /// Looks at the first line, of which at most `limit` bytes are kept. `column` is the requested
    /// text column: a header that is this column is not split.
    pub(super) fn new(
        mut file: Box<dyn BufRead + Send>,
        limit: usize,
        column: Option<&str>,
    ) -> io::Result<Self> {
        let mut start = Vec::new();
        let mut line = 0..0;
        while start[line.clone()].trim_ascii().is_empty() {
            let most = limit.saturating_sub(start.len()) as u64;
            let count = file.by_ref().take(most).read_until(b'\n', &mut start)?;
            if count == 0 {
                break;
            }
            line = line.end..start.len();
        }
        let header = start[line].trim_ascii();
        let exchanged = has_semicolons(header) && column.map(str::as_bytes) != Some(header);
        let whole = Cursor::new(start).chain(file);
        let file: Box<dyn BufRead + Send> = if exchanged {
            Box::new(BufReader::new(Exchanged(whole)))
        } else {
            Box::new(whole)
        };
        Ok(Self { file, exchanged })
    }

    /// A field as it is in the file.
    pub(super) fn field(exchanged: bool, field: &str) -> String {
        let back = |c| match c {
            ',' => ';',
            ';' => ',',
            other => other,
        };
        match exchanged {
            true => field.chars().map(back).collect(),
            false => field.to_owned(),
        }
    }
}

/// Whether a header has a semicolon but no comma, both outside quotation marks.
fn has_semicolons(header: &[u8]) -> bool {
    let (mut quoted, mut found) = (false, false);
    for byte in header {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => return false,
            b';' if !quoted => found = true,
            _ => {}
        }
    }
    found
}

struct Exchanged<R>(R);

impl<R: Read> Read for Exchanged<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        for byte in &mut buffer[..count] {
            match *byte {
                b',' => *byte = b';',
                b';' => *byte = b',',
                _ => {}
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unquoted_semicolons_without_commas_count() {
        for (header, expected) in [
            ("text;stars", true),
            ("\"text\";\"stars, 1 to 5\"", true),
            ("text", false),
            ("text,stars;points", false),
            ("\"Your opinion; be honest\"", false),
        ] {
            assert_eq!(has_semicolons(header.as_bytes()), expected, "{header}");
        }
    }

    #[test]
    fn no_byte_is_lost() {
        for (text, column, exchanged) in [
            ("\r\n\na;b\n1,5;2\n", None, true),
            ("a;b\n1,5;2", Some("a;b"), false),
            ("a,b\n", None, false),
            ("", None, false),
            ("\n\n", None, false),
        ] {
            for limit in [3, 100] {
                let source = Box::new(text.as_bytes());
                let mut found = Separated::new(source, limit, column).unwrap();
                let mut read = String::new();
                found.file.read_to_string(&mut read).unwrap();
                assert_eq!(Separated::field(found.exchanged, &read), text);
                assert!(limit == 3 || found.exchanged == exchanged, "{text:?}");
            }
        }
    }
}
