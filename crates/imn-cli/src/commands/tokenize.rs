//! `imn tokenize`: how a text is cut into sentences and tokens.

use std::process::ExitCode;

/// Show how a text is cut into sentences and tokens.
#[derive(Debug, clap::Args)]
pub struct Tokenize {
    /// The text.
    text: String,
}

impl Tokenize {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let _ = self.text;
        Ok(ExitCode::SUCCESS)
    }
}
