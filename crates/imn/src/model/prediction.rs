//! The prediction of a network for a sentence.

use super::TagSet;
use crate::data::{AeTag, AnnotatedSentence, Aspect, Sentiment, Span, decode_tags};

/// The terms and sentiments that a network predicts for a sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// Aspect terms. An extractor gives no sentiments.
    pub aspects: Vec<Aspect>,
    /// Opinion terms.
    pub opinions: Vec<Span>,
    /// P^op of every word, for the classifier of a pipeline. Empty if the network does not give it.
    pub opinion: Vec<f32>,
}

impl Prediction {
    /// The most probable terms and sentiments of a sentence. Both tables have one row per word,
    /// with one column per tag or per sentiment. The sentiment of an aspect is that of its first
    /// word.
    ///
    /// ```
    /// use imn::data::{Polarity, Span};
    /// use imn::model::{Prediction, TagSet};
    ///
    /// // "great soup": BP BA, with probabilities of BA, IA, BP, IP, O.
    /// let tags = [0.1, 0.0, 0.8, 0.0, 0.1, 0.7, 0.1, 0.0, 0.0, 0.2];
    /// let sentiments = [0.3, 0.4, 0.3, 0.8, 0.1, 0.1];
    /// let prediction = Prediction::decode(&tags, &sentiments, TagSet::AspectsAndOpinions);
    /// assert_eq!(prediction.opinions, [Span::new(0, 1)]);
    /// assert_eq!(prediction.aspects[0].span, Span::new(1, 2));
    /// assert_eq!(prediction.aspects[0].polarity, Some(Polarity::Positive));
    /// ```
    ///
    /// # Panics
    /// If `sentiments` has fewer rows than `tags`.
    #[must_use]
    pub fn decode(tags: &[f32], sentiments: &[f32], tag_set: TagSet) -> Self {
        let classes = tag_set.tags();
        let best: Vec<AeTag> = tags
            .chunks_exact(classes.len())
            .map(|row| classes[argmax(row)])
            .collect();
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

    /// Replaces the annotation of `sentence` by this prediction.
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

    /// Appends the prediction for a later piece of the sentence, whose first word is `start`.
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

/// The index of the largest value; the first of equal ones.
///
/// ```
/// assert_eq!(imn::model::argmax(&[0.2, 0.5, 0.5]), 1);
/// ```
#[must_use]
pub fn argmax(row: &[f32]) -> usize {
    (1..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best })
}
