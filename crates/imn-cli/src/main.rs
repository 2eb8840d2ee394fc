//! The `imn` command: parses arguments, prints results and progress, and returns an exit code. The
//! work is in the libraries, and nothing depends on this crate.
//!
//! Exit codes: 0 success, 1 finished with problems in the data, 2 failure, 130 stopped by Ctrl-C.

mod args;
mod commands;
mod interrupt;
mod progress;
mod threads;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match args::Args::parse().command.run() {
        Ok(code) => code,
        Err(error) => commands::fail(&error),
    }
}
