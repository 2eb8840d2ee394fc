//! What the command line can say. One subcommand is one file in `commands/`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands;

/// Aspect terms, opinion terms and sentiments out of reviews, on plain CPUs.
#[derive(Debug, Parser)]
#[command(name = "imn", version, max_term_width = 110)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Analyze(commands::analyze::Analyze),
    Explain(commands::explain::Explain),
    Report(commands::report::MakeReport),
    Serve(commands::serve::Serve),
    Train(commands::train::Train),
    Evaluate(commands::evaluate::Evaluate),
    Inspect(commands::inspect::Inspect),
    Shrink(commands::shrink::Shrink),
    Reproduce(commands::reproduce::Reproduce),
    Score(commands::score::Score),
    Check(commands::check::Check),
    Convert(commands::convert::Convert),
    Carry(commands::carry::Carry),
    Vectors(commands::vectors::Vectors),
    Tokenize(commands::tokenize::Tokenize),
}

impl Command {
    /// Runs the subcommand.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Analyze(command) => command.run(),
            Self::Explain(command) => command.run(),
            Self::Report(command) => command.run(),
            Self::Serve(command) => command.run(),
            Self::Train(command) => command.run(),
            Self::Evaluate(command) => command.run(),
            Self::Inspect(command) => command.run(),
            Self::Shrink(command) => command.run(),
            Self::Reproduce(command) => command.run(),
            Self::Score(command) => command.run(),
            Self::Check(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Carry(command) => command.run(),
            Self::Vectors(command) => command.run(),
            Self::Tokenize(command) => command.run(),
        }
    }
}
