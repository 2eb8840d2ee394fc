//! What was carried, what was left, and where two annotations disagree.
//!
//! Nothing is dropped silently: every labelled sentence is either carried or listed with a reason.

use serde::Serialize;

use crate::data::{AnnotatedSentence, Polarity, Problem};

/// What came of carrying labels over.
#[derive(Debug, Default)]
pub struct Alignment {
    /// The sentences with raw text, in the order of the labelled ones.
    pub sentences: Vec<AnnotatedSentence>,
    /// For each of them the index of the labelled sentence.
    pub sources: Vec<usize>,
    /// The labelled sentences that could not be carried.
    pub unaligned: Vec<Unaligned>,
    /// How many of `sentences` were found by most of their words only; the others have exactly the same letters and
    /// digits.
    pub nearly: usize,
    /// What was widened or merged on the way.
    pub problems: Vec<Problem>,
    /// How the tokenizer's tokens of the raw text agree with the labelled ones.
    pub agreement: Agreement,
    /// How the XML's aspects agree with the labelled ones.
    pub cross_check: CrossCheck,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn from_one<S: serde::Serializer>(index: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(*index as u64 + 1)
}

/// A sentence that was not carried over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unaligned {
    /// Index of the labelled sentence; stored as its number from 1.
    #[serde(rename = "sentence", serialize_with = "from_one")]
    pub source: usize,
    /// Its text.
    pub text: String,
    /// Why.
    pub reason: String,
}

/// How many sentences have the same tokens, of those that have a letter or digit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// Sentences found in the raw text.
    pub found: usize,
    /// Of these, those that agree on every token with a letter or digit.
    pub agree: usize,
    /// The first disagreement of each of the others: labelled sentence, its token, the tokenizer's.
    pub differ: Vec<(usize, String, String)>,
}

/// How two annotations of the same aspects agree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CrossCheck {
    /// Aspects on the same letters with the same polarity.
    pub same: usize,
    /// What differs.
    pub differ: Vec<Difference>,
}

/// An aspect that two annotations do not agree on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Index of the labelled sentence; stored as its number from 1.
    #[serde(rename = "sentence", serialize_with = "from_one")]
    pub source: usize,
    /// The aspect as it stands in the raw text.
    pub term: String,
    /// The labelled polarity; `None` where the aspect is not labelled.
    pub labelled: Option<Polarity>,
    /// The XML's polarity; `None` where the aspect is not in the XML.
    pub raw: Option<Polarity>,
}
