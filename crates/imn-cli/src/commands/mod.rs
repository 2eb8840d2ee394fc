//! One module per subcommand. Each validates its arguments, calls the libraries and prints.

use std::process::ExitCode;

use imn_batch::{BatchError, InputError, TextGuess};

pub mod align;
pub mod analyze;
pub mod check;
pub mod convert;
pub mod evaluate;
pub mod explain;
pub mod inspect;
mod model;
pub mod models;
mod overwrite;
pub mod quantize;
pub mod report;
pub mod reproduce;
pub mod score;
pub mod serve;
pub mod tokenize;
pub mod train;
mod values;
pub mod vectors;

/// Prints an error with its causes and returns exit code 2. A closed pipe is not an error.
pub fn fail(error: &anyhow::Error) -> ExitCode {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause
            .downcast_ref::<std::io::Error>()
            .map(std::io::Error::kind);
        // The JSON writer wraps the error of the pipe.
        io.or_else(|| cause.downcast_ref::<serde_json::Error>()?.io_error_kind())
    };
    if error
        .chain()
        .any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
    {
        return ExitCode::SUCCESS;
    }
    let message = imn_io::with_causes(error.as_ref());
    let hint = error.chain().find_map(hint).unwrap_or_default();
    crate::progress::say(&format!("imn: {message}{hint}"));
    ExitCode::from(2)
}

/// What to do about an error on the command line. The server and the Python package show the same
/// errors, so the libraries do not name options of the command.
fn hint(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    // `BatchError` passes the message and the causes of an `InputError` through.
    let input = match cause.downcast_ref() {
        Some(BatchError::Input(error)) => Some(error),
        _ => cause.downcast_ref(),
    };
    Some(match input? {
        InputError::NoTextColumn { guess, .. } => match guess {
            None => "; use --column NAME".to_owned(),
            Some(TextGuess::Path(path)) if path.contains(|c| !is_plain(c)) => {
                format!("; use --column '{path}'")
            }
            Some(TextGuess::Path(path)) => format!("; use --column {path}"),
            Some(TextGuess::FirstRow) => "; use --column NAME, or --from txt if the file has one \
                                          review per line and no header"
                .to_owned(),
        },
        InputError::NoIdColumn { .. } => "; use --id NAME".to_owned(),
        _ => return None,
    })
}

/// Whether a shell takes this character as it is.
fn is_plain(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '.' | '_' | '-')
}
