//! Precision, recall and F1 of the links between annotated aspects and opinions.

use serde::Serialize;

use super::pairing::{PairingRule, attention_shares, links};
use crate::data::Span;
use crate::eval::{Matches, Prf};
use crate::predict::InferredSentence;

/// The links of one rule, compared with annotated links.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairingScore {
    /// The rule that was scored.
    pub rule: PairingRule,
    /// Numbers of annotated, predicted and correct links.
    pub links: Matches,
    /// Precision, recall and F1, in percent.
    pub scores: Prf,
}

/// Scores every rule on the annotated terms of sentences with links. Empty if no sentence has
/// links. Sentences of more than one piece are skipped.
#[must_use]
pub fn pairing_scores(sentences: &[InferredSentence<'_>]) -> Vec<PairingScore> {
    if sentences
        .iter()
        .all(|inferred| inferred.sentence.links.is_none())
    {
        return Vec::new();
    }
    let score = |rule: PairingRule| {
        let mut matches = Matches::default();
        for inferred in sentences {
            let sentence = inferred.sentence;
            let (Some(expected), Some(output)) = (&sentence.links, inferred.whole()) else {
                continue;
            };
            let aspects: Vec<Span> = sentence.aspects.iter().map(|aspect| aspect.span).collect();
            let opinions = sentence.opinions.as_deref().unwrap_or_default();
            let shares =
                attention_shares(&output.attention, sentence.tokens.len(), &aspects, opinions);
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
