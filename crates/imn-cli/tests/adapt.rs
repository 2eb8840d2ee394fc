//! `imn train --init MODEL --data FILE`: adapts a model in one command.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use imn::bundle::Model;
use imn_testkit::{encoder, toy};
use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_imn"));
    command.current_dir(folder).args(arguments);
    command.env_remove("IMN_DATA").output().unwrap()
}

fn succeed(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = run(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {error}");
    (out, error)
}

fn bikes(name: &str) -> String {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = repository.join("examples/bikes").join(name);
    path.to_string_lossy().into_owned()
}

fn description(folder: &Path, model: &str) -> Value {
    let (json, _) = succeed(folder, &["inspect", model, "--json"]);
    serde_json::from_str(&json).unwrap()
}

/// The description of the only part of a model.
fn part(folder: &Path, model: &str) -> Value {
    let whole = description(folder, model);
    let parts = whole.pointer("/parts/0").cloned();
    parts.unwrap_or(whole)
}

fn f1(folder: &Path, model: &str, file: &str) -> f64 {
    let (json, _) = succeed(
        folder,
        &["evaluate", model, file, "--json", "--resamples", "0"],
    );
    let scores: Value = serde_json::from_str(&json).unwrap();
    scores["scores"]["integrated"]["f1"].as_f64().unwrap()
}

#[test]
fn a_built_in_model_is_adapted_to_a_few_sentences() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (train, test) = (bikes("train.jsonl"), bikes("test.jsonl"));
    let arguments = [
        "train", "--init", "reviews", "--data", &train, "--out", "bikes",
    ];
    let (_, said) = succeed(at, &arguments);
    assert!(said.contains("before training: dev"), "{said}");
    let (before, after) = (f1(at, "reviews", &test), f1(at, "bikes/model.imn", &test));
    // Eight sentences show whether the model still works, not whether it is better.
    assert!(after > before - 15.0, "{before} before, {after} after");
    let events = std::fs::read_to_string(at.join("bikes/events.jsonl")).unwrap();
    let losses: Vec<f64> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|event| event["aspect_loss"].as_f64())
        .collect();
    assert!(losses.last().unwrap() < &losses[0], "{losses:?}");

    // Vocabulary, schemes and calibration are those of the model; the weights are not.
    let (own, adapted) = (part(at, "reviews"), part(at, "bikes/model.imn"));
    for same in ["/lexicon", "/encoder", "/domains", "/config/model"] {
        assert_eq!(own.pointer(same), adapted.pointer(same), "{same}");
        assert!(own.pointer(same).is_some(), "{same}");
    }
    assert_eq!(adapted.pointer("/config/init"), Some(&"reviews".into()));
    assert_eq!(
        own["calibration"]["aspects"],
        adapted["calibration"]["aspects"]
    );

    // The configuration repeats the run.
    let folder_of_data = Path::new(&train)
        .parent()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let config = [
        "train",
        "--config",
        "bikes/config.toml",
        "--data",
        &folder_of_data,
    ];
    succeed(at, &[&config[..], &["--out", "again"]].concat());
    let bytes = |run: &str| std::fs::read(at.join(run).join("model.imn")).unwrap();
    assert!(bytes("bikes") == bytes("again"), "the models differ");
}

#[test]
fn models_of_both_encoders_are_adapted_without_documents_and_opinion_labels() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    toy::write(at);
    encoder::write(&at.join("encoders/tiny"));
    let words = toy::config(&["train.epochs=2"]);
    let subwords = toy::config(&[
        "train.epochs=2",
        "model.encoder={transformer={folder=\"encoders/tiny\"}}",
        "model.ae_representation=task_only",
        "model.ae_layers=0",
    ]);
    let text = std::fs::read_to_string(at.join("train.jsonl")).unwrap();
    let bare = text
        .lines()
        .map(|line| line.split(",\"opinions\"").next().unwrap());
    let bare: String = bare.map(|line| format!("{line}}}\n")).collect();
    std::fs::create_dir(at.join("mine")).unwrap();
    std::fs::write(at.join("mine/bare.jsonl"), bare).unwrap();
    for (name, config) in [("words", words), ("subwords", subwords)] {
        let settings = format!("{name}.toml");
        std::fs::write(at.join(&settings), config.to_toml().unwrap()).unwrap();
        succeed(
            at,
            &["train", "--config", &settings, "--no-test", "--out", name],
        );
        let model = format!("{name}/model.imn");
        let adapted = format!("{name}-adapted");
        let data = ["--data", "mine/bare.jsonl", "--out", &adapted];
        let quick = [
            "--set",
            "train.epochs=3",
            "--set",
            "train.learning_rate=0.01",
        ];
        let arguments = [&["train", "--init", &model][..], &data, &quick].concat();
        succeed(at, &arguments);
        let events = std::fs::read_to_string(at.join(&adapted).join("events.jsonl")).unwrap();
        assert_eq!(events.lines().count(), 3);
        let model = at.join(&adapted).join("model.imn");
        let (out, _) = succeed(
            at,
            &[
                "analyze",
                "--model",
                &model.to_string_lossy(),
                "the soup was great",
            ],
        );
        assert!(!out.is_empty());
    }
}

/// Writes the toy set, and a model of it to `toy/model.imn`.
fn train_toy(at: &Path) {
    toy::write(at);
    let config = toy::config(&["train.epochs=1"]).to_toml().unwrap();
    std::fs::write(at.join("toy.toml"), config).unwrap();
    let train = ["train", "--config", "toy.toml", "--no-test"];
    succeed(at, &[&train[..], &["--out", "toy"]].concat());
}

#[test]
fn a_model_is_adapted_to_a_four_file_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    train_toy(at);
    std::fs::create_dir(at.join("sets")).unwrap();
    let fields = "id,text,offsets,overlaps,meta,links";
    succeed(
        at,
        &["convert", "train.jsonl", "sets/mine", "--drop", fields],
    );
    let adapt = |data: &str, out: &str| {
        let init = [
            "train",
            "--init",
            "toy/model.imn",
            "--set",
            "train.epochs=1",
        ];
        succeed(at, &[&init[..], &["--data", data, "--out", out]].concat());
        std::fs::read_to_string(at.join(out).join("config.toml")).unwrap()
    };
    let config = adapt("sets/mine", "a");
    for line in ["name = \"mine\"", "set = \"mine\"", "train = \"mine\""] {
        assert!(config.contains(line), "{config}");
    }
    // The configuration repeats the run.
    let again = ["train", "--config", "a/config.toml", "--data", "sets"];
    succeed(at, &[&again[..], &["--out", "b"]].concat());
    let bytes = |run: &str| std::fs::read(at.join(run).join("model.imn")).unwrap();
    assert!(bytes("a") == bytes("b"), "the models differ");

    // The sentences may be compressed, and the path may end in a slash.
    let plain = at.join("sets/mine/sentence.txt");
    let packed = gzip(&std::fs::read(&plain).unwrap());
    std::fs::write(at.join("sets/mine/sentence.txt.gz"), packed).unwrap();
    std::fs::remove_file(plain).unwrap();
    assert_eq!(adapt("sets/mine/", "c"), config);

    // A folder that is not a set is still an error.
    let output = run(at, &["train", "--init", "toy/model.imn", "--data", "sets"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("sets: not labelled sentences"), "{error}");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    file.write_all(bytes).unwrap();
    file.finish().unwrap()
}

#[test]
fn the_result_can_keep_a_share_of_the_initial_weights() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    train_toy(at);
    let adapt = |out: &str, more: &[&str]| {
        let arguments = [
            "train",
            "--init",
            "toy/model.imn",
            "--data",
            "train.jsonl",
            "--out",
            out,
            "--set",
            "train.epochs=1",
        ];
        succeed(at, &[&arguments[..], more].concat());
    };
    adapt("alone", &[]);
    adapt("mean", &["--set", "train.init_share=0.25"]);
    let weights = |run: &str| -> Vec<f32> {
        let path = at.join(run).join("model.imn");
        let part = Model::open(&path.to_string_lossy()).unwrap();
        let part = part.into_only_part().unwrap();
        let tensors = part.params.tensors();
        tensors.flat_map(|(_, _, data)| data.to_vec()).collect()
    };
    let (initial, alone, mean) = (weights("toy"), weights("alone"), weights("mean"));
    assert_ne!(initial, alone);
    for ((initial, alone), mean) in initial.iter().zip(&alone).zip(&mean) {
        assert!((0.25 * initial + 0.75 * alone - mean).abs() < 1e-6);
    }
    let output = run(
        at,
        &[
            "train",
            "--config",
            "toy.toml",
            "--out",
            "none",
            "--set",
            "train.init_share=0.5",
        ],
    );
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("train.init_share = 0.5: needs a model to start from"));
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    toy::write(at);
    let fails = |arguments: &[&str], word: &str| {
        let output = run(at, arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(word), "{arguments:?}: {error}");
    };
    for arguments in [&["train"][..], &["train", "--data", "train.jsonl"]] {
        fails(arguments, "--config FILE");
        fails(arguments, "--init reviews --data FILE");
    }
    fails(&["train", "--init", "reviews"], "name it with --data FILE");
    // Reviews are not labelled sentences, and `train` has no --format.
    std::fs::write(at.join("reviews.csv"), "text,stars\nThe soup was cold.,1\n").unwrap();
    let arguments = ["train", "--init", "reviews", "--data", "reviews.csv"];
    fails(&arguments, "reading data from reviews.csv");
    fails(&arguments, "reviews.csv: not labelled sentences");
    let output = run(at, &arguments);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("--format"));
    fails(
        &["train", "--init", "reviews", "--data", "none.jsonl"],
        "none.jsonl",
    );
    fails(
        &["train", "--init", "nothing", "--data", "train.jsonl"],
        "nothing",
    );
    let scheme = [
        "train",
        "--init",
        "reviews",
        "--data",
        "train.jsonl",
        "--scheme",
        "x",
    ];
    fails(&scheme, "its schemes are");
}
