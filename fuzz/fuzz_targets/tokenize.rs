//! Any text: every character that is not a separator is in exactly one token and one sentence, in
//! order.
#![no_main]

use imn::text::{
    OffsetIndex, OffsetUnit, Span, blank_tags, is_separator, split_sentences, tokenize,
    tokenize_into,
};
use libfuzzer_sys::fuzz_target;

fn covers(text: &str, spans: &[Span]) {
    let mut last = 0;
    for span in spans {
        assert!(span.start >= last && span.end > span.start);
        assert!(text[last..span.start].chars().all(is_separator));
        assert!(text.is_char_boundary(span.end));
        last = span.end;
    }
    assert!(text[last..].chars().all(is_separator));
}

fuzz_target!(|text: &str| {
    let sentences = split_sentences(text);
    covers(text, &sentences);
    let mut all = Vec::new();
    for sentence in sentences {
        tokenize_into(text, sentence, &mut all);
    }
    covers(text, &all);
    let blanked = blank_tags(text);
    assert_eq!(blanked.len(), text.len());
    let tokens = tokenize(text);
    covers(&blanked, &tokens);
    let index = OffsetIndex::new(text);
    for token in tokens {
        for unit in [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16] {
            let there = index
                .span_from_bytes(token, unit)
                .expect("tokens end at character boundaries");
            assert_eq!(index.span_to_bytes(there, unit), Some(token));
        }
    }
});
