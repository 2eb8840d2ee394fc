//! Triplets, columns and JSONL.

use imn::data::{AnnotatedSentence, Aspect, DataFormat, Link, Polarity, Span, detect, read, write};

use crate::read_str;

#[test]
fn triplets() {
    let sentences = read_str(
        "a.txt",
        "the soup is very good####[([1], [3, 4], 'POS')]\r\n\nnothing here####[]\n",
    )
    .unwrap();
    assert_eq!(sentences.len(), 2);
    assert_eq!(
        sentences[0].aspects,
        [Aspect {
            span: Span::new(1, 2),
            polarity: Some(Polarity::Positive)
        }]
    );
    assert_eq!(sentences[0].opinions, Some(vec![Span::new(3, 5)]));
    assert_eq!(
        sentences[0].links,
        Some(vec![Link {
            aspect: 0,
            opinion: 0
        }])
    );
    assert!(
        read_str("a.txt", "a b####[([5], [0], 'POS')]")
            .unwrap_err()
            .starts_with("a.txt:1: [5] are not consecutive words")
    );
    assert!(
        read_str("a.txt", "a b####[([0], [1], 'FUN')]")
            .unwrap_err()
            .contains("\"FUN\" is not a sentiment")
    );
}

#[test]
fn columns_of_other_programs() {
    let expected = [Aspect {
        span: Span::new(1, 3),
        polarity: Some(Polarity::Negative),
    }];
    for content in [
        "The O\nnew B-NEG\npub I-NEG\n\nok O\n",
        "The\tO\nnew\tT-NEG\npub\tT-NEG\n\nok\tO\n",
        "The O -999\nnew B-ASP Negative\npub I-ASP Negative\n\nok O -999\n",
    ] {
        let sentences = read_str("a.dat", content).unwrap();
        assert_eq!(sentences.len(), 2, "{content}");
        assert_eq!(sentences[0].aspects, expected, "{content}");
    }
    let five = read_str("a.conll", "Poor\tBP\nold\tBA\npub\tIA\n").unwrap();
    assert_eq!(five[0].opinions, Some(vec![Span::new(0, 1)]));
    assert_eq!(five[0].aspects[0].span, Span::new(1, 3));
    assert!(
        read_str("a.conll", "a\tO\nb\tO\tO\n")
            .unwrap_err()
            .starts_with("a.conll:2: 3 columns instead of 2")
    );
}

#[test]
fn jsonl_offsets_count_code_points() {
    let line = concat!(
        "\n{\"text\": \"\u{1F355}\u{1F355} great caf\u{E9}\", ",
        "\"aspects\": [{\"start\": 9, \"end\": 13, \"term\": \"caf\u{E9}\", ",
        "\"polarity\": \"positive\"}], ",
        "\"opinions\": [{\"start\": 3, \"end\": 8}], \"links\": [[0, 0]]}\n",
    );
    let sentences = read_str("a.jsonl", line).unwrap();
    assert_eq!(
        sentences[0].surface(sentences[0].aspects[0].span),
        "caf\u{E9}"
    );
    assert_eq!(
        sentences[0].surface(sentences[0].opinions.as_ref().unwrap()[0]),
        "great"
    );
    let error = read_str("a.jsonl", "{\"text\": \"a\", \"aspekts\": []}").unwrap_err();
    assert!(
        error.starts_with("a.jsonl:1: unknown field `aspekts`"),
        "{error}"
    );
    let error = read_str("a.jsonl", "{\"v\": 2, \"text\": \"a\"}").unwrap_err();
    assert!(error.contains("version 2 is newer"), "{error}");
}

#[test]
fn a_label_inside_a_token_is_extended_and_keeps_its_offsets() {
    let line =
        r#"{"text": "soup/bread ok", "aspects": [{"start": 5, "end": 10, "term": "bread"}]}"#;
    let sentences = read_str("a.jsonl", line).unwrap();
    assert_eq!(sentences[0].aspects[0].span, Span::new(0, 1));
    let mut out = Vec::new();
    imn::data::formats::jsonl::write(&sentences, &mut out).unwrap();
    assert!(
        String::from_utf8(out)
            .unwrap()
            .contains(r#""start":5,"end":10,"term":"bread""#)
    );
}

#[test]
fn compressed_files_are_detected_by_content() {
    let folder = tempfile::tempdir().unwrap();
    let sentences = vec![AnnotatedSentence::from_text("Plain or compressed.")];
    for (name, magic) in [("a.jsonl.gz", [0x1f, 0x8b]), ("a.jsonl.zst", [0x28, 0xb5])] {
        let path = folder.path().join(name);
        write(&sentences, &path, DataFormat::Jsonl).unwrap();
        assert_eq!(std::fs::read(&path).unwrap()[..2], magic);
        let misnamed = folder.path().join("misnamed");
        std::fs::rename(&path, &misnamed).unwrap();
        assert_eq!(detect(&misnamed).unwrap(), DataFormat::Jsonl);
        assert_eq!(read(&misnamed).unwrap(), sentences);
    }
}

#[test]
fn the_first_line_that_is_not_utf8_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, b"{\"text\": \"a\"}\n{\"text\": \"\xff\"}\n").unwrap();
    assert!(
        read(&path)
            .unwrap_err()
            .to_string()
            .contains("a.jsonl:2: not UTF-8")
    );
}

#[test]
fn columns_with_raw_text() {
    let good = concat!(
        "# columns = token aspect opinion\n# text = Nice  tea!\n",
        "Nice\tO\tB\ntea\tB-positive\tO\n!\tO\tO\n",
    );
    let sentences = read_str("a.conll", good).unwrap();
    assert_eq!(sentences[0].text, "Nice  tea!");
    assert_eq!(sentences[0].surface(sentences[0].aspects[0].span), "tea");
    let left_out = good.replace("!\tO\tO\n", "");
    assert!(
        read_str("a.conll", &left_out)
            .unwrap_err()
            .starts_with("a.conll:3: the tokens do not cover the end")
    );
    let other = good.replace("\ntea\t", "\ncake\t");
    assert!(
        read_str("a.conll", &other)
            .unwrap_err()
            .starts_with("a.conll:3: token \"cake\" is not at its position")
    );
    assert!(
        read_str("a.conll", "\tO\tO\n")
            .unwrap_err()
            .contains("empty token")
    );
}
