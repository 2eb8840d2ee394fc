//! The commands on data, end to end: output, files, errors and exit codes.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may fail the test")]

mod data_common;

use std::io::Write as _;
use std::process::{Command, Stdio};

use data_common::{TRAIN, code, four_files, imn, stderr, stdout};

#[test]
fn tokenize_shows_offsets_in_any_unit() {
    let here = tempfile::tempdir().unwrap();
    let plain = imn(here.path(), &["tokenize", "It's fine. Isn't it?"]);
    assert_eq!(code(&plain), 0);
    assert_eq!(
        stdout(&plain),
        "0\t2\tIt\n2\t4\t's\n5\t9\tfine\n9\t10\t.\n\n11\t13\tIs\n13\t16\tn't\n17\t19\tit\n\
         19\t20\t?\n\n"
    );
    let json = imn(
        here.path(),
        &["tokenize", "--json", "--offsets", "utf16", "\u{1F44D} ok"],
    );
    assert_eq!(
        stdout(&json),
        "{\"start\":0,\"end\":5,\"text\":\"\u{1F44D} ok\",\"tokens\":[{\"start\":0,\"end\":2,\
         \"text\":\"\u{1F44D}\"},{\"start\":3,\"end\":5,\"text\":\"ok\"}]}\n"
    );
}

#[test]
fn tokenize_reads_standard_input_and_lines() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_imn"))
        .args(["tokenize", "--lines"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"one two\nthree\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(stdout(&output), "0\t3\tone\n4\t7\ttwo\n\n0\t5\tthree\n\n");
}

#[test]
fn tokenize_takes_no_file_for_a_text() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("a.txt"), "one two\n").unwrap();
    for (text, expected) in [
        (
            "a.txt",
            "a.txt is a file, and tokenize takes a text; to tokenize the text in it: \
             imn tokenize --file a.txt",
        ),
        ("none.txt", "none.txt: no such file; tokenize takes a text"),
        ("folder/none", "folder/none: no such file"),
    ] {
        let refused = imn(here.path(), &["tokenize", text]);
        assert_eq!((code(&refused), stdout(&refused)), (2, ""), "{text}");
        assert!(stderr(&refused).contains(expected), "{}", stderr(&refused));
    }
    let read = imn(here.path(), &["tokenize", "--file", "a.txt"]);
    assert_eq!(stdout(&read), "0\t3\tone\n4\t7\ttwo\n\n");
}

#[test]
fn a_missing_file_has_the_same_message_everywhere() {
    let here = tempfile::tempdir().unwrap();
    for arguments in [
        &["check", "none.jsonl"][..],
        &["convert", "none.jsonl", "a.conll"],
        &["report", "none.jsonl"],
        &["tokenize", "--file", "none.txt"],
        &["tokenize", "--lines", "--file", "none.txt"],
        &["vectors", "none.vec"],
        &["evaluate", "fast", "none.jsonl"],
    ] {
        let refused = imn(here.path(), arguments);
        let said = stderr(&refused);
        assert_eq!(code(&refused), 2, "{arguments:?}: {said}");
        assert!(said.contains("none."), "{arguments:?}: {said}");
        let words = said.contains("no such file");
        assert!(words && !said.contains("os error"), "{arguments:?}: {said}");
    }
}

#[test]
fn four_file_names_sentences_without_opinion_labels() {
    let here = tempfile::tempdir().unwrap();
    let labelled = "{\"text\":\"nice staff\",\"aspects\":[{\"start\":5,\"end\":10}],\
        \"opinions\":[{\"start\":0,\"end\":4}]}\n";
    let plain = "{\"text\":\"warm bread\",\"aspects\":[]}\n";
    let lines = [labelled, "\n", plain, labelled].concat();
    std::fs::write(here.path().join("t.jsonl"), &lines).unwrap();
    let refused = imn(here.path(), &["convert", "t.jsonl", "folder"]);
    assert_eq!(code(&refused), 2);
    let reason = "four-file cannot represent opinions of only some sentences (1 sentence has no \
                  opinion labels; the first is t.jsonl:3); nothing was written. To keep the \
                  opinions, add \"opinions\": [] to the sentences that have none. To convert \
                  without it: --drop opinions";
    assert!(stderr(&refused).contains(reason), "{}", stderr(&refused));
    // Both fixes work.
    let dropped = imn(
        here.path(),
        &["convert", "t.jsonl", "folder", "--drop", "opinions"],
    );
    assert_eq!(code(&dropped), 0, "{}", stderr(&dropped));
    let fixed = lines.replace("\"aspects\":[]", "\"aspects\":[],\"opinions\":[]");
    std::fs::write(here.path().join("t.jsonl"), fixed).unwrap();
    let kept = imn(here.path(), &["convert", "t.jsonl", "folder"]);
    assert_eq!(code(&kept), 0, "{}", stderr(&kept));
    assert!(here.path().join("folder/opinion.txt").exists());
}

#[test]
fn check_counts_and_accepts_good_data() {
    let here = tempfile::tempdir().unwrap();
    four_files(&here.path().join("train"), TRAIN);
    let output = imn(here.path(), &["check", "train"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert!(stdout(&output).contains("aspects    3: 2 positive (66.7 %), 1 negative (33.3 %)"));
    assert!(stdout(&output).contains("opinions   3"));
    assert!(stdout(&output).contains("no problems"));
}

#[test]
fn check_finds_leaks_and_orphans_with_their_lines() {
    let here = tempfile::tempdir().unwrap();
    four_files(&here.path().join("set/train"), TRAIN);
    four_files(
        &here.path().join("set/test"),
        [
            "dear pie\nnice staff !\n",
            "2 1\n0 1 0\n",
            "1 0\n1 0 0\n",
            "0 1\n0 1 0\n",
        ],
    );
    let output = imn(here.path(), &["check", "set"]);
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output)
            .contains("set/test/target.txt:1: token 1: inside tag (2) without a begin tag (1)")
    );
    assert!(
        stdout(&output).contains(
            "set/test/sentence.txt:2: also in the training split, set/train/sentence.txt:2"
        )
    );
    let allowed = imn(here.path(), &["check", "set", "--allow", "leak,orphan-tag"]);
    assert_eq!(code(&allowed), 0);
    let json = imn(here.path(), &["check", "set", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["problems"][1]["kind"], "orphan-tag");
    assert_eq!(value["problems"][1]["line"], 1);
    assert_eq!(value["sets"][0]["sentences"]["counts"]["aspects"], 2);
}

#[test]
fn check_reports_every_bad_line() {
    let here = tempfile::tempdir().unwrap();
    four_files(
        &here.path().join("a"),
        ["x y\nx\nz\n", "0\n0\n5\n", "0 0\n0\n0\n", "0 0\n0\n0\n"],
    );
    let output = imn(here.path(), &["check", "a"]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("a/target.txt:1: 1 tags for 2 tokens"));
    assert!(stdout(&output).contains("a/target.txt:3: token 1: \"5\" is not a tag"));
    assert!(stdout(&output).contains("sentences  1,"));
}

#[test]
fn check_of_a_missing_file_exits_with_2() {
    let here = tempfile::tempdir().unwrap();
    let output = imn(here.path(), &["check", "nowhere"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("nowhere"));
}

#[test]
fn converting_back_restores_the_data() {
    let here = tempfile::tempdir().unwrap();
    four_files(&here.path().join("train"), TRAIN);
    for middle in ["a.jsonl.gz", "a.conll", "a.jsonl.zst"] {
        let there = imn(here.path(), &["convert", "train", middle]);
        assert_eq!(code(&there), 0, "{}", stderr(&there));
        let back = imn(here.path(), &["convert", middle, "back"]);
        assert_eq!(code(&back), 0, "{}", stderr(&back));
        for (name, content) in [
            "sentence.txt",
            "target.txt",
            "opinion.txt",
            "target_polarity.txt",
        ]
        .iter()
        .zip(TRAIN)
        {
            assert_eq!(
                std::fs::read_to_string(here.path().join("back").join(name)).unwrap(),
                content,
                "{middle} {name}"
            );
        }
    }
}

#[test]
fn convert_refuses_losses_that_are_not_requested() {
    let here = tempfile::tempdir().unwrap();
    four_files(&here.path().join("train"), TRAIN);
    let refused = imn(
        here.path(),
        &["convert", "train", "a.xml", "--to", "semeval14"],
    );
    assert_eq!(code(&refused), 2);
    let reason = "semeval14 cannot represent opinions (2 sentences); nothing was written. \
                  To convert without it: --drop opinions";
    assert!(stderr(&refused).contains(reason), "{}", stderr(&refused));
    assert!(!here.path().join("a.xml").exists());
    let dropped = imn(
        here.path(),
        &[
            "convert",
            "train",
            "a.xml",
            "--to",
            "semeval14",
            "--drop",
            "opinions",
        ],
    );
    assert_eq!(code(&dropped), 0, "{}", stderr(&dropped));
    let xml = std::fs::read_to_string(here.path().join("a.xml")).unwrap();
    assert!(
        xml.contains("<aspectTerm term=\"bread\" polarity=\"positive\" from=\"5\" to=\"10\"/>")
    );
    let unclear = imn(
        here.path(),
        &["convert", "train", "b.xml", "--drop", "opinions"],
    );
    assert_eq!(code(&unclear), 2);
    assert!(stderr(&unclear).contains("--to semeval14"));
}

#[test]
fn convert_documents() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("a.tsv"), "pos\tgood, cheap\nneg\tbad\n").unwrap();
    assert_eq!(code(&imn(here.path(), &["convert", "a.tsv", "a.csv"])), 0);
    assert_eq!(
        std::fs::read_to_string(here.path().join("a.csv")).unwrap(),
        "label,text\npos,\"good, cheap\"\nneg,bad\n"
    );
    assert_eq!(code(&imn(here.path(), &["convert", "a.csv", "b.tsv"])), 0);
    assert_eq!(
        std::fs::read_to_string(here.path().join("b.tsv")).unwrap(),
        "pos\tgood, cheap\nneg\tbad\n"
    );
    let checked = imn(here.path(), &["check", "a.csv"]);
    assert!(stdout(&checked).contains("documents  2: 1 pos (50.0 %), 1 neg (50.0 %)"));
}

/// Writes a small set in the paper's layout: cleaned tokens, and raw XML.
#[test]
fn align_transfers_labels_to_raw_text() {
    let here = tempfile::tempdir().unwrap();
    let data = here.path().join("data");
    four_files(
        &data.join("aspect/res15/train"),
        [
            "the wine list is n't bad , really\nnobody wrote this\n",
            "0 1 2 0 0 0 0 0\n0 0 0\n",
            "0 0 0 0 0 1 0 0\n0 0 0\n",
            "0 1 1 0 0 0 0 0\n0 0 0\n",
        ],
    );
    four_files(
        &data.join("aspect/res15/test"),
        ["ok\n", "0\n", "1\n", "0\n"],
    );
    std::fs::create_dir_all(data.join("semeval_xml")).unwrap();
    let xml = |sentences: &str| {
        format!("<Reviews><Review rid=\"1\"><sentences>{sentences}</sentences></Review></Reviews>")
    };
    std::fs::write(
        data.join("semeval_xml/ABSA-15_Restaurants_Train_Final.xml"),
        xml(
            "<sentence id=\"1:0\"><text>The \"wine list\" isn't bad, really!</text><Opinions>\
             <Opinion target=\"wine list\" category=\"D#Q\" polarity=\"negative\" from=\"5\" \
             to=\"14\"/></Opinions></sentence>",
        ),
    )
    .unwrap();
    std::fs::write(
        data.join("semeval_xml/ABSA15_Restaurants_Test.xml"),
        xml("<sentence id=\"1:1\"><text>OK...</text></sentence>"),
    )
    .unwrap();
    let output = imn(
        here.path(),
        &["align", "--data", "data", "--set", "res15", "--out", "raw"],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let shown = stdout(&output);
    let expected = "res15.train  aligned 1/2 (50.00 %, 0 approximately), \
                    same tokens 1/1 (100.00 %), official aspects 0 same 1 different";
    assert!(shown.contains(expected), "{shown}");
    assert!(shown.contains(
        "sentence.txt:2: no raw sentence has the same letters and digits: nobody wrote this"
    ));
    assert!(shown.contains("\"wine list\": labelled positive, official negative"));
    let alignment = std::fs::read_to_string(here.path().join("raw/res15.train.jsonl")).unwrap();
    assert_eq!(
        alignment,
        "{\"v\":1,\"id\":\"1:0\",\"review\":\"1\",\"text\":\"The \\\"wine list\\\" isn't bad, \
         really!\",\"aspects\":[{\"start\":5,\"end\":14,\"term\":\"wine list\",\
         \"polarity\":\"positive\"}],\"opinions\":[{\"start\":22,\"end\":25,\"term\":\"bad\"}]}\n"
    );
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let here = tempfile::tempdir().unwrap();
    let file = here.path().join("long.txt");
    std::fs::write(&file, "word ".repeat(200_000)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_imn"))
        .args(["tokenize", "--file"])
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn files_and_folders_that_cannot_be_used_are_named() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    std::fs::write(at.join("reviews.csv"), "text\nGood.\n").unwrap();
    std::fs::write(
        at.join("a.jsonl"),
        r#"{"schema":1,"row":1,"text":"Good.","aspects":[],"opinions":[]}"#,
    )
    .unwrap();
    for (arguments, words) in [
        (&["explain", "reviews.csv"][..], "imn explain < reviews.csv"),
        (&["explain", "nothing.txt"], "nothing.txt: no such file"),
        (
            &["report", "a.jsonl", "--out", "nowhere/x.html"],
            "nowhere/x.html: the folder nowhere does not exist",
        ),
    ] {
        let output = imn(at, arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
}
