//! c_ij = d_ij / a_ij^α: which opinion is about which aspect.
//!
//! a_ij is the share of aspect i's attention that opinion j gets: the self-attention of AS, which opinion transmission turns towards opinion
//! words, as a mean over the words of the two terms, over j to the sum 1. d_ij is how far apart the two stand, where what ends a clause between
//! them counts as many words: "the soup was hot, but the staff cold". An opinion is about an aspect if it is the aspect's cheapest or the
//! aspect is its cheapest. Nothing here was trained on links; the numbers were chosen on sentences of our own (`tests/pairing`), and
//! `imn evaluate` scores every rule wherever data has links.

use serde::{Deserialize, Serialize};

use crate::data::{Link, Span};

/// How links are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairingRule {
    /// The opinion that the aspect looks at most.
    Attention,
    /// The nearest opinion, in words.
    Nearest,
    /// The nearest, where ends of clauses count.
    #[default]
    Clauses,
    /// Ends of clauses and attention.
    Both,
}

impl PairingRule {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Attention, Self::Nearest, Self::Clauses, Self::Both];

    /// What it is called.
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
/// Words that a comma counts as.
const COMMA: f32 = 3.0;
/// Words that something which begins another clause counts as.
const CLAUSE: f32 = 16.0;
/// Words by which an opinion before its aspect is farther: of two equally near ones the later is meant a little more often.
const BEFORE: f32 = 0.5;

/// What a word between two terms adds to their distance.
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

/// The share of every opinion in every aspect's attention to the opinions of a sentence of `words` words: a row an aspect, each of the sum 1.
/// `attention` is A, row by row.
#[must_use]
pub fn attention_shares(
    attention: &[f32],
    words: usize,
    aspects: &[Span],
    opinions: &[Span],
) -> Vec<Vec<f32>> {
    let look = |aspect: &Span, opinion: &Span| {
        let row = |word: usize| -> f32 {
            let row = &attention[word * words..][opinion.start..opinion.end];
            row.iter().sum()
        };
        // A mean, not a sum: a long opinion is not a better one.
        let sum: f32 = (aspect.start..aspect.end).map(row).sum();
        sum / (aspect.len() * opinion.len()) as f32
    };
    aspects
        .iter()
        .map(|aspect| {
            let mut row: Vec<f32> = opinions
                .iter()
                .map(|opinion| look(aspect, opinion))
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

/// The links of a sentence with these words and terms; `shares` is what [`attention_shares`] gives.
#[must_use]
pub fn links(
    rule: PairingRule,
    shares: &[Vec<f32>],
    words: &[&str],
    aspects: &[Span],
    opinions: &[Span],
) -> Vec<Link> {
    // How far each word is from the start, so that a distance is a difference.
    let mut far = Vec::with_capacity(words.len() + 1);
    far.push(0.0);
    for word in words {
        far.push(far[far.len() - 1] + length(word));
    }
    let between = |a: Span, b: Span| {
        let apart = |from: usize, to: usize| match rule {
            PairingRule::Nearest => to.saturating_sub(from) as f32,
            _ if from < to => far[to] - far[from],
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
            // The plain rules look from the aspect only.
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
    fn shares_are_of_the_attention_to_opinions() {
        let mut attention = vec![0.0; 81];
        (attention[1], attention[3], attention[8], attention[5]) = (0.4, 0.3, 0.1, 0.2);
        let shares = attention_shares(&attention, 9, &spans(&[0, 6]), &spans(&[1, 3, 8]));
        for (share, expected) in shares[0].iter().zip([0.5, 0.375, 0.125]) {
            assert!((share - expected).abs() < 1e-6, "{shares:?}");
        }
        // An aspect that looks at no opinion looks at all alike.
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
        // Attention is wrong about the staff.
        let shares = [vec![0.5, 0.4, 0.1], vec![0.5, 0.3, 0.2]];
        let told = |rule| {
            let links = links(rule, &shares, &WORDS, &aspects, &opinions);
            let pairs = links.iter().map(|link| (link.aspect, link.opinion));
            pairs.collect::<Vec<_>>()
        };
        assert_eq!(told(PairingRule::Attention), [(0, 0), (1, 0)]);
        assert_eq!(told(PairingRule::Nearest), [(0, 0), (1, 2)]);
        // "good" is nobody's nearest opinion, but the soup is its aspect.
        assert_eq!(told(PairingRule::Clauses), [(0, 0), (0, 1), (1, 2)]);
        assert_eq!(told(PairingRule::Both), [(0, 0), (0, 1), (1, 2)]);
    }

    #[test]
    fn without_one_side_there_are_no_links() {
        for rule in PairingRule::ALL {
            assert_eq!(links(rule, &[], &WORDS, &[], &spans(&[1])), []);
            assert_eq!(links(rule, &[vec![]], &WORDS, &spans(&[0]), &[]), []);
        }
    }
}
