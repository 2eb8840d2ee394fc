//! Jobs that are killed or stopped, and resumed.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{code, file, imn, model, records, run, sentences, text};

/// Runs a job, kills it after each of the pauses, resumes it until it is finished, and returns how
/// often it was killed.
fn kill_and_resume(folder: &Path, arguments: &[&str], pauses: &[u64]) -> usize {
    let mut kills = 0;
    for &pause in pauses {
        let mut child = imn(folder, arguments)
            .arg("--resume")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
    }
    let output = imn(folder, arguments).arg("--resume").output().unwrap();
    assert!(code(&output) < 2, "{}", text(&output.stderr));
    kills
}

#[test]
fn a_killed_job_resumes_and_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Two inputs, one of them compressed, with bad rows. The first line of one is Excel's.
    let mut csv = "sep=,\ntext,n\n".to_owned();
    let mut jsonl = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for (i, sentence) in sentences(9000).iter().enumerate() {
        let extra = if i % 700 == 3 { ",bad" } else { "" };
        writeln!(csv, "{sentence},{i}{extra}").unwrap();
        writeln!(jsonl, "{}", json!({"text": sentence, "n": i})).unwrap();
    }
    std::fs::write(at.join("a.csv"), csv).unwrap();
    std::fs::write(at.join("b.jsonl.gz"), jsonl.finish().unwrap()).unwrap();
    let mut kills = 0;
    for ending in ["jsonl", "csv.gz", "parquet"] {
        let whole = format!("whole.{ending}");
        let output = run(at, &["a.csv", "b.jsonl.gz", "--out", &whole]);
        assert_eq!(code(&output), 1, "{}", text(&output.stderr));
        let parts = format!("parts.{ending}");
        let arguments = ["a.csv", "b.jsonl.gz", "--out", &parts];
        kills += kill_and_resume(at, &arguments, &[30, 350, 700, 520, 1100]);
        let bytes = |name: &str| std::fs::read(at.join(name)).unwrap();
        assert!(
            bytes(&whole) == bytes(&parts),
            "{ending}: the outputs differ"
        );
        let errors = |name: &str| bytes(&format!("{name}.errors.jsonl"));
        assert!(
            errors(&whole) == errors(&parts),
            "{ending}: the errors differ"
        );
        let journal = file(at.join(format!("{parts}.journal")));
        let journal: Value = serde_json::from_str(&journal).unwrap();
        assert_eq!(journal["finished"], json!(true));
        assert!(!at.join(format!("{parts}.parts")).exists());
        let output = imn(at, &arguments).arg("--resume").output().unwrap();
        assert_eq!(code(&output), 0);
        assert!(text(&output.stderr).contains("already finished"));
    }
    assert!(kills > 3, "it was too fast to be killed");
}

/// Waits until a journal records finished rows.
fn wait_for_entry(journal: &Path) {
    let start = Instant::now();
    loop {
        let journal = std::fs::read_to_string(journal).unwrap_or_default();
        let journal: Value = serde_json::from_str(&journal).unwrap_or_default();
        if journal["mark"]["totals"]["reviews"].as_u64() > Some(0) {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no entry in a minute"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn ctrl_c_says_where_the_rows_of_a_parquet_file_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.txt"), sentences(60_000).join("\n")).unwrap();
    let arguments = ["a.txt", "--out", "out.parquet"];
    let child = imn(at, &arguments).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_entry(&at.join("out.parquet.journal"));
    interrupt(child.id());
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(code(&output), 130, "{said}");
    let words = "(so far in out.parquet.parts); run the same command with --resume to continue it \
        and write out.parquet";
    assert!(said.contains(words), "{said}");
    assert!(at.join("out.parquet.parts").is_dir() && !at.join("out.parquet").exists());
}

#[test]
fn another_job_is_refused_and_ctrl_c_explains_how_to_resume() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.txt"), sentences(60_000).join("\n")).unwrap();
    let arguments = ["a.txt", "--out", "out.jsonl"];
    let mut child = imn(at, &arguments).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_entry(&at.join("out.jsonl.journal"));
    interrupt(child.id());
    let status = child.wait().unwrap();
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(said.contains("--resume to continue"), "{said}");
    let kept = records(&file(at.join("out.jsonl")));
    assert!(
        !kept.is_empty() && kept.len() < 60_000,
        "whole chunks are kept: {}",
        kept.len()
    );

    let refused = |more: &[&str], words: &[&str]| {
        let output = run(at, &[&arguments[..], more].concat());
        let error = text(&output.stderr);
        assert_eq!(code(&output), 2, "{error}");
        for word in words {
            assert!(error.contains(word), "{error}");
        }
    };
    refused(&[], &["out.jsonl", "--resume", "--force"]);
    refused(
        &["--resume", "--offsets", "chars"],
        &["offsets", "bytes", "chars"],
    );
    refused(
        &["--resume", "--min-confidence", "0.5"],
        &["the minimum confidence differs"],
    );
    // Another model is refused under any name, because its bytes count.
    let small = Command::new(env!("CARGO_BIN_EXE_imn"))
        .current_dir(at)
        .args(["quantize", model(), "small.imn"])
        .output()
        .unwrap();
    assert!(small.status.success(), "{}", text(&small.stderr));
    let output = Command::new(env!("CARGO_BIN_EXE_imn"))
        .current_dir(at)
        .arg("analyze")
        .args(arguments)
        .args(["--resume", "--model", "small.imn"])
        .output()
        .unwrap();
    let error = text(&output.stderr);
    assert_eq!(code(&output), 2, "{error}");
    assert!(error.contains("the model differs: it was "), "{error}");
    assert!(error.contains("is now small.imn"), "{error}");
    // Neither a shortened output nor a changed input can be resumed.
    let whole = std::fs::read(at.join("out.jsonl")).unwrap();
    std::fs::write(at.join("out.jsonl"), "short").unwrap();
    refused(&["--resume"], &["the file was changed"]);
    std::fs::write(at.join("out.jsonl"), &whole).unwrap();
    let input = file(at.join("a.txt"));
    std::fs::write(at.join("a.txt"), input.replacen("soup", "stew", 1)).unwrap();
    refused(&["--resume"], &["the input", "a.txt has changed"]);
    let mut child = imn(at, &arguments)
        .arg("--force")
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_entry(&at.join("out.jsonl.journal"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_page_is_kept_if_its_next_job_is_stopped_before_a_review() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("page.html"), "good").unwrap();
    std::fs::write(at.join("page.html.errors.jsonl"), "bad rows").unwrap();
    let mut child = imn(at, &["-", "--out", "page.html", "--force"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A line that does not end, so that the job has started but has no review.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"the soup was").unwrap();
    wait_for_new_page(at);
    interrupt(child.id());
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(code(&output), 130, "{said}");
    let words = "stopped before any review was done; page.html stays as it was";
    assert!(said.contains(words), "{said}");
    assert_eq!(file(at.join("page.html")), "good");
    assert_eq!(file(at.join("page.html.errors.jsonl")), "bad rows");
    assert_eq!(std::fs::read_dir(at).unwrap().count(), 2);
    drop(stdin);
}

/// Waits until a job has created the temporary file of its output.
fn wait_for_new_page(folder: &Path) {
    let start = Instant::now();
    while std::fs::read_dir(folder).unwrap().count() < 3 {
        let waited = start.elapsed();
        assert!(waited < Duration::from_secs(60), "no page in a minute");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a process what Ctrl-C sends.
fn interrupt(id: u32) {
    let interrupted = Command::new("kill")
        .args(["-INT", &id.to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
}

#[test]
fn only_the_job_that_wrote_an_output_counts_as_finished() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.txt"), sentences(3).join("\n")).unwrap();
    std::fs::write(at.join("b.txt"), sentences(2).join("\n")).unwrap();
    for ending in ["jsonl", "parquet"] {
        let out = format!("out.{ending}");
        let resume = |input: &str, more: &[&str]| {
            let arguments = [&[input, "--out", &out, "--resume"], more].concat();
            let output = run(at, &arguments);
            (code(&output), text(&output.stderr))
        };
        let refused = |(code, error): (i32, String), words: &[&str]| {
            assert_eq!(code, 2, "{error}");
            for word in words {
                assert!(error.contains(word), "{error}");
            }
        };
        // A file that no job wrote.
        std::fs::write(at.join(&out), "mine").unwrap();
        refused(resume("a.txt", &[]), &[&out, "no journal", "--force"]);
        assert_eq!(file(at.join(&out)), "mine");
        std::fs::remove_file(at.join(&out)).unwrap();

        assert_eq!(resume("a.txt", &[]).0, 0);
        let bytes = std::fs::read(at.join(&out)).unwrap();
        let (code, said) = resume("a.txt", &[]);
        assert!(code == 0 && said.contains("already finished"), "{said}");
        refused(resume("b.txt", &[]), &["an input differs", "b.txt"]);
        refused(resume("a.txt", &["--offsets", "chars"]), &["offsets"]);
        std::fs::write(at.join(&out), "changed").unwrap();
        refused(resume("a.txt", &[]), &["the file was changed"]);
        // An output that was removed is made again, with and without --resume.
        for more in [&["--resume"][..], &[]] {
            std::fs::remove_file(at.join(&out)).unwrap();
            let output = run(at, &[&["a.txt", "--out", &out][..], more].concat());
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            assert!(std::fs::read(at.join(&out)).unwrap() == bytes);
        }
    }
    // A job without a journal removes that of the output that it replaces.
    let output = run(at, &["some text", "--out", "out.jsonl", "--force"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(!at.join("out.jsonl.journal").exists());
}
