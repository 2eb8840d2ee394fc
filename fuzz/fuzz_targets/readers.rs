//! Any bytes in any format: no panic, and the sentences can be written as JSONL and read back.
#![no_main]

use std::path::Path;

use imn::data::{DataFormat, Loaded, encode_tags, load, load_text, write_to};
use libfuzzer_sys::fuzz_target;

fn load_any(which: u8, bytes: &[u8]) -> Option<Loaded> {
    let format = DataFormat::ALL[usize::from(which) % DataFormat::ALL.len()];
    if format != DataFormat::FourFile {
        return load_text(std::str::from_utf8(bytes).ok()?, Path::new("data"), format).ok();
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, part) in [
        "sentence.txt",
        "target.txt",
        "opinion.txt",
        "target_polarity.txt",
    ]
    .iter()
    .zip(bytes.split(|b| *b == 0))
    {
        std::fs::write(folder.path().join(name), part).expect("a file");
    }
    load(folder.path(), Some(format)).ok()
}

fuzz_target!(|input: (u8, &[u8])| {
    let Some(loaded) = load_any(input.0, input.1) else {
        return;
    };
    assert_eq!(loaded.sentences.len(), loaded.lines.len());
    for sentence in &loaded.sentences {
        assert_eq!(encode_tags(sentence).tags.len(), sentence.tokens.len());
        let inside = |end: usize| end <= sentence.tokens.len();
        assert!(
            sentence
                .aspects
                .iter()
                .all(|a| inside(a.span.end) && !a.span.is_empty())
        );
    }
    let out = write_to(&loaded.sentences, Vec::new(), DataFormat::Jsonl).expect("memory");
    let text = String::from_utf8(out).expect("JSON is UTF-8");
    let again = load_text(&text, Path::new("again"), DataFormat::Jsonl).expect("a known format");
    assert_eq!(
        again.strict().expect("what was written can be read"),
        loaded.sentences
    );
});
