//! Turns probabilities into predictions.

use imn::data::{AeTag, Aspect, Sentiment, decode_tags};
use imn::model::{Example, Prediction, SentenceBatch, TagSet, argmax};
use imn_nn::{Shape, Tape, Var};

/// The values of each sentence's words, one row per word.
pub(super) fn rows_by_sentence<'t>(
    tape: &'t Tape<'_, f32>,
    x: Var,
) -> impl Iterator<Item = Vec<&'t [f32]>> {
    let Shape { cols, .. } = *tape.shape(x);
    let layout = tape.shape(x).token_layout();
    let value = tape.value(x);
    layout.spans().iter().map(move |span| {
        let rows = span.clone();
        rows.map(|row| &value[row * cols..][..cols]).collect()
    })
}

/// The terms of the most probable tags, and P^op = P(BP) + P(IP).
pub(super) fn predictions_of_tags(
    tape: &Tape<'_, f32>,
    probabilities: Var,
    tag_set: TagSet,
) -> Vec<Prediction> {
    let prediction = |rows: Vec<&[f32]>| {
        let tags: Vec<AeTag> = rows.iter().map(|row| tag_set.tags()[argmax(row)]).collect();
        let decoded = decode_tags(&tags);
        let aspect = |span| Aspect {
            span,
            polarity: None,
        };
        Prediction {
            aspects: decoded.aspects.into_iter().map(aspect).collect(),
            opinions: decoded.opinions,
            opinion: match [AeTag::BP, AeTag::IP].map(|tag| tag_set.index_of(tag)) {
                [Some(begin), Some(inside)] => {
                    rows.iter().map(|row| row[begin] + row[inside]).collect()
                }
                _ => Vec::new(),
            },
        }
    };
    rows_by_sentence(tape, probabilities)
        .map(prediction)
        .collect()
}

/// The most probable sentiments, from one row per aspect of the batch.
pub(super) fn predictions_of_sentiments(
    tape: &Tape<'_, f32>,
    sentiments: Var,
    batch: &SentenceBatch<'_>,
) -> Vec<Prediction> {
    let mut rows = tape
        .value(sentiments)
        .chunks_exact(Sentiment::CLASSES.len());
    let prediction = |&sentence: &&Example| {
        let aspects = sentence.aspects.iter().map(|&span| Aspect {
            span,
            polarity: rows
                .next()
                .map(|row| Sentiment::CLASSES[argmax(row)].into()),
        });
        Prediction {
            aspects: aspects.collect(),
            ..Prediction::default()
        }
    };
    batch.sentences.iter().map(prediction).collect()
}
