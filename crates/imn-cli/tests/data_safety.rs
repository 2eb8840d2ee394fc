//! The commands on data never lose, overwrite or skip anything silently.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may fail the test")]

mod data_common;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use data_common::{TRAIN, code, four_files, imn, stderr, stdout};

fn names(folder: &Path) -> Vec<String> {
    let mut all: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    all.sort();
    all
}

#[test]
fn a_failed_conversion_keeps_the_old_file() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("a.csv"), "pos,good\nneg,bad\nwhat,odd\n").unwrap();
    std::fs::write(here.path().join("keep.tsv"), "pos\tbefore\n").unwrap();
    let output = imn(here.path(), &["convert", "a.csv", "keep.tsv"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("a.csv:3: \"what\" is not a label"));
    let kept = std::fs::read_to_string(here.path().join("keep.tsv")).unwrap();
    assert_eq!(kept, "pos\tbefore\n");
    assert_eq!(names(here.path()), ["a.csv", "keep.tsv"]);
}

#[test]
fn convert_does_not_overwrite_other_formats() {
    let here = tempfile::tempdir().unwrap();
    four_files(&here.path().join("set"), TRAIN);
    std::fs::create_dir(here.path().join("mine")).unwrap();
    std::fs::write(here.path().join("mine/notes.md"), "x").unwrap();
    std::fs::write(
        here.path().join("a.jsonl"),
        "{\"text\":\"nice pub\",\"aspects\":[]}\n",
    )
    .unwrap();
    for (target, drop, reason) in [
        ("set/sentence.txt", "unlinked", "part of a four-file set"),
        ("mine", "id", "other contents than a four-file set"),
    ] {
        let output = imn(here.path(), &["convert", "a.jsonl", target, "--drop", drop]);
        assert_eq!(code(&output), 2, "{target}");
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
    assert_eq!(names(&here.path().join("mine")), ["notes.md"]);
    let words = std::fs::read_to_string(here.path().join("set/sentence.txt")).unwrap();
    assert_eq!(words, TRAIN[0]);
}

/// A sentence as JSONL, with two labels and no link.
const SENTENCE: &str = "{\"v\":1,\"text\":\"nice pub\",\"aspects\":[{\"start\":5,\"end\":8,\
                        \"term\":\"pub\",\"polarity\":\"positive\"}],\
                        \"opinions\":[{\"start\":0,\"end\":4,\"term\":\"nice\"}]}\n";

#[test]
fn convert_does_not_overwrite_files_that_are_not_in_the_target_format() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    let write = |name: &str, content: &[u8]| std::fs::write(at.join(name), content).unwrap();
    write("gold.jsonl", SENTENCE.as_bytes());
    write("b.csv", b"pos,good\n");
    let conll = "nice\tO\npub\tB\n".as_bytes();
    for (target, content, options) in [
        (
            "n.txt",
            "call the shop\n".as_bytes(),
            &["--drop", "unlinked"][..],
        ),
        ("m.imn", &[0x93, 0x00, 0xff, 0x01], &["--to", "jsonl"]),
        ("z.conll", conll, &["--to", "jsonl"]),
        ("n.jsonl", b"call the shop\n", &[]),
        ("package.json", b"{\"name\":\"x\"}\n", &[]),
        (
            "analysed.jsonl",
            b"{\"schema\":1,\"row\":1,\"text\":\"Good.\",\"aspects\":[],\"opinions\":[]}\n",
            &[],
        ),
        (
            "a.xml",
            b"<sentences></sentences>",
            &["--to", "aste", "--drop", "unlinked"],
        ),
    ] {
        write(target, content);
        let arguments = [&["convert", "gold.jsonl", target][..], options].concat();
        let output = imn(at, &arguments);
        assert_eq!(code(&output), 2, "{target}");
        let error = stderr(&output);
        assert!(
            error.contains(&format!("{target}: exists, and its content is not")),
            "{error}"
        );
        assert!(
            error.contains("choose another file, or remove this one"),
            "{error}"
        );
        assert_eq!(std::fs::read(at.join(target)).unwrap(), content, "{target}");
    }
    write("notes.tsv", b"call the shop\n");
    let output = imn(at, &["convert", "b.csv", "notes.tsv"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("notes.tsv: exists"),
        "{}",
        stderr(&output)
    );
    assert_eq!(
        std::fs::read(at.join("notes.tsv")).unwrap(),
        b"call the shop\n"
    );

    // An empty file, and one in the same format, may be overwritten.
    for content in ["", "the soup\tB\n", "soup\tB\n\n"] {
        write("ok.conll", content.as_bytes());
        let output = imn(at, &["convert", "gold.jsonl", "ok.conll"]);
        assert_eq!(code(&output), 0, "{content}: {}", stderr(&output));
    }
}

#[test]
fn an_input_is_never_overwritten() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    std::fs::write(at.join("gold.jsonl"), SENTENCE).unwrap();
    std::fs::write(at.join("b.tsv"), "pos\tgood\n").unwrap();
    four_files(&at.join("set"), TRAIN);
    for arguments in [
        &["convert", "gold.jsonl", "gold.jsonl"][..],
        &["convert", "gold.jsonl", "./gold.jsonl", "--to", "conll"],
        &["convert", "b.tsv", "./b.tsv"],
        &["convert", "set", "set"],
        &["convert", "set/sentence.txt", "set"],
        &["evaluate", "fast", "gold.jsonl", "--write", "gold.jsonl"],
        &[
            "evaluate", "fast", "set", "--write", "./set", "--drop", "text",
        ],
    ] {
        let output = imn(at, arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        let error = stderr(&output);
        assert!(
            error.contains("is an input; write to another file"),
            "{arguments:?}: {error}"
        );
    }
    assert_eq!(
        std::fs::read_to_string(at.join("gold.jsonl")).unwrap(),
        SENTENCE
    );
    let words = std::fs::read_to_string(at.join("set/sentence.txt")).unwrap();
    assert_eq!(words, TRAIN[0]);
}

#[test]
fn evaluate_does_not_overwrite_other_files() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    std::fs::write(at.join("gold.jsonl"), SENTENCE).unwrap();
    std::fs::write(at.join("mynotes.txt"), "call the shop\n").unwrap();
    let evaluate = ["evaluate", "fast", "gold.jsonl", "--resamples", "0"];
    let to = |target| [&evaluate[..], &["--to", "jsonl", "--write", target]].concat();
    let output = imn(at, &to("mynotes.txt"));
    assert_eq!(code(&output), 2);
    let error = stderr(&output);
    assert!(
        error.contains("mynotes.txt: exists, and its content is not jsonl"),
        "{error}"
    );
    // Nothing was computed before.
    assert_eq!(stdout(&output), "");
    let notes = std::fs::read_to_string(at.join("mynotes.txt")).unwrap();
    assert_eq!(notes, "call the shop\n");
    for _ in 0..2 {
        let output = imn(at, &to("predicted"));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
}

#[test]
fn predictions_become_labels() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    let text = "{\"text\":\"The soup was great.\"}\n";
    std::fs::write(at.join("texts.jsonl"), text).unwrap();
    assert_eq!(
        code(&imn(
            at,
            &["analyze", "texts.jsonl", "--out", "analysed.jsonl"]
        )),
        0
    );
    let checked = imn(at, &["check", "analysed.jsonl"]);
    assert_eq!(code(&checked), 1);
    let advice = "`imn evaluate MODEL TEXTS.jsonl --write labels.jsonl`";
    assert!(stdout(&checked).contains(advice), "{}", stdout(&checked));

    // The advice works.
    let arguments = ["evaluate", "fast", "texts.jsonl", "--write", "labels.jsonl"];
    let output = imn(at, &arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(code(&imn(at, &["check", "labels.jsonl"])), 0);
    let labels = std::fs::read_to_string(at.join("labels.jsonl")).unwrap();
    assert!(
        labels.contains("\"term\":\"soup\",\"polarity\":\"positive\""),
        "{labels}"
    );
}

#[test]
fn losses_of_triplets_count_aspects_and_opinions() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    let bare = "{\"text\":\"we left\",\"aspects\":[],\"opinions\":[]}\n{\"text\":\"ok\"}\n";
    let convert = |content: &str, options: &[&str]| {
        std::fs::write(at.join("a.jsonl"), content).unwrap();
        imn(
            at,
            &[&["convert", "a.jsonl", "a.aste"][..], options].concat(),
        )
    };
    // Every label would be lost.
    let output = convert(&format!("{SENTENCE}{bare}"), &[]);
    assert_eq!(code(&output), 2);
    let error = stderr(&output);
    assert!(
        error.contains("unlinked (1 aspect and 1 opinion)"),
        "{error}"
    );
    assert!(
        error.contains("No aspect or opinion would be left"),
        "{error}"
    );
    assert!(!error.contains("--drop"), "{error}");
    assert!(!at.join("a.aste").exists());

    // One pair is linked, the other is not.
    let linked = SENTENCE.replace("]}\n", "],\"links\":[[0,0]]}\n");
    let output = convert(&format!("{linked}{SENTENCE}{bare}"), &[]);
    assert_eq!(code(&output), 2);
    let error = stderr(&output);
    assert!(
        error.contains("unlinked (1 aspect and 1 opinion)"),
        "{error}"
    );
    assert!(error.contains("--drop unlinked"), "{error}");

    // Sentences without aspects and opinions lose nothing.
    let output = convert(&format!("{linked}{bare}"), &[]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let written = std::fs::read_to_string(at.join("a.aste")).unwrap();
    assert_eq!(
        written,
        "nice pub####[([1], [0], 'POS')]\nwe left####[]\nok####[]\n"
    );
}

#[test]
fn check_of_a_folder_reports_damaged_files_and_lists_the_rest() {
    let here = tempfile::tempdir().unwrap();
    let data = here.path().join("d");
    four_files(&data.join("set"), TRAIN);
    std::fs::create_dir_all(data.join("scripts/empty")).unwrap();
    std::fs::write(data.join("scripts/run.sh"), "echo hello\n").unwrap();
    std::fs::write(data.join("page.xml"), "<html><body/></html>").unwrap();
    std::fs::write(data.join("noise.jsonl"), [0x00, 0xff, 0xfe, 0x80]).unwrap();
    std::fs::write(data.join("wide.jsonl"), [0xff, 0xfe, 0x7b, 0x00]).unwrap();
    std::fs::write(data.join("cut.jsonl.gz"), [0x1f, 0x8b, 0x08, 0x00, 0x00]).unwrap();
    std::fs::write(data.join("nothing.conll"), "").unwrap();
    let output = imn(here.path(), &["check", "d"]);
    let shown = stdout(&output);
    assert_eq!(code(&output), 1, "{shown}{}", stderr(&output));
    assert!(shown.contains("d/set (four-file)"), "{shown}");
    assert!(shown.contains("d/noise.jsonl:1: not UTF-8"), "{shown}");
    assert!(shown.contains("d/wide.jsonl:1: this is UTF-16"), "{shown}");
    assert!(
        shown.contains("d/cut.jsonl.gz:1: cannot be read"),
        "{shown}"
    );
    assert!(
        shown.contains("d/nothing.conll:1: the file is empty"),
        "{shown}"
    );
    assert!(
        shown.contains("skipped, not a data format (2): d/page.xml, d/scripts/run.sh"),
        "{shown}"
    );
}

#[test]
fn an_unclosed_quote_does_not_hide_rows() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("a.csv"), "pos,good\nneg,\"bad\npos,fine\n").unwrap();
    let output = imn(here.path(), &["check", "a.csv"]);
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output).contains("a.csv:2: quote never closed"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn only_known_roots_are_semeval() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("a.txt"), "<3 this place\n").unwrap();
    std::fs::write(
        here.path().join("b.xml"),
        "<?xml version=\"1.0\"?><rss></rss>",
    )
    .unwrap();
    for (file, reason) in [("a.txt", "unknown format"), ("b.xml", "the root <rss>")] {
        let output = imn(here.path(), &["convert", file, "x.jsonl"]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
        assert!(
            stderr(&output).contains(".tsv or .csv"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn convert_warns_of_labels_changed_by_a_rule() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("a.conll"), "nice\tI\npub\tB\n").unwrap();
    let output = imn(here.path(), &["convert", "a.conll", "a.jsonl"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("warning: a.conll:1: inside tag \"I\" without a begin tag"),
        "{}",
        stderr(&output)
    );
    assert!(here.path().join("a.jsonl").exists());
}

#[test]
fn a_dash_means_standard_input_and_output() {
    let here = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_imn"))
        .args(["convert", "-", "-", "--to", "conll"])
        .current_dir(here.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"{\"id\":\"1 \",\"text\":\"nice pub\",\"aspects\":[{\"start\":5,\"end\":8}]}\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("# id = 1 \nnice\tO\t_\npub\tB\t_\n"),
        "{}",
        stdout(&output)
    );
    let unnamed = imn(here.path(), &["convert", "x.jsonl", "-"]);
    assert_eq!(code(&unnamed), 2);
    assert!(names(here.path()).is_empty());
}

#[test]
fn json_errors_are_readable() {
    let here = tempfile::tempdir().unwrap();
    for (line, message) in [
        (
            "[1,null,null,\"x\"]",
            "a list, expected an object with a text",
        ),
        (
            "{\"text\":\"ab\",\"aspects\":[[0,2]]}",
            "a list, expected an object with start and end",
        ),
        (
            "{\"text\":\"ab\",\"aspects\":[{\"start\":\"0\",\"end\":2}]}",
            "expected a whole number from 0",
        ),
        (
            "{\"text\":\"ab\",\"aspects\":[{\"start\":0,\"end\":2,\"polarity\":\"good\"}]}",
            "unknown polarity `good`",
        ),
        ("{\"text\":\"ab\",\"id\":7}", "(write \"id\":\"7\")"),
        (
            "{\"text\":\"ab\",\"aspects\":[{\"start\":0,\"end\":2,\"polarity\":\"Positive\"}]}",
            "(write \"positive\")",
        ),
        (
            "{\"text\":\"ab\",\"stars\":5}",
            "(fields of your own belong into \"meta\" of the sentence)",
        ),
    ] {
        std::fs::write(here.path().join("a.jsonl"), format!("{line}\n")).unwrap();
        let output = imn(here.path(), &["check", "a.jsonl"]);
        assert_eq!(code(&output), 1, "{line}");
        assert!(stdout(&output).contains(message), "{}", stdout(&output));
    }
}

#[test]
fn dropping_conflict_must_be_requested() {
    let here = tempfile::tempdir().unwrap();
    let line = "{\"text\":\"odd pub\",\"aspects\":[{\"start\":4,\"end\":7,\
                \"polarity\":\"conflict\"}],\"opinions\":[{\"start\":0,\"end\":3}],\"links\":[[0,\
                0]]}\n";
    std::fs::write(here.path().join("a.jsonl"), line).unwrap();
    let refused = imn(here.path(), &["convert", "a.jsonl", "a.aste"]);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("--drop conflict"),
        "{}",
        stderr(&refused)
    );
    let dropped = imn(
        here.path(),
        &[
            "convert",
            "a.jsonl",
            "a.aste",
            "--drop",
            "unlinked,conflict",
        ],
    );
    assert_eq!(code(&dropped), 0, "{}", stderr(&dropped));
    let written = std::fs::read_to_string(here.path().join("a.aste")).unwrap();
    assert_eq!(written, "odd pub####[]\n");
}

#[test]
fn tokenize_skips_a_byte_order_mark() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("a.txt"), "\u{feff}Fine.\r\nOk\r\n").unwrap();
    for arguments in [
        &["tokenize", "-f", "a.txt"][..],
        &["tokenize", "--lines", "-f", "a.txt"],
    ] {
        let output = imn(here.path(), arguments);
        assert!(
            stdout(&output).starts_with("0\t4\tFine\n4\t5\t."),
            "{}",
            stdout(&output)
        );
    }
}

#[test]
fn tokenize_names_the_bad_line() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("a.txt"), b"fine\nna\xefve\n").unwrap();
    for arguments in [
        &["tokenize", "-f", "a.txt"][..],
        &["tokenize", "--lines", "-f", "a.txt"],
    ] {
        let output = imn(here.path(), arguments);
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("a.txt:2: not UTF-8"),
            "{}",
            stderr(&output)
        );
    }
}
