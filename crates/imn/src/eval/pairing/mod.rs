//! Compares two annotated texts sentence by sentence.
//!
//! Sentences are matched by order. Ids must agree if both sides have them. Texts must agree except
//! for white space and letter case: one side may have raw text and the other its tokens joined by
//! spaces. Spans are compared by the letters that they cover (white space is not counted), so the
//! tokens of the two sides may differ.
//!
//! Aspects are compared in whole tokens. Opinions are compared as the five-class tags represent
//! them (see [`encode_tags`](crate::data::encode_tags)). These give precedence to aspects: an
//! opinion ends before the first token that is part of an aspect, its tokens after the aspect are
//! ignored orphans, and an opinion that begins with such a token does not count.

mod error;
mod letters;
mod spans;

pub use error::{PairingError, Side};

use self::letters::letters;
use self::spans::spans;
use super::Counts;
use crate::data::AnnotatedSentence;

/// Compares two texts and returns the counts of every sentence, in order.
///
/// If the predicted text has opinions in some sentences, a missing list means no opinions. If it
/// has none in any sentence, the system does not extract opinions, and F1-o does not exist.
///
/// ```
/// use imn::data::formats::jsonl::parse_line;
/// use imn::eval::{Counts, Metric, pair};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = r#"{"text":"Nice pub","aspects":[{"start":5,"end":8,"polarity":"positive"}]}"#;
/// let gold = parse_line(text)?;
/// let predicted = parse_line(&text.replace("positive", "negative"))?;
/// let scores = pair(&[gold], &[predicted])?.iter().sum::<Counts>().scores();
/// assert_eq!(scores.get(Metric::F1A), Some(100.0));
/// assert_eq!(scores.get(Metric::F1I), Some(0.0));
/// assert_eq!(scores.get(Metric::F1O), None);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The first sentence in which the two texts differ.
pub fn pair(
    gold: &[AnnotatedSentence],
    predicted: &[AnnotatedSentence],
) -> Result<Vec<Counts>, PairingError> {
    let extracts_opinions = predicted.iter().any(|sentence| sentence.opinions.is_some());
    let mut counts = Vec::with_capacity(gold.len());
    for (at, (gold_sentence, predicted)) in gold.iter().zip(predicted).enumerate() {
        let number = at + 1;
        check_same(number, gold, gold_sentence, predicted)?;
        let gold = spans(number, Side::Gold, gold_sentence)?;
        let mut predicted = spans(number, Side::Predicted, predicted)?;
        if extracts_opinions {
            predicted.opinions.get_or_insert_default();
        }
        counts.push(Counts::of(&gold, &predicted));
    }
    if gold.len() != predicted.len() {
        return Err(PairingError::Length {
            gold: gold.len(),
            predicted: predicted.len(),
        });
    }
    Ok(counts)
}

fn check_same(
    number: usize,
    all: &[AnnotatedSentence],
    gold: &AnnotatedSentence,
    predicted: &AnnotatedSentence,
) -> Result<(), PairingError> {
    if let (Some(a), Some(b)) = (&gold.id, &predicted.id)
        && a != b
    {
        return Err(PairingError::Id {
            number,
            gold: a.clone(),
            predicted: b.clone(),
        });
    }
    let (mut a, mut b) = (letters(&gold.text), letters(&predicted.text));
    loop {
        let (left, right) = (a.next(), b.next());
        if left.is_none() && right.is_none() {
            return Ok(());
        }
        if left.map(|(_, letter)| letter) != right.map(|(_, letter)| letter) {
            let from = left.map_or(gold.text.len(), |(at, _)| at);
            let same = |other: &AnnotatedSentence| {
                let theirs = letters(&other.text).map(|(_, letter)| letter);
                theirs.eq(letters(&predicted.text).map(|(_, letter)| letter))
            };
            return Err(PairingError::Text {
                number,
                at: 1 + gold.text.get(..from).map_or(0, |t| t.chars().count()),
                gold: gold.text.clone(),
                predicted: predicted.text.clone(),
                elsewhere: all.iter().position(same).map(|at| at + 1),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Metric;
    use super::*;
    use crate::data::{Aspect, Polarity, Span};

    /// Tokens separated by white space; spans as (first, after).
    fn sentence(
        text: &str,
        aspects: &[(usize, usize)],
        opinions: Option<&[(usize, usize)]>,
    ) -> AnnotatedSentence {
        let mut tokens = Vec::new();
        let mut from = 0;
        for word in text.split(' ') {
            tokens.push(Span::new(from, from + word.len()));
            from += word.len() + 1;
        }
        let span = |&(start, end): &(usize, usize)| Span::new(start, end);
        AnnotatedSentence {
            text: text.to_owned(),
            tokens,
            aspects: aspects
                .iter()
                .map(|at| Aspect {
                    span: span(at),
                    polarity: Some(Polarity::Positive),
                })
                .collect(),
            opinions: opinions.map(|opinions| opinions.iter().map(span).collect()),
            ..AnnotatedSentence::default()
        }
    }

    fn total(gold: AnnotatedSentence, predicted: AnnotatedSentence) -> Counts {
        pair(&[gold], &[predicted]).unwrap().iter().sum()
    }

    #[test]
    fn raw_text_against_its_tokens() {
        let mut raw = sentence("The waiters couldn't smile", &[(1, 2)], Some(&[(2, 4)]));
        // Raw text, Treebank tokens: could | n't share no space.
        raw.tokens = [(0, 3), (4, 11), (12, 17), (17, 20), (21, 26)]
            .map(|(a, b)| Span::new(a, b))
            .into();
        raw.opinions = Some(vec![Span::new(2, 5)]);
        let joined = sentence("the waiters could n't smile", &[(1, 2)], Some(&[(2, 5)]));
        let counts = total(joined, raw);
        assert_eq!((counts.aspects.correct, counts.opinions.correct), (1, 1));
    }

    #[test]
    fn the_aspect_has_precedence_over_the_opinion() {
        // Opinion "nice cold beer" loses the aspect "beer"; "beer" alone is no opinion.
        let text = "nice cold beer here";
        let gold = sentence(text, &[(2, 3)], Some(&[(0, 3), (2, 3)]));
        let predicted = sentence(text, &[(2, 3)], Some(&[(0, 2)]));
        let counts = total(gold, predicted);
        assert_eq!(
            (
                counts.opinions.gold,
                counts.opinions.predicted,
                counts.opinions.correct
            ),
            (1, 1, 1)
        );
        assert_eq!(counts.gold_orphans, 0);
    }

    #[test]
    fn the_rest_of_an_opinion_after_an_aspect_is_an_orphan() {
        let text = "worth every single dumpling and more praise";
        let counts = |opinion| {
            let gold = sentence(text, &[(3, 4)], Some(&[opinion]));
            let counts = total(gold.clone(), gold);
            (counts.opinions.gold, counts.gold_orphans)
        };
        // "single" remains of the first; nothing of the second, which begins with the aspect.
        assert_eq!(counts((2, 6)), (1, 2));
        assert_eq!(counts((3, 5)), (0, 1));
    }

    #[test]
    fn the_first_difference_is_reported() {
        let a = sentence("good tea", &[], None);
        let b = sentence("good coffee", &[], None);
        let error = pair(&[a.clone(), a.clone()], &[a.clone(), b]).unwrap_err();
        assert_eq!(
            error,
            PairingError::Text {
                number: 2,
                at: 6,
                gold: "good tea".into(),
                predicted: "good coffee".into(),
                elsewhere: None,
            }
        );
        let named = |id: &str| AnnotatedSentence {
            id: Some(id.into()),
            ..a.clone()
        };
        assert!(matches!(
            pair(&[named("1")], &[named("2")]),
            Err(PairingError::Id { number: 1, .. })
        ));
        assert!(pair(&[named("1")], std::slice::from_ref(&a)).is_ok());
        let error = pair(&[a.clone(), a.clone()], &[a]).unwrap_err();
        assert_eq!(
            error,
            PairingError::Length {
                gold: 2,
                predicted: 1
            }
        );
        assert!(error.to_string().contains("up to sentence 1"), "{error}");
    }

    #[test]
    fn spans_outside_the_sentence_are_errors() {
        let good = sentence("good tea", &[], None);
        for bad in [(1, 3), (2, 2), (1, 0)] {
            let bad = sentence("good tea", &[bad], None);
            assert!(matches!(
                pair(std::slice::from_ref(&good), &[bad]),
                Err(PairingError::OutOfRange {
                    number: 1,
                    side: Side::Predicted,
                    tokens: 2,
                    ..
                })
            ));
        }
    }

    #[test]
    fn unannotated_opinions_have_no_score() {
        let labelled = sentence("good tea", &[], Some(&[(0, 1)]));
        let unlabelled = sentence("good tea", &[], None);
        let f1_o = |gold: &[AnnotatedSentence], predicted: &[AnnotatedSentence]| {
            let counts: Counts = pair(gold, predicted).unwrap().iter().sum();
            counts.scores().get(Metric::F1O)
        };
        let (l, u) = (labelled, unlabelled);
        assert_eq!(
            f1_o(std::slice::from_ref(&l), std::slice::from_ref(&u)),
            None
        );
        assert_eq!(
            f1_o(std::slice::from_ref(&u), std::slice::from_ref(&l)),
            None
        );
        // If a system omits the field in one sentence only, that sentence still counts.
        let half = f1_o(&[l.clone(), l.clone()], &[l.clone(), u]).unwrap();
        assert!((half - 200.0 / 3.0).abs() < 1e-9, "{half}");
    }
}
