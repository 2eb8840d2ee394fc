//! `imn results`: a table of runs.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use imn::results::{markdown, read_results};

/// Make a table of the results of runs: means, deviations, and the paper's values.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn results results
  imn results results > table.md

The files are those that `imn train --results DIR` writes.")]
pub struct Results {
    /// The folder of results.
    #[arg(default_value = "results")]
    folder: PathBuf,
}

impl Results {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let results = read_results(&self.folder)?;
        ensure!(
            !results.is_empty(),
            "{}: no results in it",
            self.folder.display()
        );
        write!(std::io::stdout().lock(), "{}", markdown(&results))?;
        Ok(ExitCode::SUCCESS)
    }
}
