//! Size of a set of annotated sentences, for comparison with published figures.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::data::{AnnotatedSentence, Polarity, encode_tags};

/// Counts of one set of annotated sentences.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// Sentences that could be read.
    pub sentences: usize,
    /// Sentences without an aspect.
    pub without_aspect: usize,
    /// Tokens of all sentences.
    pub tokens: usize,
    /// Tokens of the longest sentence.
    pub longest: usize,
    /// Aspect terms.
    pub aspects: usize,
    /// Aspect terms by polarity.
    pub polarities: BTreeMap<Polarity, usize>,
    /// Opinion terms; `None` if no sentence has annotated opinions.
    pub opinions: Option<usize>,
    /// Links; `None` if no sentence has annotated links.
    pub links: Option<usize>,
    /// Tokens in an aspect and in an opinion; tags assign them to the aspect.
    pub shared_tokens: usize,
    /// Category opinions.
    pub categories: usize,
}

/// Counts sentences and their annotation.
///
/// ```
/// use imn::data::{AnnotatedSentence, check::count};
///
/// let counts = count(&[AnnotatedSentence::from_text("Great soup!")]);
/// assert_eq!((counts.sentences, counts.tokens, counts.opinions), (1, 3, None));
/// ```
#[must_use]
pub fn count(sentences: &[AnnotatedSentence]) -> Counts {
    let mut counts = Counts {
        sentences: sentences.len(),
        ..Counts::default()
    };
    for sentence in sentences {
        counts.without_aspect += usize::from(sentence.aspects.is_empty());
        counts.tokens += sentence.tokens.len();
        counts.longest = counts.longest.max(sentence.tokens.len());
        counts.aspects += sentence.aspects.len();
        for polarity in sentence.aspects.iter().filter_map(|a| a.polarity) {
            *counts.polarities.entry(polarity).or_default() += 1;
        }
        if let Some(opinions) = &sentence.opinions {
            *counts.opinions.get_or_insert(0) += opinions.len();
        }
        if let Some(links) = &sentence.links {
            *counts.links.get_or_insert(0) += links.len();
        }
        counts.shared_tokens += encode_tags(sentence).shared_tokens;
        counts.categories += sentence.extra.categories.len();
    }
    counts
}
