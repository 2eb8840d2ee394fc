//! Which opinion is about which aspect, by the cost c_ij = d_ij / a_ij^α.
//!
//! a_ij is the share of aspect i's attention that opinion j receives: the self-attention of AS,
//! which opinion transmission directs towards opinion words, averaged over the words of both terms
//! and normalized over j. d_ij is the distance between the terms in words, where a clause boundary
//! between them counts as many words: "the soup was hot, but the staff cold". Aspect and opinion
//! are linked if the opinion is the aspect's cheapest or the aspect is the opinion's cheapest. No
//! rule is trained on links; the constants were chosen on sentences written for this purpose
//! (`tests/pairing`), and `imn evaluate` scores every rule on data with links.

use serde::{Deserialize, Serialize};

use crate::data::{Link, Span};

/// The cost that determines links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairingRule {
    /// 1 / a_ij: the opinion that receives the most attention.
    Attention,
    /// The nearest opinion, in words.
    Nearest,
    /// d_ij: the nearest opinion, with clause boundaries counted.
    Clauses,
    /// d_ij / a_ij^α: clause boundaries and attention.
    #[default]
    Both,
}

impl PairingRule {
    /// All rules.
    pub const ALL: [Self; 4] = [Self::Attention, Self::Nearest, Self::Clauses, Self::Both];

    /// Name in tables of scores.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Attention => "attention",
            Self::Nearest => "the nearest opinion",
            Self::Clauses => "clauses",
            Self::Both => "clauses and attention",
        }
    }
}

/// α of [`PairingRule::Both`].
const ALPHA: f32 = 0.5;
/// Additional distance of a comma, in words.
const COMMA: f32 = 3.0;
/// Additional distance of a clause boundary, in words.
const CLAUSE: f32 = 16.0;
/// Additional distance of an opinion before its aspect, in words: of two equally near opinions, the
/// later one is meant slightly more often.
const BEFORE: f32 = 0.5;

/// The distance that a word between two terms adds.
fn length(word: &str) -> f32 {
    const CLAUSES: [&str; 12] = [
        "but", "while", "although", "though", "yet", "however", "whereas", "despite", "except",
        ";", ":", ".",
    ];
    if word == "," {
        1.0 + COMMA
    } else if CLAUSES
        .iter()
        .any(|clause| word.eq_ignore_ascii_case(clause))
        || word.bytes().all(|b| b == b'-')
    {
        1.0 + CLAUSE
    } else {
        1.0
    }
}

/// The share of each opinion in each aspect's attention to all opinions of a sentence: one row per
/// aspect, which sums to 1. `attention` is A of the sentence's `words` words, row by row.
///
/// # Panics
/// If a span is not inside the sentence, or `attention` has fewer than `words`² values.
#[must_use]
pub fn attention_shares(
    attention: &[f32],
    words: usize,
    aspects: &[Span],
    opinions: &[Span],
) -> Vec<Vec<f32>> {
    let mean_attention = |aspect: &Span, opinion: &Span| {
        let row = |word: usize| -> f32 {
            let row = &attention[word * words..][opinion.start..opinion.end];
            row.iter().sum()
        };
        // A mean, so that long opinions are not preferred.
        let sum: f32 = (aspect.start..aspect.end).map(row).sum();
        sum / (aspect.len() * opinion.len()) as f32
    };
    aspects
        .iter()
        .map(|aspect| {
            let mut row: Vec<f32> = opinions
                .iter()
                .map(|opinion| mean_attention(aspect, opinion))
                .collect();
            let sum: f32 = row.iter().sum();
            let even = 1.0 / row.len().max(1) as f32;
            for share in &mut row {
                *share = if sum > 0.0 { *share / sum } else { even };
            }
            row
        })
        .collect()
}

/// The links of a sentence with these words and terms. `shares` are its [`attention_shares`].
///
/// ```
/// use imn::analyze::pairing::{PairingRule, links};
/// use imn::data::{Link, Span};
///
/// let words = ["good", "soup", ",", "slow", "staff"];
/// let aspects = [Span::new(1, 2), Span::new(4, 5)];
/// let opinions = [Span::new(0, 1), Span::new(3, 4)];
/// let shares = [vec![0.5, 0.5], vec![0.5, 0.5]];
/// let found = links(PairingRule::Clauses, &shares, &words, &aspects, &opinions);
/// assert_eq!(found, [Link { aspect: 0, opinion: 0 }, Link { aspect: 1, opinion: 1 }]);
/// ```
///
/// # Panics
/// If a span is not inside the sentence, or `shares` is not one row per aspect with one value per
/// opinion.
#[must_use]
pub fn links(
    rule: PairingRule,
    shares: &[Vec<f32>],
    words: &[&str],
    aspects: &[Span],
    opinions: &[Span],
) -> Vec<Link> {
    // Cumulative distance of each word from the start, so that a distance is a difference.
    let mut position = Vec::with_capacity(words.len() + 1);
    position.push(0.0);
    for word in words {
        position.push(position[position.len() - 1] + length(word));
    }
    let between = |a: Span, b: Span| {
        let apart = |from: usize, to: usize| match rule {
            PairingRule::Nearest => to.saturating_sub(from) as f32,
            _ if from < to => position[to] - position[from],
            _ => 0.0,
        };
        1.0 + apart(a.end, b.start).max(apart(b.end, a.start))
    };
    let cost = |i: usize, j: usize| {
        let share = shares[i][j].max(1e-6);
        let before = if opinions[j].start < aspects[i].start {
            BEFORE
        } else {
            0.0
        };
        match rule {
            PairingRule::Attention => 1.0 / share,
            PairingRule::Nearest => between(aspects[i], opinions[j]),
            PairingRule::Clauses => between(aspects[i], opinions[j]) + before,
            PairingRule::Both => (between(aspects[i], opinions[j]) + before) / share.powf(ALPHA),
        }
    };
    let costs: Vec<Vec<f32>> = (0..aspects.len())
        .map(|i| (0..opinions.len()).map(|j| cost(i, j)).collect())
        .collect();
    let cheapest = |costs: &mut dyn Iterator<Item = f32>| costs.fold(f32::INFINITY, f32::min);
    let of_opinion: Vec<f32> = (0..opinions.len())
        .map(|j| cheapest(&mut costs.iter().map(|row| row[j])))
        .collect();
    let mut links = Vec::new();
    for (aspect, row) in costs.iter().enumerate() {
        let of_aspect = cheapest(&mut row.iter().copied());
        for (opinion, &cost) in row.iter().enumerate() {
            // The simple rules link each aspect to its cheapest opinion only.
            let both_ways = matches!(rule, PairingRule::Clauses | PairingRule::Both);
            if cost <= of_aspect || both_ways && cost <= of_opinion[opinion] {
                links.push(Link { aspect, opinion });
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 9] = [
        "soup", "hot", "and", "good", ",", "but", "staff", "really", "cold",
    ];

    fn spans(at: &[usize]) -> Vec<Span> {
        at.iter().map(|&at| Span::new(at, at + 1)).collect()
    }

    #[test]
    fn shares_divide_the_attention_to_opinions() {
        let mut attention = vec![0.0; 81];
        (attention[1], attention[3], attention[8], attention[5]) = (0.4, 0.3, 0.1, 0.2);
        let shares = attention_shares(&attention, 9, &spans(&[0, 6]), &spans(&[1, 3, 8]));
        for (share, expected) in shares[0].iter().zip([0.5, 0.375, 0.125]) {
            assert!((share - expected).abs() < 1e-6, "{shares:?}");
        }
        // Without attention to any opinion, the shares are equal.
        assert!(
            shares[1]
                .iter()
                .all(|share| (share - 1.0 / 3.0).abs() < 1e-6)
        );
        assert_eq!(
            attention_shares(&attention, 9, &spans(&[0]), &[]),
            [Vec::<f32>::new()]
        );
    }

    #[test]
    fn an_opinion_belongs_to_its_clause() {
        let (aspects, opinions) = (spans(&[0, 6]), spans(&[1, 3, 8]));
        // Attention alone gives the wrong opinion for the staff.
        let shares = [vec![0.5, 0.4, 0.1], vec![0.5, 0.3, 0.2]];
        let pairs = |rule| {
            let links = links(rule, &shares, &WORDS, &aspects, &opinions);
            links
                .iter()
                .map(|link| (link.aspect, link.opinion))
                .collect::<Vec<_>>()
        };
        assert_eq!(pairs(PairingRule::Attention), [(0, 0), (1, 0)]);
        assert_eq!(pairs(PairingRule::Nearest), [(0, 0), (1, 2)]);
        // "good" is not the nearest opinion of any aspect, but "soup" is its nearest aspect.
        assert_eq!(pairs(PairingRule::Clauses), [(0, 0), (0, 1), (1, 2)]);
        assert_eq!(pairs(PairingRule::Both), [(0, 0), (0, 1), (1, 2)]);
    }

    #[test]
    fn without_aspects_or_opinions_there_are_no_links() {
        for rule in PairingRule::ALL {
            assert_eq!(links(rule, &[], &WORDS, &[], &spans(&[1])), []);
            assert_eq!(links(rule, &[vec![]], &WORDS, &spans(&[0]), &[]), []);
        }
    }
}
