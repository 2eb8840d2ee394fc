//! What a network predicts for a sentence.

use super::TagSet;
use crate::data::{AeTag, AnnotatedSentence, Aspect, Sentiment, Span, decode_tags};

/// What a network predicts for a sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// Aspect terms, with sentiments where the network tells them.
    pub aspects: Vec<Aspect>,
    /// Opinion terms.
    pub opinions: Vec<Span>,
    /// P^op of every word, where the network tells it.
    pub opinion: Vec<f32>,
}

impl Prediction {
    /// The most probable terms and sentiments of a sentence, from one row of probabilities per word:
    /// one column per tag, one per sentiment. An aspect has the sentiment of its first word.
    #[must_use]
    pub fn decode(tags: &[f32], sentiments: &[f32], tag_set: TagSet) -> Self {
        let classes = tag_set.tags();
        let best = tags.chunks_exact(classes.len());
        let best: Vec<AeTag> = best.map(|row| classes[argmax(row)]).collect();
        let decoded = decode_tags(&best);
        let columns = Sentiment::CLASSES.len();
        let sentiment = |word: usize| argmax(&sentiments[word * columns..][..columns]);
        let aspects = decoded.aspects.into_iter();
        Self {
            aspects: aspects
                .map(|span| Aspect {
                    span,
                    polarity: Some(Sentiment::CLASSES[sentiment(span.start)].into()),
                })
                .collect(),
            opinions: decoded.opinions,
            opinion: Vec::new(),
        }
    }

    /// The sentence with this as its annotation.
    #[must_use]
    pub fn annotate(self, sentence: &AnnotatedSentence, tags: TagSet) -> AnnotatedSentence {
        AnnotatedSentence {
            id: sentence.id.clone(),
            text: sentence.text.clone(),
            tokens: sentence.tokens.clone(),
            aspects: self.aspects,
            opinions: (tags == TagSet::AspectsAndOpinions).then_some(self.opinions),
            ..AnnotatedSentence::default()
        }
    }

    /// Appends the prediction for the words from `start` on.
    pub fn append(&mut self, later: Self, start: usize) {
        let moved = |span: Span| Span::new(span.start + start, span.end + start);
        let aspects = later.aspects.into_iter();
        self.aspects.extend(aspects.map(|aspect| Aspect {
            span: moved(aspect.span),
            ..aspect
        }));
        self.opinions.extend(later.opinions.into_iter().map(moved));
        self.opinion.extend(later.opinion);
    }
}

/// The column with the largest number; the first of equals.
///
/// ```
/// assert_eq!(imn::model::argmax(&[0.2, 0.5, 0.5]), 1);
/// ```
#[must_use]
pub fn argmax(row: &[f32]) -> usize {
    (1..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best })
}
