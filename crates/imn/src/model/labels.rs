//! The labels of a training sentence: gold labels of annotators, or soft labels of a teacher
//! network.

use std::ops::Range;

use super::TagSet;
use crate::data::{AeTag, Sentiment};

/// The labels of a sentence. In inference they are placeholders: gold labels with the tag O for
/// every word and no sentiments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Labels {
    /// One class per word.
    Gold(GoldLabels),
    /// One distribution per word.
    Soft(SoftLabels),
}

impl Default for Labels {
    fn default() -> Self {
        Self::Gold(GoldLabels::default())
    }
}

impl Labels {
    /// The labels of some of the words.
    #[must_use]
    pub fn slice(&self, words: Range<usize>) -> Self {
        match self {
            Self::Gold(gold) => Self::Gold(GoldLabels {
                tags: gold.tags[words.clone()].to_vec(),
                polarities: gold.polarities[words].to_vec(),
            }),
            Self::Soft(soft) => Self::Soft(soft.slice(words)),
        }
    }
}

/// The classes of the words of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GoldLabels {
    /// The tag of every word; all O in inference.
    pub tags: Vec<AeTag>,
    /// The sentiment class of every word of an aspect. `None` for *conflict*, outside aspects, and
    /// in inference.
    pub polarities: Vec<Option<u32>>,
}

/// The distributions that a teacher gives to the words of a sentence. A probability is stored as
/// one byte, so that hundreds of thousands of sentences fit into memory.
///
/// ```
/// use imn::model::{SoftLabels, TagSet};
///
/// // "great soup": BP BA, with probabilities of BA, IA, BP, IP, O.
/// let tags = [0.0, 0.0, 1.0, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0, 0.2];
/// let labels = SoftLabels::new(&tags, &[0.5, 0.25, 0.25, 0.9, 0.1, 0.0]);
/// assert_eq!(labels.words(), 2);
/// let targets = labels.sentiment_targets(TagSet::AspectsAndOpinions, 1.0);
/// assert_eq!(targets[..3], [0.0; 3]); // "great" is no aspect
/// assert!((targets[3..].iter().sum::<f32>() - 0.8).abs() < 0.01);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SoftLabels {
    /// One row per word, one column per tag.
    tags: Vec<u8>,
    /// One row per word, one column per sentiment.
    sentiments: Vec<u8>,
}

impl SoftLabels {
    /// The labels of a sentence by its tables of probabilities: one row per word, one column per
    /// tag or sentiment.
    #[must_use]
    pub fn new(tags: &[f32], sentiments: &[f32]) -> Self {
        let bytes = |table: &[f32]| table.iter().map(|&p| to_byte(p)).collect();
        Self {
            tags: bytes(tags),
            sentiments: bytes(sentiments),
        }
    }

    /// Labels of `words` words without distributions, which contribute nothing to the loss.
    #[must_use]
    pub fn none(words: usize, tag_set: TagSet) -> Self {
        Self {
            tags: vec![0; words * tag_set.tags().len()],
            sentiments: vec![0; words * Sentiment::CLASSES.len()],
        }
    }

    /// The labels as stored: the tables of tags and sentiments.
    #[must_use]
    pub fn bytes(&self) -> [&[u8]; 2] {
        [&self.tags, &self.sentiments]
    }

    /// The labels with these stored tables.
    #[must_use]
    pub fn from_bytes(tags: &[u8], sentiments: &[u8]) -> Self {
        Self {
            tags: tags.to_vec(),
            sentiments: sentiments.to_vec(),
        }
    }

    /// Number of words.
    #[must_use]
    pub fn words(&self) -> usize {
        self.sentiments.len() / Sentiment::CLASSES.len()
    }

    /// The distribution of every word's tag, multiplied by `weight`: one column per tag of the set.
    #[must_use]
    pub fn tag_targets(&self, tag_set: TagSet, weight: f32) -> Vec<f32> {
        let rows = self.tags.chunks_exact(tag_set.tags().len());
        rows.flat_map(|row| distribution(row, weight)).collect()
    }

    /// The distribution of every word's sentiment, multiplied by `weight` and by the probability
    /// that the word belongs to an aspect.
    #[must_use]
    pub fn sentiment_targets(&self, tag_set: TagSet, weight: f32) -> Vec<f32> {
        let aspect = self.probability(tag_set, [AeTag::BA, AeTag::IA]);
        let rows = self.sentiments.chunks_exact(Sentiment::CLASSES.len());
        rows.zip(aspect)
            .flat_map(|(row, aspect)| distribution(row, weight * aspect))
            .collect()
    }

    /// P^op of every word; empty if the tag set has no opinions.
    #[must_use]
    pub fn opinion(&self, tag_set: TagSet) -> Vec<f32> {
        match tag_set {
            TagSet::AspectsAndOpinions => self.probability(tag_set, [AeTag::BP, AeTag::IP]),
            TagSet::Aspects => Vec::new(),
        }
    }

    /// The probability that each word has one of two tags.
    fn probability(&self, tag_set: TagSet, either: [AeTag; 2]) -> Vec<f32> {
        let columns = either.map(|tag| tag_set.index_of(tag));
        let rows = self.tags.chunks_exact(tag_set.tags().len());
        rows.map(|row| {
            let row: Vec<f32> = distribution(row, 1.0).collect();
            columns.iter().flatten().map(|&column| row[column]).sum()
        })
        .collect()
    }

    fn slice(&self, words: Range<usize>) -> Self {
        let of = |table: &[u8]| {
            let columns = table.len() / self.words().max(1);
            table[words.start * columns..words.end * columns].to_vec()
        };
        Self {
            tags: of(&self.tags),
            sentiments: of(&self.sentiments),
        }
    }
}

fn to_byte(probability: f32) -> u8 {
    (probability * f32::from(u8::MAX)).round() as u8
}

/// A stored row as a distribution that sums to `weight`. A row of zeros stays one.
fn distribution(row: &[u8], weight: f32) -> impl Iterator<Item = f32> {
    let sum: u32 = row.iter().map(|&byte| u32::from(byte)).sum();
    let scale = weight / sum.max(1) as f32;
    row.iter().map(move |&byte| f32::from(byte) * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_survives_storage_and_sums_to_its_weight() {
        let (tags, sentiments) = ([0.7, 0.1, 0.15, 0.05, 0.0], [0.2, 0.3, 0.5]);
        let labels = SoftLabels::new(&tags, &sentiments);
        let set = TagSet::AspectsAndOpinions;
        let near = |found: &[f32], expected: &[f32]| {
            assert_eq!(found.len(), expected.len());
            let pairs = found.iter().zip(expected);
            assert!(
                pairs.into_iter().all(|(a, b)| (a - b).abs() < 5e-3),
                "{found:?}"
            );
        };
        near(&labels.tag_targets(set, 1.0), &tags);
        near(&labels.tag_targets(set, 2.0), &tags.map(|p| 2.0 * p));
        near(
            &labels.sentiment_targets(set, 1.0),
            &sentiments.map(|p| 0.8 * p),
        );
        near(&labels.opinion(set), &[0.2]);
        let sum: f32 = labels.tag_targets(set, 0.5).iter().sum();
        assert!((sum - 0.5).abs() < 1e-6);
        let [tags, sentiments] = labels.bytes();
        assert_eq!(SoftLabels::from_bytes(tags, sentiments), labels);
    }

    #[test]
    fn words_without_a_distribution_have_no_target() {
        let labels = SoftLabels::from_bytes(&[0; 10], &[0; 6]);
        let set = TagSet::AspectsAndOpinions;
        assert_eq!(labels.tag_targets(set, 1.0), [0.0; 10]);
        assert_eq!(labels.sentiment_targets(set, 1.0), [0.0; 6]);
        assert_eq!(Labels::Soft(labels.clone()).slice(1..2), {
            Labels::Soft(SoftLabels::from_bytes(&[0; 5], &[0; 3]))
        });
    }
}
