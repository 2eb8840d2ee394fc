//! Alignment of labels with raw text, case by case.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may fail the test")]

use imn::data::{Alignment, AnnotatedSentence, Aspect, Polarity, Span, align};

/// A cleaned sentence with one aspect and one opinion.
fn labelled(words: &str, aspect: (usize, usize), opinion: (usize, usize)) -> AnnotatedSentence {
    let mut sentence = AnnotatedSentence::from_words(words.split(' '));
    let span = Span::new(aspect.0, aspect.1);
    sentence.aspects = vec![Aspect {
        span,
        polarity: Some(Polarity::Positive),
    }];
    sentence.opinions = Some(vec![Span::new(opinion.0, opinion.1)]);
    sentence
}

/// The aligned aspect and opinion as written in the raw text.
fn terms(alignment: &Alignment, at: usize) -> (&str, &str) {
    let sentence = &alignment.sentences[at];
    let opinion = sentence.opinions.as_ref().unwrap()[0];
    (
        sentence.surface(sentence.aspects[0].span),
        sentence.surface(opinion),
    )
}

#[test]
fn capitals_and_punctuation_are_restored() {
    let alignment = align(
        &[labelled(
            "the chef 's soup was great , really",
            (1, 4),
            (5, 6),
        )],
        &[AnnotatedSentence::from_text(
            "The chef's \"soup\" was GREAT, really?!",
        )],
    );
    // The quotation mark after the last labelled letter is not part of the label.
    assert_eq!(terms(&alignment, 0), ("chef's \"soup", "GREAT"));
    assert_eq!(alignment.agreement.agree, 1);
}

#[test]
fn labelled_punctuation_is_aligned_if_the_raw_text_has_it() {
    let alignment = align(
        &[
            labelled("pasta -- wow !", (0, 1), (2, 4)),
            labelled("tea !", (0, 1), (1, 2)),
        ],
        &[
            AnnotatedSentence::from_text("Pasta -- wow!"),
            AnnotatedSentence::from_text("Tea. ! "),
        ],
    );
    assert_eq!(terms(&alignment, 0), ("Pasta", "wow!"));
    assert_eq!(terms(&alignment, 1), ("Tea", "!"));
}

#[test]
fn a_label_inside_a_token_keeps_its_exact_place() {
    let alignment = align(
        &[labelled("good bread", (1, 2), (0, 1))],
        &[
            AnnotatedSentence::from_text("Good bread/butter"),
            AnnotatedSentence::from_text("good-bread"),
        ],
    );
    let sentence = &alignment.sentences[0];
    assert_eq!(terms(&alignment, 0), ("good-bread", "good-bread"));
    let exact: Vec<&str> = sentence
        .extra
        .cuts
        .iter()
        .map(|cut| cut.bytes.of(&sentence.text).unwrap())
        .collect();
    assert_eq!(exact, ["bread", "good"]);
    assert_eq!(alignment.agreement.agree, 0);
    assert_eq!(
        alignment.agreement.differ,
        [(0, "good".to_owned(), "good-bread".to_owned())]
    );
}

#[test]
fn equal_sentences_are_taken_in_order() {
    let mut first = AnnotatedSentence::from_text("Nice tea.");
    first.id = Some("a".to_owned());
    let mut second = AnnotatedSentence::from_text("Nice tea!");
    second.id = Some("b".to_owned());
    let label = labelled("nice tea", (1, 2), (0, 1));
    let alignment = align(&[label.clone(), label.clone(), label], &[first, second]);
    let ids: Vec<_> = alignment
        .sentences
        .iter()
        .map(|s| s.id.as_deref().unwrap())
        .collect();
    assert_eq!(ids, ["a", "b", "b"]);
}

#[test]
fn a_lost_number_does_not_hinder_but_a_lost_label_does() {
    let raw = AnnotatedSentence::from_text("We came at 8:30 and the waiter was friendly as ever.");
    let near = labelled(
        "we came at and the waiter was friendly as ever",
        (5, 6),
        (7, 8),
    );
    let alignment = align(&[near], std::slice::from_ref(&raw));
    assert_eq!(terms(&alignment, 0), ("waiter", "friendly"));
    assert_eq!((alignment.approximate, alignment.agreement.found), (1, 0));

    let gone = labelled(
        "we came at and the waiter was cheerful as ever",
        (5, 6),
        (7, 8),
    );
    let alignment = align(
        &[gone, labelled("quite another sentence", (0, 1), (1, 2))],
        &[raw],
    );
    assert!(alignment.sentences.is_empty());
    let reasons: Vec<&str> = alignment
        .unaligned
        .iter()
        .map(|sentence| sentence.reason.as_str())
        .collect();
    assert_eq!(
        reasons,
        [
            "a label cannot be located in the raw text",
            "no raw sentence has the same letters and digits"
        ]
    );
}

#[test]
fn disagreements_with_the_raw_annotation_are_listed() {
    let mut raw = AnnotatedSentence::from_text("Nice tea, dear cake.");
    raw.aspects = vec![
        Aspect {
            span: Span::new(1, 2),
            polarity: Some(Polarity::Negative),
        },
        Aspect {
            span: Span::new(4, 5),
            polarity: Some(Polarity::Negative),
        },
    ];
    let alignment = align(&[labelled("nice tea dear cake", (1, 2), (0, 1))], &[raw]);
    assert_eq!(
        alignment.sentences[0].aspects[0].polarity,
        Some(Polarity::Positive),
        "the labels are the truth"
    );
    let differ: Vec<_> = alignment
        .cross_check
        .differ
        .iter()
        .map(|d| (d.term.as_str(), d.labelled, d.raw))
        .collect();
    assert_eq!(
        differ,
        [
            ("tea", Some(Polarity::Positive), Some(Polarity::Negative)),
            ("cake", None, Some(Polarity::Negative)),
        ]
    );
}
