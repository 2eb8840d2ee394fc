//! `imn reproduce` as a user runs it: on a made-up data folder of the paper's layout, and on the results of this repository.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../imn/tests/toy/mod.rs"]
#[allow(dead_code, reason = "its configuration is for other tests")]
mod toy;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

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
    toy::write(folder);
    std::fs::create_dir_all(folder.join("data/aspect/res15")).unwrap();
    for part in ["train", "test"] {
        let (from, to) = (format!("{part}.jsonl"), format!("data/aspect/res15/{part}"));
        succeed(folder, &["convert", &from, &to, "--to", "four-file"]);
    }
    std::fs::create_dir_all(folder.join("data/vectors")).unwrap();
    let words = [
        "the", "soup", "staff", "was", "great", "awful", "bread", "but", "looked",
    ];
    let files = [("glove840b.res15.300d", 5), ("domain.res15.100d", 4)];
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
    ];
    let (_, err) = succeed(at, &command);
    assert!(err.contains("run 3 of 3: inabsa on res15, seed 1"), "{err}");
    let read = |path: &str| std::fs::read_to_string(at.join(path)).unwrap();
    let result = |system: &str| -> serde_json::Value {
        serde_json::from_str(&read(&format!("results/{system}/res15.seed1.json"))).unwrap()
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
    let table = read("results/main.md");
    assert!(table.contains("PIPELINE"), "{table}");
    assert!(read("results/main.html").contains("<svg"));

    // Nothing is trained twice: the files of results and models stay as they are.
    let model = at.join("runs/reproduce/pipeline/res15.seed1.imn");
    let before = std::fs::metadata(&model).unwrap().modified().unwrap();
    let (_, err) = succeed(at, &command);
    assert!(!err.contains("run 1"), "{err}");
    assert_eq!(
        std::fs::metadata(&model).unwrap().modified().unwrap(),
        before
    );
    assert_eq!(result("pipeline"), pipeline);

    // Another system is made of parts that are there.
    std::fs::remove_file(at.join("results/pipeline/res15.seed1.json")).unwrap();
    succeed(at, &command);
    assert_eq!(result("pipeline"), pipeline);

    // What was trained can be evaluated, with the same scores.
    let (out, _) = succeed(
        at,
        &[
            "evaluate",
            "runs/reproduce/pipeline/res15.seed1.imn",
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
            "runs/reproduce/aspect-sentiment/res15.seed1.imn",
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
    assert!(!at.join("results/alstm").exists());
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
    fails(at, &["reproduce", "cases", "--render"], "without --render");
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
fn the_tables_in_the_repository_are_those_of_its_results() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(repository.join("results")).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            let to = folder.path().join("results").join(entry.file_name());
            std::fs::create_dir_all(&to).unwrap();
            for file in std::fs::read_dir(entry.path()).unwrap() {
                let file = file.unwrap();
                std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
            }
        }
    }
    succeed(folder.path(), &["reproduce", "all", "--render"]);
    for page in ["all.md", "all.html"] {
        let read =
            |folder: &Path| std::fs::read_to_string(folder.join("results").join(page)).unwrap();
        assert!(
            read(folder.path()) == read(&repository),
            "results/{page} is not what `imn reproduce all --render` writes: run it"
        );
    }
}

#[test]
fn the_results_in_the_repository_are_of_the_settings_in_it() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let results = imn::results::read_results(&repository.join("results")).unwrap();
    assert!(results.len() > 15);
    for result in results {
        let known = imn_repro::recipe::RECIPES.iter();
        let system = known
            .map(|(name, _)| *name)
            .find(|name| *name == result.system);
        let set = imn::data::PaperSet::ALL
            .into_iter()
            .find(|set| set.name() == result.set);
        let job = imn_repro::lab::Job::new(system.unwrap(), set.unwrap(), result.seed);
        assert!(
            imn_repro::lab::Lab::is_current(&result, job).unwrap(),
            "{} on {}, seed {}: other settings than configs/ has now",
            result.system,
            result.set,
            result.seed
        );
    }
}
