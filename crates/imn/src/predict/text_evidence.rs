//! The sentiment of a text from its sentences, without a second pass of the encoder.
//!
//! DS is linear above its attention: with scores s_i and h = Σ_i e^{s_i} h_i / Σ_i e^{s_i}, the
//! logits W h + b of a text are the mean of the logits of its sentences, each weighted by its Z =
//! Σ_i e^{s_i}. So the sentences of a text can be read one by one, and their evidence is combined.

use crate::data::Sentiment;

/// Evidence for the sentiment of a text, from one or more of its sentences: the weighted mean of
/// their logits, and the sum of their weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextEvidence {
    logits: [f32; Sentiment::CLASSES.len()],
    /// ln Z
    log_weight: f32,
}

impl TextEvidence {
    /// The evidence of one sentence: the logits of DS for it, and the attention score of each word.
    /// `None` for a sentence without words.
    #[must_use]
    pub fn new(logits: &[f32], scores: &[f32]) -> Option<Self> {
        let largest = scores.iter().copied().reduce(f32::max)?;
        let sum: f32 = scores.iter().map(|score| (score - largest).exp()).sum();
        Some(Self {
            logits: logits.try_into().ok()?,
            log_weight: largest + sum.ln(),
        })
    }

    /// The combined evidence of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let largest = self.log_weight.max(other.log_weight);
        let weight = |evidence: Self| (evidence.log_weight - largest).exp();
        let (own, others) = (weight(self), weight(other));
        let sum = own + others;
        let mean = |class: usize| (own * self.logits[class] + others * other.logits[class]) / sum;
        Self {
            logits: std::array::from_fn(mean),
            log_weight: largest + sum.ln(),
        }
    }

    /// ŷ^ds of the text: one value per [`Sentiment::CLASSES`].
    #[must_use]
    pub fn probabilities(self) -> [f32; Sentiment::CLASSES.len()] {
        let largest = self.logits.into_iter().fold(f32::NEG_INFINITY, f32::max);
        let powers = self.logits.map(|logit| (logit - largest).exp());
        let sum: f32 = powers.iter().sum();
        powers.map(|power| power / sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DS over words whose logits are given, with the attention scores of the words.
    fn pooled(words: &[([f32; 3], f32)]) -> [f32; 3] {
        let sum: f32 = words.iter().map(|(_, score)| score.exp()).sum();
        let mean = |class: usize| {
            let terms = words
                .iter()
                .map(|(logits, score)| score.exp() * logits[class]);
            terms.sum::<f32>() / sum
        };
        std::array::from_fn(mean)
    }

    #[test]
    fn sentences_together_are_the_text() {
        let words = [
            ([1.0, -2.0, 0.5], 0.3),
            ([0.0, 3.0, -1.0], -1.2),
            ([2.0, 0.1, 0.0], 2.0),
        ];
        let evidence = |words: &[([f32; 3], f32)]| {
            let scores: Vec<f32> = words.iter().map(|(_, score)| *score).collect();
            TextEvidence::new(&pooled(words), &scores).unwrap()
        };
        let parts = evidence(&words[..1]).and(evidence(&words[1..]));
        let whole = evidence(&words);
        let off = parts.probabilities().into_iter().zip(whole.probabilities());
        assert!(
            off.into_iter().all(|(a, b)| (a - b).abs() < 1e-6),
            "{parts:?}"
        );
        assert!((whole.probabilities().iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(TextEvidence::new(&[0.0; 3], &[]), None);
    }
}
