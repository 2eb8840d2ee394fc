//! Any line as JSONL: no panic, and the sentence can be written and read back unchanged.
#![no_main]

use imn::data::formats::jsonl;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    if let Ok(sentence) = jsonl::parse_line(line) {
        let mut out = Vec::new();
        jsonl::write_line(&sentence, &mut out).expect("memory");
        let text = String::from_utf8(out).expect("JSON is UTF-8");
        assert_eq!(jsonl::parse_line(&text).expect("our own line"), sentence);
    }
});
