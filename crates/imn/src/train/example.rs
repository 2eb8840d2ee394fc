//! Sentences and documents as the network learns from them.

use crate::data::{
    AeTag, AnnotatedSentence, DocumentLabel, Polarity, encode_tags, sentiment_labels,
};
use crate::model::TagSet;
use crate::predict::LONGEST;
use crate::text::Vocabulary;

/// A sentence with its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The number of every word.
    pub words: Vec<u32>,
    /// The AE class of every word.
    pub tags: Vec<Option<u32>>,
    /// The AS class of every word of an aspect; none for *conflict* and for words outside aspects.
    pub polarities: Vec<Option<u32>>,
    /// Whether a word is part of an opinion term.
    pub opinions: Vec<bool>,
    /// The number of its annotation scheme; 0 where there are none.
    pub scheme: u32,
}

impl Example {
    /// From an annotated sentence.
    #[must_use]
    pub fn new(sentence: &AnnotatedSentence, vocabulary: &Vocabulary, tag_set: TagSet) -> Self {
        let tags = encode_tags(sentence).tags;
        Self {
            words: sentence.words().map(|word| vocabulary.id(word)).collect(),
            tags: tags.iter().map(|&tag| Some(tag_set.class(tag))).collect(),
            polarities: sentiment_labels(sentence)
                .into_iter()
                .map(polarity_class)
                .collect(),
            opinions: tags
                .iter()
                .map(|tag| matches!(tag, AeTag::BP | AeTag::IP))
                .collect(),
            scheme: 0,
        }
    }

    /// The same in an annotation scheme.
    #[must_use]
    pub fn in_scheme(self, scheme: u32) -> Self {
        Self { scheme, ..self }
    }
}

impl Example {
    /// The sentence in the pieces that the network reads at once: one, unless it is very long.
    pub(super) fn pieces(self) -> Vec<Self> {
        if self.words.len() <= LONGEST {
            return vec![self];
        }
        (0..self.words.len())
            .step_by(LONGEST)
            .map(|start| {
                let range = start..self.words.len().min(start + LONGEST);
                Self {
                    words: self.words[range.clone()].to_vec(),
                    tags: self.tags[range.clone()].to_vec(),
                    polarities: self.polarities[range.clone()].to_vec(),
                    opinions: self.opinions[range].to_vec(),
                    scheme: self.scheme,
                }
            })
            .collect()
    }
}

/// The AS class of a polarity.
fn polarity_class(polarity: Option<Polarity>) -> Option<u32> {
    match polarity? {
        Polarity::Positive => Some(0),
        Polarity::Negative => Some(1),
        Polarity::Neutral => Some(2),
        Polarity::Conflict => None,
    }
}

/// A document with its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentExample {
    /// The number of every word.
    pub words: Vec<u32>,
    /// The class: of the sentiment (in the order of the AS classes) or of the domain.
    pub class: u32,
}

/// The DS class of a label.
pub(super) fn label_class(label: DocumentLabel) -> u32 {
    match label {
        DocumentLabel::Positive => 0,
        DocumentLabel::Negative => 1,
        DocumentLabel::Neutral => 2,
    }
}
