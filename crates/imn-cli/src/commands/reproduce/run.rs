//! Training and scoring runs of `imn reproduce`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use imn::bundle::Precision;
use imn::config::Override;
use imn_repro::cases;
use imn_repro::registry::{self, Composition, SYSTEMS, SystemEntry};
use imn_repro::results::read_results;
use imn_repro::runner::{Job, Observer as _, Progress, Purpose, Runner, ScheduleReport, Workers};
use imn_repro::sets::PaperSet;

use super::view::View;
use super::{Experiment, RecipeArgs, tables, write_page};
use crate::commands::values;

use crate::interrupt::stop_on_interrupt;
use crate::progress::say;
use crate::threads::{ThreadArgs, one_or_more};

/// The arguments of `imn reproduce EXPERIMENT`.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// Experiment to run.
    #[arg(required = true)]
    experiment: Option<Experiment>,
    /// Folder with the paper's sets, documents and word vectors.
    #[arg(long, env = "IMN_DATA", value_name = "DIR", required = true)]
    data: Option<PathBuf>,
    #[command(flatten)]
    recipe: RecipeArgs,
    /// Runs of each system on each set, with the seeds 1 to N [default: 5 for imn, imn-no-docs,
    /// pipeline, decnn-dtrans and inabsa, 3 for the other systems and with an encoder; 1 with
    /// --no-test].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,
    /// Only these systems (comma-separated).
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = registry::parse)]
    systems: Vec<&'static SystemEntry>,
    /// Only these sets (comma-separated).
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    sets: Vec<PaperSet>,
    /// Folder of trained models and checkpoints [default: runs/reproduce/RECIPE].
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Print scores on the development split. Do not use the test sets and do not save results.
    #[arg(long)]
    no_test: bool,
    /// Override a setting of every system (repeatable). Needs --no-test, because saved results
    /// always have the settings in configs/.
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "no_test")]
    set: Vec<Override>,
    /// Precision of training with a pre-trained encoder: `f32`, or the faster `bf16` on CPUs with
    /// AVX512-BF16. Results record it [default: `f32`].
    #[arg(long, value_name = "PRECISION", value_parser = values::precision)]
    precision: Option<Precision>,
    /// Number of parallel runs. If there are several, each has one thread unless --threads is
    /// given.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = one_or_more)]
    jobs: usize,
    #[command(flatten)]
    threads: ThreadArgs,
    /// No progress output.
    #[arg(long)]
    quiet: bool,
}

impl Run {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (Some(experiment), Some(data)) = (self.experiment, &self.data) else {
            bail!("an experiment and --data are required");
        };
        self.threads.apply()?;
        let recipe = self.recipe.recipe;
        let default_work = || Path::new("runs/reproduce").join(recipe.name());
        let runner = Runner {
            recipe,
            data: data.clone(),
            results: self.recipe.results(),
            work: self.work.clone().unwrap_or_else(default_work),
            precision: self.precision.unwrap_or_default(),
        };
        let aspect = runner.data.join("aspect");
        ensure!(
            aspect.is_dir(),
            "{}: no such folder; --data or IMN_DATA must name a folder with aspect/, document/ \
             and vectors/",
            aspect.display()
        );
        if let Some(system) = self.systems.iter().find(|system| !recipe.includes(system)) {
            bail!(
                "the recipe `{recipe}` has no system `{}`: only IMN and its variants have a \
                 pre-trained encoder, and no word vectors to leave out",
                system.name
            );
        }
        ensure!(
            self.precision.is_none() || recipe.is_contextual(),
            "--precision is for recipes with a pre-trained encoder, and `{recipe}` has none"
        );
        ensure!(
            experiment != Experiment::Cases || !recipe.is_contextual(),
            "the case analysis needs compared systems, which the recipe `{recipe}` does not have"
        );
        let mut jobs = self.jobs(experiment);
        let chosen = !self.systems.is_empty() || !self.sets.is_empty();
        ensure!(
            experiment != Experiment::Cases || !(chosen || self.no_test),
            "the case analysis has fixed systems; leave out --systems, --sets and --no-test"
        );
        // A selection of systems or sets excludes the case analysis, which needs its own models.
        let with_cases =
            experiment.has_cases() && !recipe.is_contextual() && !chosen && !self.no_test;
        if jobs.is_empty() && !with_cases {
            let names: Vec<&str> = self.systems.iter().map(|system| system.name).collect();
            bail!(
                "the experiment `{}` has none of these systems: {}",
                experiment.name(),
                names.join(", ")
            );
        }
        if !self.no_test {
            jobs = missing(&runner, jobs)?;
        }
        let view = View::new(
            self.quiet,
            self.no_test,
            &runner.results,
            &jobs,
            self.jobs,
            stop_on_interrupt()?,
        );
        let purpose = match self.no_test {
            true => Purpose::Trial(&self.set),
            false => Purpose::Result,
        };
        let workers = Workers {
            count: self.jobs,
            // A single run uses the threads of the whole program.
            threads: (self.jobs > 1).then_some(self.threads.threads.unwrap_or(1)),
        };
        let report = runner.run_all(jobs, purpose, workers, &view)?;
        if report.stopped.is_empty() && with_cases {
            view.begin("case analysis");
            let watch = &mut |part: &str, progress: &Progress| view.progress(0, part, progress);
            let found = cases::study(&runner, 1, watch).context("the case analysis failed")?;
            view.clear();
            let (markdown, html) = (cases::markdown(&found), cases::html(&found));
            write_page(&runner.work, "cases", &markdown, &html, self.quiet)?;
        }
        view.clear();
        let any_result = read_results(&runner.results).is_ok_and(|results| !results.is_empty());
        if !self.no_test && any_result {
            tables::draw(experiment, recipe, &runner.results, self.quiet)?;
        }
        conclude(&report)
    }

    /// The requested runs, seed by seed. Parts come before the pipelines that use them.
    fn jobs(&self, experiment: Experiment) -> Vec<Job> {
        let mut wanted: Vec<&str> = Vec::new();
        for system in experiment
            .tables()
            .iter()
            .flat_map(|table| table.systems(self.recipe.recipe))
        {
            if let Some(Composition::Pipeline { extractor, .. }) =
                registry::find(system.name).map(|entry| entry.composition)
            {
                wanted.push(extractor);
            }
            wanted.push(system.name);
        }
        let asked = |entry: &&SystemEntry| {
            let is_wanted = wanted.contains(&entry.name);
            match self.systems.as_slice() {
                [] => is_wanted,
                // Trials may train single parts of a system, which no table shows.
                some => {
                    some.iter().any(|system| system.name == entry.name)
                        && (is_wanted || self.no_test)
                }
            }
        };
        let systems: Vec<&'static SystemEntry> = SYSTEMS.iter().filter(asked).collect();
        let seeds = |system: &SystemEntry| match (self.seeds, self.no_test) {
            (Some(seeds), _) => seeds,
            (None, true) => 1,
            (None, false) => self.recipe.recipe.default_seeds(system),
        };
        let max_seeds = systems.iter().map(|system| seeds(system)).max();
        let mut jobs = Vec::new();
        for seed in 1..=max_seeds.unwrap_or(0) {
            for set in PaperSet::ALL {
                if !self.sets.is_empty() && !self.sets.contains(&set) {
                    continue;
                }
                let due = systems.iter().filter(|system| seed <= seeds(system));
                jobs.extend(due.map(|system| Job::new(system, set, seed)));
            }
        }
        jobs
    }
}

/// Returns an error that lists failed and stopped runs if a run failed, and exit code 130 if runs
/// were only stopped.
fn conclude(report: &ScheduleReport) -> anyhow::Result<ExitCode> {
    // Runs that failed for the same reason are listed together.
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (job, error) in &report.failed {
        let runs = reasons.entry(error.to_string()).or_default();
        runs.push(job.to_string());
    }
    let mut lines: Vec<String> = reasons
        .into_iter()
        .map(|(reason, runs)| format!("failed: {}: {reason}", runs.join("; ")))
        .collect();
    if !report.stopped.is_empty() {
        let stopped = format!(
            "stopped with {} runs left; run the same command again to resume",
            report.stopped.len()
        );
        if lines.is_empty() {
            say(&format!("imn: {stopped}"));
            return Ok(ExitCode::from(130));
        }
        lines.push(stopped);
    }
    ensure!(lines.is_empty(), lines.join("\n"));
    Ok(ExitCode::SUCCESS)
}

/// The runs without a saved result.
fn missing(runner: &Runner, jobs: Vec<Job>) -> anyhow::Result<Vec<Job>> {
    let mut left = Vec::new();
    for job in jobs {
        if runner.result(job)?.is_none() {
            left.push(job);
        }
    }
    Ok(left)
}
