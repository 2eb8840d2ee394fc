//! Inputs and outputs of every format.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::{Value, json};

use crate::common::{SENTENCE, code, file, piped, records, sentences, succeed, text};

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
    // Output can be input again, compressed and in Parquet.
    succeed(at, &["a.csv", "--out", "c.jsonl.zst"]);
    assert!(
        std::fs::read(at.join("c.jsonl.zst"))
            .unwrap()
            .starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
    );
    succeed(at, &["a.csv", "--out", "c.parquet"]);
    assert!(!at.join("c.parquet.parts").exists());

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

    // With --whole a file is one review. Several inputs are named in the output.
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
fn extensions_are_not_case_sensitive() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (name, magic) in [
        ("a.jsonl.GZ", &[0x1f, 0x8b][..]),
        ("a.CSV.Zst", &[0x28, 0xb5, 0x2f, 0xfd]),
        ("a.html.gz", &[0x1f, 0x8b]),
    ] {
        succeed(at, &[SENTENCE, "--out", name]);
        let bytes = std::fs::read(at.join(name)).unwrap();
        assert!(bytes.starts_with(magic), "{name}");
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_needs_the_cargo_feature() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.parquet"), "PAR1").unwrap();
    for arguments in [&["a.parquet"][..], &[SENTENCE, "--out", "b.parquet"]] {
        let output = crate::common::run(at, arguments);
        assert_eq!(code(&output), 2);
        let error = text(&output.stderr);
        assert!(error.contains("built without Parquet"), "{error}");
    }
}

#[test]
fn csv_has_rows_per_aspect_or_review() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let table = format!("id,text,sentiment,note\n7,{SENTENCE},mine,\"a, b\"\n8,nothing here,x,\n");
    std::fs::write(at.join("a.csv"), table).unwrap();
    succeed(at, &["a.csv", "--out", "out.csv"]);
    let found = file(at.join("out.csv"));
    let lines: Vec<&str> = found.lines().collect();
    // An input column with the name of an output column is renamed.
    assert_eq!(
        lines[0],
        "row,id,text,input_sentiment,note,text_sentiment,text_confidence,aspect,start,end,\
         sentiment,span_confidence,\
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

    // JSON keys may differ between rows, so they stay in one column.
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
    let other = page.replace("http-equiv", "");
    assert!(!other.contains("http"), "a page needs nothing but itself");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_keeps_the_types_of_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // CSV columns are strings; our Parquet output has numbers.
    std::fs::write(at.join("a.csv"), format!("text,n\n{SENTENCE},5\n")).unwrap();
    succeed(at, &["a.csv", "--out", "a.parquet"]);
    succeed(at, &["a.parquet", "--out", "b.parquet"]);
    let found = &records(&succeed(at, &["b.parquet"]))[0];
    assert_eq!(found["columns"]["n"], "5");
    // The column `row` of the first output is an input column of the second job.
    assert_eq!(found["columns"]["input_row"], 1);
    assert_eq!(found["columns"]["row"], 1);
    let aspects: Value =
        serde_json::from_str(found["columns"]["input_aspects"].as_str().unwrap()).unwrap();
    assert_eq!(aspects[0]["term"], "soup");
    assert_eq!(found["columns"]["aspects"][1]["opinions"][0]["opinion"], 1);
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
fn csv_with_semicolons_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let csv = "\u{feff}\"Review Text\";stars\r\n\"the soup; was great, yes\";4,5\r\nbread;1\r\n";
    std::fs::write(at.join("a.csv"), csv).unwrap();
    let found = records(&succeed(at, &["a.csv"]));
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["text"], "the soup; was great, yes");
    assert_eq!(found[0]["columns"]["stars"], "4,5");
    // A column that is asked for by that name stays one column.
    std::fs::write(at.join("b.csv"), "good; bad\nthe soup was great\n").unwrap();
    let found = records(&succeed(at, &["b.csv", "--column", "good; bad"]));
    assert_eq!(found[0]["text"], "the soup was great");
}

#[test]
fn the_first_line_of_excel_is_no_header() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (separator, name) in [(",", "a.csv"), (";", "b.csv"), ("\t", "c.csv")] {
        let table = format!("sep={0}\r\nstars{0}text\r\n5{0}{SENTENCE}\r\n", separator);
        std::fs::write(at.join(name), table).unwrap();
        let found = records(&succeed(at, &[name]));
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!(found[0]["text"], SENTENCE, "{name}");
        assert_eq!(found[0]["columns"], json!({"stars": "5"}), "{name}");
        assert_eq!(found[0]["row"], 1, "{name}");
    }
}
