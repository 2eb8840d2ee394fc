//! Every format by example: what is read, what is corrected, and the texts of errors.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may fail the test")]

use std::path::Path;

use imn::data::{
    AnnotatedSentence, Aspect, DataFormat, Link, Polarity, Span, detect, load, read,
    read_documents, write,
};

fn read_str(name: &str, content: impl AsRef<[u8]>) -> Result<Vec<AnnotatedSentence>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let home = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
    read(&path).map_err(|error| error.to_string().replace(&home, ""))
}

fn four_files(folder: &Path, contents: [&str; 4]) {
    for (name, content) in [
        "sentence.txt",
        "target.txt",
        "opinion.txt",
        "target_polarity.txt",
    ]
    .iter()
    .zip(contents)
    {
        std::fs::write(folder.join(name), content).unwrap();
    }
}

#[test]
fn four_files_with_marks_of_other_systems() {
    let folder = tempfile::tempdir().unwrap();
    four_files(
        folder.path(),
        [
            "\u{FEFF}nice brown bread\r\n\r\nok\r\n",
            "0 1 2\r\n\r\n0\r\n",
            "1 0 0\r\n\r\n1\r\n",
            "0 1 1\r\n\r\n2\r\n",
        ],
    );
    let sentences = read(folder.path()).unwrap();
    assert_eq!(sentences.len(), 2);
    assert_eq!(
        sentences[0].surface(sentences[0].aspects[0].span),
        "brown bread"
    );
    assert_eq!(sentences[0].aspects[0].polarity, Some(Polarity::Positive));
    assert!(
        sentences[1].aspects.is_empty(),
        "a polarity outside aspects is ignored"
    );
}

#[test]
fn extensions_of_compressed_four_files_ignore_case() {
    let folder = tempfile::tempdir().unwrap();
    let contents = ["nice bread\n", "0 1\n", "1 0\n", "0 1\n"];
    four_files(folder.path(), contents);
    for (name, content) in ["sentence.txt", "target.txt"].iter().zip(contents) {
        let packed = imn_io::Compression::Gzip.compress(content.as_bytes());
        std::fs::write(folder.path().join(format!("{name}.GZ")), packed.unwrap()).unwrap();
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
    assert_eq!(read(folder.path()).unwrap().len(), 1);
    let file = folder.path().join("sentence.txt.GZ");
    assert_eq!(read(&file).unwrap()[0].text, "nice bread");
}

#[test]
fn utf_16_is_named() {
    let error = read_str("a.jsonl", b"\xff\xfe{\0").unwrap_err();
    assert!(error.starts_with("a.jsonl: this is UTF-16"), "{error}");
}

#[test]
fn errors_name_file_line_and_counts() {
    let folder = tempfile::tempdir().unwrap();
    four_files(
        folder.path(),
        ["a b\nc d\n", "0 0\n0 1 0\n", "0 0\n0 0\n", "0 0\n0 0\n"],
    );
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("target.txt:2: 3 tags for 2 tokens"),
        "{error}"
    );
    four_files(folder.path(), ["a b\n", "0 7\n", "0 0\n", "0 0\n"]);
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("target.txt:1: token 2: \"7\" is not a tag"),
        "{error}"
    );
    four_files(folder.path(), ["a b\nc\n", "0 0\n", "0 0\n0\n", "0 0\n0\n"]);
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("target.txt:2: 1 lines, but sentence.txt has 2"),
        "{error}"
    );
}

#[test]
fn an_inside_tag_without_a_begin_tag_is_ignored_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    four_files(folder.path(), ["a b c\n", "2 0 1\n", "0 2 0\n", "0 0 3\n"]);
    let loaded = load(folder.path(), None).unwrap();
    assert_eq!(loaded.sentences[0].aspects.len(), 1);
    assert_eq!(loaded.problems.len(), 2);
    assert!(
        loaded.problems[0]
            .to_string()
            .contains("target.txt:1: token 1: inside tag (2) without a begin tag")
    );
}

#[test]
fn missing_files_mean_not_annotated() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sentence.txt"), "good tea\n").unwrap();
    std::fs::write(folder.path().join("target.txt"), "0 1\n").unwrap();
    let sentences = read(folder.path()).unwrap();
    assert_eq!(sentences[0].opinions, None);
    assert_eq!(sentences[0].aspects[0].polarity, None);
}

#[test]
fn xml_of_2014_with_entities() {
    let xml = concat!(
        "\u{FEFF}<?xml version=\"1.0\"?>\r\n<sentences>\r\n<sentence id=\"7\">",
        "<text>Fish &amp; chips &#38; caf\u{E9} &quot;tea&quot;</text>\r\n<aspectTerms>",
        "<aspectTerm term=\"Fish &amp; chips\" polarity=\"positive\" from=\"0\" to=\"12\"/>",
        "<aspectTerm term=\"caf\u{E9}\" polarity=\"neutral\" from=\"15\" to=\"19\"/></aspectTerms>",
        "<aspectCategories><aspectCategory category=\"food\" polarity=\"positive\"/>",
        "</aspectCategories></sentence></sentences>",
    );
    let sentences = read_str("a.xml", xml).unwrap();
    let sentence = &sentences[0];
    assert_eq!(sentence.text, "Fish & chips & caf\u{E9} \"tea\"");
    assert_eq!(
        sentence
            .aspects
            .iter()
            .map(|a| sentence.surface(a.span))
            .collect::<Vec<_>>(),
        ["Fish & chips", "caf\u{E9}"]
    );
    assert_eq!(sentence.opinions, None);
    assert_eq!(sentence.extra.categories[0].category, "food");
}

#[test]
fn xml_of_2015_with_null_targets_and_two_polarities() {
    let xml = r#"<Reviews><Review rid="r"><sentences><sentence id="r:0">
<text>Good wine, dear wine</text><Opinions>
<Opinion target="NULL" category="AMBIENCE#GENERAL" polarity="negative" from="0" to="0"/>
<Opinion target="wine" category="DRINKS#QUALITY" polarity="positive" from="5" to="9"/>
<Opinion target="wine" category="DRINKS#PRICES" polarity="negative" from="5" to="9"/>
</Opinions></sentence></sentences></Review></Reviews>"#;
    let sentences = read_str("a.xml", xml).unwrap();
    assert_eq!(
        sentences[0].aspects,
        [Aspect {
            span: Span::new(1, 2),
            polarity: Some(Polarity::Conflict)
        }]
    );
    let aspects: Vec<_> = sentences[0]
        .extra
        .categories
        .iter()
        .map(|c| c.aspect)
        .collect();
    assert_eq!(aspects, [None, Some(0), Some(0)]);
    assert_eq!(sentences[0].extra.review.as_deref(), Some("r"));
}

#[test]
fn xml_errors_have_lines() {
    let bad = concat!(
        "<sentences>\n<sentence id=\"1\">\n<text>Nice tea</text>\n<aspectTerms>\n",
        "<aspectTerm term=\"pie\" polarity=\"positive\" from=\"5\" to=\"8\"/>\n",
        "</aspectTerms>\n</sentence>\n</sentences>",
    );
    let error = read_str("a.xml", bad).unwrap_err();
    assert_eq!(
        error,
        "a.xml:5: offsets 5..8 select \"tea\", not \"pie\" \
         (the term is not in the text: correct it)"
    );
    let cut = "<sentences>\n<sentence id=\"1\">\n<text>Nice tea</text>\n";
    assert!(
        read_str("a.xml", cut)
            .unwrap_err()
            .starts_with("a.xml:4: the file ends inside an element")
    );
    let mood = bad.replace("positive", "glad");
    assert!(
        read_str("a.xml", &mood)
            .unwrap_err()
            .contains("a.xml:5: \"glad\" is not a polarity")
    );
}

#[test]
fn wrong_offsets_of_a_term_that_occurs_once_are_corrected_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(
        &path,
        r#"{"text": "Nice tea here", "aspects": [{"start": 4, "end": 7, "term": "tea"}]}"#,
    )
    .unwrap();
    let loaded = load(&path, None).unwrap();
    assert_eq!(loaded.sentences[0].aspects[0].span, Span::new(1, 2));
    assert!(
        loaded.problems[0]
            .message
            .contains("offsets 4..7 select \" te\", not \"tea\"")
    );
}

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
fn documents_with_labels_and_stars() {
    let folder = tempfile::tempdir().unwrap();
    let labels = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        read_documents(&path)
            .unwrap()
            .map(|d| {
                d.map(|d| (d.label.short_name(), d.text, d.line))
                    .map_err(|e| e.to_string())
            })
            .collect::<Vec<_>>()
    };
    let tsv = labels(
        "a.tsv",
        "\u{FEFF}pos\tgood \"tea\"\tand more\r\n\r\nneg\tbad\r\n",
    );
    assert_eq!(
        tsv,
        [
            Ok(("pos", "good \"tea\"\tand more".to_owned(), 1)),
            Ok(("neg", "bad".to_owned(), 3))
        ]
    );
    let csv = labels("a.csv", "review,stars\n\"so, so\nreally\",3\nbad,1.0\n");
    assert_eq!(
        csv,
        [
            Ok(("neu", "so, so\nreally".to_owned(), 2)),
            Ok(("neg", "bad".to_owned(), 4))
        ]
    );
    let bad = labels("b.tsv", "pos\tgood\nmeh\tbad\npos\n");
    assert!(
        bad[1]
            .as_ref()
            .unwrap_err()
            .contains("b.tsv:2: \"meh\" is not a label")
    );
    assert!(bad[2].as_ref().unwrap_err().contains("b.tsv:3: 1 columns"));
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
fn writing_a_folder_again_removes_old_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut sentence = AnnotatedSentence::from_words(["good", "tea"]);
    sentence.opinions = Some(vec![Span::new(0, 1)]);
    write(&[sentence.clone()], folder.path(), DataFormat::FourFile).unwrap();
    sentence.opinions = None;
    write(&[sentence.clone()], folder.path(), DataFormat::FourFile).unwrap();
    assert_eq!(read(folder.path()).unwrap(), [sentence]);
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

/// The XML of 2015 cannot represent an aspect whose polarity differs from that of its categories.
#[test]
fn a_polarity_that_categories_contradict_is_a_loss() {
    use imn::data::{
        AnnotatedSentence, Aspect, CategoryOpinion, DataFormat, Field, Polarity, Span, losses,
    };
    let sentence = |own: Option<Polarity>, category: Option<Polarity>| {
        let mut sentence = AnnotatedSentence::from_text("Crisp bread.");
        sentence.aspects.push(Aspect {
            span: Span::new(1, 2),
            polarity: own,
        });
        sentence.extra.categories.push(CategoryOpinion {
            category: "FOOD#QUALITY".to_owned(),
            polarity: category,
            aspect: Some(0),
        });
        losses(&[sentence], DataFormat::Semeval15).contains_key(&Field::Categories)
    };
    let (good, bad) = (Some(Polarity::Positive), Some(Polarity::Negative));
    assert!(!sentence(good, good));
    assert!(!sentence(None, None));
    assert!(sentence(good, None));
    assert!(sentence(good, bad));
}

#[test]
fn document_columns_are_identified_or_an_error() {
    use imn::data::{Field, read_documents, without_losses};
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, text: &str, drop: &[Field]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        without_losses(read_documents(&path).unwrap(), &path, drop)
            .map(|document| {
                document
                    .map(|document| document.text)
                    .map_err(|e| e.to_string())
            })
            .collect::<Result<Vec<String>, String>>()
    };
    assert_eq!(
        read("a.csv", "pos,warm bread\n", &[]).unwrap(),
        ["warm bread"]
    );
    assert_eq!(
        read("a.tsv", "neg\tcold\tbread\n", &[]).unwrap(),
        ["cold\tbread"]
    );
    // Which of three columns is the text?
    assert!(
        read("b.csv", "5,title,text\n", &[])
            .unwrap_err()
            .contains("b.csv:1")
    );
    assert!(
        read("b.tsv", "17\twarm bread\tpos\n", &[])
            .unwrap_err()
            .contains("name the columns")
    );
    let named = "stars,id,text\n5,17,warm bread\n";
    assert!(
        read("c.csv", named, &[Field::Columns])
            .unwrap_err()
            .contains("--drop stars")
    );
    assert!(
        read("c.csv", named, &[Field::Stars])
            .unwrap_err()
            .contains("--drop columns")
    );
    assert_eq!(
        read("c.csv", named, &[Field::Stars, Field::Columns]).unwrap(),
        ["warm bread"]
    );
}
