//! The help of every command and the main outputs, compared with the files in `tests/snapshots`, so
//! that a change of wording is visible in review.
//!
//! `IMN_UPDATE_SNAPSHOTS=1 cargo test --workspace --test snapshots` rewrites the files.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RAMEN: &str = "The ramen was wonderful, but our waiter ignored us.";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the program and returns its exit code, standard output and standard error as one text.
fn transcript(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_imn"))
        .current_dir(folder)
        .args(arguments)
        .env_remove("IMN_DATA")
        .env_remove("IMN_MODEL")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut text = format!("$ imn {}\n", quoted(arguments));
    text += &String::from_utf8(output.stdout).unwrap();
    for line in String::from_utf8(output.stderr).unwrap().lines() {
        text += &format!("stderr: {line}\n");
    }
    if !output.status.success() {
        text += &format!("exit code {}\n", output.status.code().unwrap());
    }
    text
}

/// Arguments as they would be typed.
fn quoted(arguments: &[&str]) -> String {
    let quote = |argument: &&str| match argument.contains([' ', '\'', '"']) {
        true => format!("{argument:?}"),
        false => (*argument).to_owned(),
    };
    arguments.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// Compares a text with the snapshot of this name, or writes the snapshot.
fn check(name: &str, text: &str) {
    // clap ends some lines with spaces; editors remove them.
    let text: String = text
        .lines()
        .map(|line| rounded(line.trim_end()) + "\n")
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("IMN_UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "{}: the output has changed. If that is intended, run\n  \
         IMN_UPDATE_SNAPSHOTS=1 cargo test --workspace --test snapshots\n{}",
        path.display(),
        first_difference(&expected, &text)
    );
}

/// Rounds numbers with more than four decimals to two, because the last digits depend on the
/// kernels of the machine.
fn rounded(line: &str) -> String {
    let mut rest = line;
    let mut text = String::new();
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let number = &rest[start..];
        let length = number
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(number.len());
        let (number, after) = number.split_at(length);
        text += &rest[..start];
        let decimals = number
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        match number.parse::<f64>() {
            Ok(value) if decimals > 4 => text += &format!("{value:.2}"),
            _ => text += number,
        }
        rest = after;
    }
    text + rest
}

fn first_difference(expected: &str, found: &str) -> String {
    let (mut expected, mut found) = (expected.lines(), found.lines());
    loop {
        match (expected.next(), found.next()) {
            (None, None) => return String::new(),
            (a, b) if a == b => {}
            (a, b) => return format!("expected: {a:?}\nfound:    {b:?}"),
        }
    }
}

#[test]
fn help_of_every_command() {
    let here = Path::new(".");
    let all = transcript(here, &["--help"]);
    check("help", &all);
    let commands = all
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with("     "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help");
    let mut count = 0;
    for command in commands {
        let help = transcript(here, &[command, "--help"]);
        check(&format!("help-{command}"), &help);
        count += 1;
    }
    assert!(count >= 14, "{count} commands in\n{all}");
    let tables = transcript(here, &["reproduce", "tables", "--help"]);
    check("help-reproduce-tables", &tables);
}

#[test]
fn outputs_with_the_built_in_model() {
    let here = Path::new(".");
    let analyze = |name: &str, options: &[&str]| {
        check(
            name,
            &transcript(here, &[&["analyze", RAMEN], options].concat()),
        );
    };
    analyze("analyze-pretty", &["--to", "pretty"]);
    analyze("analyze-json", &["--to", "json", "--min-confidence", "0.5"]);
    analyze("analyze-csv", &["--to", "csv"]);
    check("explain", &transcript(here, &["explain", RAMEN]));
    check("inspect", &transcript(here, &["inspect", "reviews"]));
    check("models", &transcript(here, &["models"]));
    let data = repository().join("examples/bikes");
    let evaluate = ["evaluate", "reviews", "test.jsonl", "--resamples", "0"];
    check("evaluate", &transcript(&data, &evaluate));
}

#[test]
fn outputs_of_the_commands_on_data() {
    let data = repository().join("examples/bikes");
    check(
        "check",
        &transcript(&data, &["check", "train.jsonl", "test.jsonl"]),
    );
    check(
        "tokenize",
        &transcript(&data, &["tokenize", "It's $5, isn't it? Wow!"]),
    );
    let convert = ["convert", "test.jsonl", "-", "--to", "conll"];
    check("convert", &transcript(&data, &convert));

    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |name: &str, text: &str| std::fs::write(at.join(name), text).unwrap();
    write(
        "gold.aste",
        "the soup is great but the staff is slow####[([1], [3], 'POS'), ([6], [8], 'NEG')]\n\
         a plain room####[([2], [1], 'NEU')]\n",
    );
    write(
        "first.aste",
        "the soup is great but the staff is slow####[([1], [3], 'POS'), ([6], [8], 'POS')]\n\
         a plain room####[([1, 2], [0], 'NEU')]\n",
    );
    write(
        "second.aste",
        "the soup is great but the staff is slow####[([0], [4], 'POS')]\n\
         a plain room####[([1, 2], [0], 'NEU')]\n",
    );
    let score = ["score", "gold.aste", "first.aste", "--other", "second.aste"];
    check("score", &transcript(at, &score));

    // Typical problems: a wrong offset, a tag without a begin tag, a format that loses fields.
    write(
        "train.jsonl",
        "{\"text\":\"nice pub\",\"aspects\":[{\"start\":5,\"end\":9}]}\n",
    );
    write("test.conll", "nice\tO\npub\tI-positive\n");
    check(
        "check-problems",
        &transcript(at, &["check", "train.jsonl", "test.conll"]),
    );
    let losses = ["convert", "gold.aste", "gold.xml", "--to", "semeval14"];
    check("convert-losses", &transcript(at, &losses));
    let words = "good 1 0\ngreat 0.9 0.1\nbad -1 0.2\n";
    write("words.vec", words);
    write("list.txt", "good\nGreat\nsoup\n");
    let vectors = ["vectors", "words.vec", "--words", "list.txt", "--missing"];
    let shown = transcript(at, &vectors);
    // The last line is the time that it took.
    let (shown, _) = shown.trim_end().rsplit_once('\n').unwrap();
    check("vectors", shown);
}
