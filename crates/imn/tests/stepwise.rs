//! Texts that are read in steps, among others, get the analysis that they get alone, bit for bit.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use imn::analyze::{AnalyzedReview, Analyzer, Detail, StepwiseText};

const TEXTS: [&str; 6] = [
    "The soup was cold. Our waiter ignored us! Would I return? Perhaps for the dumplings.",
    "Great battery life.",
    "",
    "   \n ",
    "Crème brûlée: superb 😀. The coffee, though, was weak and the cups were chipped.",
    "No.",
];

fn run(analyzer: &Analyzer, texts: &mut [StepwiseText], words: usize) -> usize {
    let mut steps = 0;
    loop {
        let mut open: Vec<&mut StepwiseText> =
            texts.iter_mut().filter(|text| !text.is_done()).collect();
        if open.is_empty() {
            return steps;
        }
        let left: usize = open.iter().map(|text| text.tokens_left()).sum();
        let read = StepwiseText::step(analyzer, &mut open, words);
        let now: usize = open.iter().map(|text| text.tokens_left()).sum();
        assert_eq!(left - read, now);
        steps += 1;
        assert!(steps < 1000, "no progress");
    }
}

#[test]
fn steps_of_any_size_give_the_same_bits() {
    let analyzer = Analyzer::built_in().unwrap();
    for words in [1, 7, 30, 10_000] {
        for detail in [Detail::Analysis, Detail::Explanation] {
            let texts = TEXTS.map(|text| StepwiseText::new(&analyzer, text.to_owned(), detail));
            let mut texts = Vec::from(texts);
            let steps = run(&analyzer, &mut texts, words);
            assert!(words > 1 || steps > 5, "{steps} steps");
            for (stepwise, text) in texts.into_iter().zip(TEXTS) {
                let whole = match detail {
                    Detail::Analysis => AnalyzedReview::new(text, analyzer.analyze(text)),
                    Detail::Explanation => AnalyzedReview::explained(text, analyzer.explain(text)),
                };
                assert_eq!(stepwise.into_review(), whole, "{text}");
            }
        }
    }
}

#[test]
fn a_short_text_is_done_after_one_step_beside_a_long_one() {
    let analyzer = Analyzer::built_in().unwrap();
    let long = "The soup was cold and far too salty. ".repeat(400);
    let mut long = StepwiseText::new(&analyzer, long, Detail::Analysis);
    let short = "Great battery life.".to_owned();
    let mut short = StepwiseText::new(&analyzer, short, Detail::Analysis);
    let read = StepwiseText::step(&analyzer, &mut [&mut long, &mut short], 50);
    assert!(short.is_done() && !long.is_done());
    assert!(read <= 50, "{read}");
}

#[test]
fn nonsense_of_many_subwords_is_read_in_small_steps() {
    let analyzer = Analyzer::built_in().unwrap();
    let nonsense = "zxqvwbcdfgh ".repeat(300);
    let mut texts: Vec<StepwiseText> = (0..4)
        .map(|_| StepwiseText::new(&analyzer, nonsense.clone(), Detail::Analysis))
        .collect();
    // A word is several subwords, and the work of a step depends on these.
    let all: usize = texts.iter().map(StepwiseText::tokens_left).sum();
    assert!(all > 4 * 300 * 2, "{all}");
    let mut together: Vec<&mut StepwiseText> = texts.iter_mut().collect();
    let read = StepwiseText::step(&analyzer, &mut together, 1000);
    assert!(read <= 1000, "{read}");
}

#[test]
fn words_beyond_an_explanation_are_still_analysed() {
    let analyzer = Analyzer::built_in().unwrap();
    let text = "The soup was cold and the staff friendly. ".repeat(300);
    let mut stepwise = [StepwiseText::new(
        &analyzer,
        text.clone(),
        Detail::Explanation,
    )];
    run(&analyzer, &mut stepwise, 500);
    let [stepwise] = stepwise;
    assert_eq!(stepwise.sentences().len(), 300);
    let (_, explanation) = stepwise.into_explanation().unwrap();
    assert!(explanation.words.sentences_left_out > 0);
    assert_eq!(explanation, analyzer.explain(&text));
}

#[test]
fn a_text_without_details_has_no_explanation() {
    let analyzer = Analyzer::built_in().unwrap();
    let mut texts = [StepwiseText::new(
        &analyzer,
        TEXTS[0].to_owned(),
        Detail::Analysis,
    )];
    run(&analyzer, &mut texts, 100);
    assert!(texts.map(StepwiseText::into_explanation)[0].is_none());
}
