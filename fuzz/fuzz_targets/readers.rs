//! Any bytes in any format: no panic, and what was read can be written as JSONL and read again.
#![no_main]

use imn::data::{Format, encode_tags, load, read_as, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (which, bytes) = input;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data");
    std::fs::write(&path, bytes).expect("a file");
    let format = Format::ALL[usize::from(which) % Format::ALL.len()];
    if format == Format::FourFile {
        for (name, part) in ["sentence.txt", "target.txt", "opinion.txt", "target_polarity.txt"]
            .iter()
            .zip(bytes.split(|b| *b == 0))
        {
            std::fs::write(folder.path().join(name), part).expect("a file");
        }
    }
    let source = if format == Format::FourFile { folder.path() } else { &path };
    let Ok(loaded) = load(source, Some(format)) else { return };
    for sentence in &loaded.sentences {
        let encoded = encode_tags(sentence);
        assert_eq!(encoded.tags.len(), sentence.tokens.len());
        assert!(sentence.aspects.iter().all(|a| a.span.end <= sentence.tokens.len() && !a.span.is_empty()));
    }
    let again = folder.path().join("again.jsonl");
    write(&loaded.sentences, &again, Format::Jsonl).expect("JSONL holds everything");
    assert_eq!(read_as(&again, Format::Jsonl).expect("what was written can be read"), loaded.sentences);
});
