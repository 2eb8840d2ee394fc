//! From sentences to predictions, many at a time.
//!
//! [`predict`] serves every [`Network`]; [`read`] gives the probabilities and attention of IMN, round
//! by round; [`Terms`] are the terms in them with confidences, and [`sentence_outcomes`] whether they
//! are right.

mod outcomes;
mod sentence_output;
mod terms;
mod text_evidence;

use std::ops::Range;

use imn_nn::{Engine, Params};

pub(crate) use outcomes::text_outcomes;
pub use outcomes::{ReadSentence, read_annotated, sentence_outcomes};
pub use sentence_output::{DocumentMessages, Rounds, SentenceOutput, read, sentiments};
pub use terms::{Term, Terms, polarity, sentiment};
pub use text_evidence::TextEvidence;

use crate::model::{Example, Network, Prediction, SentenceBatch};

/// Words that go through the network together: enough to pay for reading all weights, few enough for
/// the caches (64 to 512 were measured).
const TOGETHER: usize = 384;

/// The predictions of a network for sentences of any length, in their order. A prediction does not
/// depend on which sentences stand together.
#[must_use]
pub fn predict(
    network: &dyn Network,
    params: &Params<f32>,
    sentences: &[Example],
) -> Vec<Prediction> {
    let limits = network.limits();
    let fits = |sentence: &Example| sentence.features.windows(limits).len() == 1;
    if sentences.iter().all(fits) {
        let sentences: Vec<&Example> = sentences.iter().collect();
        return predict_pieces(network, params, &sentences);
    }
    let mut pieces: Vec<(usize, usize, Example)> = Vec::new();
    for (i, sentence) in sentences.iter().enumerate() {
        let parts = sentence.clone().pieces(limits).into_iter();
        pieces.extend(parts.map(|(start, part)| (i, start, part)));
    }
    let read: Vec<&Example> = pieces.iter().map(|(.., piece)| piece).collect();
    let mut whole = vec![Prediction::default(); sentences.len()];
    let found = predict_pieces(network, params, &read);
    for ((i, start, _), prediction) in pieces.iter().zip(found) {
        whole[*i].append(prediction, *start);
    }
    whole
}

fn predict_pieces(
    network: &dyn Network,
    params: &Params<f32>,
    sentences: &[&Example],
) -> Vec<Prediction> {
    let lengths: Vec<usize> = sentences.iter().map(|sentence| sentence.len()).collect();
    let (order, groups) = groups_of_like_length(&lengths);
    let predictions = Engine::new().infer(params, &groups, |tape, group| {
        let together = order[group.clone()].iter().map(|&i| sentences[i]);
        network.predict(tape, &SentenceBatch::to_predict(together.collect()))
    });
    in_order(&order, predictions)
}

/// Sentences ordered by length, and stretches of that order that go through the network together.
fn groups_of_like_length(lengths: &[usize]) -> (Vec<usize>, Vec<Range<usize>>) {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&i| lengths[i]);
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut words = usize::MAX;
    for (at, &i) in order.iter().enumerate() {
        words = words.saturating_add(lengths[i]);
        match groups.last_mut() {
            Some(group) if words <= TOGETHER => group.end = at + 1,
            _ => {
                groups.push(at..at + 1);
                words = lengths[i];
            }
        }
    }
    (order, groups)
}

/// Results of groups in the order of what they are the results of.
fn in_order<T: Default + Clone>(order: &[usize], results: Vec<Vec<T>>) -> Vec<T> {
    let mut ordered = vec![T::default(); order.len()];
    for (&i, result) in order.iter().zip(results.into_iter().flatten()) {
        ordered[i] = result;
    }
    ordered
}
