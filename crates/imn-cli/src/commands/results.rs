//! `imn results`: a table of runs.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use imn::results::{markdown, read_results};

/// Make a table of the results of runs: means, deviations, and the paper's values.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn results results
  imn results results > table.md
  imn results results --into docs/results.md

The files are those that `imn train --results DIR` writes.")]
pub struct Results {
    /// The folder of results.
    #[arg(default_value = "results")]
    folder: PathBuf,
    /// Puts the table into this file, between the lines `<!-- imn results -->` and `<!-- end -->`, instead of printing it.
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
}

const BEGIN: &str = "<!-- imn results -->\n";
const END: &str = "<!-- end -->";

/// The page with the table in its place; `None` where the page has no such place.
fn put(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{table}{END}{after}"))
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
        let table = markdown(&results);
        let Some(path) = &self.into else {
            write!(std::io::stdout().lock(), "{table}")?;
            return Ok(ExitCode::SUCCESS);
        };
        let name = path.display();
        let page = std::fs::read_to_string(path).with_context(|| format!("{name}"))?;
        let page = put(&page, &table).with_context(|| {
            format!(
                "{name}: no line `{}` with a line `{END}` after it",
                BEGIN.trim()
            )
        })?;
        std::fs::write(path, page).with_context(|| format!("{name}"))?;
        Ok(ExitCode::SUCCESS)
    }
}
