//! Which column or key has the text, and what is said about it.

use serde_json::json;

use crate::common::{SENTENCE, code, piped, records, run, text};

#[test]
fn a_review_in_the_place_of_the_header_causes_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let table = "The soup was cold.\r\nThe tea was great.\r\n";
    std::fs::write(at.join("two.csv"), table).unwrap();
    let warning = "warning: two.csv: column `The soup was cold.` is used as the text; if it is a \
        review, the file has no header: use --from txt";
    for arguments in [&["two.csv"][..], &["two.csv", "--quiet"]] {
        let output = run(at, arguments);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 0, "{said}");
        assert_eq!(said.matches(warning).count(), 1, "{said}");
        assert_eq!(records(&text(&output.stdout)).len(), 1);
    }
    // Both fixes work, and cause no warning.
    for (arguments, reviews) in [
        (&["two.csv", "--from", "txt"][..], 2),
        (&["two.csv", "--column", "The soup was cold."], 1),
    ] {
        let output = run(at, arguments);
        let said = text(&output.stderr);
        assert!(!said.contains("is used as the text"), "{said}");
        assert_eq!(records(&text(&output.stdout)).len(), reviews);
    }
    // A review may be very long.
    let output = piped(at, &["--from", "tsv"], "soup ".repeat(9000).as_bytes());
    let said = text(&output.stderr);
    assert!(said.contains("standard input: column `soup soup"), "{said}");
    assert!(said.len() < 400, "{said}");
}

#[test]
fn a_review_with_commas_in_the_place_of_the_header_is_an_error_with_the_fix() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let table = "The room was dirty, but the pool was nice.\nGood soup, bad tea.\n";
    std::fs::write(at.join("a.csv"), table).unwrap();
    let output = run(at, &["a.csv"]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 2, "{said}");
    let fix = "use --column NAME, or --from txt if the file has one review per line and no header";
    assert!(said.contains(fix), "{said}");
    let output = run(at, &["a.csv", "--from", "txt"]);
    assert_eq!(records(&text(&output.stdout)).len(), 2);
    // Names of columns cause no such advice.
    std::fs::write(at.join("b.csv"), "stars,words\n5,good\n").unwrap();
    let said = text(&run(at, &["b.csv"]).stderr);
    assert!(said.ends_with("; use --column NAME\n"), "{said}");
}

#[test]
fn an_id_is_not_the_text_because_it_is_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let lines = "{\"id\":\"A-17\"}\n{\"id\":\"B\",\"text\":\"Great soup\"}\n";
    std::fs::write(at.join("a.jsonl"), lines).unwrap();
    std::fs::write(at.join("a.csv"), "id\nA-17\n").unwrap();
    for input in ["a.jsonl", "a.csv"] {
        let output = run(at, &[input, "--to", "csv"]);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{said}");
        let error = "cannot tell which column has the text (columns: `id`)";
        assert!(said.contains(error), "{said}");
    }
}

#[test]
fn a_choice_among_several_columns_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let table = format!("Review ID,Stars,\"Review, full text\",Text\n1,5,short,{SENTENCE}\n");
    std::fs::write(at.join("odd.csv"), &table).unwrap();
    std::fs::write(at.join("same.csv"), &table).unwrap();
    let note = "imn: odd.csv: the text is read from column `Text`, not from `Review, full text`; \
        --column chooses another\n";
    let said = |arguments: &[&str]| {
        let output = run(at, arguments);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let found = said(&["odd.csv"]);
    assert!(found.starts_with(note), "{found}");
    assert_eq!(said(&["odd.csv", "--quiet"]), "");
    let found = said(&["odd.csv", "same.csv"]);
    assert!(
        found.contains("odd.csv (and 1 other input): the text"),
        "{found}"
    );
    assert_eq!(found.matches("the text is read").count(), 1, "{found}");
    let found = said(&["odd.csv", "--column", "Review, full text"]);
    assert!(!found.contains("the text is read"), "{found}");
    // JSONL has no header; its first object decides.
    let line = format!("{{\"review\":\"a\",\"text\":\"{SENTENCE}\"}}\n");
    let output = piped(at, &["--from", "jsonl"], line.as_bytes());
    let found = text(&output.stderr);
    assert!(
        found.contains("column `text`, not from `review`"),
        "{found}"
    );
    let plain = format!("id,review,review_date\n1,{SENTENCE},today\n");
    std::fs::write(at.join("plain.csv"), plain).unwrap();
    let found = said(&["plain.csv"]);
    assert!(!found.contains("the text is read"), "{found}");
}

#[test]
fn a_path_leads_into_objects_of_jsonl() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let good = json!({"review": {"body": SENTENCE, "stars": 5}, "meta": {"id": "r1"}, "n": 1});
    let literal = json!({"review.body": "the bread was stale", "review": {"body": "other"}});
    let lines = [
        good.to_string(),
        json!({"review": null}).to_string(),
        json!({"review": {"body": 7}}).to_string(),
        json!({"review": {"title": "soup"}}).to_string(),
        literal.to_string(),
    ];
    std::fs::write(at.join("a.jsonl"), lines.join("\n")).unwrap();
    let output = run(
        at,
        &["a.jsonl", "--column", "review.body", "--id", "meta.id"],
    );
    let said = text(&output.stderr);
    assert_eq!(code(&output), 1, "{said}");
    let found = records(&text(&output.stdout));
    assert_eq!(found.len(), 2, "{said}");
    assert_eq!(found[0]["text"], SENTENCE);
    assert_eq!(found[0]["id"], "r1");
    // The objects are copied as they are.
    assert_eq!(found[0]["columns"], good);
    assert_eq!(found[1]["text"], "the bread was stale");
    let others = json!({"review": {"body": "other"}});
    assert_eq!(found[1]["columns"], others);
    for reason in [
        "a.jsonl:2: no `review.body`: `review` is null",
        "a.jsonl:3: `review.body` is a number, not a string",
        "a.jsonl:4: no `review.body`: `review` is an object without `body`",
    ] {
        assert!(said.contains(reason), "{said}");
    }
    // Without --column, the error names the path that works, before anything is written.
    let output = run(at, &["a.jsonl", "--out", "out.jsonl"]);
    let error = "a.jsonl: cannot tell which column has the text (columns: `meta.id`, `n`, \
        `review.body`, `review.stars`); use --column review.body";
    assert_eq!(code(&output), 2);
    assert!(
        text(&output.stderr).contains(error),
        "{}",
        text(&output.stderr)
    );
    assert!(!at.join("out.jsonl").exists());
    // Paths that do not even begin are errors, and so are those of ids.
    for (option, path, words) in [
        ("--column", "text.body", "no column `text.body` (columns: "),
        (
            "--column",
            "review.text",
            "no column `review.text` (columns: `meta.id`, `n`, `review.body`, `review.stars`); \
             use --column review.body",
        ),
        ("--id", "meta.key", "no id column `meta.key` (columns: "),
    ] {
        let output = run(at, &["a.jsonl", option, path]);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{said}");
        assert!(said.contains(words), "{said}");
    }
}
