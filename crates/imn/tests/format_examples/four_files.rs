//! The four text files of the paper's sets.

use std::path::Path;

use imn::data::{AnnotatedSentence, DataFormat, Polarity, Span, load, read, write};

use crate::read_str;

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
fn writing_a_folder_again_removes_old_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut sentence = AnnotatedSentence::from_words(["good", "tea"]);
    sentence.opinions = Some(vec![Span::new(0, 1)]);
    write(&[sentence.clone()], folder.path(), DataFormat::FourFile).unwrap();
    sentence.opinions = None;
    write(&[sentence.clone()], folder.path(), DataFormat::FourFile).unwrap();
    assert_eq!(read(folder.path()).unwrap(), [sentence]);
}
