//! A sentence or document with its labels.

use std::ops::Range;

use super::{GoldLabels, Labels, SoftLabels, TagSet};
use crate::data::{
    AeTag, AnnotatedSentence, DecodedTags, Sentiment, Span, decode_tags, encode_tags,
    sentiment_labels,
};
use crate::features::{Features, Featurizer, Limits};

/// A sentence as the input of a network: with all labels in training, without labels in inference.
/// For a classifier, it has the aspects to classify.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Example {
    /// Input of the encoder.
    pub features: Features,
    /// Tags and sentiments of its words.
    pub labels: Labels,
    /// P^op, the probability that each word is part of an opinion term: from the labels in
    /// training, where gold ones give 0 or 1; predicted by an extractor in inference. Empty if
    /// opinions are not known.
    pub opinion: Vec<f32>,
    /// Spans of the aspects: from gold labels in training, predicted by an extractor in inference.
    pub aspects: Vec<Span>,
    /// Index of its annotation scheme; 0 without schemes.
    pub scheme: u32,
}

impl Example {
    /// A training sentence.
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
            labels: Labels::Gold(GoldLabels {
                tags: known,
                polarities: sentiment_labels(sentence)
                    .into_iter()
                    .map(|polarity| Some(Sentiment::try_from(polarity?).ok()?.class()))
                    .collect(),
            }),
            opinion,
            aspects,
            scheme: 0,
        }
    }

    /// A sentence without labels, for inference.
    #[must_use]
    pub fn unlabelled(features: Features) -> Self {
        Self {
            labels: Labels::Gold(GoldLabels {
                tags: vec![AeTag::O; features.len()],
                polarities: vec![None; features.len()],
            }),
            features,
            ..Self::default()
        }
    }

    /// A sentence that a teacher has labelled.
    #[must_use]
    pub fn taught(features: Features, labels: SoftLabels, tags: TagSet) -> Self {
        Self {
            features,
            opinion: labels.opinion(tags),
            labels: Labels::Soft(labels),
            ..Self::default()
        }
    }

    /// The example with another annotation scheme.
    #[must_use]
    pub fn in_scheme(self, scheme: u32) -> Self {
        Self { scheme, ..self }
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether the sentence has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The gold tag of every word; empty if the labels are soft.
    #[must_use]
    pub fn tags(&self) -> &[AeTag] {
        match &self.labels {
            Labels::Gold(gold) => &gold.tags,
            Labels::Soft(_) => &[],
        }
    }

    /// The gold sentiment class of every word; empty if the labels are soft.
    #[must_use]
    pub fn polarities(&self) -> &[Option<u32>] {
        match &self.labels {
            Labels::Gold(gold) => &gold.polarities,
            Labels::Soft(_) => &[],
        }
    }

    /// The labels of a teacher.
    #[must_use]
    pub fn soft_labels(&self) -> Option<&SoftLabels> {
        match &self.labels {
            Labels::Gold(_) => None,
            Labels::Soft(soft) => Some(soft),
        }
    }

    /// The sentiment class of an aspect: that of its first word.
    #[must_use]
    pub fn class(&self, aspect: Span) -> Option<u32> {
        self.polarities().get(aspect.start).copied().flatten()
    }

    /// Splits the sentence into pieces within the limits, each with the index of its first word. An
    /// aspect belongs to the piece in which it begins.
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
                labels: self.labels.slice(range.clone()),
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
    /// Input of the encoder.
    pub features: Features,
    /// Index of its sentiment in [`Sentiment::CLASSES`], or of its domain.
    pub class: u32,
}
