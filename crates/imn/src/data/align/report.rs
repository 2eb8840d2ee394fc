//! Result of an alignment: aligned and unaligned sentences, and disagreements of the annotations.
//!
//! Nothing is dropped silently: every labelled sentence is either aligned or listed with a reason.

use serde::Serialize;

use crate::data::{AnnotatedSentence, Polarity, Problem};

/// Result of [`align`](super::align).
#[derive(Debug, Default)]
pub struct Alignment {
    /// The aligned sentences, with raw text, in the order of the labelled ones.
    pub sentences: Vec<AnnotatedSentence>,
    /// For each aligned sentence, the index of the labelled one.
    pub sources: Vec<usize>,
    /// The labelled sentences that could not be aligned.
    pub unaligned: Vec<Unaligned>,
    /// Number of `sentences` that were matched by most of their words. The others have exactly the
    /// same letters and digits as their raw sentence.
    pub approximate: usize,
    /// Labels that were extended to whole tokens or merged.
    pub problems: Vec<Problem>,
    /// Agreement of the tokenizer's tokens with the labelled ones.
    pub agreement: Agreement,
    /// Agreement of the aspects of the XML with the labelled ones.
    pub cross_check: CrossCheck,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde requires"
)]
fn from_one<S: serde::Serializer>(index: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(*index as u64 + 1)
}

/// A sentence that could not be aligned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unaligned {
    /// Index of the labelled sentence; serialized as its number from 1.
    #[serde(rename = "sentence", serialize_with = "from_one")]
    pub source: usize,
    /// Text of the labelled sentence.
    pub text: String,
    /// Why it could not be aligned.
    pub reason: String,
}

/// Agreement on the tokens that have a letter or digit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// Number of sentences with an exact match in the raw text.
    pub found: usize,
    /// Number of these that agree on every token with a letter or digit.
    pub agree: usize,
    /// First disagreement of each of the others: index of the labelled sentence, its token, the
    /// token of the tokenizer.
    pub differ: Vec<(usize, String, String)>,
}

/// Agreement of two annotations of the same aspects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CrossCheck {
    /// Number of aspects on the same letters with the same polarity.
    pub same: usize,
    /// Aspects that differ.
    pub differ: Vec<Difference>,
}

/// An aspect on which two annotations disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Index of the labelled sentence; serialized as its number from 1.
    #[serde(rename = "sentence", serialize_with = "from_one")]
    pub source: usize,
    /// The aspect as written in the raw text.
    pub term: String,
    /// The labelled polarity; `None` if the aspect is not labelled.
    pub labelled: Option<Polarity>,
    /// The polarity in the XML; `None` if the XML does not have the aspect.
    pub raw: Option<Polarity>,
}
