//! Parsers of option values, and small helpers of the commands.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use imn::bundle::Precision;
use imn::data::{DataFormat, Field, ProblemKind};
use imn::text::OffsetUnit;
use imn_batch::read::InputFormat;
use imn_io::output::is_device;
use indicatif::HumanCount;

fn choose<T: Copy>(
    name: &str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, String> {
    all.iter()
        .copied()
        .find(|value| name_of(*value) == name)
        .ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|value| name_of(*value)).collect();
            format!("expected one of {}", names.join(", "))
        })
}

/// A parser of the names of `all` values, which --help lists with their descriptions.
pub fn choice<T: Copy + Send + Sync + 'static>(
    all: impl IntoIterator<Item = T>,
    name_of: fn(T) -> &'static str,
    help_of: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<T> = all.into_iter().collect();
    let possible = |&value: &T| PossibleValue::new(name_of(value)).help(help_of(value));
    let names = PossibleValuesParser::new(all.iter().map(possible));
    names.try_map(move |name| choose(&name, &all, name_of))
}

/// A parser of the unit of offsets.
pub fn offset_unit() -> impl TypedValueParser<Value = OffsetUnit> {
    choice(OffsetUnit::ALL, OffsetUnit::name, |unit| match unit {
        OffsetUnit::Bytes => "UTF-8 bytes (Rust, Go)",
        OffsetUnit::Chars => "Unicode code points (Python)",
        OffsetUnit::Utf16 => "UTF-16 units (JavaScript, Java)",
    })
}

/// Parses a number from 0 to 1.
pub fn share(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

/// Parses a number of bytes, with an optional suffix K, M or G for powers of 1024.
pub fn bytes(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1_usize),
    };
    let number: Option<usize> = digits.parse().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| "expected a number of bytes, such as 1000000, 64K or 10M".to_owned())
}

/// Parses the name of a format of annotated sentences.
pub fn format(name: &str) -> Result<DataFormat, String> {
    choose(name, &DataFormat::ALL, DataFormat::name)
}

/// Parses the name of a precision.
pub fn precision(name: &str) -> Result<Precision, String> {
    choose(name, &Precision::ALL, Precision::name)
}

/// Parses the name of a field of annotated sentences.
pub fn field(name: &str) -> Result<Field, String> {
    choose(name, &Field::ALL, Field::name)
}

/// Parses the name of a kind of problem.
pub fn problem_kind(name: &str) -> Result<ProblemKind, String> {
    choose(name, &ProblemKind::ALL, ProblemKind::name)
}

/// `part` as a percentage of `whole`; 0 if `whole` is 0.
pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

/// `1 review`, `2 reviews`, `1,000 reviews`.
pub fn counted(number: u64, one: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {one}{s}", HumanCount(number))
}

/// Whether an argument that names no file was meant to: it has a known extension, or no white space
/// and a slash or an extension, be it mistyped ("reviews.cvs").
pub fn looks_like_a_file(argument: &str) -> bool {
    let path = Path::new(argument);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_word = extension.is_some_and(|extension| {
        (2..=7).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    let is_known = InputFormat::of_name(path).is_some();
    is_known || !argument.contains(char::is_whitespace) && (is_word || argument.contains('/'))
}

/// Fails if an argument that should be a text names a file, or looks as if it should. `read_file`
/// is the command that reads the text in it.
pub fn refuse_file(argument: &str, command: &str, read_file: &str) -> anyhow::Result<()> {
    ensure!(
        !Path::new(argument).is_file(),
        "{argument} is a file, and {command} takes a text; to {command} the text in it: \
         {read_file} {argument}"
    );
    ensure!(
        !looks_like_a_file(argument),
        "{argument}: no such file; {command} takes a text, or reads it from standard input"
    );
    Ok(())
}

/// Fails if writing to `output` would replace the data that is read from `input`. Each may be a
/// four-file folder, or the `sentence.txt` of one.
pub fn refuse_input(input: &Path, output: &Path) -> anyhow::Result<()> {
    let resolved = |path: &Path| {
        let path = std::fs::canonicalize(path).ok()?;
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        match imn_io::without_compression(name) {
            "sentence.txt" => path.parent().map(Path::to_owned),
            _ => Some(path),
        }
    };
    // Writing to a device, such as a terminal that is also read, replaces nothing. An output that
    // does not exist is no input.
    let is_input = !is_device(output)
        && resolved(output).is_some_and(|output| resolved(input) == Some(output));
    ensure!(
        !is_input,
        "{} is an input; write to another file",
        output.display()
    );
    Ok(())
}

/// Writes a file atomically, compressed according to its extension.
pub fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    // The operating system would name the temporary file, not the folder.
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    if let Some(folder) = folder.filter(|folder| !folder.exists()) {
        let (path, folder) = (path.display(), folder.display());
        bail!("{path}: the folder {folder} does not exist");
    }
    let write = || {
        let mut file = imn_io::OutputFile::create(path)?;
        file.write_all(bytes)?;
        file.finish()
    };
    write().with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_have_a_suffix() {
        for (text, expected) in [
            ("1000", 1000),
            ("1K", 1 << 10),
            ("64k", 64 << 10),
            ("10M", 10 << 20),
            ("2g", 2 << 30),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "K", "1KB", "1.5M", "-1", "1é", "99999999999G"] {
            let error = bytes(text).unwrap_err();
            assert!(error.contains("such as 1000000, 64K"), "{text}: {error}");
        }
    }
}
