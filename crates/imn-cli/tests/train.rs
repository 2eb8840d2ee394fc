//! `imn train`, `imn evaluate`, `imn inspect` and `imn reproduce tables` as a user runs them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use imn_testkit::toy;

fn imn(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_imn"));
    command
        .current_dir(folder)
        .args(arguments)
        .env_remove("IMN_DATA");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    imn(folder, arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

fn prepared(changes: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    std::fs::write(
        folder.path().join("toy.toml"),
        toy::config(changes).to_toml().unwrap(),
    )
    .unwrap();
    folder
}

#[test]
fn a_model_is_trained_evaluated_and_inspected() {
    let folder = prepared(&["train.epochs=12"]);
    let at = folder.path();
    succeed(
        at,
        &[
            "train",
            "--config",
            "toy.toml",
            "--out",
            "run",
            "--results",
            "results",
        ],
    );
    for name in [
        "model.imn",
        "events.jsonl",
        "curves.svg",
        "config.toml",
        "result.json",
    ] {
        assert!(at.join("run").join(name).exists(), "no {name}");
    }
    assert!(
        !at.join("run/checkpoint").exists(),
        "the checkpoint was not removed"
    );
    let events = std::fs::read_to_string(at.join("run/events.jsonl")).unwrap();
    assert_eq!(events.lines().count(), 13);

    // A finished run is neither repeated nor overwritten.
    let arguments = ["train", "--config", "toy.toml", "--out", "run"];
    let again = run(at, &arguments);
    assert!(again.status.success() && text(&again.stderr).contains("already finished"));
    let other = run(at, &[&arguments[..], &["--set", "seed=8"]].concat());
    assert!(text(&other.stderr).contains("other settings"));
    assert_eq!(other.status.code(), Some(2));

    let json = succeed(
        at,
        &[
            "evaluate",
            "run/model.imn",
            "test.jsonl",
            "--json",
            "--write",
            "out.jsonl",
        ],
    );
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let result = std::fs::read_to_string(at.join("run/result.json")).unwrap();
    let result: serde_json::Value = serde_json::from_str(&result).unwrap();
    assert_eq!(
        report["scores"]["integrated"]["f1"],
        result["scores"]["f1_i"]
    );
    // The written predictions have the scores of the model.
    let json = succeed(
        at,
        &[
            "score",
            "test.jsonl",
            "out.jsonl",
            "--json",
            "--resamples",
            "0",
        ],
    );
    let scored: serde_json::Value = serde_json::from_str(&json).unwrap();
    let scored = &scored["system"]["runs"][0]["scores"]["integrated"]["f1"];
    assert_eq!(*scored, result["scores"]["f1_i"]);

    let shown = succeed(at, &["inspect", "run/model.imn"]);
    assert!(
        shown.contains("ae.decoder.kernel") && shown.contains("toy"),
        "{shown}"
    );
    let config = succeed(at, &["inspect", "run/model.imn", "--config"]);
    assert_eq!(
        config,
        std::fs::read_to_string(at.join("run/config.toml")).unwrap()
    );
    // Results of other systems are listed below the paper's tables.
    let tables = ["reproduce", "tables", "--results", "results"];
    succeed(at, &tables);
    let table = std::fs::read_to_string(at.join("results/all.md")).unwrap();
    let (_, others) = table.split_once("## Other runs").unwrap();
    assert!(others.contains("| toy | train | 1 |"), "{table}");
    let output = run(at, &["reproduce", "tables", "--results", "nowhere"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("nowhere"));
    std::fs::create_dir(at.join("empty")).unwrap();
    let output = run(at, &["reproduce", "tables", "--results", "empty"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("empty: no results"));
}

#[test]
fn a_killed_run_resumes_and_ends_with_the_same_model() {
    let folder = prepared(&["train.epochs=40", "train.average_epochs=2"]);
    let at = folder.path();
    succeed(at, &["train", "--config", "toy.toml", "--out", "whole"]);
    let arguments = [
        "train",
        "--config",
        "toy.toml",
        "--out",
        "parts",
        "--threads",
        "1",
    ];
    let mut kills = 0;
    for wanted in [1, 6, 14] {
        let mut child = imn(at, &arguments).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        // Killed once some epochs are in the log, wherever it then is.
        loop {
            let events = std::fs::read_to_string(at.join("parts/events.jsonl")).unwrap_or_default();
            if events.lines().count() >= wanted || child.try_wait().unwrap().is_some() {
                break;
            }
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "no epoch in a minute"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
    }
    assert!(kills > 0, "it was too fast to be killed");
    let output = run(at, &arguments);
    assert!(output.status.success());
    if kills == 3 {
        assert!(
            text(&output.stderr).contains("resuming after epoch"),
            "{}",
            text(&output.stderr)
        );
    }
    let model = |run: &str| std::fs::read(at.join(run).join("model.imn")).unwrap();
    assert!(model("whole") == model("parts"), "the models differ");
}

#[cfg(unix)]
#[test]
fn ctrl_c_says_how_to_continue() {
    let folder = prepared(&["train.epochs=4000"]);
    let at = folder.path();
    let arguments = ["train", "--config", "toy.toml", "--out", "run"];
    let child = imn(at, &arguments).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    loop {
        let events = std::fs::read_to_string(at.join("run/events.jsonl")).unwrap_or_default();
        if events.lines().count() >= 2 {
            break;
        }
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no epoch in a minute"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut kill = Command::new("kill");
    kill.args(["-INT", &child.id().to_string()]);
    assert!(kill.status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("stopped after epoch "), "{said}");
    assert!(
        last.ends_with("; run the same command to continue"),
        "{said}"
    );
    assert!(at.join("run/checkpoint").exists());
}

#[test]
fn a_model_to_start_from_is_a_setting_wherever_it_is_named() {
    let folder = prepared(&["train.epochs=1"]);
    let at = folder.path();
    succeed(at, &["train", "--config", "toy.toml", "--out", "2024"]);
    std::fs::rename(at.join("2024/model.imn"), at.join("2024.5")).unwrap();
    // DS and DD stay as they are, so documents are not needed.
    let text = "name = \"more\"\ndata.train = \"train.jsonl\"\ntrain.epochs = 1\n";
    std::fs::write(at.join("flag.toml"), text).unwrap();
    std::fs::write(at.join("key.toml"), format!("init = \"2024.5\"\n{text}")).unwrap();
    let flag = ["train", "--config", "flag.toml", "--out", "flag"];
    succeed(at, &[&flag[..], &["--init", "2024.5"]].concat());
    succeed(at, &["train", "--config", "key.toml", "--out", "key"]);
    for name in ["config.toml", "model.imn"] {
        let bytes = |run: &str| std::fs::read(at.join(run).join(name)).unwrap();
        assert!(bytes("flag") == bytes("key"), "{name}");
    }
    let other = run(at, &[&flag[..], &["--init", "reviews"]].concat());
    assert_eq!(other.status.code(), Some(2));
    let error = String::from_utf8_lossy(&other.stderr);
    assert!(error.contains("other settings"), "{error}");
}

#[test]
fn errors_name_their_cause() {
    let folder = prepared(&[]);
    let at = folder.path();
    let fails = |arguments: &[&str], word: &str| {
        let output = run(at, arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(word), "{arguments:?}: {error}");
    };
    fails(&["train", "--config", "none.toml"], "none.toml");
    fails(
        &["train", "--config", "toy.toml", "--set", "train.epoch=1"],
        "epoch",
    );
    fails(
        &["train", "--config", "toy.toml", "--data", "elsewhere"],
        "elsewhere/train.jsonl",
    );
    fails(
        &[
            "train",
            "--config",
            "toy.toml",
            "--set",
            "model.messages=none",
        ],
        "rounds",
    );
    fails(
        &["train", "--config", "toy.toml", "--threads", "0"],
        "threads",
    );
    fails(
        &["train", "--config", "toy.toml", "--threads", "100000"],
        "at most 1024 threads",
    );
    fails(&["evaluate", "train.jsonl", "test.jsonl"], "train.jsonl");
    fails(&["inspect", "nothing.imn"], "nothing.imn");
}

#[test]
fn sentences_without_labels_are_scored_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let raw = r#"{"text":"The hose leaks but the spade is great."}"#;
    std::fs::write(at.join("raw.jsonl"), raw).unwrap();
    let output = run(at, &["evaluate", "fast", "raw.jsonl", "--resamples", "0"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("raw.jsonl: no sentence has the field"),
        "{said}"
    );
}
