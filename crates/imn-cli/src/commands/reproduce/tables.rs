//! `imn reproduce tables`: writes the tables of existing results.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{bail, ensure};
use imn_repro::recipe::Recipe;
use imn_repro::registry::find;
use imn_repro::results::{RunResult, read_results};
use imn_repro::runner::{Job, Runner};
use imn_repro::tables;

use super::{Experiment, RecipeArgs, write_page};
use crate::progress::say;

/// Write the tables of existing results, without data and training.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn reproduce tables                              results/paper/all.md and all.html
  imn reproduce tables main --recipe tuned          results/tuned/main.md and main.html
  imn reproduce tables --results runs/mine          results of `imn train --results runs/mine`

The page of all tables ends with a list of the runs that are in none of them.")]
pub struct Tables {
    /// Tables to write (`cases` has none; see `imn reproduce cases`).
    #[arg(default_value = "all")]
    experiment: Experiment,
    #[command(flatten)]
    recipe: RecipeArgs,
    /// Do not print the names of written files.
    #[arg(long)]
    quiet: bool,
}

impl Tables {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        ensure!(
            !self.experiment.tables().is_empty(),
            "the case analysis has no table; run `imn reproduce cases`"
        );
        draw(
            self.experiment,
            self.recipe.recipe,
            &self.recipe.results(),
            self.quiet,
        )?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes the tables of an experiment to the folder of its results.
pub(super) fn draw(
    experiment: Experiment,
    recipe: Recipe,
    folder: &Path,
    quiet: bool,
) -> anyhow::Result<()> {
    let wanted = experiment.tables();
    if wanted.is_empty() {
        return Ok(());
    }
    ensure!(
        folder.is_dir(),
        "{}: no such folder; name the folder of the results with --results",
        folder.display()
    );
    let results = read_results(folder)?;
    ensure!(!results.is_empty(), "{}: no results", folder.display());
    let others = other_settings(recipe, &results)?;
    if let Some(other) = other_recipe(recipe, &results, &others)? {
        bail!(
            "{}: these are results of the recipe `{other}`, not of `{recipe}`; \
             add --recipe {other}",
            folder.display()
        );
    }
    if !quiet {
        for result in others {
            let path = RunResult::path(folder, &result.system, &result.set, result.seed);
            say(&format!(
                "warning: {}: its settings differ from the recipe `{recipe}`; remove it to repeat \
                 the run",
                path.display()
            ));
        }
    }
    let markdown = tables::markdown(recipe, &results, wanted);
    let html = tables::html(recipe, &results, wanted);
    write_page(folder, experiment.name(), &markdown, &html, quiet)
}

/// The results of the paper's systems whose settings are not those of the recipe.
fn other_settings(recipe: Recipe, results: &[RunResult]) -> anyhow::Result<Vec<&RunResult>> {
    let mut others = Vec::new();
    for result in results {
        if let (Some(system), Ok(set)) = (find(&result.system), result.set.parse())
            && !Runner::is_current(recipe, result, Job::new(system, set, result.seed))?
        {
            others.push(result);
        }
    }
    Ok(others)
}

/// Another recipe that all of these results belong to, if none of them belongs to `recipe`.
fn other_recipe(
    recipe: Recipe,
    results: &[RunResult],
    others: &[&RunResult],
) -> anyhow::Result<Option<Recipe>> {
    if others.is_empty() || others.len() < results.len() {
        return Ok(None);
    }
    for other in Recipe::ALL.into_iter().filter(|other| *other != recipe) {
        if other_settings(other, results)?.is_empty() {
            return Ok(Some(other));
        }
    }
    Ok(None)
}
