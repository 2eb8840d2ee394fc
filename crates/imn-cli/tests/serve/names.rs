//! The names of the models that `imn serve` offers.

use std::path::{Path, PathBuf};

use super::serving::{Serving, command};

fn copy_model(folder: &Path) {
    let model = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models/fast.imn");
    std::fs::create_dir_all(folder).unwrap();
    std::fs::copy(model, folder.join("model.imn")).unwrap();
}

/// The answer of `GET /info` of a server with these options.
fn info(at: &Path, options: &[&str]) -> String {
    let mut command = command();
    command.current_dir(at).args(["--jobs-dir", "jobs"]);
    let mut serving = Serving::start(command.args(options).env_remove("IMN_MODEL"));
    let answer = serving.get("/info");
    serving.child.kill().unwrap();
    serving.child.wait().unwrap();
    answer
}

#[test]
fn trained_models_have_the_names_of_their_folders() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    copy_model(&at.join("a/run1"));
    copy_model(&at.join("a/run3"));
    let two = ["a/run1/model.imn", "a/run3/model.imn"];
    let answer = info(
        at,
        &["--model", two[0], "--model", two[1], "--model", "fast"],
    );
    for name in ["run1", "run3", "fast"] {
        assert!(answer.contains(&format!("\"name\":\"{name}\"")), "{answer}");
    }
    let answer = info(
        &at.join("a/run1"),
        &["--model", "model.imn,best=../run3/model.imn"],
    );
    for name in ["run1", "best"] {
        assert!(answer.contains(&format!("\"name\":\"{name}\"")), "{answer}");
    }
}

#[test]
fn two_models_of_one_name_are_refused_before_they_are_opened() {
    let output = command()
        .args(["--model", "a/run/model.imn", "--model", "b/run/model.imn"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("two models are called `run`"), "{error}");
    assert!(error.contains("--model NAME=PATH"), "{error}");
}
