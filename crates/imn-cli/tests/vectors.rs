//! `imn vectors` as a user runs it.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and may print"
)]

use std::io::Write as _;
use std::process::{Command, Output};

use serde_json::Value;

fn run(dir: &tempfile::TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_imn"))
        .arg("vectors")
        .args(arguments)
        .current_dir(dir.path())
        .output()
        .unwrap()
}

fn files() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    file("plain.txt", "soup 1 0\nstew 0.9 0.1\nParis 0 1\n");
    file("own.vec", "5 1\nsoup 1 \nslow 2 \n");
    file("words.txt", "\u{feff}soup\nparis\nslow\nsoup\n");
    file("text.aste", "Soup was slow 3 .####[([0], [2], 'NEG')]\n");
    dir
}

#[test]
fn hit_rates_by_file() {
    let dir = files();
    let output = run(
        &dir,
        &["plain.txt", "own=own.vec", "--words", "words.txt", "--json"],
    );
    // own.vec has fewer rows than its header says.
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (plain, own) = (&json["files"][0], &json["files"][1]);
    assert_eq!(
        (&plain["name"], &own["name"]),
        (&"plain".into(), &"own".into())
    );
    assert_eq!(plain["hits"][0]["words"]["exact"], 1);
    assert_eq!(plain["hits"][0]["words"]["other_case"], 1);
    assert_eq!(plain["hits"][0]["words"]["missing"], 1);
    assert_eq!(own["hits"][0]["occurrences"]["exact"], 3);
    assert_eq!(own["stated_rows"], 5);
}

#[test]
fn words_of_annotated_text_are_normalized() {
    let dir = files();
    let output = run(&dir, &["own.vec", "--data", "text.aste", "--missing"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // soup, was, slow, <num>, "."
    assert!(text.contains("40.00 % of 5 words"), "{text}");
    assert!(text.contains("missing: <num>"), "{text}");
    assert!(text.contains("header states 5 words"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn nearest_words() {
    let dir = files();
    let output = run(
        &dir,
        &[
            "plain.txt",
            "--nearest",
            "soup",
            "--nearest",
            "tea",
            "--top",
            "1",
        ],
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("soup → stew 0.99"), "{text}");
    assert!(text.contains("\"tea\" has no vector"), "{text}");
}

#[test]
fn errors_have_the_line() {
    let dir = files();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"soup 1 0\nstew 2\n").unwrap();
    std::fs::write(dir.path().join("bad.gz"), packed.finish().unwrap()).unwrap();
    let output = run(&dir, &["bad.gz"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("bad.gz:2: 1 values for a vector of 2"),
        "{error}"
    );
}
