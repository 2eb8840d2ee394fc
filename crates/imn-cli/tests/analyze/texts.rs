//! Texts as arguments, and the built-in model.

use serde_json::{Value, json};

use crate::common::{RAMEN, SENTENCE, built_in, code, piped, records, run, succeed, text};

#[test]
fn a_text_has_aspects_and_opinions() {
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
        assert_eq!(found[0]["offset_unit"], unit);
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
fn the_built_in_model_finds_aspects_and_links() {
    let output = built_in(&[RAMEN]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let review: Value = serde_json::from_slice(&output.stdout).unwrap();
    let aspects = review["aspects"].as_array().unwrap();
    let found: Vec<_> = aspects
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
    assert_eq!(found, expected);
    assert!(review["sentiment"].is_object());
    assert!(review.get("explanation").is_none());
}

#[test]
fn unknown_schemes_and_models_are_errors() {
    let output = built_in(&[RAMEN, "--scheme", "targets"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = built_in(&[RAMEN, "--scheme", "none"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("terms, targets"));
    let output = built_in(&[RAMEN, "--model", "none"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("built-in models: reviews"));
}

#[test]
fn another_language_causes_one_warning() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let german =
        "Das Essen kam kalt auf den Tisch, und der Kellner hat sich nicht einmal entschuldigt.\n";
    std::fs::write(at.join("de.txt"), german.repeat(600)).unwrap();
    let output = run(at, &["de.txt", "--out", "de.jsonl"]);
    assert_eq!(code(&output), 0);
    assert_eq!(
        text(&output.stderr)
            .matches("not look like English")
            .count(),
        1,
        "{}",
        text(&output.stderr)
    );
    assert!(!text(&run(at, &[SENTENCE]).stderr).contains("English"));
}

#[test]
fn tables_on_standard_input_cause_one_warning() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let warnings = |arguments: &[&str], input: &str| {
        let output = piped(at, arguments, input.as_bytes());
        let said = text(&output.stderr);
        assert_eq!(code(&output), 0, "{said}");
        let lines = records(&text(&output.stdout));
        assert_eq!(lines.len(), input.lines().count(), "no byte is lost");
        let warnings = said.lines().filter(|line| line.contains("looks like"));
        warnings.collect::<Vec<_>>().join("\n")
    };
    let expected = |name: &str, advice: &str| {
        format!(
            "imn: warning: standard input looks like {name}, but every line is read as plain \
             text; {advice}"
        )
    };
    let jsonl = format!("{{\"id\":1,\"text\":\"{SENTENCE}\"}}\n").repeat(300);
    let as_jsonl = expected("JSONL", "use --from jsonl");
    assert_eq!(warnings(&[], &jsonl), as_jsonl);
    assert_eq!(warnings(&["-", "--quiet"], &jsonl), as_jsonl);
    for format in ["txt", "jsonl"] {
        assert_eq!(warnings(&["--from", format], &jsonl), "", "{format}");
    }
    let csv = format!("id,\"Review, full\",Text\n1,,{SENTENCE}\n");
    assert_eq!(warnings(&[], &csv), expected("CSV", "use --from csv"));
    let tsv = format!("id\ttext\n1\t{SENTENCE}\n");
    assert_eq!(warnings(&["-q"], &tsv), expected("TSV", "use --from tsv"));
    let array = format!("[\n{{\"text\":\"{SENTENCE}\"}}\n]\n");
    let advice = "convert it with `jq -c '.[]'` and use --from jsonl";
    assert_eq!(warnings(&[], &array), expected("a JSON array", advice));
    for input in [
        SENTENCE,
        "{text} was great\n",
        "{\"id\":1}\n",
        "[5/5] the soup was great\n",
        "the soup was great, the content, too\n",
    ] {
        assert_eq!(warnings(&[], input), "", "{input}");
    }
}

/// The vocabulary of the built-in model has short words of many languages.
#[test]
fn one_sentence_in_another_language_causes_a_warning() {
    for text_of_user in [
        "Das Essen war sehr gut, aber der Kellner war unfreundlich und das Zimmer war klein.",
        "El hotel es limpio y el personal fue muy amable.",
    ] {
        let output = built_in(&[text_of_user]);
        let said = text(&output.stderr);
        assert!(said.contains("not look like English"), "{said}");
    }
    for english in [
        RAMEN,
        "Great screen, decent keyboard, terrible battery, awful speakers.",
    ] {
        let output = built_in(&[english]);
        assert_eq!(text(&output.stderr), "");
    }
}
