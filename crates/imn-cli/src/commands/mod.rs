//! One file a subcommand: validated settings in, library calls, output.

use std::process::ExitCode;

pub mod carry;
pub mod check;
pub mod convert;
pub mod score;
pub mod tokenize;
pub mod train;
mod values;
pub mod vectors;

/// Prints an error with its causes and returns exit code 2; a closed pipe is not an error.
pub fn fail(error: &anyhow::Error) -> ExitCode {
    let closed_pipe = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|io| io.kind() == std::io::ErrorKind::BrokenPipe);
    if closed_pipe {
        return ExitCode::SUCCESS;
    }
    #[expect(clippy::print_stderr, reason = "errors go to standard error")]
    {
        eprintln!("imn: {error:#}");
    }
    ExitCode::from(2)
}
