//! Batched inference.
//!
//! - [`predict`] gives the predictions of any [`Network`].
//! - [`infer`] gives the probabilities and attention of IMN in each round of message passing.
//! - [`Terms`] extracts terms with confidences from the probabilities.
//! - [`sentence_outcomes`] compares these with annotated sentences, for calibration.

mod outcomes;
mod sentence_output;
mod terms;
mod text_evidence;

use std::ops::Range;

use imn_nn::{Engine, Params};

pub(crate) use outcomes::text_outcomes;
pub use outcomes::{InferredSentence, infer_annotated, sentence_outcomes};
pub(crate) use sentence_output::classes_of_documents;
pub use sentence_output::{DocumentMessages, Rounds, SentenceOutput, infer, sentiments};
pub use terms::{Term, Terms, polarity, sentiment};
pub use text_evidence::TextEvidence;

use crate::model::{Example, Network, Prediction, SentenceBatch};

/// Words per inference batch: enough to amortize loading all weights, few enough for the CPU caches
/// (64 to 512 were measured).
const BATCH_WORDS: usize = 384;

/// The predictions of a network for sentences of any length, in their order. A prediction does not
/// depend on how sentences are batched.
///
/// ```
/// use imn::bundle::Model;
/// use imn::data::AnnotatedSentence;
///
/// let model = Model::built_in()?;
/// let part = model.only_part().expect("one network");
/// let sentences = ["Great soup.", "We went there on Monday."].map(AnnotatedSentence::from_text);
/// let examples = sentences.each_ref().map(|sentence| part.example(sentence));
/// let found = imn::predict::predict(part.network.as_ref(), &part.params, &examples);
/// assert_eq!(found.iter().map(|found| found.aspects.len()).collect::<Vec<_>>(), [1, 0]);
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
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
    let examples: Vec<&Example> = pieces.iter().map(|(.., piece)| piece).collect();
    let mut whole = vec![Prediction::default(); sentences.len()];
    let predictions = predict_pieces(network, params, &examples);
    for ((i, start, _), prediction) in pieces.iter().zip(predictions) {
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
    let (order, groups) = batches_by_length(&lengths);
    let predictions = Engine::new().infer(params, &groups, |tape, group| {
        let together = order[group.clone()].iter().map(|&i| sentences[i]);
        network.predict(tape, &SentenceBatch::to_predict(together.collect()))
    });
    in_order(&order, predictions)
}

/// The order of sentences by length, and ranges of that order that form batches.
fn batches_by_length(lengths: &[usize]) -> (Vec<usize>, Vec<Range<usize>>) {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&i| lengths[i]);
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut words = usize::MAX;
    for (at, &i) in order.iter().enumerate() {
        words = words.saturating_add(lengths[i]);
        match groups.last_mut() {
            Some(group) if words <= BATCH_WORDS => group.end = at + 1,
            _ => {
                groups.push(at..at + 1);
                words = lengths[i];
            }
        }
    }
    (order, groups)
}

/// Puts the results of batches back into the original order.
fn in_order<T: Default + Clone>(order: &[usize], results: Vec<Vec<T>>) -> Vec<T> {
    let mut ordered = vec![T::default(); order.len()];
    for (&i, result) in order.iter().zip(results.into_iter().flatten()) {
        ordered[i] = result;
    }
    ordered
}
