//! Serializes the values of the three classes by name:
//! `{"positive": ..., "negative": ..., "neutral": ...}`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct Named<T> {
    positive: T,
    negative: T,
    neutral: T,
}

/// Also reads lists of three, in the order of [`Counts::CLASSES`](super::Counts::CLASSES).
#[derive(Deserialize)]
#[serde(untagged)]
enum Either<T> {
    Named(Named<T>),
    Listed([T; 3]),
}

pub(super) fn serialize<T: Copy + Serialize, S: Serializer>(
    values: &[T; 3],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let [positive, negative, neutral] = *values;
    Named {
        positive,
        negative,
        neutral,
    }
    .serialize(serializer)
}

pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<[T; 3], D::Error> {
    Ok(match Either::deserialize(deserializer)? {
        Either::Named(named) => [named.positive, named.negative, named.neutral],
        Either::Listed(values) => values,
    })
}
