//! Rows that cannot be read, wrong arguments, hostile input.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{SENTENCE, code, file, imn, piped, records, run, sentences, succeed, text};

#[test]
fn bad_rows_go_to_the_errors_file_and_the_job_continues() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut lines = format!("{{\"text\":\"{SENTENCE}\"}}\n").into_bytes();
    lines.extend(b"{\"text\":\n{\"review\":\"a\"}\n{\"text\":null}\n{\"text\":\"\xff\"}\n");
    lines.extend(format!("{{\"text\":\"{}\"}}\n", "a".repeat(300)).bytes());
    lines.extend(
        format!(
            "{{\"text\":\"x\",\"deep\":{}{}}}\n",
            "[".repeat(130),
            "]".repeat(130)
        )
        .bytes(),
    );
    lines.extend(format!("{{\"text\":\"{SENTENCE}\"}}").bytes());
    std::fs::write(at.join("a.jsonl"), &lines).unwrap();
    let output = run(at, &["a.jsonl", "--out", "out.jsonl", "--max-bytes", "290"]);
    assert_eq!(code(&output), 1, "{}", text(&output.stderr));
    let found = records(&file(at.join("out.jsonl")));
    let rows: Vec<&Value> = found.iter().map(|record| &record["row"]).collect();
    assert_eq!(rows, [1, 8]);
    let errors = records(&file(at.join("out.jsonl.errors.jsonl")));
    let reasons = [
        "not a JSON object",
        "no `text`",
        "null",
        "UTF-8",
        "290 bytes",
        "nested",
    ];
    assert_eq!(errors.len(), reasons.len());
    for (i, (error, reason)) in errors.iter().zip(reasons).enumerate() {
        assert_eq!(
            (&error["file"], &error["line"]),
            (&json!("a.jsonl"), &json!(i + 2))
        );
        assert!(
            error["reason"].as_str().unwrap().contains(reason),
            "{error}"
        );
    }
    let summary = text(&output.stderr);
    assert!(
        summary.contains("2 reviews, 4 aspects, 6 errors (in out.jsonl.errors.jsonl)"),
        "{summary}"
    );

    // Without an errors file they are printed to standard error.
    let output = run(at, &["a.jsonl", "--max-bytes", "290"]);
    assert_eq!(code(&output), 1);
    assert_eq!(records(&text(&output.stdout)).len(), 2);
    assert!(text(&output.stderr).contains("a.jsonl:4: `text` is null"));
    let output = run(at, &["a.jsonl", "--errors", "bad.jsonl", "--quiet"]);
    assert_eq!((code(&output), text(&output.stderr)), (1, String::new()));
    assert!(at.join("bad.jsonl").exists());
}

#[test]
fn errors_name_their_cause() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.csv"), "stars,words\n1,a\n").unwrap();
    std::fs::write(at.join("a.dat"), "a\n").unwrap();
    std::fs::write(at.join("a.json"), "[]").unwrap();
    std::fs::write(at.join("wide.txt"), b"\xff\xfea\0").unwrap();
    std::fs::write(at.join("cut.txt.gz"), b"\x1f\x8b\x08\0\0").unwrap();
    std::fs::write(at.join("a.parquet"), "PAR1").unwrap();
    std::fs::write(at.join("there.jsonl"), "mine").unwrap();
    let fails = |arguments: &[&str], words: &[&str]| {
        let output = run(at, arguments);
        let error = text(&output.stderr);
        assert_eq!(code(&output), 2, "{arguments:?}: {error}");
        for word in words {
            assert!(error.contains(word), "{arguments:?}: {error}");
        }
    };
    let columns = "(columns: `stars`, `words`); use --column NAME";
    let words = "cannot tell which column has the text";
    fails(&["a.csv"], &["a.csv", words, columns]);
    fails(&["a.csv", "--column", "word"], &["`word`", columns]);
    let words = "no column `Words`: did you mean `words`?";
    fails(&["a.csv", "--column", "Words"], &[words, columns]);
    fails(&["a.csv", "--column", "words", "--id", "key"], &["`key`"]);
    let words = "expected a number of bytes, such as 1000000, 64K or 10M";
    fails(&["a.csv", "--max-bytes", "1.5K"], &[words]);
    fails(&["none.csv"], &["no such file", "--text"]);
    fails(&["reviews.cvs"], &["no such file", "--text"]);
    fails(&["folder/reviews"], &["no such file", "--text"]);
    fails(&["my reviews.csv"], &["no such file", "--text"]);
    let words = [
        "JSON arrays",
        "jq -c '.[]' a.json > a.jsonl",
        "--from jsonl",
    ];
    fails(&["a.json"], &words);
    std::fs::write(at.join("array.jsonl"), "\n[\n{\"text\":\"a\"}\n]\n").unwrap();
    std::fs::write(at.join("words.jsonl"), "{\"words\":\"a\",\"n\":1}\n").unwrap();
    let words = ["array.jsonl:2: JSON arrays are not read", "jq -c '.[]'"];
    fails(&["array.jsonl", "--out", "new.jsonl"], &words);
    let words = ["no column `text`", "(columns: `words`, `n`)"];
    fails(
        &["words.jsonl", "--column", "text", "--out", "new.jsonl"],
        &words,
    );
    assert!(
        !at.join("new.jsonl").exists(),
        "found before anything is written"
    );
    fails(&["a.dat"], &["--from"]);
    std::fs::write(at.join("a.xlsx"), "PK").unwrap();
    fails(&["a.xlsx"], &["a.xlsx", "save the sheet as CSV"]);
    std::fs::write(at.join("a.csv.bz2"), "BZh").unwrap();
    fails(&["a.csv.bz2"], &["unpack it"]);
    fails(&["wide.txt"], &["UTF-16"]);
    let words = "cut.txt.gz: the compressed file is cut off or damaged";
    fails(&["cut.txt.gz"], &[words]);
    fails(&["a.parquet"], &["a.parquet", "Parquet"]);
    fails(&["--from", "parquet"], &["standard input", "file"]);
    fails(&["a", "--to", "parquet"], &["--out"]);
    fails(&["a", "--out", "x.doc"], &["--to"]);
    for out in ["nowhere/x.jsonl", "nowhere/x.html", "nowhere/x.parquet"] {
        let arguments = ["a", "--out", out];
        fails(&arguments, &[out, "the folder nowhere does not exist"]);
    }
    let arguments = ["a.dat", "--from", "txt", "--out", "nowhere/x.csv"];
    fails(&arguments, &["the folder nowhere does not exist"]);
    fails(&["a", "--out", "there.jsonl"], &["there.jsonl", "--force"]);
    fails(
        &["there.jsonl", "--out", "there.jsonl", "--force"],
        &["is an input"],
    );
    // Slashes in a sentence do not make it a file.
    succeed(at, &["The soup/salad combo was great"]);
    fails(&["a", "--min-confidence", "2"], &["0 to 1"]);
    fails(&["a", "--resume"], &["--out"]);
    assert_eq!(file(at.join("there.jsonl")), "mine");
    succeed(at, &[SENTENCE, "--out", "there.jsonl", "--force"]);
    assert_eq!(records(&file(at.join("there.jsonl"))).len(), 1);
    let output = imn(at, &["a"]).env("IMN_MODEL", "x").output().unwrap();
    assert_eq!(code(&output), 0, "--model goes before IMN_MODEL");
    let output = Command::new(env!("CARGO_BIN_EXE_imn"))
        .current_dir(at)
        .args(["analyze", "a", "--model", "none.imn"])
        .output()
        .unwrap();
    assert_eq!(code(&output), 2);
    assert!(text(&output.stderr).contains("none.imn"));
}

#[test]
fn tables_that_are_not_csv_are_errors_with_a_fix() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let tabs = format!("id\ttext\tstars\n1\t{SENTENCE}\t5\n");
    std::fs::write(at.join("tabs.csv"), &tabs).unwrap();
    std::fs::write(at.join("pipes.csv"), tabs.replace('\t', "|")).unwrap();
    std::fs::write(at.join("sep.csv"), format!("sep=^\n{tabs}")).unwrap();
    for (name, words) in [
        (
            "tabs.csv",
            ["tabs.csv:1: the header has tabs", "--from tsv"],
        ),
        ("pipes.csv", ["pipes.csv:1: the header has `|`", "tr '|'"]),
        (
            "sep.csv",
            ["sep.csv:1: the line `sep=^`", "convert the file"],
        ),
    ] {
        let output = run(at, &[name, "--out", "out.jsonl"]);
        let error = text(&output.stderr);
        assert_eq!(code(&output), 2, "{error}");
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert!(!at.join("out.jsonl").exists(), "{name}");
    }
    // Both fixes work: the format, and the name of the column.
    let found = records(&succeed(at, &["tabs.csv", "--from", "tsv"]));
    assert_eq!(found[0]["text"], SENTENCE);
    let whole = "id|text|stars";
    let found = records(&succeed(at, &["pipes.csv", "--column", whole]));
    assert_eq!(found[0]["text"], format!("1|{SENTENCE}|5"));
}

#[test]
fn a_table_is_not_one_review() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.csv"), format!("text\n{SENTENCE}\n")).unwrap();
    std::fs::write(at.join("a.jsonl"), format!("{{\"text\":\"{SENTENCE}\"}}\n")).unwrap();
    std::fs::write(at.join("a.parquet"), "PAR1").unwrap();
    for (arguments, start) in [
        (&["--whole", "a.csv"][..], "imn: a.csv: --whole"),
        (&["--whole", "a.jsonl"], "imn: a.jsonl: --whole"),
        (&["--whole", "a.parquet"], "imn: a.parquet: --whole"),
        (
            &["--whole", "--from", "tsv", "-"],
            "imn: standard input: --whole",
        ),
    ] {
        let output = run(at, arguments);
        let error = text(&output.stderr);
        assert_eq!(code(&output), 2, "{error}");
        assert!(error.starts_with(start), "{error}");
        assert!(error.contains("leave out --whole"), "{error}");
        assert!(error.contains("--from txt"), "{error}");
    }
    let found = records(&succeed(at, &["--whole", "--from", "txt", "a.csv"]));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["text"], format!("text\n{SENTENCE}\n"));
}

#[test]
fn rows_in_another_encoding_name_the_fix() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.csv"), b"text\nthe caf\xe9 was great\n").unwrap();
    let output = run(at, &["a.csv"]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 1, "{said}");
    assert!(said.contains("a.csv:2: not UTF-8: byte 8"), "{said}");
    assert!(said.contains("iconv -f WINDOWS-1252 -t UTF-8"), "{said}");
}

#[test]
fn the_errors_file_replaces_no_file_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let input = format!("text\n{SENTENCE}\n");
    std::fs::write(at.join("a.csv"), &input).unwrap();
    std::fs::write(at.join("mine.txt"), "mine").unwrap();
    let fails = |arguments: &[&str], words: &str| {
        let output = run(at, arguments);
        let error = text(&output.stderr);
        assert_eq!(code(&output), 2, "{arguments:?}: {error}");
        assert!(error.contains(words), "{arguments:?}: {error}");
        assert_eq!(file(at.join("a.csv")), input, "{arguments:?}");
        assert_eq!(file(at.join("mine.txt")), "mine", "{arguments:?}");
    };
    fails(&["a.csv", "--errors", "a.csv"], "a.csv is an input");
    fails(
        &["a.csv", "--errors", "./a.csv", "--force"],
        "./a.csv is an input",
    );
    fails(
        &["a.csv", "--errors", "mine.txt"],
        "mine.txt exists; use --force",
    );
    // Without a journal, --resume starts a new job, which may not remove the file either.
    let resumed = [
        "a.csv", "--out", "b.jsonl", "--errors", "mine.txt", "--resume",
    ];
    fails(&resumed, "mine.txt exists; use --force");
    fails(
        &["a.csv", "--out", "b.jsonl", "--errors", "./b.jsonl"],
        "./b.jsonl and b.jsonl are the same file",
    );
    assert!(!at.join("b.jsonl").exists());
    succeed(at, &["a.csv", "--errors", "mine.txt", "--force"]);
    assert!(!at.join("mine.txt").exists(), "there were no errors");
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.txt"), sentences(3000).join("\n")).unwrap();
    let mut child = imn(at, &["a.txt"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!((code(&output), text(&output.stderr)), (0, String::new()));
}

/// Every case ends quickly, in bounded memory, with a clear result.
#[test]
fn hostile_input_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let huge = vec![b'a'; 50 << 20];
    std::fs::write(
        at.join("line.txt"),
        [&huge[..], b"\nthe soup was great\n"].concat(),
    )
    .unwrap();
    std::fs::write(
        at.join("line.jsonl"),
        [b"{\"text\":\"", &huge[..], b"\"}\n{\"text\":\"soup\"}\n"].concat(),
    )
    .unwrap();
    std::fs::write(
        at.join("open.csv"),
        [b"text\nfirst\n\"", &huge[..]].concat(),
    )
    .unwrap();
    std::fs::write(at.join("emoji.txt"), "🍜".repeat(1_000_000)).unwrap();
    std::fs::write(
        at.join("nul.txt"),
        [b"\0".repeat(5000), b"\n".to_vec()].concat(),
    )
    .unwrap();
    std::fs::write(at.join("empty.txt"), "").unwrap();
    std::fs::write(at.join("empty.csv"), "").unwrap();
    std::fs::write(at.join("empty.jsonl"), "\n\n").unwrap();
    std::fs::write(
        at.join("deep.jsonl"),
        "[".repeat(900_000) + "\n{\"text\":\"a\"}\n",
    )
    .unwrap();
    let cases: [(&str, i32, usize, &str); 9] = [
        ("line.txt", 1, 1, "line.txt:1: longer than 1048576 bytes"),
        (
            "line.jsonl",
            1,
            1,
            "line.jsonl:1: longer than 1048576 bytes",
        ),
        (
            "open.csv",
            1,
            1,
            "open.csv:3: a quotation mark is never closed",
        ),
        ("emoji.txt", 1, 0, "emoji.txt:1: longer than"),
        ("nul.txt", 0, 1, "1 review,"),
        ("empty.txt", 0, 0, "0 reviews"),
        ("empty.csv", 0, 0, "0 reviews"),
        ("empty.jsonl", 0, 0, "0 reviews"),
        ("deep.jsonl", 1, 1, "deep.jsonl:1: JSON nested deeper than"),
    ];
    for (name, exit, reviews, said) in cases {
        let start = Instant::now();
        let output = limited(at, &[name]);
        let error = text(&output.stderr);
        assert_eq!(code(&output), exit, "{name}: {error}");
        assert_eq!(text(&output.stdout).lines().count(), reviews, "{name}");
        assert!(error.contains(said), "{name}: {error}");
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{name} took too long"
        );
    }
    // The maximum length of a review, without the end of a sentence or even a space.
    for row in [
        "soup ".repeat(1500),
        "soup".repeat(15_000),
        "🍜".repeat(1500),
    ] {
        let output = piped(at, &[], row.as_bytes());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    }
}

/// Runs the program with at most 1.5 GB of address space, on Linux.
fn limited(folder: &Path, arguments: &[&str]) -> Output {
    if !cfg!(target_os = "linux") {
        return run(folder, arguments);
    }
    let inner = imn(folder, arguments);
    let mut command = Command::new("sh");
    command
        .current_dir(folder)
        .args(["-c", "ulimit -v 1500000; exec \"$0\" \"$@\""])
        .arg(inner.get_program())
        .args(inner.get_args())
        .args(["--threads", "2"])
        .stdin(Stdio::null());
    command.output().unwrap()
}

#[test]
fn messages_count_one_thing_in_the_singular() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.csv"), "text,n\nthe soup was great,1\nshort\n").unwrap();
    let output = run(at, &["a.csv"]);
    let said = text(&output.stderr);
    assert!(said.contains("1 review, 1 aspect, 1 error,"), "{said}");
    assert!(said.contains("1 field, but the header has 2"), "{said}");
}
