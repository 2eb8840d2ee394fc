//! A sentence or a document with what is known of it.

use std::ops::Range;

use super::TagSet;
use crate::data::{
    AeTag, AnnotatedSentence, DecodedTags, Sentiment, Span, decode_tags, encode_tags,
    sentiment_labels,
};
use crate::features::{Features, Featurizer, Limits};

/// A sentence with what is known of it: all its labels in training, none in use, and for a classifier
/// the aspects that it is to judge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Example {
    /// What the encoder reads.
    pub features: Features,
    /// The tag of every word; all O in use.
    pub tags: Vec<AeTag>,
    /// The sentiment class of every word of an aspect; none for *conflict*, outside aspects, and in
    /// use.
    pub polarities: Vec<Option<u32>>,
    /// P^op, how likely every word is part of an opinion term: 0 or 1 by the labels in training, an
    /// extractor's probabilities in use. Empty where nothing is known of opinions.
    pub opinion: Vec<f32>,
    /// Where the aspects are: labels in training, an extractor's in use.
    pub aspects: Vec<Span>,
    /// The number of its annotation scheme; 0 where there are none.
    pub scheme: u32,
}

impl Example {
    /// A sentence to learn from.
    #[must_use]
    pub fn labelled(sentence: &AnnotatedSentence, featurizer: &Featurizer, tags: TagSet) -> Self {
        let all = encode_tags(sentence).tags;
        let opinion = all.iter().map(|tag| match tag {
            AeTag::BP | AeTag::IP => 1.0,
            AeTag::BA | AeTag::IA | AeTag::O => 0.0,
        });
        let opinion = match (tags, &sentence.opinions) {
            (TagSet::AspectsAndOpinions, Some(_)) => opinion.collect(),
            _ => Vec::new(),
        };
        let known: Vec<AeTag> = all.iter().map(|&tag| tags.known(tag)).collect();
        let DecodedTags { aspects, .. } = decode_tags(&known);
        Self {
            features: featurizer.sentence(sentence),
            tags: known,
            polarities: sentiment_labels(sentence)
                .into_iter()
                .map(|polarity| Some(Sentiment::try_from(polarity?).ok()?.class()))
                .collect(),
            opinion,
            aspects,
            scheme: 0,
        }
    }

    /// A sentence to read: its words only.
    #[must_use]
    pub fn unlabelled(features: Features) -> Self {
        Self {
            tags: vec![AeTag::O; features.len()],
            polarities: vec![None; features.len()],
            features,
            ..Self::default()
        }
    }

    /// The same in an annotation scheme.
    #[must_use]
    pub fn in_scheme(self, scheme: u32) -> Self {
        Self { scheme, ..self }
    }

    /// The number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether it has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The sentiment class of an aspect: that of its first word.
    #[must_use]
    pub fn class(&self, aspect: Span) -> Option<u32> {
        self.polarities.get(aspect.start).copied().flatten()
    }

    /// The sentence in pieces within the limits, each with the number of its first word. An aspect
    /// belongs to the piece where it begins.
    #[must_use]
    pub fn pieces(self, limits: Limits) -> Vec<(usize, Self)> {
        let windows = self.features.windows(limits);
        if let [_] = windows.as_slice() {
            return vec![(0, self)];
        }
        let piece = |range: Range<usize>| {
            let start = range.start;
            let begins = |aspect: &&Span| range.contains(&aspect.start);
            let aspects = self.aspects.iter().filter(begins);
            let inside = |aspect: &Span| {
                let end = aspect.end.min(range.end);
                Span::new(aspect.start - start, end - start)
            };
            let piece = Self {
                features: self.features.slice(range.clone()),
                tags: self.tags[range.clone()].to_vec(),
                polarities: self.polarities[range.clone()].to_vec(),
                opinion: match self.opinion.as_slice() {
                    [] => Vec::new(),
                    known => known[range.clone()].to_vec(),
                },
                aspects: aspects.map(inside).collect(),
                scheme: self.scheme,
            };
            (start, piece)
        };
        windows.into_iter().map(piece).collect()
    }
}

/// A document with its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentExample {
    /// What the encoder reads.
    pub features: Features,
    /// The class: of the sentiment (in the order of the AS classes) or of the domain.
    pub class: u32,
}
