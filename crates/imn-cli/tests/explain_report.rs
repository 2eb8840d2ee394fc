//! `imn explain` and `imn report` as a user runs them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[expect(dead_code, reason = "other tests use the rest of it")]
mod data_common;

use std::io::Write as _;

use data_common::{code, imn, stderr, stdout};
use imn_testkit::toy;

#[test]
fn explanations_have_four_formats() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    toy::write(at);
    std::fs::write(
        at.join("toy.toml"),
        toy::config(&["train.epochs=6"]).to_toml().unwrap(),
    )
    .unwrap();
    let trained = imn(
        at,
        &["train", "--config", "toy.toml", "--out", "run", "--quiet"],
    );
    assert_eq!(code(&trained), 0, "{}", stderr(&trained));
    let explain = |more: &[&str]| {
        let text = "Café: the soup was great";
        imn(
            at,
            &[&["explain", "--model", "run/model.imn", text], more].concat(),
        )
    };

    let pretty = explain(&[]);
    let table = stdout(&pretty);
    assert!(
        table.contains("round 2") && table.contains("soup"),
        "{table}"
    );
    assert!(!table.contains('\u{1b}'), "no colours in a pipe");
    let json = explain(&["--to", "json", "--offsets", "chars"]);
    let json: serde_json::Value = serde_json::from_str(stdout(&json)).unwrap();
    let token = &json["sentences"][0]["tokens"][1];
    assert_eq!(
        (&token["start"], &token["end"]),
        (&4.into(), &5.into()),
        "{token}"
    );
    for (file, beginning) in [
        ("why.svg", "<svg "),
        ("why.html", "<!DOCTYPE html>"),
        ("why.json", "{\"schema\":1"),
        ("why.txt", "token"),
    ] {
        let output = explain(&["--out", file]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(
            std::fs::read_to_string(at.join(file))
                .unwrap()
                .starts_with(beginning),
            "{file}"
        );
    }
    // Only pages and images of the command are overwritten without --force.
    for (file, code_of_second) in [
        ("why.svg", 0),
        ("why.html", 0),
        ("why.json", 2),
        ("why.txt", 2),
    ] {
        let second = explain(&["--out", file]);
        assert_eq!(code(&second), code_of_second, "{file}: {}", stderr(&second));
        assert_eq!(code(&explain(&["--out", file, "--force"])), 0, "{file}");
    }
    let notes = "<!DOCTYPE html><p>My notes about imn explain.";
    for file in ["mynotes.html", "mynotes.svg", "mynotes.json"] {
        std::fs::write(at.join(file), notes).unwrap();
        let refused = explain(&["--out", file]);
        let message = stderr(&refused);
        assert_eq!(code(&refused), 2, "{file}");
        assert!(
            message.contains(file) && message.contains("--force"),
            "{message}"
        );
        assert_eq!(std::fs::read_to_string(at.join(file)).unwrap(), notes);
    }
    let unclear = explain(&["--out", "why.png"]);
    assert!(
        code(&unclear) == 2 && stderr(&unclear).contains("--to"),
        "{}",
        stderr(&unclear)
    );
    let missing = imn(at, &["explain", "--model", "nowhere.imn", "x"]);
    assert!(
        code(&missing) == 2 && stderr(&missing).contains("nowhere.imn"),
        "{}",
        stderr(&missing)
    );
}

const LINE: &str = concat!(
    r#"{"schema":1,"row":1,"text":"Batteries last.","columns":{"day":"2024-03-01"},"#,
    r#""sentiment":null,"aspects":[{"term":"Batteries","start":0,"end":9,"#,
    r#""sentiment":"positive","span_confidence":0.9,"sentiment_confidence":0.9,"#,
    r#""opinions":[]}],"opinions":[]}"#
);

#[test]
fn a_report_reads_plain_and_compressed_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.jsonl"), format!("{LINE}\n{LINE}\n")).unwrap();
    let made = imn(at, &["report", "a.jsonl", "--date", "day"]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    assert!(
        stderr(&made).contains("2 reviews, 2 aspects in 1 group"),
        "{}",
        stderr(&made)
    );
    let page = std::fs::read_to_string(at.join("report.html")).unwrap();
    assert!(page.contains("data-name=\"battery\"") && page.contains("Over time"));

    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer
        .write_all(format!("{LINE}\n{LINE}\n").as_bytes())
        .unwrap();
    std::fs::write(at.join("packed"), packer.finish().unwrap()).unwrap();
    let packed = imn(at, &["report", "packed", "--date", "day", "--out", "-"]);
    assert_eq!(stdout(&packed), page, "the same page from the same reviews");

    std::fs::write(at.join("marked.jsonl"), format!("\u{feff}{LINE}\n{LINE}\n")).unwrap();
    let marked = imn(
        at,
        &["report", "marked.jsonl", "--date", "day", "--out", "-"],
    );
    assert_eq!(code(&marked), 0, "{}", stderr(&marked));
    assert_eq!(stdout(&marked), page, "a byte-order mark is not content");

    // A bad line is reported, and the others are used.
    std::fs::write(at.join("b.jsonl"), format!("{LINE}\n{{\n")).unwrap();
    let made = imn(
        at,
        &["report", "b.jsonl", "--out", "b.html", "--title", "Ours <3"],
    );
    assert!(
        code(&made) == 1 && stderr(&made).contains("b.jsonl:2: skipped"),
        "{}",
        stderr(&made)
    );
    assert!(
        std::fs::read_to_string(at.join("b.html"))
            .unwrap()
            .contains("<title>Ours &lt;3</title>")
    );
}

#[test]
fn a_report_overwrites_only_reports() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let line = format!("{LINE}\n");
    let notes = "<!DOCTYPE html><p>My notes about imn report.";
    let read = |file: &str| std::fs::read_to_string(at.join(file)).unwrap();
    std::fs::write(at.join("a.jsonl"), &line).unwrap();
    std::fs::write(at.join("notes.html"), notes).unwrap();
    std::fs::create_dir(at.join("sub")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../a.jsonl", at.join("sub/link.html")).unwrap();

    // Never the input.
    let mut names = vec!["a.jsonl", "sub/../a.jsonl"];
    if cfg!(unix) {
        names.push("sub/link.html");
    }
    for out in names {
        for force in [&[][..], &["--force"]] {
            let refused = imn(at, &[&["report", "a.jsonl", "--out", out], force].concat());
            assert_eq!(code(&refused), 2, "{out} {force:?}");
            let message = format!("{out} is an input; write to another file");
            assert!(stderr(&refused).contains(&message), "{}", stderr(&refused));
            assert_eq!(read("a.jsonl"), line);
        }
    }

    // Earlier reports, also compressed ones, and empty files.
    std::fs::write(at.join("report.html"), "").unwrap();
    for out in ["report.html", "report.html.gz"] {
        for title in ["First", "Second"] {
            let made = imn(at, &["report", "a.jsonl", "--out", out, "--title", title]);
            assert_eq!(code(&made), 0, "{out} {title}: {}", stderr(&made));
        }
    }
    assert!(read("report.html").contains("<title>Second</title>"));

    // Other files only with --force.
    let to_notes = ["report", "a.jsonl", "--out", "notes.html"];
    let refused = imn(at, &to_notes);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("notes.html exists and is not a report; use --force"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(read("notes.html"), notes);
    let forced = imn(at, &[&to_notes[..], &["--force"]].concat());
    assert_eq!(code(&forced), 0, "{}", stderr(&forced));
    assert!(imn_report::is_report(&read("notes.html")));
}

#[test]
fn the_date_format_is_for_ambiguous_dates_only() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let dates = ["2024-03-01", "2024-03-02 10:00", "03/03/2024", "yesterday"];
    let lines = dates.map(|date| LINE.replace("2024-03-01", date) + "\n");
    std::fs::write(at.join("a.jsonl"), lines.concat()).unwrap();
    let format = ["--date", "day", "--date-format", "%d/%m/%Y"];
    let made = imn(at, &[&["report", "a.jsonl"], &format[..]].concat());
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    assert!(
        stderr(&made).contains("cannot parse 1 date, such as `yesterday`"),
        "{}",
        stderr(&made)
    );
    let page = std::fs::read_to_string(at.join("report.html")).unwrap();
    assert!(page.contains("2024-03-01 to 2024-03-03"));
}

#[test]
fn the_date_format_that_fits_is_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let said = |dates: &[&str], more: &[&str]| {
        let lines: Vec<String> = dates
            .iter()
            .map(|date| LINE.replace("2024-03-01", date) + "\n")
            .collect();
        std::fs::write(at.join("a.jsonl"), lines.concat()).unwrap();
        let made = imn(
            at,
            &[&["report", "a.jsonl", "--date", "day"], more].concat(),
        );
        (code(&made), stderr(&made).to_owned())
    };
    let mixed = ["03/01/2024", "15/04/2024"];
    let (code, error) = said(&mixed, &[]);
    assert_eq!(code, 2);
    let words = "can be parsed, such as `15/04/2024`; use --date-format %d/%m/%Y";
    assert!(error.contains(words), "{error}");
    let (code, error) = said(&mixed, &["--date-format", "%m/%d/%Y"]);
    assert_eq!(code, 0);
    let words = "cannot parse 1 date, such as `15/04/2024`; it does not match --date-format, but \
        %d/%m/%Y fits";
    assert!(error.contains(words), "{error}");
    let (code, error) = said(&["2024-03-01", "2024-02-30"], &[]);
    assert_eq!(code, 0);
    let words = "cannot parse 1 date, such as `2024-02-30`: there is no such day";
    assert!(error.contains(words), "{error}");
    assert!(!error.contains("--date-format"), "{error}");
    let (code, error) = said(&["2024-02-30"], &[]);
    assert_eq!(code, 2);
    assert!(
        error.contains("there is no such day as `2024-02-30`"),
        "{error}"
    );
}

#[test]
fn the_summary_counts_the_groups_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.jsonl"), LINE).unwrap();
    let made = imn(at, &["report", "a.jsonl", "--min-count", "1000"]);
    let said = stderr(&made);
    assert!(said.ends_with(", of which the page shows 0\n"), "{said}");
    let made = imn(at, &["report", "a.jsonl"]);
    assert!(!stderr(&made).contains("shows"), "{}", stderr(&made));
}

#[test]
fn unusable_input_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("raw.csv"), "id,text\n1,Nice.\n").unwrap();
    std::fs::write(at.join("a.jsonl"), LINE).unwrap();
    std::fs::write(at.join("empty.jsonl"), "").unwrap();
    std::fs::write(at.join("undated.jsonl"), LINE.replace("2024", "year")).unwrap();
    for (arguments, expected) in [
        (&["raw.csv"][..], "imn analyze"),
        (&["empty.jsonl"], "no reviews"),
        (&["nowhere.jsonl"], "nowhere.jsonl"),
        (&["."], "folder"),
        (&["-"], "twice"),
        (&["a.jsonl", "--date", "when"], "`day`"),
        (
            &["a.jsonl", "--date", "day", "--date-format", "%Y"],
            "not a date format",
        ),
        (
            &["undated.jsonl", "--date", "day"],
            "give their format with --date-format",
        ),
        (
            &["a.jsonl", "--out", "no/such/place.html"],
            "no/such/place.html",
        ),
    ] {
        let output = imn(at, &[&["report"], arguments].concat());
        assert!(
            code(&output) == 2 && stderr(&output).contains(expected),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
    assert!(!at.join("report.html").exists());
}
