//! `imn score` as a user runs it.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking and may print"
)]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const GOLD: &str = "\
the soup is great but the staff is slow####[([1], [3], 'POS'), ([6], [8], 'NEG')]
a plain room####[([2], [1], 'NEU')]
";
/// The second sentiment is wrong, the third aspect too long.
const GOOD: &str = "\
the soup is great but the staff is slow####[([1], [3], 'POS'), ([6], [8], 'POS')]
a plain room####[([1, 2], [0], 'NEU')]
";
const BAD: &str = "\
the soup is great but the staff is slow####[([0], [4], 'POS')]
a plain room####[([1, 2], [0], 'NEU')]
";

struct Files(tempfile::TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(dir)
    }

    fn score(&self, arguments: &[&str]) -> Output {
        run(self.0.path(), arguments)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.score(&[arguments, &["--json"]].concat());
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn run(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_imn"))
        .arg("score")
        .args(arguments)
        .current_dir(dir)
        .output()
        .unwrap()
}

fn standard() -> Files {
    Files::new(&[("gold.txt", GOLD), ("good.txt", GOOD), ("bad.txt", BAD)])
}

#[test]
fn scores_and_counts() {
    let json = standard().json(&["gold.txt", "good.txt"]);
    let run = &json["system"]["runs"][0];
    assert_eq!(run["counts"]["aspects"]["correct"], 2);
    assert_eq!(run["counts"]["opinions"]["correct"], 2);
    let f1 = |what: &str| run["scores"][what]["f1"].as_f64().unwrap();
    assert!((f1("aspect") - 200.0 / 3.0).abs() < 1e-9);
    assert!((f1("integrated") - 100.0 / 3.0).abs() < 1e-9);
    assert_eq!(run["scores"]["sentiment"]["accuracy"], 50.0);
}

#[test]
fn the_table_has_every_metric_once() {
    let output = standard().score(&["gold.txt", "good.txt", "--resamples", "50"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for metric in ["F1-a", "F1-o", "acc-s", "F1-s", "macro-F1-s", "F1-I"] {
        let lines = text
            .lines()
            .filter(|line| line.split(' ').next() == Some(metric));
        assert_eq!(lines.count(), 1, "{metric} in\n{text}");
    }
    assert!(text.contains("95 % interval"), "{text}");
}

#[test]
fn the_same_seed_gives_the_same_output() {
    let files = standard();
    let out = |seed: &str| {
        files
            .score(&["gold.txt", "good.txt", "--json", "--seed", seed])
            .stdout
    };
    assert_eq!(out("3"), out("3"));
}

#[test]
fn two_systems_are_compared_sentence_by_sentence() {
    let json = standard().json(&["gold.txt", "good.txt", "--other", "bad.txt"]);
    let first = &json["paired_test"][0];
    assert_eq!(first["metric"], "F1-a");
    assert!((first["difference"].as_f64().unwrap() - 200.0 / 3.0).abs() < 1e-9);
    // Only one of two sentences differs, so every swap gives the observed difference.
    assert_eq!(first["p_value"], 1.0);
}

#[test]
fn runs_are_compared_by_the_t_test() {
    let files = standard();
    let json = files.json(&[
        "gold.txt", "gold.txt", "good.txt", "--other", "bad.txt", "bad.txt",
    ]);
    let first = &json["t_test"][0];
    assert_eq!(first["metric"], "F1-a");
    assert_eq!(first["degrees"], 2.0);
    // Means 83.33 and 0, variances 555.6 and 0: t = 83.33 / √(277.8) = 5.
    assert!((first["t"].as_f64().unwrap() - 5.0).abs() < 1e-9);
    let output = files.score(&["gold.txt", "good.txt", "--other", "bad.txt", "bad.txt"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn files_with_different_sentences_are_refused() {
    let files = Files::new(&[
        ("gold.txt", GOLD),
        ("other.txt", &GOLD.replace("plain", "bare")),
        ("short.txt", GOLD.lines().next().unwrap()),
    ]);
    for (file, message) in [
        ("other.txt", "sentence 2: the texts differ"),
        ("short.txt", "2 gold sentences but 1"),
    ] {
        let output = files.score(&["gold.txt", file]);
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(message) && error.contains(file), "{error}");
    }
    assert_eq!(
        files.score(&["gold.txt", "absent.txt"]).status.code(),
        Some(2)
    );
}

#[test]
fn ignored_inside_tags_are_reported() {
    let sentence = "tasty noodle soup\n";
    let files = Files::new(&[
        ("gold/sentence.txt", sentence),
        ("gold/target.txt", "0 1 2\n"),
        ("gold/opinion.txt", "1 0 0\n"),
        ("gold/target_polarity.txt", "0 1 1\n"),
        ("predicted/sentence.txt", sentence),
        ("predicted/target.txt", "0 1 2\n"),
        ("predicted/opinion.txt", "2 0 0\n"),
        ("predicted/target_polarity.txt", "0 1 1\n"),
    ]);
    let json = files.json(&["gold", "predicted"]);
    let counts = &json["system"]["runs"][0]["counts"];
    assert_eq!(counts["predicted_orphans"], 1);
    assert_eq!(counts["opinions"]["predicted"], 0);
    let text = files.score(&["gold", "predicted"]).stdout;
    assert!(String::from_utf8_lossy(&text).contains("1 inside tags without a begin tag"));
}

#[test]
fn the_papers_sets_score_100_against_themselves() {
    let Some(data) = imn_testkit::shared_data() else {
        return;
    };
    // Gold aspects, opinions in five-class tags, aspects without conflict.
    for (set, aspects, opinions, integrated) in [
        ("res14", 1134, 1002, 1120),
        ("lap14", 654, 674, 638),
        ("res15", 542, 510, 525),
    ] {
        let test = data.join("aspect").join(set).join("test");
        let test = test.to_str().unwrap();
        let output = run(Path::new("."), &[test, test, "--json", "--resamples", "0"]);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let counts = &json["system"]["runs"][0]["counts"];
        for (what, expected) in [
            ("aspects", aspects),
            ("opinions", opinions),
            ("integrated", integrated),
        ] {
            for side in ["gold", "predicted", "correct"] {
                assert_eq!(counts[what][side], expected, "{set} {what} {side}");
            }
        }
        assert_eq!(
            json["system"]["runs"][0]["scores"]["integrated"]["f1"],
            100.0
        );
    }
}

#[test]
fn classes_are_listed_below_f1_s() {
    let files = Files::new(&[("gold.txt", GOLD), ("good.txt", GOOD)]);
    let output = files.score(&["gold.txt", "good.txt", "--resamples", "0"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let at = rows.iter().position(|row| *row == "F1-s").unwrap();
    assert_eq!(
        rows[at..],
        [
            "F1-s",
            "positive",
            "negative",
            "neutral",
            "macro-F1-s",
            "F1-I"
        ],
        "{text}"
    );
    let json = files.json(&["gold.txt", "good.txt"]);
    let run = &json["system"]["runs"][0];
    assert_eq!(
        run["scores"]["sentiment"]["classes"]["positive"]["precision"],
        50.0
    );
    assert_eq!(run["counts"]["sentiments"]["negative"]["gold"], 1);
}

#[test]
fn a_file_without_aspects_causes_a_warning() {
    let files = Files::new(&[
        ("gold.txt", GOLD),
        (
            "raw.jsonl",
            "{\"text\":\"the soup is great but the staff is slow\"}\n{\"text\":\"a plain room\"}\n",
        ),
    ]);
    let output = files.score(&["gold.txt", "raw.jsonl"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("raw.jsonl: no sentence has the field"),
        "{error}"
    );
}

#[test]
fn a_sentence_out_of_place_is_shown_with_both_texts() {
    let swapped: Vec<&str> = GOLD.lines().rev().collect();
    let files = Files::new(&[("gold.txt", GOLD), ("swapped.txt", &swapped.join("\n"))]);
    let output = files.score(&["gold.txt", "swapped.txt"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("gold      1: the soup is great but the staff is slow"),
        "{error}"
    );
    assert!(error.contains("predicted 1: a plain room"), "{error}");
    assert!(
        error.contains("the predicted text is gold sentence 2"),
        "{error}"
    );
}

#[test]
fn a_level_below_one_percent_is_an_error() {
    let files = Files::new(&[("gold.txt", GOLD)]);
    let output = files.score(&["gold.txt", "gold.txt", "--level", "0.95"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean 95?"));
}
