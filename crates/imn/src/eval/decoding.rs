//! Converts tags to spans: BA IA* is an aspect, BP IP* an opinion.
//!
//! An inside tag that does not continue a span of its kind is an *orphan*. It is ignored, as in the
//! program of the paper's authors, and counted. The sentiment of an aspect is that of its first
//! token.

use super::SentenceSpans;
use crate::data::{AeTag, Aspect, DecodedTags, Polarity, decode_tags};

impl SentenceSpans {
    /// The token spans of a tagged sentence. `sentiment` returns the polarity of a token and is
    /// called only for the first token of each aspect.
    ///
    /// ```
    /// use imn::data::{AeTag::{BA, BP, IA, IP, O}, Polarity, Span};
    /// use imn::eval::SentenceSpans;
    ///
    /// let spans = SentenceSpans::from_tags(&[BA, IA, O, BP, IA, IP], |_| Some(Polarity::Neutral));
    /// assert_eq!(spans.aspects[0].span, Span::new(0, 2));
    /// assert_eq!(spans.opinions, Some(vec![Span::new(3, 4)]));
    /// assert_eq!(spans.orphans, 2); // IA after BP, and IP after that
    /// ```
    #[must_use]
    pub fn from_tags(tags: &[AeTag], sentiment: impl Fn(usize) -> Option<Polarity>) -> Self {
        let DecodedTags {
            aspects,
            opinions,
            orphans,
        } = decode_tags(tags);
        let aspects = aspects
            .into_iter()
            .map(|span| Aspect {
                span,
                polarity: sentiment(span.start),
            })
            .collect();
        Self {
            aspects,
            opinions: Some(opinions),
            orphans: orphans as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Span;
    use AeTag::{BA, BP, IA, IP, O};

    type Pairs = Vec<(usize, usize)>;

    fn decoded(tags: &[AeTag]) -> (Pairs, Pairs, u64) {
        let spans = SentenceSpans::from_tags(tags, |_| None);
        let pair = |span: Span| (span.start, span.end);
        (
            spans
                .aspects
                .iter()
                .map(|aspect| pair(aspect.span))
                .collect(),
            spans.opinions.unwrap().into_iter().map(pair).collect(),
            spans.orphans,
        )
    }

    #[test]
    fn neighbours_stay_apart() {
        assert_eq!(
            decoded(&[BA, BA, IA, BP, IP, BP]),
            (vec![(0, 1), (1, 3)], vec![(3, 5), (5, 6)], 0)
        );
    }

    #[test]
    fn orphans_are_counted_and_ignored() {
        assert_eq!(decoded(&[IA, IA, O, IP]), (vec![], vec![], 3));
        // An inside tag of the other kind ends the span, and nothing continues it.
        assert_eq!(decoded(&[BA, IP, IA]), (vec![(0, 1)], vec![], 2));
        assert_eq!(decoded(&[BP, O, IP, IP]), (vec![], vec![(0, 1)], 2));
    }

    #[test]
    fn the_first_token_gives_the_sentiment() {
        let sentiments = [Polarity::Neutral, Polarity::Positive, Polarity::Negative];
        let spans = SentenceSpans::from_tags(&[O, BA, IA], |at| sentiments.get(at).copied());
        assert_eq!(spans.aspects[0].polarity, Some(Polarity::Positive));
    }

    #[test]
    fn no_tags_give_no_spans() {
        assert_eq!(decoded(&[]), (vec![], vec![], 0));
    }
}
