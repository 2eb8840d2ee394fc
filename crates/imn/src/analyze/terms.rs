//! From the probabilities of a sentence's words to its terms.
//!
//! A term is a beginning and what continues it, by the likeliest tag of each word. Its confidence is the probability of just these tags with the
//! term ending where it does: P(B) · Π P(I) · (1 − P(I of the next word)).

use crate::data::{AeTag, Polarity, Span, decode_tags};
use crate::predict::{POLARITIES, Reading, likeliest};

/// A term: its words, and how sure the network is of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Term {
    pub(super) span: Span,
    pub(super) confidence: f32,
}

/// The terms of a sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Terms {
    pub(super) aspects: Vec<Term>,
    pub(super) opinions: Vec<Term>,
}

impl Terms {
    /// The terms that a reading with these tags holds.
    pub(super) fn of(reading: &Reading, tags: &[AeTag]) -> Self {
        let rows: Vec<&[f32]> = reading.tags.chunks_exact(tags.len()).collect();
        let likeliest: Vec<AeTag> = rows.iter().map(|row| tags[likeliest(row)]).collect();
        let decoded = decode_tags(&likeliest);
        let probability = |word: usize, tag: AeTag| {
            let column = tags.iter().position(|&other| other == tag);
            column.map_or(0.0, |column| rows[word][column])
        };
        let term = |span: Span, begin: AeTag, inside: AeTag| {
            let mut confidence = probability(span.start, begin);
            for word in span.start + 1..span.end {
                confidence *= probability(word, inside);
            }
            if span.end < rows.len() {
                confidence *= 1.0 - probability(span.end, inside);
            }
            Term { span, confidence }
        };
        let aspects = decoded.aspects.into_iter();
        let opinions = decoded.opinions.into_iter();
        Self {
            aspects: aspects
                .map(|span| term(span, AeTag::BA, AeTag::IA))
                .collect(),
            opinions: opinions
                .map(|span| term(span, AeTag::BP, AeTag::IP))
                .collect(),
        }
    }
}

/// The likeliest polarity of a row of three, and its probability.
pub(super) fn polarity(row: &[f32]) -> (Polarity, f32) {
    let class = likeliest(row);
    (POLARITIES[class], row[class])
}

/// The sentiment towards an aspect is that of its first word.
pub(super) fn sentiment(reading: &Reading, aspect: Span) -> (Polarity, f32) {
    polarity(&reading.polarities[aspect.start * POLARITIES.len()..][..POLARITIES.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_the_probability_of_the_whole_term() {
        // "spicy soup great": BA IA BP.
        let reading = Reading {
            tags: [
                [0.8, 0.1, 0.0, 0.0, 0.1],
                [0.1, 0.7, 0.0, 0.0, 0.2],
                [0.0, 0.4, 0.5, 0.0, 0.1],
            ]
            .concat(),
            polarities: [[0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]].concat(),
            ..Reading::default()
        };
        let terms = Terms::of(&reading, &AeTag::ALL);
        let close = |found: f32, expected: f32| assert!((found - expected).abs() < 1e-6, "{found}");
        assert_eq!(terms.aspects.len(), 1);
        assert_eq!(terms.aspects[0].span, Span::new(0, 2));
        close(terms.aspects[0].confidence, 0.8 * 0.7 * 0.6);
        assert_eq!(terms.opinions[0].span, Span::new(2, 3));
        close(terms.opinions[0].confidence, 0.5);
        assert_eq!(
            sentiment(&reading, Span::new(0, 2)),
            (Polarity::Positive, 0.6)
        );
    }
}
