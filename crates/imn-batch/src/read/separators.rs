//! Which character separates the columns of a CSV file. The start of the file decides: a first line
//! `sep=;`, which Excel understands, or else the header.

use std::io::{self, BufRead, Cursor, Read as _};
use std::ops::Range;

use imn_io::delimited::Dialect;

use super::ReadSettings;
use crate::InputError;

/// What the start of a CSV file says about its columns.
pub(super) struct CsvStart {
    pub(super) dialect: Dialect,
    /// The whole file. Of a line `sep=;`, only the line end is left, so that all other lines keep
    /// their numbers.
    pub(super) file: Box<dyn BufRead + Send>,
    /// What probably separates the columns if the header turns out to be a single column.
    pub(super) unread: Option<Unread>,
}

/// A separator with which CSV is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    Tab,
    Pipe,
}

impl Unread {
    /// The error for a header on this line.
    pub(super) fn error(self, source_name: &str, line: u64) -> InputError {
        let source_name = source_name.to_owned();
        match self {
            Self::Tab => InputError::TabsInHeader { source_name, line },
            Self::Pipe => InputError::PipesInHeader { source_name, line },
        }
    }
}

impl CsvStart {
    /// Looks at the first lines. At most `max_bytes` bytes are kept.
    pub(super) fn read(
        mut file: Box<dyn BufRead + Send>,
        settings: &ReadSettings,
        source_name: &str,
    ) -> Result<Self, InputError> {
        let (mut start, line) =
            first_line(&mut file, settings.max_bytes).map_err(InputError::io(source_name))?;
        let declared = declared(&start[..line.end]);
        let (dialect, unread) = match declared {
            Some(separator) => {
                let dialect = dialect_of(separator).ok_or_else(|| InputError::Separator {
                    source_name: source_name.to_owned(),
                    separator,
                })?;
                start.drain(..without_end(&start[..line.end]).len());
                (dialect, None)
            }
            None => of_header(&start[line], settings.column.as_deref()),
        };
        Ok(Self {
            dialect,
            file: Box::new(Cursor::new(start).chain(file)),
            unread,
        })
    }
}

/// Reads up to the end of the first line that is not empty, but at most `limit` bytes. Returns what
/// was read, and where in it that line is.
pub(super) fn first_line(
    file: &mut Box<dyn BufRead + Send>,
    limit: usize,
) -> io::Result<(Vec<u8>, Range<usize>)> {
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
    Ok((start, line))
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The separator that a first line such as `sep=;` declares. Some programs quote the line, and some
/// write `\t` for a tab.
pub(super) fn declared(first: &[u8]) -> Option<char> {
    // The rest of a line that is longer than the limit is not known.
    let line = first.ends_with(b"\n").then(|| without_end(first))?;
    let line = std::str::from_utf8(line).ok()?.trim_end_matches(' ');
    let quoted = line.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let (name, value) = quoted.unwrap_or(line).split_once('=')?;
    let separator = match value {
        "\\t" => '\t',
        _ => value.parse().ok()?,
    };
    (name.eq_ignore_ascii_case("sep") && !separator.is_alphanumeric()).then_some(separator)
}

fn dialect_of(separator: char) -> Option<Dialect> {
    match separator {
        ',' => Some(Dialect::Csv),
        ';' => Some(Dialect::Semicolons),
        '\t' => Some(Dialect::Tsv),
        _ => None,
    }
}

/// The dialect of a file with this header, and what may separate the columns instead. `column` is
/// the requested text column: a header that is this column is not split.
pub(super) fn of_header(header: &[u8], column: Option<&str>) -> (Dialect, Option<Unread>) {
    let header = without_end(header);
    let has = |separator| is_outside_quotes(separator, header);
    let is_column = column.map(str::as_bytes) == Some(header.trim_ascii());
    if has(b',') || is_column {
        (Dialect::Csv, None)
    } else if has(b';') {
        (Dialect::Semicolons, None)
    } else if has(b'\t') {
        (Dialect::Csv, Some(Unread::Tab))
    } else {
        (Dialect::Csv, has(b'|').then_some(Unread::Pipe))
    }
}

/// Whether a header has this separator outside quotation marks.
fn is_outside_quotes(separator: u8, header: &[u8]) -> bool {
    let mut quoted = false;
    header.iter().any(|&byte| {
        quoted ^= byte == b'"';
        byte == separator && !quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(text: &'static str, limit: usize, column: Option<&str>) -> CsvStart {
        let settings = ReadSettings {
            column: column.map(str::to_owned),
            max_bytes: limit,
            ..ReadSettings::default()
        };
        CsvStart::read(Box::new(text.as_bytes()), &settings, "a.csv").unwrap()
    }

    #[test]
    fn only_separators_outside_quotation_marks_count() {
        for (header, expected) in [
            ("text;stars", (Dialect::Semicolons, None)),
            (
                "\"text\";\"stars, 1 to 5\"\r\n",
                (Dialect::Semicolons, None),
            ),
            ("text", (Dialect::Csv, None)),
            ("text,stars;points", (Dialect::Csv, None)),
            ("\"Your opinion; be honest\"", (Dialect::Csv, None)),
            ("\"Your opinion | be honest\"", (Dialect::Csv, None)),
            ("id\ttext\tstars\n", (Dialect::Csv, Some(Unread::Tab))),
            ("\ttext\n", (Dialect::Csv, Some(Unread::Tab))),
            ("\"id\"|\"text\"\n", (Dialect::Csv, Some(Unread::Pipe))),
            ("id,text|stars\n", (Dialect::Csv, None)),
        ] {
            assert_eq!(of_header(header.as_bytes(), None), expected, "{header:?}");
        }
    }

    #[test]
    fn a_first_line_can_declare_the_separator() {
        for (line, expected) in [
            ("sep=;\n", Some(';')),
            ("SEP=,\r\n", Some(',')),
            ("sep=\t\r\n", Some('\t')),
            ("sep=\\t\n", Some('\t')),
            ("\"sep=;\"\r\n", Some(';')),
            ("sep=; \n", Some(';')),
            ("sep=|\n", Some('|')),
            ("sep=a\n", None),
            ("sep=\n", None),
            ("sep=;;\n", None),
            ("sepal=;\n", None),
            ("text\n", None),
            ("sep=;", None),
        ] {
            assert_eq!(declared(line.as_bytes()), expected, "{line:?}");
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
            ("\nsep=,\n", None, Dialect::Csv),
        ] {
            for limit in [3, 100] {
                let mut found = start(text, limit, column);
                let mut read = String::new();
                found.file.read_to_string(&mut read).unwrap();
                assert_eq!(read, text);
                assert!(limit == 3 || found.dialect == expected, "{text:?}");
            }
        }
        // Only the line end of a declaration is left.
        let mut found = start("sep=;\r\na,b\n", 100, None);
        let mut read = String::new();
        found.file.read_to_string(&mut read).unwrap();
        assert_eq!(
            (found.dialect, read.as_str()),
            (Dialect::Semicolons, "\r\na,b\n")
        );
        // A line that is longer than the limit is no declaration.
        assert_eq!(start("sep=;text\n", 5, None).dialect, Dialect::Semicolons);
        assert_eq!(start("sep=,text\n", 5, None).dialect, Dialect::Csv);
    }
}
