//! `imn reproduce` as a user runs it: on a made-up data folder of the paper's layout, and on the results of this repository.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use imn_repro::recipe::Recipe;
use imn_repro::registry::find;
use imn_repro::results::{RunResult, read_results};
use imn_repro::runner::{Job, Observer, Progress, Purpose, RunError, Runner, Workers};
use imn_repro::sets::PaperSet;
use imn_testkit::toy;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_imn"))
        .current_dir(folder)
        .args(arguments)
        .env_remove("IMN_DATA")
        .output()
        .unwrap()
}

fn succeed(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = run(folder, arguments);
    let [out, err] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{arguments:?}: {err}");
    (out, err)
}

fn fails(folder: &Path, arguments: &[&str], word: &str) {
    let output = run(folder, arguments);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{arguments:?}");
    assert!(err.contains(word), "{arguments:?}: {err}");
}

/// A data folder as the configurations want it, small: toy sentences as res15, and a few word vectors in every file.
fn data(folder: &Path) {
    data_of(folder, usize::MAX);
}

/// The same with no more than `most` training sentences.
fn data_of(folder: &Path, most: usize) {
    toy::write(folder);
    let train = std::fs::read_to_string(folder.join("train.jsonl")).unwrap();
    let train: Vec<&str> = train.lines().take(most).collect();
    std::fs::write(folder.join("train.jsonl"), train.join("\n")).unwrap();
    std::fs::create_dir_all(folder.join("data/aspect/res15")).unwrap();
    for part in ["train", "test"] {
        let (from, to) = (format!("{part}.jsonl"), format!("data/aspect/res15/{part}"));
        succeed(folder, &["convert", &from, &to, "--to", "four-file"]);
    }
    std::fs::create_dir_all(folder.join("data/vectors")).unwrap();
    let words = [
        "the", "soup", "staff", "was", "great", "awful", "bread", "but", "looked",
    ];
    let files = [
        ("glove840b.300d", 5),
        ("glove840b.res15.300d", 5),
        ("domain.res15.100d", 4),
    ];
    for (name, dimensions) in files {
        let mut text = String::new();
        for (i, word) in words.iter().enumerate() {
            text.push_str(word);
            for k in 0..dimensions {
                let _ = write!(text, " {:.2}", (i as f64 * 1.7 + f64::from(k)).sin());
            }
            text.push('\n');
        }
        // The files are told by their first bytes, not by their names.
        std::fs::write(folder.join(format!("data/vectors/{name}.txt.gz")), text).unwrap();
    }
}

#[test]
fn runs_are_made_once_kept_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    data(at);
    let command = [
        "reproduce",
        "main",
        "--data",
        "data",
        "--sets",
        "res15",
        "--systems",
        "decnn,pipeline,inabsa",
        "--seeds",
        "1",
    ];
    let (_, err) = succeed(at, &command);
    assert!(err.contains("run 3 of 3: inabsa on res15, seed 1"), "{err}");
    let read = |path: &str| std::fs::read_to_string(at.join(path)).unwrap();
    let result = |system: &str| -> serde_json::Value {
        serde_json::from_str(&read(&format!("results/paper/{system}/res15.seed1.json"))).unwrap()
    };
    let pipeline = result("pipeline");
    assert_eq!(pipeline["config"]["extractor"]["name"], "decnn");
    let f1 = |result: &serde_json::Value| result["scores"]["f1_i"].as_f64();
    assert!(f1(&pipeline).unwrap() > 50.0, "{pipeline}");
    assert_eq!(f1(&result("decnn")), None);
    assert_eq!(
        result("decnn")["scores"]["f1_a"],
        pipeline["scores"]["f1_a"]
    );
    let table = read("results/paper/main.md");
    assert!(table.contains("PIPELINE"), "{table}");
    assert!(read("results/paper/main.html").contains("<svg"));

    // Nothing is trained twice: the files of results and models stay as they are.
    let model = at.join("runs/reproduce/paper/pipeline/res15.seed1.imn");
    let before = std::fs::metadata(&model).unwrap().modified().unwrap();
    let (_, err) = succeed(at, &command);
    assert!(!err.contains("run 1"), "{err}");
    assert_eq!(
        std::fs::metadata(&model).unwrap().modified().unwrap(),
        before
    );
    assert_eq!(result("pipeline"), pipeline);

    // Another system is made of parts that are there.
    std::fs::remove_file(at.join("results/paper/pipeline/res15.seed1.json")).unwrap();
    succeed(at, &command);
    assert_eq!(result("pipeline"), pipeline);

    // What was trained can be evaluated, with the same scores.
    let (out, _) = succeed(
        at,
        &[
            "evaluate",
            "runs/reproduce/paper/pipeline/res15.seed1.imn",
            "data/aspect/res15/test",
            "--json",
            "--resamples",
            "0",
        ],
    );
    let evaluated: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        evaluated["scores"]["integrated"]["f1"].as_f64(),
        f1(&pipeline)
    );
    fails(
        at,
        &[
            "evaluate",
            "runs/reproduce/paper/aspect-sentiment/res15.seed1.imn",
            "data/aspect/res15/test",
        ],
        "pipeline",
    );

    // On the development split only, with a setting changed: no result is kept.
    let (out, _) = succeed(
        at,
        &[
            "reproduce",
            "main",
            "--data",
            "data",
            "--sets",
            "res15",
            "--systems",
            "alstm",
            "--quiet",
            "--no-test",
            "--set",
            "train.epochs=1",
            "--set",
            "network.hidden=8",
        ],
    );
    assert!(out.contains("on dev") && out.contains("acc-s"), "{out}");
    // A classifier is given the aspects there: how many it finds says nothing.
    assert!(!out.contains("F1-a") && !out.contains("F1-I"), "{out}");
    assert!(!at.join("results/paper/alstm").exists());
}

#[test]
fn wrong_requests_are_refused_with_what_would_be_right() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fails(at, &["reproduce", "main"], "--data");
    fails(at, &["reproduce", "main", "--data", "nowhere"], "nowhere");
    fails(at, &["reproduce", "most", "--data", "."], "ablation");
    fails(
        at,
        &["reproduce", "main", "--data", ".", "--systems", "bert"],
        "inabsa",
    );
    fails(
        at,
        &["reproduce", "main", "--data", ".", "--sets", "res16"],
        "res15",
    );
    fails(
        at,
        &[
            "reproduce",
            "main",
            "--data",
            ".",
            "--set",
            "train.epochs=1",
        ],
        "--no-test",
    );
    fails(at, &["reproduce", "tables", "cases"], "imn reproduce cases");
    fails(at, &["reproduce", "tables", "--data", "."], "--data");
    fails(
        at,
        &["reproduce", "main", "--data", ".", "--recipe", "best"],
        "paper and tuned",
    );
    std::fs::create_dir_all(at.join("data/aspect")).unwrap();
    fails(
        at,
        &["reproduce", "cases", "--data", "data", "--sets", "lap14"],
        "leave --systems",
    );
    fails(at, &["reproduce", "cases", "--data", "data"], "cases.jsonl");
    fails(
        at,
        &[
            "reproduce",
            "main",
            "--data",
            "data",
            "--no-test",
            "--set",
            "seed=3",
            "--systems",
            "mnn",
        ],
        "seed",
    );
    fails(
        at,
        &[
            "reproduce",
            "ablation",
            "--data",
            "data",
            "--systems",
            "mnn",
        ],
        "mnn",
    );
}

#[test]
fn each_recipe_has_its_own_results_and_models() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    data_of(at, 10);
    let read = |path: &str| std::fs::read_to_string(at.join(path)).unwrap();
    let vectors = |recipe: &str| {
        let command = [
            "reproduce",
            "main",
            "--data",
            "data",
            "--sets",
            "res15",
            "--systems",
            "mnn",
            "--seeds",
            "1",
            "--recipe",
            recipe,
        ];
        succeed(at, &command);
        let result = read(&format!("results/{recipe}/mnn/res15.seed1.json"));
        let result: serde_json::Value = serde_json::from_str(&result).unwrap();
        assert!(
            at.join(format!("runs/reproduce/{recipe}/mnn/res15.seed1.imn"))
                .exists()
        );
        let title = format!("our runs: recipe {recipe}");
        assert!(read(&format!("results/{recipe}/main.md")).contains(&title));
        result["config"]["vectors"]["general"].to_string()
    };
    assert_eq!(vectors("paper"), r#"["vectors/glove840b.300d.txt.gz"]"#);
    assert_eq!(
        vectors("tuned"),
        r#"["vectors/glove840b.res15.300d.txt.gz"]"#
    );
    // A result of the other recipe is named.
    let (_, err) = succeed(at, &["reproduce", "tables", "--results", "results/tuned"]);
    let named =
        "results/tuned/mnn/res15.seed1.json: made with other settings than the recipe `paper`";
    assert!(err.contains(named), "{err}");
    let (_, err) = succeed(at, &["reproduce", "tables", "--recipe", "tuned"]);
    assert!(!err.contains("other settings"), "{err}");
}

const SEVERAL: [&str; 10] = [
    "reproduce",
    "main",
    "--data",
    "data",
    "--sets",
    "res15",
    "--systems",
    "decnn,decnn-alstm,pipeline,mnn",
    "--seeds",
    "1",
];

/// The scores of every run below a folder of results.
fn scores(folder: &Path) -> Vec<String> {
    let results = read_results(folder).unwrap();
    let score = |run: &RunResult| {
        let (system, seed, dev) = (&run.system, run.seed, &run.dev);
        format!("{system} {seed}: {:?} {dev:?}", run.scores)
    };
    results.iter().map(score).collect()
}

/// Which workers trained which network.
#[derive(Default)]
struct Trained(Mutex<BTreeMap<String, BTreeSet<usize>>>);

impl Observer for Trained {
    fn started(&self, _: usize, _: Job) {}

    fn progress(&self, worker: usize, part: &str, progress: &Progress) -> bool {
        if progress.step > 0 {
            let mut trained = self.0.lock().unwrap();
            trained.entry(part.to_owned()).or_default().insert(worker);
        }
        true
    }

    fn finished(&self, _: usize, job: Job, result: &Result<RunResult, RunError>) {
        assert!(result.is_ok(), "{job}: {result:?}");
    }
}

#[test]
fn several_runs_at_once_give_the_same_results_and_train_shared_parts_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    data_of(at, 10);
    succeed(at, &SEVERAL);
    let runner = Runner {
        recipe: Recipe::Paper,
        data: at.join("data"),
        results: at.join("several"),
        work: at.join("several-work"),
    };
    let job = |name: &str| Job::new(find(name).unwrap(), PaperSet::Res15, 1);
    let jobs = ["decnn-alstm", "pipeline", "decnn", "mnn"].map(job);
    let workers = Workers {
        count: 3,
        threads: Some(1),
    };
    let seen = Trained::default();
    let report = runner.run_all(jobs.to_vec(), Purpose::Result, workers, &seen);
    let report = report.unwrap();
    assert!(report.failed.is_empty() && report.stopped.is_empty());
    assert_eq!(
        scores(&at.join("several")),
        scores(&at.join("results/paper"))
    );
    let trained = seen.0.into_inner().unwrap();
    let parts: Vec<&str> = trained.keys().map(String::as_str).collect();
    assert_eq!(parts, ["alstm", "aspect-sentiment", "decnn", "mnn"]);
    assert!(trained.values().all(|by| by.len() == 1), "{trained:?}");
}

#[test]
fn a_run_that_fails_is_named_at_the_end_and_the_others_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    data_of(at, 10);
    for jobs in ["1", "2"] {
        let output = run(
            at,
            &[
                "reproduce",
                "main",
                "--data",
                "data",
                "--sets",
                "lap14,res15",
                "--systems",
                "mnn",
                "--seeds",
                jobs,
                "--jobs",
                jobs,
            ],
        );
        assert_eq!(output.status.code(), Some(2));
        let err = String::from_utf8_lossy(&output.stderr);
        let last = err.lines().last().unwrap();
        let named = "failed: mnn on lap14, seed 1";
        assert!(
            last.contains(named) && last.contains("lap14/train"),
            "{err}"
        );
        let made = format!("results/paper/mnn/res15.seed{jobs}.json");
        assert!(at.join(made).exists());
    }
    let table = std::fs::read_to_string(at.join("results/paper/main.md")).unwrap();
    assert!(table.contains("| MNN | 2 |"), "{table}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done_and_the_same_command_continues() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    data_of(at, 10);
    let arguments = [&SEVERAL[..], &["--jobs", "2"]].concat();
    let mut child = Command::new(env!("CARGO_BIN_EXE_imn"))
        .current_dir(at)
        .args(&arguments)
        .env_remove("IMN_DATA")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let results = at.join("results/paper");
    while !results.is_dir() {
        assert!(child.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("give the same command again"), "{err}");
    let kept = scores(&results);
    assert!((1..4).contains(&kept.len()), "{kept:?}");
    succeed(at, &arguments);
    let all = scores(&results);
    assert_eq!(all.len(), 4);
    assert!(kept.iter().all(|run| all.contains(run)));
}

/// The recipes that have results in the repository, and the folders of these results.
fn kept() -> Vec<(Recipe, PathBuf)> {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let folders = Recipe::ALL.map(|recipe| (recipe, results.join(recipe.name())));
    let has_runs = |(_, folder): &(Recipe, PathBuf)| folder.join("imn-d").is_dir();
    folders.into_iter().filter(has_runs).collect()
}

#[test]
fn the_tables_in_the_repository_are_those_of_its_results() {
    assert!(!kept().is_empty());
    for (recipe, kept) in kept() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("results").join(recipe.name());
        for entry in std::fs::read_dir(&kept).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_dir() {
                let to = copy.join(entry.file_name());
                std::fs::create_dir_all(&to).unwrap();
                for file in std::fs::read_dir(entry.path()).unwrap() {
                    let file = file.unwrap();
                    std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
                }
            }
        }
        let command = ["reproduce", "tables", "--recipe", recipe.name()];
        succeed(folder.path(), &command);
        for page in ["all.md", "all.html"] {
            let read = |folder: &Path| std::fs::read_to_string(folder.join(page)).unwrap();
            assert!(
                read(&copy) == read(&kept),
                "{}: `imn {}` writes another one: run it",
                kept.join(page).display(),
                command.join(" ")
            );
        }
    }
}

#[test]
fn the_results_in_the_repository_are_of_the_settings_in_it() {
    let mut all = 0;
    for (recipe, kept) in kept() {
        for result in read_results(&kept).unwrap() {
            let system = find(&result.system).unwrap();
            let job = Job::new(system, result.set.parse().unwrap(), result.seed);
            assert!(
                Runner::is_current(recipe, &result, job).unwrap(),
                "{recipe}: {job}: other settings than configs/ has now"
            );
            all += 1;
        }
    }
    assert!(all > 15);
}
