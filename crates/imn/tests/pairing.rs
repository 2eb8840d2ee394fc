//! Which opinion is about which aspect, on sentences with links of our own (`pairing/write.py` writes them).
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use imn::analyze::pairing::{PairingRule, links, weights};
use imn::data::{AnnotatedSentence, Span};

fn sentences() -> Vec<AnnotatedSentence> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairing/pairs.jsonl");
    imn::data::read(&path).unwrap()
}

/// F1 of the links that a rule gives gold terms; the attention is even.
fn f1(sentences: &[AnnotatedSentence], rule: PairingRule) -> f64 {
    let (mut right, mut said, mut gold) = (0, 0, 0);
    for sentence in sentences {
        let aspects: Vec<Span> = sentence.aspects.iter().map(|aspect| aspect.span).collect();
        let opinions = sentence.opinions.clone().unwrap();
        let words = sentence.tokens.len();
        let even = vec![1.0; words * words];
        let found = links(&weights(rule, &even, words, &aspects, &opinions), 1.0);
        let expected = sentence.links.as_ref().unwrap();
        right += found.iter().filter(|link| expected.contains(link)).count();
        said += found.len();
        gold += expected.len();
    }
    2.0 * right as f64 / (said + gold) as f64
}

#[test]
fn the_set_is_large_and_the_nearest_opinion_is_often_another_one() {
    let sentences = sentences();
    assert_eq!(sentences.len(), 200);
    let nearest = f1(&sentences, PairingRule::Nearness);
    assert!((0.70..0.85).contains(&nearest), "{nearest}");
    // Even attention says nothing: every opinion is linked to every aspect of its sentence.
    let all = f1(&sentences, PairingRule::Attention);
    assert!(all < nearest, "{all}");
}
