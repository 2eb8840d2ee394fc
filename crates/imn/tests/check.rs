//! Problems that `check` finds in small sets.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may fail the test")]

use std::path::{Path, PathBuf};

use imn::data::ProblemKind::{self, *};
use imn::data::check::{check, find_sets};

fn kinds(files: &[(&str, &str)]) -> Vec<(String, ProblemKind)> {
    let folder = tempfile::tempdir().unwrap();
    let mut paths: Vec<PathBuf> = Vec::new();
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        paths.push(path);
    }
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let report = check(&paths, None).unwrap();
    report
        .problems
        .iter()
        .map(|p| (format!("{}:{}", name(&p.place.path), p.place.line), p.kind))
        .collect()
}

fn found(at: &str, kind: ProblemKind) -> (String, ProblemKind) {
    (at.to_owned(), kind)
}

#[test]
fn duplicates_and_contradictions() {
    let lines = concat!(
        "{\"id\": \"1\", \"text\": \"Good tea\"}\n",
        "{\"id\": \"2\", \"text\": \"good tea\"}\n",
        "{\"id\": \"1\", \"text\": \"Good tea\", ",
        "\"aspects\": [{\"start\": 5, \"end\": 8, \"polarity\": \"positive\"}]}\n",
    );
    assert_eq!(
        kinds(&[("a.jsonl", lines)]),
        [
            found("a.jsonl:2", DuplicateSentence),
            found("a.jsonl:3", DuplicateId),
            found("a.jsonl:3", Contradiction)
        ]
    );
}

#[test]
fn overlaps_cuts_and_missing_polarities() {
    let lines = concat!(
        "{\"text\": \"big red pie\", ",
        "\"aspects\": [{\"start\": 0, \"end\": 7, \"polarity\": \"neutral\"}, ",
        "{\"start\": 4, \"end\": 11, \"polarity\": \"neutral\"}]}\n",
        "{\"text\": \"pies here\", \"aspects\": [{\"start\": 0, \"end\": 3}]}\n",
        "{\"text\": \"\"}\n",
    );
    assert_eq!(
        kinds(&[("a.jsonl", lines)]),
        [
            found("a.jsonl:1", Overlap),
            found("a.jsonl:2", CutToken),
            found("a.jsonl:2", MissingPolarity),
            found("a.jsonl:3", EmptySentence),
        ]
    );
}

#[test]
fn leaks_are_found_within_one_set_only() {
    let text = "{\"text\": \"Loved it!\"}\n";
    let bare = "{\"text\": \"loved it\"}\n";
    assert_eq!(
        kinds(&[
            ("a_train.jsonl", text),
            ("a_test_gold.jsonl", bare),
            ("b_test.jsonl", bare)
        ]),
        [found("a_test_gold.jsonl:1", Leak)]
    );
    // One training and one test split belong together, whatever their names are.
    assert_eq!(
        kinds(&[("x-train.jsonl", text), ("y-test.jsonl", bare)]),
        [found("y-test.jsonl:1", Leak)]
    );
}

#[test]
fn documents_with_one_text_and_two_labels() {
    assert_eq!(
        kinds(&[(
            "d.tsv",
            "pos\tgood\nneg\tgood\npos\tgood\nwhat\tgood\nneu\t \n"
        )]),
        [
            found("d.tsv:2", Contradiction),
            found("d.tsv:3", DuplicateSentence),
            found("d.tsv:4", Malformed),
            found("d.tsv:5", EmptySentence),
        ]
    );
}

#[test]
fn a_folder_without_sets_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    assert!(
        find_sets(folder.path())
            .unwrap_err()
            .to_string()
            .contains("no data set in this folder")
    );
}
