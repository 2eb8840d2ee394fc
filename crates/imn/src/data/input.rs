//! Reads files as text with line numbers.

use std::io::{BufRead, Read};
use std::path::Path;

use imn_io::encoding::{self, NotUtf8, StartError, without_mark};
use imn_io::lines::{Line, Lines};

use super::{DataError, Place, Problem, ProblemKind};

/// Whether a path is `-`, which stands for standard input or standard output.
///
/// ```
/// assert!(imn::data::is_standard_stream("-".as_ref()));
/// assert!(!imn::data::is_standard_stream("./-".as_ref()));
/// ```
#[must_use]
pub fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file for reading, or standard input if the path is `-`. Compressed data is decompressed.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.txt.gz");
/// let mut file = imn_io::OutputFile::create(&path)?;
/// std::io::Write::write_all(&mut file, b"one review")?;
/// file.finish()?;
/// let text = std::io::read_to_string(imn::data::open(&path)?)?;
/// assert_eq!(text, "one review");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be opened or read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, DataError> {
    if is_standard_stream(path) {
        imn_io::decompress(std::io::stdin())
    } else {
        imn_io::open(path)
    }
    .map_err(DataError::io(path))
}

/// Like [`open`], but skips a byte-order mark.
pub(super) fn open_text(path: &Path) -> Result<impl BufRead + Send + use<>, DataError> {
    without_mark(open(path)?).map_err(|error| match error {
        StartError::Io(error) => DataError::io(path)(error),
        StartError::Utf16 => DataError::Utf16 {
            path: path.to_owned(),
        },
    })
}

/// Most bytes of a line that is read on its own, far more than any text has.
const MAX_LINE: usize = 64 << 20;

/// Number of bytes from which the format is detected.
const HEAD: u64 = 1 << 20;

/// The first lines of a file as text, enough to detect its format.
pub(super) fn read_head(path: &Path) -> Result<String, DataError> {
    let mut bytes = Vec::new();
    open_text(path)?
        .take(HEAD)
        .read_to_end(&mut bytes)
        .map_err(DataError::io(path))?;
    if bytes.len() as u64 == HEAD {
        // The last line is incomplete, and may end inside a character.
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        bytes.truncate(end.unwrap_or(0));
    }
    decode(&bytes, path)
}

/// The whole file as text, without a byte-order mark. The path may be `-`, standard input.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.txt");
/// std::fs::write(&path, "\u{feff}one\r\n")?;
/// assert_eq!(imn::data::read_text(&path)?, "one\r\n");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be read or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, DataError> {
    let mut bytes = Vec::new();
    open_text(path)?
        .read_to_end(&mut bytes)
        .map_err(DataError::io(path))?;
    decode(&bytes, path)
}

/// The lines of a file with their numbers, without a byte-order mark. The path may be `-`, standard
/// input. Only one line is in memory.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.txt");
/// std::fs::write(&path, "\u{feff}one\r\ntwo")?;
/// let lines = imn::data::text_lines(&path)?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(lines, [(1, "one".to_owned()), (2, "two".to_owned())]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be opened. A line that is too long or not UTF-8 is an error of the iterator.
pub fn text_lines(
    path: &Path,
) -> Result<impl Iterator<Item = Result<(usize, String), DataError>>, DataError> {
    let mut lines = Lines::new(open_text(path)?, MAX_LINE);
    let path = path.to_owned();
    Ok(std::iter::from_fn(move || {
        let (number, line) = match lines.next() {
            Ok(line) => line?,
            Err(error) => return Some(Err(DataError::io(&path)(error))),
        };
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let place = || Place::new(&path, number);
        Some(match line {
            Line::Whole(bytes) => encoding::decode(bytes)
                .map(|line| (number, line.to_owned()))
                .map_err(|_| DataError::Encoding { place: place() }),
            Line::TooLong => {
                let message = format!("longer than {} MB", MAX_LINE >> 20);
                let fix = "does the file have line ends?";
                let problem = Problem::new(place(), ProblemKind::Malformed, message, fix);
                Err(DataError::Content(problem))
            }
        })
    }))
}

fn decode(bytes: &[u8], path: &Path) -> Result<String, DataError> {
    match encoding::decode(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(NotUtf8 { at }) => {
            let good = bytes.iter().take(at - 1);
            let line = 1 + good.filter(|byte| **byte == b'\n').count();
            let place = Place::new(path, line);
            Err(DataError::Encoding { place })
        }
    }
}

/// The lines of a text with their numbers, from 1; `\n` and `\r\n` end a line.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line))
}
