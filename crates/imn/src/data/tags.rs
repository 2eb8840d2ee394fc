//! Y^ae = {BA, IA, BP, IP, O}: the five token tags of aspect and opinion co-extraction.
//!
//! Tags can represent less than spans. The rules, which follow the program of the paper's authors
//! where it has one:
//!
//! - A token in an aspect and in an opinion gets the tag of the aspect. The rest of the opinion may
//!   then start with an inside tag, which is ignored in decoding.
//! - If two spans of the same kind share a token, the one that starts first is kept, or the longer
//!   one if both start at the same token. The other is left out and counted.
//! - In decoding, a span is a begin tag and the inside tags of the same kind directly after it. An
//!   inside tag without a begin tag is ignored and counted.

use serde::{Deserialize, Serialize};

use super::{AnnotatedSentence, Polarity, Span};

/// The tag of one token. The discriminants are the class indices of the AE decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum AeTag {
    /// Begins an aspect term.
    BA = 0,
    /// Inside an aspect term.
    IA = 1,
    /// Begins an opinion term.
    BP = 2,
    /// Inside an opinion term.
    IP = 3,
    /// Outside of all terms.
    O = 4,
}

impl AeTag {
    /// All tags in the order of their class indices.
    pub const ALL: [Self; 5] = [Self::BA, Self::IA, Self::BP, Self::IP, Self::O];

    /// The class index.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The tag with this class index.
    #[must_use]
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }
}

/// The tags of a sentence, and what they cannot represent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EncodedTags {
    /// One tag per token.
    pub tags: Vec<AeTag>,
    /// Indices of aspects left out because they share a token with another one.
    pub lost_aspects: Vec<usize>,
    /// Indices of opinions left out because they share a token with another one.
    pub lost_opinions: Vec<usize>,
    /// Number of tokens in an aspect and in an opinion.
    pub shared_tokens: usize,
}

/// The spans that a sequence of tags represents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecodedTags {
    /// Token spans of aspects, in order.
    pub aspects: Vec<Span>,
    /// Token spans of opinions, in order.
    pub opinions: Vec<Span>,
    /// Number of inside tags without a begin tag, which were ignored.
    pub orphans: usize,
}

/// Encodes the aspects and opinions of a sentence as five-class tags, by the rules of this module.
///
/// ```
/// use imn::data::{AeTag::*, AnnotatedSentence, Aspect, Span, encode_tags};
///
/// let mut sentence = AnnotatedSentence::from_words(["great", "red", "wine"]);
/// sentence.aspects.push(Aspect { span: Span::new(1, 3), polarity: None });
/// sentence.opinions = Some(vec![Span::new(0, 2)]);
/// let encoded = encode_tags(&sentence);
/// assert_eq!(encoded.tags, [BP, BA, IA]);
/// assert_eq!(encoded.shared_tokens, 1);
/// ```
#[must_use]
pub fn encode_tags(sentence: &AnnotatedSentence) -> EncodedTags {
    let length = sentence.tokens.len();
    let aspects: Vec<Span> = sentence.aspects.iter().map(|aspect| aspect.span).collect();
    let (aspect_tags, lost_aspects) = begin_inside(&aspects, length);
    let (opinion_tags, lost_opinions) =
        begin_inside(sentence.opinions.as_deref().unwrap_or_default(), length);
    let mut shared_tokens = 0;
    let tags = aspect_tags
        .into_iter()
        .zip(opinion_tags)
        .map(|(aspect, opinion)| match (aspect, opinion) {
            (Some(begins), _) => {
                shared_tokens += usize::from(opinion.is_some());
                if begins { AeTag::BA } else { AeTag::IA }
            }
            (None, Some(true)) => AeTag::BP,
            (None, Some(false)) => AeTag::IP,
            (None, None) => AeTag::O,
        })
        .collect();
    EncodedTags {
        tags,
        lost_aspects,
        lost_opinions,
        shared_tokens,
    }
}

/// For every token, whether a span begins (`Some(true)`) or continues (`Some(false)`) there. Also
/// the indices of the spans that are left out because they overlap another one or are out of
/// bounds.
pub(super) fn begin_inside(spans: &[Span], length: usize) -> (Vec<Option<bool>>, Vec<usize>) {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    let key = |i: &usize| spans.get(*i).map(|s| (s.start, std::cmp::Reverse(s.end)));
    order.sort_by_key(key);
    let mut marks = vec![None; length];
    let mut lost = Vec::new();
    let mut free_from = 0;
    for i in order {
        let Some(span) = spans.get(i) else { continue };
        match marks.get_mut(span.start..span.end) {
            Some(tokens) if span.start >= free_from && !tokens.is_empty() => {
                for (j, token) in tokens.iter_mut().enumerate() {
                    *token = Some(j == 0);
                }
                free_from = span.end;
            }
            _ => lost.push(i),
        }
    }
    lost.sort_unstable();
    (marks, lost)
}

/// Decodes five-class tags to spans.
///
/// ```
/// use imn::data::{AeTag::*, Span, decode_tags};
///
/// let decoded = decode_tags(&[IA, BA, IA, IP, BP, BP]);
/// assert_eq!(decoded.aspects, [Span::new(1, 3)]);
/// assert_eq!(decoded.opinions, [Span::new(4, 5), Span::new(5, 6)]);
/// assert_eq!(decoded.orphans, 2);
/// ```
#[must_use]
pub fn decode_tags(tags: &[AeTag]) -> DecodedTags {
    let (aspects, lone_aspects) = spans_of_tags(tags.iter().map(|tag| match tag {
        AeTag::BA => Some(true),
        AeTag::IA => Some(false),
        _ => None,
    }));
    let (opinions, lone_opinions) = spans_of_tags(tags.iter().map(|tag| match tag {
        AeTag::BP => Some(true),
        AeTag::IP => Some(false),
        _ => None,
    }));
    DecodedTags {
        aspects,
        opinions,
        orphans: lone_aspects.len() + lone_opinions.len(),
    }
}

/// Decodes the begin (`Some(true)`), inside (`Some(false)`) and other (`None`) tags of one kind to
/// spans. Also returns the positions of inside tags without a begin tag.
pub(crate) fn spans_of_tags(
    tags: impl IntoIterator<Item = Option<bool>>,
) -> (Vec<Span>, Vec<usize>) {
    let mut spans: Vec<Span> = Vec::new();
    let mut orphans = Vec::new();
    for (at, tag) in tags.into_iter().enumerate() {
        match tag {
            Some(true) => spans.push(Span::new(at, at + 1)),
            Some(false) => match spans.last_mut() {
                Some(span) if span.end == at => span.end = at + 1,
                _ => orphans.push(at),
            },
            None => {}
        }
    }
    (spans, orphans)
}

/// The AS label of every token: the polarity of its aspect in the five-class tags. `None` outside
/// aspects, and for aspects without a polarity.
#[must_use]
pub(crate) fn sentiment_labels(sentence: &AnnotatedSentence) -> Vec<Option<Polarity>> {
    let lost = encode_tags(sentence).lost_aspects;
    let mut labels = vec![None; sentence.tokens.len()];
    for (i, aspect) in sentence.aspects.iter().enumerate() {
        if lost.binary_search(&i).is_ok() {
            continue;
        }
        if let Some(tokens) = labels.get_mut(aspect.span.start..aspect.span.end) {
            tokens.fill(aspect.polarity);
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::AeTag::{BA, BP, IA, IP, O};
    use super::*;
    use crate::data::Aspect;

    fn sentence(
        length: usize,
        aspects: &[(usize, usize)],
        opinions: &[(usize, usize)],
    ) -> AnnotatedSentence {
        let mut sentence = AnnotatedSentence::from_words(vec!["w"; length]);
        sentence.aspects = aspects
            .iter()
            .map(|&(s, e)| Aspect {
                span: Span::new(s, e),
                polarity: Some(Polarity::Negative),
            })
            .collect();
        sentence.opinions = Some(opinions.iter().map(|&(s, e)| Span::new(s, e)).collect());
        sentence
    }

    #[test]
    fn aspects_come_first() {
        // The first token of the opinion is an aspect, so the rest has no begin tag.
        let encoded = encode_tags(&sentence(5, &[(1, 2)], &[(1, 3), (4, 5)]));
        assert_eq!(encoded.tags, [O, BA, IP, O, BP]);
        assert_eq!(encoded.shared_tokens, 1);
        let decoded = decode_tags(&encoded.tags);
        assert_eq!(decoded.opinions, [Span::new(4, 5)]);
        assert_eq!(decoded.orphans, 1);
    }

    #[test]
    fn neighbours_stay_apart() {
        let encoded = encode_tags(&sentence(4, &[(0, 1), (1, 3)], &[(3, 4)]));
        assert_eq!(encoded.tags, [BA, BA, IA, BP]);
        assert_eq!(
            decode_tags(&encoded.tags).aspects,
            [Span::new(0, 1), Span::new(1, 3)]
        );
    }

    #[test]
    fn crossing_spans_are_left_out_and_counted() {
        let mut crossing = sentence(5, &[(2, 4), (1, 3), (1, 2)], &[(9, 12), (2, 2)]);
        crossing.aspects[0].polarity = Some(Polarity::Positive);
        let encoded = encode_tags(&crossing);
        assert_eq!(encoded.tags, [O, BA, IA, O, O]);
        assert_eq!(encoded.lost_aspects, [0, 2]);
        assert_eq!(encoded.lost_opinions, [0, 1]);
        let negative = Some(Polarity::Negative);
        assert_eq!(
            sentiment_labels(&crossing),
            [None, negative, negative, None, None]
        );
    }

    proptest! {
        #[test]
        fn decoding_never_fails_and_gives_disjoint_spans(
            indices in prop::collection::vec(0_usize..5, 0..30)
        ) {
            let tags: Vec<AeTag> =
                indices.into_iter().map(|i| AeTag::from_index(i).unwrap()).collect();
            let decoded = decode_tags(&tags);
            for spans in [&decoded.aspects, &decoded.opinions] {
                prop_assert!(spans.windows(2).all(|w| w[0].end <= w[1].start));
                prop_assert!(spans.iter().all(|s| !s.is_empty() && s.end <= tags.len()));
            }
            let spans = decoded.aspects.iter().chain(&decoded.opinions);
            let covered: usize = spans.map(|s| s.len()).sum();
            let outside = tags.iter().filter(|t| **t == O).count();
            prop_assert_eq!(covered + outside + decoded.orphans, tags.len());
        }
    }
}
