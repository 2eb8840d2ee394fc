//! One file a subcommand: validated settings in, library calls, output.

use std::process::ExitCode;

pub mod analyze;
pub mod carry;
pub mod check;
pub mod convert;
pub mod evaluate;
pub mod explain;
pub mod inspect;
mod model;
pub mod report;
pub mod reproduce;
pub mod score;
pub mod serve;
pub mod shrink;
pub mod tokenize;
pub mod train;
mod values;
pub mod vectors;

/// Prints an error with its causes and returns exit code 2; a closed pipe is not an error.
pub fn fail(error: &anyhow::Error) -> ExitCode {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause
            .downcast_ref::<std::io::Error>()
            .map(std::io::Error::kind);
        // Writers of JSON wrap what the pipe said.
        io.or_else(|| cause.downcast_ref::<serde_json::Error>()?.io_error_kind())
    };
    if error
        .chain()
        .any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
    {
        return ExitCode::SUCCESS;
    }
    // Some errors already say their cause, as is right where they are shown alone.
    let mut message = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if message.is_empty() {
            message = cause;
        } else if !message.contains(cause.trim_end()) {
            message = format!("{message}: {cause}");
        }
    }
    crate::progress::say(&format!("imn: {}", message.trim_end()));
    ExitCode::from(2)
}
