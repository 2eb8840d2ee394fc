//! `imn reproduce`: the paper's comparison, run by run, and its tables.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use imn::config::Override;
use imn::data::PaperSet;
use imn::results::{RunResult, read_results};
use imn_repro::cases;
use imn_repro::fit::Progress;
use imn_repro::lab::{Job, Lab};
use imn_repro::recipe::{RECIPES, Recipe};
use imn_repro::tables::{self, Table};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

const EXAMPLES: &str = "\
Examples:
  imn reproduce main --data DIR                                    one run of every system on every set
  imn reproduce all --data DIR --seeds 5                           everything, five runs each
  imn reproduce main --data DIR --systems decnn,pipeline --sets lap14 --seeds 3
  imn reproduce all --render                                       the tables of what is there
  imn reproduce main --data DIR --systems mnn --sets lap14 --no-test --set network.hidden=50

A run is trained, scored once on the test set and kept as one small file below --results; runs that are there are not made again, so the
command can be stopped and started again; two commands at once are fine as long as they have no system and set in common. Trained models
stay below --work (100 to 250 MB each) and can be used with `imn evaluate`.
The systems are listed in docs/reproduce.md; their settings are in configs/.";

/// What is reproduced.
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

/// Rerun the paper's evaluation: train and score the systems it compares, and draw its tables.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Reproduce {
    /// Which part of the evaluation.
    experiment: Experiment,
    /// The folder with the paper's sets, documents and word vectors.
    #[arg(
        long,
        env = "IMN_DATA",
        value_name = "DIR",
        required_unless_present = "render"
    )]
    data: Option<PathBuf>,
    /// Runs of each system on each set, with the seeds 1 to N.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// These systems only.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = system)]
    systems: Vec<&'static str>,
    /// These sets only.
    #[arg(long, value_name = "SET", value_delimiter = ',', value_parser = set)]
    sets: Vec<PaperSet>,
    /// Where the result of each run is kept.
    #[arg(long, default_value = "results", value_name = "DIR")]
    results: PathBuf,
    /// Where trained models and checkpoints are kept.
    #[arg(long, default_value = "runs/reproduce", value_name = "DIR")]
    work: PathBuf,
    /// Train nothing: draw the tables of the results that are there, as EXPERIMENT.md and EXPERIMENT.html in the folder of results. The case
    /// analysis needs models, so it is drawn by running it, as cases.md and cases.html in the folder of work.
    #[arg(long)]
    render: bool,
    /// Leave the test sets alone and keep no result: say how good each run is on its development split.
    #[arg(long, conflicts_with = "render")]
    no_test: bool,
    /// Change a setting of every system; with --no-test only, as results are of the settings in configs/.
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "no_test")]
    set: Vec<Override>,
    /// Threads; all cores where not said. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = super::values::threads)]
    threads: Option<usize>,
    /// No progress bar.
    #[arg(long)]
    quiet: bool,
}

fn system(name: &str) -> Result<&'static str, String> {
    let known = RECIPES.iter().find(|(known, _)| *known == name);
    known.map(|(name, _)| *name).ok_or_else(|| {
        let names: Vec<&str> = RECIPES.iter().map(|(name, _)| *name).collect();
        format!("one of {}", names.join(", "))
    })
}

fn set(name: &str) -> Result<PaperSet, String> {
    let known = PaperSet::ALL.into_iter().find(|set| set.name() == name);
    known.ok_or_else(|| "one of res14, lap14, res15".to_owned())
}

impl Reproduce {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.render {
            ensure!(
                !self.experiment.tables().is_empty(),
                "the case analysis has no results to draw: run `imn reproduce cases` without --render"
            );
            return self.render_all();
        }
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build_global()
                .context("setting the number of threads")?;
        }
        let lab = Lab {
            data: self.data.clone().unwrap_or_default(),
            results: self.results.clone(),
            work: self.work.clone(),
        };
        let aspect = lab.data.join("aspect");
        ensure!(
            aspect.is_dir(),
            "{}: not there; --data or IMN_DATA names the folder that holds aspect/, document/ and vectors/",
            aspect.display()
        );
        let mut jobs = self.jobs();
        let chosen = !self.systems.is_empty() || !self.sets.is_empty();
        ensure!(
            self.experiment != Experiment::Cases || !(chosen || self.no_test),
            "the case analysis has its own systems and sets: leave --systems, --sets and --no-test out"
        );
        // Whoever chooses systems or sets wants those, not the models of the case analysis.
        let with_cases = self.experiment.has_cases() && !chosen && !self.no_test;
        if jobs.is_empty() && !with_cases {
            bail!(
                "`{}` has none of the systems {}",
                self.experiment.name(),
                self.systems.join(", ")
            );
        }
        if !self.no_test {
            jobs = missing(&lab, jobs, self.quiet)?;
        }
        let mut view = View::new(self.quiet, &self.results, jobs.len());
        for (i, &job) in jobs.iter().enumerate() {
            // Another command may have made it meanwhile.
            if !self.no_test && lab.result(job)?.is_some() {
                continue;
            }
            view.begin(i, job, &jobs[i..]);
            let watch = &mut |part: &str, progress: &Progress| view.show(part, progress);
            let result = if self.no_test {
                lab.try_on_dev(job, &self.set, watch)
            } else {
                lab.run(job, watch)
            };
            let name = format!("{} on {}, seed {}", job.system, job.set().name(), job.seed);
            view.end(&result.with_context(|| name)?, self.no_test)?;
        }
        if with_cases {
            view.title = "case analysis".to_owned();
            view.after = None;
            let watch = &mut |part: &str, progress: &Progress| view.show(part, progress);
            let found = cases::study(&lab, 1, watch).context("the case analysis")?;
            view.done();
            let (markdown, html) = (cases::markdown(&found), cases::html(&found));
            self.write(&self.work, "cases", &markdown, &html)?;
        }
        view.done();
        if self.no_test {
            return Ok(ExitCode::SUCCESS);
        }
        self.render_all()
    }

    /// The runs that are asked for, parts before what is made of them, a seed after the other.
    fn jobs(&self) -> Vec<Job> {
        let mut wanted: Vec<&'static str> = Vec::new();
        for table in self.experiment.tables() {
            for system in table.systems() {
                if let Some(Recipe::Pipeline { extractor, .. }) = Recipe::of(system.name) {
                    wanted.push(extractor);
                }
                wanted.push(system.name);
            }
        }
        let asked = |name: &str| match self.systems.as_slice() {
            [] => wanted.contains(&name),
            // Parts of a system can be tried on their own, though no table shows them.
            some => some.contains(&name) && (wanted.contains(&name) || self.no_test),
        };
        let systems = RECIPES.iter().map(|(name, _)| *name);
        let systems: Vec<&'static str> = systems.filter(|name| asked(name)).collect();
        let mut jobs = Vec::new();
        for seed in 1..=self.seeds {
            for set in PaperSet::ALL {
                if !self.sets.is_empty() && !self.sets.contains(&set) {
                    continue;
                }
                jobs.extend(systems.iter().map(|system| Job::new(system, set, seed)));
            }
        }
        jobs
    }

    /// Draws the tables of what is there.
    fn render_all(&self) -> anyhow::Result<ExitCode> {
        let tables = self.experiment.tables();
        if !tables.is_empty() {
            let results = read_results(&self.results)?;
            let markdown = tables::markdown(&results, tables);
            let html = tables::html(&results, tables);
            self.write(&self.results, self.experiment.name(), &markdown, &html)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Writes a page in both forms.
    fn write(&self, folder: &Path, name: &str, markdown: &str, html: &str) -> anyhow::Result<()> {
        for (ending, text) in [("md", markdown), ("html", html)] {
            let path = folder.join(format!("{name}.{ending}"));
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
            if !self.quiet {
                say(&format!("wrote {}", path.display()));
            }
        }
        Ok(())
    }
}

/// The runs that have no result yet. Those with a result of other settings are named.
fn missing(lab: &Lab, jobs: Vec<Job>, quiet: bool) -> anyhow::Result<Vec<Job>> {
    let mut left = Vec::new();
    for job in jobs {
        match lab.result(job)? {
            None => left.push(job),
            Some(result) if !quiet && !Lab::is_current(&result, job)? => {
                let path = RunResult::path(&lab.results, job.system, job.set().name(), job.seed);
                say(&format!(
                    "{}: made with other settings than the run has now; remove it to make it again",
                    path.display()
                ));
            }
            Some(_) => {}
        }
    }
    Ok(left)
}

fn say(text: &str) {
    #[expect(clippy::print_stderr, reason = "progress goes to standard error")]
    {
        eprintln!("{text}");
    }
}

/// What is shown: a bar a run, with the time that all runs will take.
struct View {
    bar: ProgressBar,
    quiet: bool,
    runs: usize,
    /// Seconds of runs that were made before, to tell how long the others will take.
    known: Vec<(String, String, f64)>,
    begun: Instant,
    title: String,
    /// The part that is trained.
    part: String,
    /// Seconds that the runs after this one will take, where it can be told.
    after: Option<f64>,
}

impl View {
    fn new(quiet: bool, results: &Path, runs: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        if quiet {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{bar:24} {percent:>3} % {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        let known = read_results(results).unwrap_or_default().into_iter();
        Self {
            bar,
            quiet,
            runs,
            known: known
                .map(|run| (run.system, run.set, run.seconds))
                .collect(),
            begun: Instant::now(),
            title: String::new(),
            part: String::new(),
            after: None,
        }
    }

    /// Seconds that a run may take: the mean of those of its system and set, of its system, or of all.
    fn expected(&self, job: Job) -> Option<f64> {
        let mean = |keep: &dyn Fn(&(String, String, f64)) -> bool| {
            let seconds: Vec<f64> = self
                .known
                .iter()
                .filter(|run| keep(run))
                .map(|run| run.2)
                .collect();
            (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64)
        };
        let (system, set) = (job.system, job.set().name());
        mean(&|run| run.0 == system && run.1 == set)
            .or_else(|| mean(&|run| run.0 == system))
            .or_else(|| mean(&|_| true))
    }

    fn begin(&mut self, i: usize, job: Job, left: &[Job]) {
        let after: Option<Vec<f64>> = left.iter().skip(1).map(|&job| self.expected(job)).collect();
        self.after = after.map(|seconds| seconds.iter().sum());
        self.begun = Instant::now();
        self.title = format!(
            "run {} of {}: {} on {}, seed {}",
            i + 1,
            self.runs,
            job.system,
            job.set().name(),
            job.seed
        );
        self.part.clear();
        self.bar.set_length(0);
        self.bar.set_position(0);
        self.bar.set_message(format!("{}: reading", self.title));
    }

    fn show(&mut self, part: &str, progress: &Progress) -> bool {
        if self.part != part {
            // Time is told from the steps of this part, not from reading or from parts before it.
            part.clone_into(&mut self.part);
            self.begun = Instant::now();
        }
        self.bar.set_length(progress.steps as u64);
        self.bar.set_position(progress.step as u64);
        let done = progress.step.max(1) as f64;
        let rest = self.begun.elapsed().as_secs_f64() * (progress.steps as f64 - done) / done;
        let best = progress
            .best
            .map_or_else(String::new, |best| format!(", best on dev {best:.2}"));
        let time = |seconds: f64| HumanDuration(Duration::from_secs_f64(seconds.max(0.0)));
        let all = self.after.map_or_else(String::new, |after| {
            format!(", {} for all runs", time(after + rest))
        });
        let part = match self.title.contains(&format!(" {part} ")) {
            true => String::new(),
            false => format!(" ({part})"),
        };
        self.bar.set_message(format!(
            "{}{part}{best}; {} left{all}",
            self.title,
            time(rest)
        ));
        true
    }

    /// Says how good a run was. On the development split that is what the command was asked for, so it goes to standard output; otherwise
    /// it is progress.
    fn end(&mut self, result: &RunResult, on_dev: bool) -> io::Result<()> {
        self.known
            .push((result.system.clone(), result.set.clone(), result.seconds));
        if self.quiet && !on_dev {
            return Ok(());
        }
        let percent =
            |score: Option<f64>| score.map_or("–".to_owned(), |score| format!("{score:.2}"));
        let scores = if on_dev {
            let scores = result.dev.iter();
            let scores: Vec<String> = scores
                .map(|(name, score)| format!("{name} {score:.2}"))
                .collect();
            format!("on dev {}", scores.join(", "))
        } else {
            let scores = &result.scores;
            format!(
                "F1-a {:.2}, acc-s {}, F1-I {}",
                scores.f1_a,
                percent(scores.acc_s),
                percent(scores.f1_i)
            )
        };
        let line = format!(
            "{}: {scores} (epoch {}, {:.0} s)",
            self.title, result.best_epoch, result.seconds
        );
        self.bar.suspend(|| {
            if on_dev {
                return writeln!(io::stdout(), "{line}");
            }
            say(&line);
            Ok(())
        })
    }

    fn done(&self) {
        self.bar.finish_and_clear();
    }
}
