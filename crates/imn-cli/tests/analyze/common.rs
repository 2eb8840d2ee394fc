//! Shared by the tests of `imn analyze`: a small model, and helpers that run the program.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use imn_testkit::toy;

/// A model of the toy sentences, trained once for all tests. Some test runners start a process for
/// each test, so processes share it: one trains it while the others wait.
pub fn model() -> &'static str {
    static MODEL: OnceLock<String> = OnceLock::new();
    MODEL.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("analyze");
        std::fs::create_dir_all(&folder).unwrap();
        let lock = File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let path = folder.join("run/model.imn");
        if !is_current(&path) {
            train(&folder);
        }
        path.to_str().unwrap().to_owned()
    })
}

/// Whether a file is newer than the program and these tests.
fn is_current(path: &Path) -> bool {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified());
    let tests = std::env::current_exe().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_imn"));
    changed(path).is_ok_and(|time| {
        [program, &tests]
            .iter()
            .all(|other| changed(other).unwrap() < time)
    })
}

fn train(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder.join("run"));
    toy::write(folder);
    let config = toy::config(&["train.epochs=12"]).to_toml().unwrap();
    std::fs::write(folder.join("toy.toml"), config).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_imn"))
        .current_dir(folder)
        .args(["train", "--config", "toy.toml", "--out", "run", "--quiet"])
        .env_remove("IMN_DATA")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

pub fn imn(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_imn"));
    command
        .current_dir(folder)
        .arg("analyze")
        .args(arguments)
        .args(["--model", model()])
        .env_remove("IMN_DATA")
        .stdin(Stdio::null());
    command
}

pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    imn(folder, arguments).output().unwrap()
}

pub fn piped(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = imn(folder, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeding = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    feeding.join().unwrap();
    output
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Runs a command that must succeed, and returns its standard output.
pub fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

pub fn records(jsonl: &str) -> Vec<Value> {
    jsonl
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub fn file(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap()
}

pub const SENTENCE: &str = "the soup was great but the staff looked awful";

/// Sentences like those of the toy set.
pub fn sentences(count: usize) -> Vec<String> {
    const ASPECTS: [&str; 4] = ["soup", "staff", "lentil stew", "bread"];
    const GOOD: [&str; 3] = ["great", "lovely", "superb"];
    const BAD: [&str; 3] = ["awful", "stale", "dreadful"];
    let sentence = |i: usize| {
        let (aspect, other) = (ASPECTS[i % 4], ASPECTS[(i / 4 + 1) % 4]);
        let (good, bad) = (GOOD[i % 3], BAD[(i / 3) % 3]);
        format!("the {aspect} was {good} but the {other} looked {bad}")
    };
    (0..count).map(sentence).collect()
}

/// Runs `imn analyze` with the built-in model.
pub fn built_in(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_imn"))
        .arg("analyze")
        .args(arguments)
        .env_remove("IMN_MODEL")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

pub const RAMEN: &str = "The ramen was wonderful, but our waiter ignored us.";
