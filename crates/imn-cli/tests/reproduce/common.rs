//! Shared by the tests of `imn reproduce`: a small data folder in the paper's layout, and helpers
//! that run the program.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use imn_repro::results::{RunResult, read_results};
use imn_testkit::toy;

/// The program with space-separated arguments.
pub fn imn(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_imn"));
    command
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env_remove("IMN_DATA");
    command
}

pub fn run(folder: &Path, arguments: &str) -> Output {
    imn(folder, arguments).output().unwrap()
}

/// Runs a command that must succeed, and returns its standard output and standard error.
pub fn succeed(folder: &Path, arguments: &str) -> (String, String) {
    let output = run(folder, arguments);
    let [out, err] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{arguments}: {err}");
    (out, err)
}

/// Runs a command that must fail with a message that contains `expected`.
pub fn fail(folder: &Path, arguments: &str, expected: &str) {
    let output = run(folder, arguments);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{arguments}");
    assert!(err.contains(expected), "{arguments}: {err}");
}

pub fn read(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(path)).unwrap()
}

/// Writes a small data folder: at most `max_sentences` toy sentences as the training data of res15,
/// and a few words in each vector file.
pub fn write_data(folder: &Path, max_sentences: usize) {
    toy::write(folder);
    let train = read(folder, "train.jsonl");
    let train: Vec<&str> = train.lines().take(max_sentences).collect();
    std::fs::write(folder.join("train.jsonl"), train.join("\n")).unwrap();
    std::fs::create_dir_all(folder.join("data/aspect/res15")).unwrap();
    for part in ["train", "test"] {
        let command = format!("convert {part}.jsonl data/aspect/res15/{part} --to four-file");
        succeed(folder, &command);
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
        // Compression is detected from the first bytes, so a plain file may have this name.
        std::fs::write(folder.join(format!("data/vectors/{name}.txt.gz")), text).unwrap();
    }
}

/// The scores of every run in a folder of results.
pub fn scores(folder: &Path) -> Vec<String> {
    let results = read_results(folder).unwrap();
    let score = |run: &RunResult| {
        let (system, seed, dev) = (&run.system, run.seed, &run.dev);
        format!("{system} {seed}: {:?} {dev:?}", run.scores)
    };
    results.iter().map(score).collect()
}
