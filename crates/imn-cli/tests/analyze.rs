//! `imn analyze` as a user runs it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../imn/tests/toy/mod.rs"]
mod toy;

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A model that knows the toy sentences; trained once for all tests.
fn model() -> &'static str {
    static MODEL: OnceLock<String> = OnceLock::new();
    MODEL.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("analyze");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        toy::write(&folder);
        let config = toy::config(&["train.epochs=12"]).to_toml();
        std::fs::write(folder.join("toy.toml"), config).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_imn"))
            .current_dir(&folder)
            .args(["train", "--config", "toy.toml", "--out", "run", "--quiet"])
            .env_remove("IMN_DATA")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let path = folder.join("run/model.imn");
        path.to_str().unwrap().to_owned()
    })
}

fn imn(folder: &Path, arguments: &[&str]) -> Command {
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

fn run(folder: &Path, arguments: &[&str]) -> Output {
    imn(folder, arguments).output().unwrap()
}

fn piped(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// What a run that must go well printed.
fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn records(jsonl: &str) -> Vec<Value> {
    jsonl
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn file(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap()
}

const SENTENCE: &str = "the soup was great but the staff looked awful";

/// Sentences of the toy's kind.
fn sentences(count: usize) -> Vec<String> {
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

#[test]
fn a_text_becomes_aspects_and_opinions() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let found = &records(&succeed(at, &[SENTENCE]))[0];
    assert_eq!(found["schema"], 1);
    assert_eq!(
        (&found["row"], &found["text"]),
        (&json!(1), &json!(SENTENCE))
    );
    let term = |list: &str, i: usize| found[list][i]["term"].as_str().unwrap().to_owned();
    assert_eq!(
        (term("aspects", 0), term("aspects", 1)),
        ("soup".into(), "staff".into())
    );
    assert_eq!(
        (term("opinions", 0), term("opinions", 1)),
        ("great".into(), "awful".into())
    );
    assert_eq!(found["aspects"][0]["sentiment"], "positive");
    assert_eq!(found["aspects"][1]["sentiment"], "negative");
    assert_eq!(
        (&found["aspects"][0]["start"], &found["aspects"][0]["end"]),
        (&json!(4), &json!(8))
    );
    assert!(found["sentiment"]["polarity"].is_string());

    // Offsets in other units; several texts, one of which looks like a file.
    let accents = "é🍲 the soup was great";
    for (unit, start) in [("bytes", 11), ("chars", 7), ("utf16", 8)] {
        let found = records(&succeed(at, &[accents, "--offsets", unit]));
        assert_eq!(found[0]["aspects"][0]["start"], start, "{unit}");
    }
    let found = records(&succeed(
        at,
        &[SENTENCE, "--text", "none.csv", "--text", "-x"],
    ));
    assert_eq!(found.len(), 3);
    assert_eq!(
        (&found[1]["text"], &found[2]["row"]),
        (&json!("none.csv"), &json!(3))
    );

    let sure = records(&succeed(at, &[SENTENCE, "--min-confidence", "1"]));
    assert_eq!(sure[0]["aspects"], json!([]));
}

#[test]
fn people_get_a_view_in_colours_or_without() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let plain = succeed(at, &[SENTENCE, "--to", "pretty"]);
    assert!(plain.starts_with(&format!("{SENTENCE}\n")), "{plain}");
    let line = plain
        .lines()
        .find(|line| line.contains("negative"))
        .unwrap();
    assert!(line.contains("staff") && line.contains("awful"), "{line}");
    assert!(!plain.contains('\u{1b}'));
    let coloured = succeed(at, &[SENTENCE, "--to", "pretty", "--color", "always"]);
    assert!(coloured.contains("\u{1b}[1m\u{1b}[32msoup"), "{coloured:?}");
    // What a text does to a terminal stays its own affair.
    let hostile = succeed(at, &["a \u{1b}[31m soup \u{7}", "--to", "pretty"]);
    assert!(!hostile.contains(['\u{1b}', '\u{7}']), "{hostile:?}");
}

#[test]
fn every_input_gives_the_same_analyses() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let texts = sentences(30);
    let lines = texts.join("\n") + "\n";
    let (mut csv, mut tsv, mut jsonl) = (
        "stars,id,review\n".to_owned(),
        "stars\tid\treview\n".to_owned(),
        String::new(),
    );
    for (i, sentence) in texts.iter().enumerate() {
        writeln!(csv, "{},r{i},\"{sentence}\"", i % 5).unwrap();
        writeln!(tsv, "{}\tr{i}\t{sentence}", i % 5).unwrap();
        let object =
            json!({"stars": (i % 5).to_string(), "id": format!("r{i}"), "review": sentence});
        writeln!(jsonl, "{object}").unwrap();
    }
    std::fs::write(at.join("a.txt"), &lines).unwrap();
    std::fs::write(
        at.join("a.csv"),
        format!("\u{feff}{}", csv.replace('\n', "\r\n")),
    )
    .unwrap();
    std::fs::write(at.join("a.tsv"), &tsv).unwrap();
    std::fs::write(at.join("a.jsonl"), &jsonl).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(csv.as_bytes()).unwrap();
    std::fs::write(at.join("b.csv.gz"), packed.finish().unwrap()).unwrap();
    // Our own output is an input too: packed as its name says, and in Parquet.
    succeed(at, &["a.csv", "--out", "c.jsonl.zst"]);
    assert!(
        std::fs::read(at.join("c.jsonl.zst"))
            .unwrap()
            .starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
    );
    succeed(at, &["a.csv", "--out", "c.parquet"]);
    assert!(!at.join("c.parquet.parts").exists() && !at.join("c.parquet.journal").exists());

    let expected = records(&succeed(at, &["a.txt"]));
    assert_eq!(expected.len(), 30);
    let same = |found: &[Value], what: &str| {
        assert_eq!(found.len(), expected.len(), "{what}");
        for (a, b) in found.iter().zip(&expected) {
            for key in ["text", "sentiment", "aspects", "opinions"] {
                assert_eq!(a[key], b[key], "{what}");
            }
        }
    };
    for name in ["a.csv", "a.tsv", "a.jsonl", "b.csv.gz"] {
        let found = records(&succeed(at, &[name]));
        same(&found, name);
        assert_eq!(found[7]["id"], "r7", "{name}");
        assert_eq!(found[7]["columns"], json!({"stars": "2"}), "{name}");
    }
    for name in ["c.jsonl.zst", "c.parquet"] {
        let found = records(&succeed(at, &[name]));
        same(&found, name);
        assert_eq!(found[7]["id"], "r7", "{name}");
    }
    for (form, bytes) in [
        ("txt", &lines),
        ("csv", &csv),
        ("tsv", &tsv),
        ("jsonl", &jsonl),
    ] {
        let output = piped(at, &["--from", form], bytes.as_bytes());
        assert_eq!(code(&output), 0, "{form}: {}", text(&output.stderr));
        same(&records(&text(&output.stdout)), form);
    }
    let output = piped(at, &["-"], &std::fs::read(at.join("a.txt")).unwrap());
    same(&records(&text(&output.stdout)), "-");

    // A file is a review, and sources are named where there are several.
    std::fs::write(
        at.join("one.txt"),
        "the soup was great\nbut the staff looked awful",
    )
    .unwrap();
    std::fs::write(at.join("two.txt"), SENTENCE).unwrap();
    let found = records(&succeed(at, &["--whole", "one.txt", "two.txt"]));
    assert_eq!(found.len(), 2);
    assert_eq!(
        (&found[0]["file"], &found[1]["file"]),
        (&json!("one.txt"), &json!("two.txt"))
    );
}

#[test]
fn tables_come_out_as_analysts_need_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let table = format!("id,text,sentiment,note\n7,{SENTENCE},mine,\"a, b\"\n8,nothing here,x,\n");
    std::fs::write(at.join("a.csv"), table).unwrap();
    succeed(at, &["a.csv", "--out", "out.csv"]);
    let found = file(at.join("out.csv"));
    let lines: Vec<&str> = found.lines().collect();
    // A column that has the name of one of ours keeps its values under another.
    assert_eq!(
        lines[0],
        "row,id,text,input_sentiment,note,text_sentiment,text_confidence,aspect,start,end,sentiment,span_confidence,\
         sentiment_confidence,opinions"
    );
    assert_eq!(
        lines.len(),
        4,
        "two aspects, and a review without any\n{found}"
    );
    assert!(
        lines[1].starts_with(&format!("1,7,{SENTENCE},mine,\"a, b\",")),
        "{found}"
    );
    let record = &records(&succeed(at, &["a.csv"]))[0];
    let linked = record["aspects"][0]["opinions"].as_array().unwrap().iter();
    let linked = linked.map(|link| link["opinion"].as_u64().unwrap() as usize);
    let linked = linked.map(|number| record["opinions"][number]["term"].as_str().unwrap());
    let linked: Vec<&str> = linked.collect();
    assert!(
        lines[1].contains(",soup,4,8,positive,")
            && lines[1].ends_with(&format!(",{}", linked.join("; "))),
        "{found}"
    );
    assert!(lines[2].contains(",staff,27,32,negative,"), "{found}");
    assert!(
        lines[3].starts_with("2,8,nothing here,x,,") && lines[3].ends_with(",,,,,,,"),
        "{found}"
    );

    succeed(at, &["a.csv", "--out", "reviews.csv", "--per", "review"]);
    let found = file(at.join("reviews.csv"));
    assert_eq!(found.lines().count(), 3, "{found}");
    assert!(found.contains("\"\"term\"\":\"\"soup\"\""), "{found}");

    // Keys of JSON may differ from row to row: they stay together.
    std::fs::write(
        at.join("a.jsonl"),
        "{\"text\":\"a\",\"x\":1}\n{\"y\":[2],\"text\":\"b\"}\n",
    )
    .unwrap();
    let found = succeed(at, &["a.jsonl", "--to", "csv"]);
    assert!(found.starts_with("row,id,text,columns,"), "{found}");
    assert!(found.contains("\"{\"\"y\"\":[2]}\""), "{found}");

    let array: Value = serde_json::from_str(&succeed(at, &["a.csv", "--to", "json"])).unwrap();
    assert_eq!(array.as_array().unwrap().len(), 2);
    let page = succeed(
        at,
        &[
            "a.csv",
            "--to",
            "html",
            "--text",
            "<script>the soup</script>",
        ],
    );
    assert!(page.contains("<mark class=\"positive\" data-link=\"1\"") && page.contains("<sup>→1"));
    assert!(page.contains("&lt;") && page.ends_with("</html>\n"));
    assert_eq!(
        page.matches("<script").count(),
        1,
        "texts cannot put anything into the page"
    );
    assert!(!page.contains("http"), "a page needs nothing but itself");
}

#[test]
fn threads_and_chunks_keep_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let texts = sentences(1500);
    std::fs::write(at.join("a.txt"), texts.join("\n")).unwrap();
    let one = succeed(at, &["a.txt", "--threads", "1"]);
    let four = succeed(at, &["a.txt", "--threads", "4"]);
    assert!(one == four, "threads change the output");
    for (i, (record, sentence)) in records(&one).iter().zip(&texts).enumerate() {
        assert_eq!(record["row"], i + 1);
        assert_eq!(record["text"], **sentence);
    }
}

#[test]
fn bad_rows_go_to_the_file_of_errors_and_the_job_goes_on() {
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

    // Without a file they are said, and standard output holds analyses only.
    let output = run(at, &["a.jsonl", "--max-bytes", "290"]);
    assert_eq!(code(&output), 1);
    assert_eq!(records(&text(&output.stdout)).len(), 2);
    assert!(text(&output.stderr).contains("a.jsonl, line 4: `text` is null"));
    let output = run(at, &["a.jsonl", "--errors", "bad.jsonl", "--quiet"]);
    assert_eq!((code(&output), text(&output.stderr)), (1, String::new()));
    assert!(at.join("bad.jsonl").exists());
}

#[test]
fn mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.csv"), "stars,words\n1,a\n").unwrap();
    std::fs::write(at.join("a.dat"), "a\n").unwrap();
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
    fails(&["a.csv"], &["a.csv", "stars, words", "--column"]);
    fails(&["a.csv", "--column", "word"], &["`word`", "stars, words"]);
    fails(&["a.csv", "--column", "words", "--id", "key"], &["`key`"]);
    fails(&["none.csv"], &["no such file", "--text"]);
    fails(&["a.dat"], &["--from"]);
    fails(&["wide.txt"], &["UTF-16"]);
    fails(&["cut.txt.gz"], &["cut.txt.gz"]);
    fails(&["a.parquet"], &["a.parquet", "Parquet"]);
    fails(&["--from", "parquet"], &["standard input", "file"]);
    fails(&["a", "--to", "parquet"], &["--out"]);
    fails(&["a", "--out", "x.doc"], &["--to"]);
    fails(&["a", "--out", "nowhere/x.jsonl"], &["nowhere/x.jsonl"]);
    fails(&["a", "--out", "there.jsonl"], &["there.jsonl", "--force"]);
    fails(
        &["there.jsonl", "--out", "there.jsonl", "--force"],
        &["is an input"],
    );
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
fn other_languages_are_warned_of_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let german =
        "Das Essen kam kalt auf den Tisch, und der Kellner hat sich nicht einmal entschuldigt.\n";
    std::fs::write(at.join("de.txt"), german.repeat(600)).unwrap();
    let output = run(at, &["de.txt", "--out", "de.jsonl"]);
    assert_eq!(code(&output), 0);
    assert_eq!(
        text(&output.stderr).matches("not look English").count(),
        1,
        "{}",
        text(&output.stderr)
    );
    assert!(!text(&run(at, &[SENTENCE]).stderr).contains("English"));
}

#[test]
fn a_closed_pipe_is_quiet() {
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

/// Hostile input: every case ends soon, in bounded memory, with a clear result.
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
        ("line.txt", 1, 1, "line 1: longer than 1048576 bytes"),
        ("line.jsonl", 1, 1, "line 1: longer than 1048576 bytes"),
        ("open.csv", 1, 1, "line 3: a quotation mark is never closed"),
        ("emoji.txt", 1, 0, "line 1: longer than"),
        ("nul.txt", 0, 1, "1 review,"),
        ("empty.txt", 0, 0, "0 reviews"),
        ("empty.csv", 0, 0, "0 reviews"),
        ("empty.jsonl", 0, 0, "0 reviews"),
        ("deep.jsonl", 1, 1, "line 1: JSON nested deeper than"),
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
    // As many words as a review may have, without an end of a sentence or even a space.
    for row in [
        "soup ".repeat(1500),
        "soup".repeat(15_000),
        "🍜".repeat(1500),
    ] {
        let output = piped(at, &[], row.as_bytes());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    }
}

/// A run that may not have more than 1.5 GB of addresses, where the system can see to that.
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

/// Runs a job that is killed at several moments and goes on, until it is done; says how often it was killed.
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
fn a_job_that_is_killed_goes_on_and_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Two sources, one of them packed, with bad rows all over.
    let mut csv = "text,n\n".to_owned();
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
        assert!(!at.join(format!("{parts}.journal")).exists());
        assert!(!at.join(format!("{parts}.parts")).exists());
        let output = imn(at, &arguments).arg("--resume").output().unwrap();
        assert_eq!(code(&output), 0);
        assert!(text(&output.stderr).contains("finished already"));
    }
    assert!(kills > 3, "it was too fast to be killed");
}

/// Waits until a journal says that some rows are done.
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
fn another_job_is_refused_and_ctrl_c_says_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.txt"), sentences(60_000).join("\n")).unwrap();
    let arguments = ["a.txt", "--out", "out.jsonl"];
    let mut child = imn(at, &arguments).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_entry(&at.join("out.jsonl.journal"));
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    let status = child.wait().unwrap();
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(said.contains("--resume goes on"), "{said}");
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
        &["min_confidence"],
    );
    // An output that lost something cannot be gone on with; nor can a journal of another input.
    let whole = std::fs::read(at.join("out.jsonl")).unwrap();
    std::fs::write(at.join("out.jsonl"), "short").unwrap();
    refused(&["--resume"], &["was changed since"]);
    std::fs::write(at.join("out.jsonl"), &whole).unwrap();
    let input = file(at.join("a.txt"));
    std::fs::write(at.join("a.txt"), input.replacen("soup", "stew", 1)).unwrap();
    refused(&["--resume"], &["inputs.0"]);
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
fn parquet_keeps_the_types_of_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Rows of CSV are texts; rows of our own Parquet have numbers.
    std::fs::write(at.join("a.csv"), format!("text,n\n{SENTENCE},5\n")).unwrap();
    succeed(at, &["a.csv", "--out", "a.parquet"]);
    succeed(at, &["a.parquet", "--out", "b.parquet"]);
    let found = &records(&succeed(at, &["b.parquet"]))[0];
    assert_eq!(found["columns"]["n"], "5");
    // `row` of the first output is a column of the second one's input.
    assert_eq!(found["columns"]["input_row"], 1);
    assert_eq!(found["columns"]["row"], 1);
    let aspects: Value =
        serde_json::from_str(found["columns"]["input_aspects"].as_str().unwrap()).unwrap();
    assert_eq!(aspects[0]["term"], "soup");
    assert_eq!(found["columns"]["aspects"][1]["opinions"][0]["opinion"], 1);
}

/// Without a model of their own, as most people run it.
fn built_in(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_imn"))
        .arg("analyze")
        .args(arguments)
        .env_remove("IMN_MODEL")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

const RAMEN: &str = "The ramen was wonderful, but our waiter ignored us.";

#[test]
fn the_built_in_model_answers() {
    let output = built_in(&[RAMEN]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let review: Value = serde_json::from_slice(&output.stdout).unwrap();
    let aspects = review["aspects"].as_array().unwrap();
    let told: Vec<_> = aspects
        .iter()
        .map(|aspect| {
            let linked = aspect["opinions"][0]["opinion"].as_u64().unwrap() as usize;
            json!([
                aspect["term"],
                aspect["sentiment"],
                review["opinions"][linked]["term"]
            ])
        })
        .collect();
    let expected = [
        json!(["ramen", "positive", "wonderful"]),
        json!(["waiter", "negative", "ignored"]),
    ];
    assert_eq!(told, expected);
    assert!(review["sentiment"].is_object());
    assert!(review.get("explanation").is_none());
}

#[test]
fn the_readme_shows_what_is_printed() {
    let output = built_in(&[RAMEN, "--to", "pretty", "--color", "never"]);
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let shown = format!("```text\n{}```", text(&output.stdout));
    assert!(readme.contains(&shown), "{shown}");
}

#[test]
fn explanations_are_added_where_they_fit() {
    let output = built_in(&[RAMEN, "--explain"]);
    let review: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sentence = &review["explanation"]["sentences"][0];
    assert_eq!(sentence["tokens"].as_array().unwrap().len(), 11);
    assert_eq!(sentence["rounds"].as_array().unwrap().len(), 3);
    let pretty = built_in(&[RAMEN, "--explain", "--to", "pretty"]);
    let pretty = text(&pretty.stdout);
    assert!(
        pretty.contains("round") && !pretty.contains('\u{1b}'),
        "{pretty}"
    );
    let page = built_in(&[RAMEN, "--explain", "--to", "html"]);
    assert!(text(&page.stdout).contains("<svg"));
    let table = built_in(&[RAMEN, "--explain", "--to", "csv"]);
    assert_eq!(table.status.code(), Some(2));
    assert!(text(&table.stderr).contains("do not fit into a table"));
}

#[test]
fn schemes_and_models_that_are_not_there_are_named() {
    let output = built_in(&[RAMEN, "--scheme", "targets"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = built_in(&[RAMEN, "--scheme", "none"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("terms, targets"));
    let output = built_in(&[RAMEN, "--model", "none"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("built in: reviews"));
}
