//! The `imn` command: arguments in, exit code out; everything else is in the libraries.
//!
//! Exit codes: 0 done, 1 done and something is wrong with the data (or differs), 2 could not be
//! done.

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
