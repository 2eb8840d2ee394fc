//! w_ij = Σ_{t ∈ aspect i} Σ_{u ∈ opinion j} A_tu · n_ij, over j to the sum 1: which opinion is about which aspect.
//!
//! A is the self-attention of AS, which opinion transmission turns towards opinion words; n_ij is how near the two terms stand. Neither was
//! trained on links.

use serde::{Deserialize, Serialize};

use crate::data::{Link, Span};

/// How opinions are weighed for an aspect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairingRule {
    /// By attention alone.
    Attention,
    /// By nearness alone: 1 / words from term to term.
    Nearness,
    /// By both.
    #[default]
    Both,
}

impl PairingRule {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Attention, Self::Nearness, Self::Both];
}

/// The weight of every opinion for every aspect of a sentence of `words` words: a row an aspect, each of the sum 1. `attention` is A.
#[must_use]
pub fn weights(
    rule: PairingRule,
    attention: &[f32],
    words: usize,
    aspects: &[Span],
    opinions: &[Span],
) -> Vec<Vec<f32>> {
    let weigh = |aspect: &Span, opinion: &Span| {
        let looks = |word: usize| -> f32 {
            attention[word * words..][opinion.start..opinion.end]
                .iter()
                .sum()
        };
        // A mean, not a sum: a long opinion is not a better one.
        let looks = || {
            let sum: f32 = (aspect.start..aspect.end).map(looks).sum();
            sum / (aspect.len() * opinion.len()) as f32
        };
        match rule {
            PairingRule::Attention => looks(),
            PairingRule::Nearness => nearness(*aspect, *opinion),
            PairingRule::Both => looks() * nearness(*aspect, *opinion),
        }
    };
    aspects
        .iter()
        .map(|aspect| {
            let mut row: Vec<f32> = opinions
                .iter()
                .map(|opinion| weigh(aspect, opinion))
                .collect();
            let sum: f32 = row.iter().sum();
            let even = 1.0 / row.len().max(1) as f32;
            for weight in &mut row {
                *weight = if sum > 0.0 { *weight / sum } else { even };
            }
            row
        })
        .collect()
}

/// 1 / d, where d = 1 for neighbours.
fn nearness(a: Span, b: Span) -> f32 {
    let apart = b
        .start
        .saturating_sub(a.end)
        .max(a.start.saturating_sub(b.end));
    1.0 / (apart + 1) as f32
}

/// Opinions that are about an aspect: the weightiest, and every other with at least `share` of its weight.
#[must_use]
pub fn links(weights: &[Vec<f32>], share: f32) -> Vec<Link> {
    let mut links = Vec::new();
    for (aspect, row) in weights.iter().enumerate() {
        let most = row.iter().copied().fold(0.0, f32::max);
        let about = row
            .iter()
            .enumerate()
            .filter(|&(_, &weight)| weight >= most * share);
        links.extend(about.map(|(opinion, _)| Link { aspect, opinion }));
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "soup great , staff slow": the second aspect looks at the first opinion.
    fn sentence() -> (Vec<f32>, [Span; 2], [Span; 2]) {
        let mut attention = vec![0.0; 25];
        (attention[1], attention[4]) = (0.8, 0.2);
        (attention[3 * 5 + 1], attention[3 * 5 + 4]) = (0.6, 0.4);
        let aspects = [Span::new(0, 1), Span::new(3, 4)];
        (attention, aspects, [Span::new(1, 2), Span::new(4, 5)])
    }

    #[test]
    fn weights_are_shares_of_attention_and_nearness() {
        let (attention, aspects, opinions) = sentence();
        let of = |rule| weights(rule, &attention, 5, &aspects, &opinions);
        let close = |row: &[f32], expected: [f32; 2]| {
            row.iter()
                .zip(expected)
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-6, "{row:?}"));
        };
        close(&of(PairingRule::Attention)[0], [0.8, 0.2]);
        close(&of(PairingRule::Attention)[1], [0.6, 0.4]);
        // Neighbours count 1; "staff" is one word away from "great", "soup" three from "slow".
        close(&of(PairingRule::Nearness)[1], [1.0 / 3.0, 2.0 / 3.0]);
        close(&of(PairingRule::Nearness)[0], [0.8, 0.2]);
        close(&of(PairingRule::Both)[1], [0.3 / 0.7, 0.4 / 0.7]);
    }

    #[test]
    fn links_follow_the_weightiest_opinions() {
        let rows = vec![vec![0.8, 0.2], vec![0.45, 0.55]];
        let link = |aspect, opinion| Link { aspect, opinion };
        assert_eq!(links(&rows, 1.0), [link(0, 0), link(1, 1)]);
        assert_eq!(links(&rows, 0.5), [link(0, 0), link(1, 0), link(1, 1)]);
        assert_eq!(links(&[vec![], vec![]], 0.5), []);
    }

    #[test]
    fn attention_that_sees_no_opinion_is_shared_evenly() {
        let (_, aspects, opinions) = sentence();
        let rows = weights(PairingRule::Both, &[0.0; 25], 5, &aspects, &opinions);
        assert_eq!(rows, [[0.5, 0.5], [0.5, 0.5]]);
    }
}
