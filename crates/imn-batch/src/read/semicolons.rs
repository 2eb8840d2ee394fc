//! Whether the columns of a CSV file are separated by commas or by semicolons: its header decides.

use std::io::{self, BufRead, Cursor, Read as _};

use imn_io::delimited::Dialect;

/// Looks at the first line that is not empty, of which at most `limit` bytes are kept. Returns the
/// dialect and the whole file. `column` is the requested text column: a header that is this column
/// is not split.
pub(super) fn dialect(
    mut file: Box<dyn BufRead + Send>,
    limit: usize,
    column: Option<&str>,
) -> io::Result<(Dialect, Box<dyn BufRead + Send>)> {
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
    let dialect = match has_semicolons(header) && column.map(str::as_bytes) != Some(header) {
        true => Dialect::Semicolons,
        false => Dialect::Csv,
    };
    Ok((dialect, Box::new(Cursor::new(start).chain(file))))
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
        for (text, column, expected) in [
            ("\r\n\na;b\n1,5;2\n", None, Dialect::Semicolons),
            ("a;b\n1,5;2", Some("a;b"), Dialect::Csv),
            ("a,b\n", None, Dialect::Csv),
            ("", None, Dialect::Csv),
            ("\n\n", None, Dialect::Csv),
        ] {
            for limit in [3, 100] {
                let source = Box::new(text.as_bytes());
                let (found, mut file) = dialect(source, limit, column).unwrap();
                let mut read = String::new();
                file.read_to_string(&mut read).unwrap();
                assert_eq!(read, text);
                assert!(limit == 3 || found == expected, "{text:?}");
            }
        }
    }
}
