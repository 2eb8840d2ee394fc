//! Serializes the values of the three classes by name:
//! `{"positive": ..., "negative": ..., "neutral": ...}`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::data::Sentiment;

/// One value per sentiment, in the order of [`Sentiment::CLASSES`].
type ByClass<T> = [T; Sentiment::CLASSES.len()];

#[derive(Serialize, Deserialize)]
struct Named<T> {
    positive: T,
    negative: T,
    neutral: T,
}

/// Also reads lists, in the order of [`Sentiment::CLASSES`].
#[derive(Deserialize)]
#[serde(untagged)]
enum Either<T> {
    Named(Named<T>),
    Listed(ByClass<T>),
}

pub(super) fn serialize<T: Copy + Serialize, S: Serializer>(
    values: &ByClass<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let of = |sentiment: Sentiment| values[sentiment.index()];
    Named {
        positive: of(Sentiment::Positive),
        negative: of(Sentiment::Negative),
        neutral: of(Sentiment::Neutral),
    }
    .serialize(serializer)
}

pub(super) fn deserialize<'de, T: Copy + Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<ByClass<T>, D::Error> {
    Ok(match Either::deserialize(deserializer)? {
        Either::Named(named) => Sentiment::CLASSES.map(|sentiment| match sentiment {
            Sentiment::Positive => named.positive,
            Sentiment::Negative => named.negative,
            Sentiment::Neutral => named.neutral,
        }),
        Either::Listed(values) => values,
    })
}
