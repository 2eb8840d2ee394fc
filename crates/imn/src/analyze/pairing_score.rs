//! How often the opinions that are said to be about an aspect are: precision, recall and F1 of links, given the terms.

use serde::Serialize;

use super::pairing::{PairingRule, attention_shares, links};
use crate::data::Span;
use crate::eval::{Matches, Prf};
use crate::predict::ReadSentence;

/// The links of one rule against those of the annotation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairingScore {
    /// The rule.
    pub rule: PairingRule,
    /// Links of the annotation, of the rule, and of both.
    pub links: Matches,
    /// Precision, recall and F1, in percent.
    pub scores: Prf,
}

/// Scores every rule on sentences with links, with the terms of the annotation; empty where no
/// sentence has links. Sentences too long to be read at once are left out.
#[must_use]
pub fn pairing_scores(read: &[ReadSentence<'_>]) -> Vec<PairingScore> {
    if read.iter().all(|read| read.sentence.links.is_none()) {
        return Vec::new();
    }
    let score = |rule: PairingRule| {
        let mut matches = Matches::default();
        for read in read {
            let sentence = read.sentence;
            let (Some(expected), Some(reading)) = (&sentence.links, read.whole()) else {
                continue;
            };
            let aspects: Vec<Span> = sentence.aspects.iter().map(|aspect| aspect.span).collect();
            let opinions = sentence.opinions.as_deref().unwrap_or_default();
            let shares = attention_shares(
                &reading.attention,
                sentence.tokens.len(),
                &aspects,
                opinions,
            );
            let words: Vec<&str> = sentence.words().collect();
            let found = links(rule, &shares, &words, &aspects, opinions);
            let right = found.iter().filter(|link| expected.contains(link));
            matches.correct += right.count() as u64;
            matches.predicted += found.len() as u64;
            matches.gold += expected.len() as u64;
        }
        PairingScore {
            rule,
            links: matches,
            scores: matches.prf(),
        }
    };
    PairingRule::ALL.into_iter().map(score).collect()
}
