//! Messages of errors: with their causes, and without terms of Rust.

use std::error::Error;

/// The message of an error followed by those of its causes, separated by colons. Some errors
/// already include their cause, for callers that print them alone; it is not repeated. A missing
/// file is in the same words on every operating system.
///
/// ```
/// use imn_io::with_causes;
///
/// let cause = std::io::Error::other("no space left");
/// let error = std::io::Error::other(cause);
/// assert_eq!(with_causes(&error), "no space left");
/// let error = std::fs::read("missing").unwrap_err();
/// assert_eq!(with_causes(&error), "no such file or folder");
/// ```
#[must_use]
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut message = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !message.contains(text.trim_end()) {
            message = format!("{message}: {text}");
        }
        next = cause.source();
    }
    let mut next = Some(error);
    while let Some(cause) = next {
        if is_missing_file(cause) {
            message = message.replace(&cause.to_string(), "no such file or folder");
        }
        next = cause.source();
    }
    message.truncate(message.trim_end().len());
    message
}

/// Whether this is the operating system's error for a missing file.
fn is_missing_file(error: &(dyn Error + 'static)) -> bool {
    let io: Option<&std::io::Error> = error.downcast_ref();
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::NotFound && io.raw_os_error().is_some())
}

/// The message of an error of `serde_json` in the terms of JSON and of its users.
///
/// ```
/// use imn_io::message::plain_json;
/// assert_eq!(plain_json("expected ident"), "expected true, false or null");
/// ```
#[must_use]
pub fn plain_json(message: &str) -> String {
    let mut message = message.to_owned();
    for (theirs, ours) in [
        ("invalid type: sequence", "a list"),
        ("invalid type: map", "an object"),
        ("invalid type: ", ""),
        ("invalid value: ", ""),
        ("invalid length ", "length "),
        ("expected usize", "expected a whole number from 0"),
        ("expected u32", "expected a whole number from 0"),
        ("expected u64", "expected a whole number from 0"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected an object"),
        ("expected a tuple of size 2", "expected a pair of numbers"),
        ("expected ident", "expected true, false or null"),
        ("EOF while parsing", "the line ends inside"),
        (
            "unexpected end of hex escape",
            "a \\u escape is the first half of a pair, and the second half is missing",
        ),
        (
            "lone leading surrogate in hex escape",
            "a \\u escape is one half of a pair, and the other half is missing",
        ),
        (
            "invalid escape",
            "an unknown escape in a string (write \\\\ for a backslash)",
        ),
        (
            "control character (\\u0000-\\u001F) found while parsing a string",
            "a control character in a string (write \\t for a tab and \\n for a line break)",
        ),
        ("key must be a string", "a key without double quotes"),
        (
            "trailing characters",
            "more text after the end of the value",
        ),
    ] {
        message = message.replace(theirs, ours);
    }
    message
}
