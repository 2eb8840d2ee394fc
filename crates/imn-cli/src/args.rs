//! The command line. Each subcommand is a file or folder in `commands/`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands;

const EXAMPLES: &str = "\
Examples:
  imn analyze \"The ramen was wonderful, but our waiter ignored us.\"
  imn analyze reviews.csv --column text --out analysed.jsonl
  imn report analysed.jsonl --out report.html

`imn COMMAND --help` has the options and examples of a command. Exit codes: 0 success, 1 \
finished with problems in the data, 2 failure, 130 stopped by Ctrl-C.";

/// Aspect-based sentiment analysis of reviews, on CPUs and offline.
#[derive(Debug, Parser)]
#[command(name = "imn", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Analyze(commands::analyze::Analyze),
    Explain(commands::explain::Explain),
    Report(commands::report::MakeReport),
    Serve(commands::serve::Serve),
    Train(commands::train::Train),
    Evaluate(commands::evaluate::Evaluate),
    Models(commands::models::Models),
    Inspect(commands::inspect::Inspect),
    Quantize(commands::quantize::Quantize),
    Reproduce(commands::reproduce::Reproduce),
    Score(commands::score::Score),
    Check(commands::check::Check),
    Convert(commands::convert::Convert),
    Align(commands::align::Align),
    Vectors(commands::vectors::Vectors),
    Tokenize(commands::tokenize::Tokenize),
}

impl Command {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Analyze(command) => command.run(),
            Self::Explain(command) => command.run(),
            Self::Report(command) => command.run(),
            Self::Serve(command) => command.run(),
            Self::Train(command) => command.run(),
            Self::Evaluate(command) => command.run(),
            Self::Models(command) => command.run(),
            Self::Inspect(command) => command.run(),
            Self::Quantize(command) => command.run(),
            Self::Reproduce(command) => command.run(),
            Self::Score(command) => command.run(),
            Self::Check(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Align(command) => command.run(),
            Self::Vectors(command) => command.run(),
            Self::Tokenize(command) => command.run(),
        }
    }
}
