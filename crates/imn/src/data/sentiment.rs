//! Y^as = Y^ds = {positive, negative, neutral}: the sentiments that models learn and predict.
//!
//! Annotations also have *conflict* ([`Polarity`]), which no model predicts. The order of
//! [`Sentiment::CLASSES`] is the order of the outputs of AS and DS; it is defined nowhere else.

use serde::{Deserialize, Serialize};

use super::Polarity;

/// A sentiment that can be predicted: towards an aspect, or of a whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sentiment {
    /// The writer likes it.
    Positive,
    /// The writer dislikes it.
    Negative,
    /// The writer mentions it without judgement.
    Neutral,
}

/// Error of converting [`Polarity::Conflict`], which only annotations have, to a [`Sentiment`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`conflict` is not a sentiment that models predict")]
pub struct NotPredictable;

impl Sentiment {
    /// All sentiments, in the order of the outputs of AS and DS.
    pub const CLASSES: [Self; 3] = [Self::Positive, Self::Negative, Self::Neutral];

    /// The position in [`Self::CLASSES`].
    ///
    /// ```
    /// use imn::data::Sentiment;
    ///
    /// assert!(Sentiment::CLASSES.iter().enumerate().all(|(i, s)| s.index() == i));
    /// ```
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// [`Self::index`] as the type of cross-entropy targets.
    #[must_use]
    pub const fn class(self) -> u32 {
        self as u32
    }

    /// `positive`, `negative` or `neutral`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
        }
    }

    /// `pos`, `neg` or `neu`, as in document sets.
    #[must_use]
    pub const fn short_name(self) -> &'static str {
        match self {
            Self::Positive => "pos",
            Self::Negative => "neg",
            Self::Neutral => "neu",
        }
    }
}

impl std::fmt::Display for Sentiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Sentiment> for Polarity {
    fn from(sentiment: Sentiment) -> Self {
        match sentiment {
            Sentiment::Positive => Self::Positive,
            Sentiment::Negative => Self::Negative,
            Sentiment::Neutral => Self::Neutral,
        }
    }
}

impl TryFrom<Polarity> for Sentiment {
    type Error = NotPredictable;

    fn try_from(polarity: Polarity) -> Result<Self, NotPredictable> {
        match polarity {
            Polarity::Positive => Ok(Self::Positive),
            Polarity::Negative => Ok(Self::Negative),
            Polarity::Neutral => Ok(Self::Neutral),
            Polarity::Conflict => Err(NotPredictable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_polarity_but_conflict_is_a_sentiment_of_the_same_name() {
        for polarity in Polarity::ALL {
            match Sentiment::try_from(polarity) {
                Ok(sentiment) => {
                    assert_eq!(Polarity::from(sentiment), polarity);
                    assert_eq!(sentiment.name(), polarity.name());
                    let json = |value| serde_json::to_string(&value).unwrap();
                    assert_eq!(json(sentiment), serde_json::to_string(&polarity).unwrap());
                }
                Err(NotPredictable) => assert_eq!(polarity, Polarity::Conflict),
            }
        }
    }

    #[test]
    fn stored_models_fix_the_order_of_the_classes() {
        let json = serde_json::to_string(&Sentiment::CLASSES).unwrap();
        assert_eq!(json, r#"["positive","negative","neutral"]"#);
        for (i, sentiment) in Sentiment::CLASSES.into_iter().enumerate() {
            assert_eq!((sentiment.index(), sentiment.class() as usize), (i, i));
        }
    }
}
