//! `imn reproduce`: the paper's comparison, run by run, and its tables.

mod estimate;
mod run;
mod tables;
mod view;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use imn_repro::recipe::Recipe;
use imn_repro::tables::Table;

use crate::progress::say;
use run::Run;
use tables::Tables;

const EXAMPLES: &str = "\
Examples:
  imn reproduce all --data DIR --jobs 4               every run that the tables need, four at once
  imn reproduce main --data DIR --seeds 1             one run of every system on every set
  imn reproduce main --data DIR --systems decnn,pipeline --sets lap14 --seeds 3
  imn reproduce all --data DIR --recipe tuned         with the settings chosen on development splits
  imn reproduce tables --recipe tuned                 the tables of the results that exist
  imn reproduce main --data DIR --systems mnn --sets lap14 --no-test --set network.hidden=50

Each run is trained, scored once on the test set and kept as one small file below --results. A run \
whose result exists is not repeated, so the command can be stopped at any time and given again. \
With --jobs N, N runs go on at once; parts that several systems \
share are trained once. Trained models stay below --work (100 to 250 MB each) and can be used with `imn evaluate`.
The systems are listed in docs/reproduce.md; their settings are in configs/.";

/// Rerun the paper's evaluation: train and score the systems it compares, and draw its tables.
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

/// Part of the paper's evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Experiment {
    /// The main comparison: 11 systems, three sets, five scores.
    Main,
    /// What each part of the network adds.
    Ablation,
    /// T from 0 to 5.
    Iterations,
    /// The comparison without opinion labels.
    NoOpinion,
    /// The paper's five sentences through PIPELINE, INABSA and IMN.
    Cases,
    /// All of it.
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

/// Which recipe, and where its results are.
#[derive(Debug, Clone, clap::Args)]
struct RecipeArgs {
    /// Settings of the runs: `paper` (the paper and its authors' program) or `tuned` (chosen on
    /// development splits).
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
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        if !quiet {
            say(&format!("wrote {}", path.display()));
        }
    }
    Ok(())
}
