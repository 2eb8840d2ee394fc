//! `imn reproduce`: repeats the paper's experiments and writes its tables.

mod estimate;
mod run;
mod tables;
mod view;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use imn_repro::recipe::Recipe;
use imn_repro::tables::Table;

use super::values::write_file;
use crate::progress::say;
use run::Run;
use tables::Tables;

const EXAMPLES: &str = "\
Examples:
  imn reproduce all --data DIR --jobs 4          all runs of all tables, four at a time
  imn reproduce main --data DIR --seeds 1        one run of each system on each set
  imn reproduce main --data DIR --systems decnn,pipeline --sets lap14 --seeds 3
  imn reproduce all --data DIR --recipe tuned    with settings chosen on development splits
  imn reproduce ablation --data DIR --recipe minilm   what each part adds to an encoder
  imn reproduce tables --recipe tuned            tables of existing results, without training
  imn reproduce main --data DIR --systems mnn --sets lap14 --no-test --set network.hidden=50

Each run trains a system, scores it once on the test set and saves the result as a small file in \
--results. Runs with a result are not repeated, so the same command resumes after a stop. Parts \
that several systems share are trained once. Trained models stay in --work (100 to 250 MB each) \
for `imn evaluate`. Systems: docs/reproduce.md. Settings: configs/.";

/// Repeat the paper's experiments: train and score its systems, and write its tables.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct Reproduce {
    #[command(subcommand)]
    tables: Option<Command>,
    #[command(flatten)]
    run: Run,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Tables(Tables),
}

impl Reproduce {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.tables {
            Some(Command::Tables(command)) => command.run(),
            None => self.run.run(),
        }
    }
}

/// An experiment of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Experiment {
    /// Main comparison: 11 systems, three sets, five scores.
    Main,
    /// Ablation of the parts of the network.
    Ablation,
    /// Rounds of message passing, T = 0 to 5.
    Iterations,
    /// Main comparison without opinion labels.
    NoOpinion,
    /// Predictions of PIPELINE, INABSA and IMN for the paper's five sentences.
    Cases,
    /// All experiments.
    All,
}

impl Experiment {
    fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Ablation => "ablation",
            Self::Iterations => "iterations",
            Self::NoOpinion => "no-opinion",
            Self::Cases => "cases",
            Self::All => "all",
        }
    }

    fn tables(self) -> &'static [Table] {
        match self {
            Self::Main => &[Table::Main],
            Self::Ablation => &[Table::Ablation],
            Self::Iterations => &[Table::Iterations],
            Self::NoOpinion => &[Table::NoOpinion],
            Self::Cases => &[],
            Self::All => &Table::ALL,
        }
    }

    fn has_cases(self) -> bool {
        matches!(self, Self::Cases | Self::All)
    }
}

/// The recipe and the folder of its results.
#[derive(Debug, Clone, clap::Args)]
struct RecipeArgs {
    /// Settings of the runs: `paper` (of the paper and its authors' code), `tuned` (chosen on
    /// development splits), or, with this pre-trained encoder, `minilm`, `gte-small` or `mpnet`.
    #[arg(long, value_name = "RECIPE", default_value_t = Recipe::default())]
    recipe: Recipe,
    /// Folder of results, one file per run [default: results/RECIPE].
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

impl RecipeArgs {
    fn results(&self) -> PathBuf {
        let default = || Path::new("results").join(self.recipe.name());
        self.results.clone().unwrap_or_else(default)
    }
}

/// Writes a page as Markdown and as HTML.
fn write_page(
    folder: &Path,
    name: &str,
    markdown: &str,
    html: &str,
    quiet: bool,
) -> anyhow::Result<()> {
    for (extension, text) in [("md", markdown), ("html", html)] {
        let path = folder.join(format!("{name}.{extension}"));
        write_file(&path, text.as_bytes())?;
        if !quiet {
            say(&format!("wrote {}", path.display()));
        }
    }
    Ok(())
}
