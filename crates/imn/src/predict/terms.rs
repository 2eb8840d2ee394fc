//! Terms of a sentence from the tag probabilities of its words.
//!
//! The most probable tag of each word gives the terms: a B tag and the I tags that follow it. The
//! confidence of a term is the probability of exactly these tags, with the term ending where it
//! does: P(B) · Π P(I) · (1 − P(I of the next word)).

use super::SentenceOutput;
use crate::data::{AeTag, Sentiment, Span, decode_tags};
use crate::model::argmax;

/// A term and its confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The words of the term.
    pub span: Span,
    /// Probability of exactly this term, before calibration.
    pub confidence: f32,
}

/// The terms of a sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Terms {
    /// Aspect terms.
    pub aspects: Vec<Term>,
    /// Opinion terms.
    pub opinions: Vec<Term>,
}

impl Terms {
    /// The terms of a sentence; `tags` are the columns of [`SentenceOutput::tags`].
    ///
    /// # Panics
    /// If `tags` is empty.
    #[must_use]
    pub fn of(output: &SentenceOutput, tags: &[AeTag]) -> Self {
        let rows: Vec<&[f32]> = output.tags.chunks_exact(tags.len()).collect();
        let best: Vec<AeTag> = rows.iter().map(|row| tags[argmax(row)]).collect();
        let decoded = decode_tags(&best);
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

    /// The terms without quotation marks at their ends. A term of nothing else is dropped. `words`
    /// are the words of the sentence.
    ///
    /// Annotators sometimes include the marks, and models learn it, but readers of an analysis want
    /// the words.
    ///
    /// ```
    /// use imn::data::Span;
    /// use imn::predict::{Term, Terms};
    ///
    /// let term = |start, end| Term { span: Span::new(start, end), confidence: 0.9 };
    /// let terms = Terms { aspects: vec![term(1, 4), term(5, 6)], opinions: vec![term(4, 5)] };
    /// let unquoted = terms.unquoted(&["The", "“", "soup", "”", "cooled", "\""]);
    /// assert_eq!(unquoted.aspects, [term(2, 3)]);
    /// assert_eq!(unquoted.opinions, [term(4, 5)]);
    /// ```
    ///
    /// # Panics
    /// If a term is not inside the sentence.
    #[must_use]
    pub fn unquoted(self, words: &[&str]) -> Self {
        let trim = |terms: Vec<Term>| -> Vec<Term> {
            let trimmed = terms.into_iter().filter_map(|mut term| {
                let is_word = |&i: &usize| !words[i].chars().all(is_quotation_mark);
                let start = (term.span.start..term.span.end).find(is_word)?;
                let last = (start..term.span.end).rfind(is_word)?;
                term.span = Span::new(start, last + 1);
                Some(term)
            });
            trimmed.collect()
        };
        Self {
            aspects: trim(self.aspects),
            opinions: trim(self.opinions),
        }
    }
}

fn is_quotation_mark(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '`' | '´' | '«' | '»' | '‹' | '›' | '\u{2018}'..='\u{201f}'
    )
}

/// The most probable sentiment of a row of probabilities, and its probability.
///
/// ```
/// use imn::data::Sentiment;
///
/// // Positive, negative, neutral.
/// assert_eq!(imn::predict::polarity(&[0.2, 0.7, 0.1]), (Sentiment::Negative, 0.7));
/// ```
///
/// # Panics
/// If the row is empty or has more values than [`Sentiment::CLASSES`].
#[must_use]
pub fn polarity(row: &[f32]) -> (Sentiment, f32) {
    let class = argmax(row);
    (Sentiment::CLASSES[class], row[class])
}

/// The sentiment towards an aspect and its probability: those of its first word.
///
/// # Panics
/// If the aspect is not inside the sentence.
#[must_use]
pub fn sentiment(output: &SentenceOutput, aspect: Span) -> (Sentiment, f32) {
    let columns = Sentiment::CLASSES.len();
    polarity(&output.polarities[aspect.start * columns..][..columns])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_the_probability_of_the_whole_term() {
        // "spicy soup great": BA IA BP.
        let output = SentenceOutput {
            tags: [
                [0.8, 0.1, 0.0, 0.0, 0.1],
                [0.1, 0.7, 0.0, 0.0, 0.2],
                [0.0, 0.4, 0.5, 0.0, 0.1],
            ]
            .concat(),
            polarities: [[0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]].concat(),
            ..SentenceOutput::default()
        };
        let terms = Terms::of(&output, &AeTag::ALL);
        let close = |found: f32, expected: f32| assert!((found - expected).abs() < 1e-6, "{found}");
        assert_eq!(terms.aspects.len(), 1);
        assert_eq!(terms.aspects[0].span, Span::new(0, 2));
        close(terms.aspects[0].confidence, 0.8 * 0.7 * 0.6);
        assert_eq!(terms.opinions[0].span, Span::new(2, 3));
        close(terms.opinions[0].confidence, 0.5);
        assert_eq!(
            sentiment(&output, Span::new(0, 2)),
            (Sentiment::Positive, 0.6)
        );
    }
}
