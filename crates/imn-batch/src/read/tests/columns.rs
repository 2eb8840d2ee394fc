//! Which column or path has the text, and inputs that are refused because none has.

use super::*;
use crate::TextGuess;

#[test]
fn the_first_object_is_checked_when_jsonl_is_opened() {
    let error = |json: &[u8]| {
        let opened = open(json, 7, InputFormat::Jsonl, 100);
        opened.err().map(|error| error.to_string())
    };
    let expected = "x: cannot tell which column has the text (columns: `a`, `b`)";
    let found = error(b"{\"a\":1,\"b\":2}\n{\"text\":\"a\"}\n");
    assert_eq!(found.as_deref(), Some(expected));
    // Rows before the first object are bad rows, and no row is lost.
    let rows = b"\nsoup\n{\"text\":\"a\"}\n{\"text\":\"b\"}\n";
    let found = texts(rows, InputFormat::Jsonl);
    assert!(found[0].is_err());
    assert_eq!(found[1..], [text("a"), text("b")]);
    // Later objects are not checked when the source is opened.
    assert_eq!(error(b"soup\n{\"a\":1,\"b\":2}\n"), None);
}

/// The error of JSONL that is read with these columns.
fn refused_jsonl(json: &str, column: Option<&str>, id: Option<&str>) -> Option<InputError> {
    let settings = ReadSettings {
        column: column.map(str::to_owned),
        id: id.map(str::to_owned),
        ..ReadSettings::default()
    };
    let raw = Box::new(std::io::Cursor::new(json.as_bytes().to_vec()));
    let place = (0, "a.jsonl".to_owned());
    InputSource::rows(raw, InputFormat::Jsonl, place, &settings).err()
}

#[test]
fn an_id_that_is_alone_is_not_the_text() {
    let rows = "{\"id\":\"A-17\"}\n{\"id\":\"B\",\"text\":\"Great soup\"}\n";
    let error = refused_jsonl(rows, None, None).unwrap().to_string();
    let expected = "a.jsonl: cannot tell which column has the text (columns: `id`)";
    assert_eq!(error, expected);
    let error = refused("id\nA-17\n", None).unwrap();
    assert_eq!(
        error,
        "a.csv: cannot tell which column has the text (columns: `id`)"
    );
    assert!(refused_jsonl("{\"words\":\"Great soup\"}\n", None, None).is_none());
}

#[test]
fn a_wrong_path_is_an_error_with_the_existing_ones() {
    let nested = "{\"id\":1,\"review\":{\"body\":\"Great soup\",\"stars\":5}}\n";
    for (column, id, expected) in [
        (
            Some("review.text"),
            None,
            "no column `review.text` (columns:",
        ),
        (Some("Rating"), None, "no column `Rating` (columns:"),
        (
            Some("Review.Body"),
            None,
            "no column `Review.Body`: did you mean `review.body`? (columns:",
        ),
        (
            Some("review.body"),
            Some("review.id"),
            "no id column `review.id` (columns:",
        ),
        // By its name, the object could be the text.
        (
            None,
            None,
            "cannot tell which column has the text (columns:",
        ),
    ] {
        let error = refused_jsonl(nested, column, id).unwrap();
        assert_eq!(
            error.to_string(),
            format!("a.jsonl: {expected} `id`, `review.body`, `review.stars`)")
        );
        if let InputError::NoTextColumn { guess, .. } = error {
            assert_eq!(guess, Some(TextGuess::Path("review.body".to_owned())));
        }
    }
    // Null is a missing value of one row.
    for first in ["{\"review\":null}", "{\"review\":{\"body\":null}}"] {
        assert!(refused_jsonl(first, Some("review.body"), None).is_none());
    }
    assert!(refused_jsonl(nested, Some("review.body"), Some("id")).is_none());
    assert!(refused_jsonl("{\"id\":1,\"text\":\"a\",\"m\":{}}", None, None).is_none());
}

#[test]
fn a_review_in_the_place_of_several_names_is_recognized() {
    let open = |table: &str| {
        let raw = Box::new(std::io::Cursor::new(table.as_bytes().to_vec()));
        let place = (0, "a.csv".to_owned());
        InputSource::rows(raw, InputFormat::Csv, place, &ReadSettings::default())
    };
    for (table, expected) in [
        (
            "The room was dirty, but the pool was nice.\nGood soup.\n",
            Some(TextGuess::FirstRow),
        ),
        ("stars,words\n5,good\n", None),
    ] {
        let Some(InputError::NoTextColumn { guess, .. }) = open(table).err() else {
            panic!("{table:?} was read");
        };
        assert_eq!(guess, expected, "{table:?}");
    }
}

#[test]
fn tabs_and_pipes_in_the_only_column_are_refused() {
    for (table, expected) in [
        ("id\ttext\tstars\n1\ta\t5\n", "a.csv:1: the header has tabs"),
        ("\n\ttext\n0\ta\n", "a.csv:2: the header has tabs"),
        ("id|text|stars\n1|a|5\n", "a.csv:1: the header has `|`"),
        ("\"id\"|\"text\"\n", "a.csv:1: the header has `|`"),
    ] {
        let error = refused(table, None).unwrap();
        assert!(error.contains(expected), "{table:?}: {error}");
        assert!(error.contains("--column"), "{table:?}: {error}");
    }
    assert!(refused("id\ttext\n", None).unwrap().contains("--from tsv"));
    for (table, column) in [
        ("id\ttext\n1\ta\n", Some("id\ttext")),
        ("id|text\n1|a\n", Some("id|text")),
        ("\"Pros | cons\"\na\n", None),
        ("words\na|b\tc\n", None),
        ("text,a|b\nc,d\n", None),
        ("text;a\tb\nc;d\n", None),
    ] {
        assert_eq!(refused(table, column), None, "{table:?}");
    }
    // A requested column that does not exist is that error.
    let error = refused("id|text\n", Some("text")).unwrap();
    assert!(error.contains("no column `text`"), "{error}");
    // Tabs are no mistake in TSV.
    let table = b"id\ttext\n1\ta|b\n";
    assert_eq!(texts(table, InputFormat::Tsv), [text("a|b")]);
}
