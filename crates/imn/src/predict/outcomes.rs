//! Confidences of IMN's predictions on annotated text, with whether each prediction is correct: the
//! data that calibration curves are fitted to.

use imn_nn::{Engine, Params};

use super::{Rounds, SentenceOutput, Term, Terms, infer, polarity, sentiment, sentiments};
use crate::data::{AnnotatedSentence, Sentiment, Span};
use crate::eval::{Outcome, Outcomes};
use crate::features::{Features, Featurizer};
use crate::model::{Imn, Network as _, Prediction, TagSet};

/// An annotated sentence and the network's output for its words.
#[derive(Debug, Clone, PartialEq)]
pub struct InferredSentence<'a> {
    /// The sentence with its annotation.
    pub sentence: &'a AnnotatedSentence,
    /// The output of the last round, in pieces with the index of their first word. There is one
    /// piece unless the sentence exceeds the network's limits.
    pub pieces: Vec<(usize, SentenceOutput)>,
}

impl InferredSentence<'_> {
    /// The output of a sentence with one piece; `None` for a longer one.
    #[must_use]
    pub fn whole(&self) -> Option<&SentenceOutput> {
        match self.pieces.as_slice() {
            [(_, output)] => Some(output),
            _ => None,
        }
    }

    /// The sentence with the network's predictions as its annotation.
    #[must_use]
    pub fn annotated(&self, tags: TagSet) -> AnnotatedSentence {
        let mut whole = Prediction::default();
        for (start, output) in &self.pieces {
            whole.append(output.prediction(tags), *start);
        }
        whole.annotate(self.sentence, tags)
    }
}

/// Runs IMN on the words of annotated sentences. Scores, calibration and links can all be computed
/// from the result.
#[must_use]
pub fn infer_annotated<'a>(
    network: &Imn,
    params: &Params<f32>,
    featurizer: &Featurizer,
    sentences: &'a [AnnotatedSentence],
) -> Vec<InferredSentence<'a>> {
    let limits = network.limits();
    let mut pieces: Vec<(usize, usize, Features)> = Vec::new();
    for (i, sentence) in sentences.iter().enumerate() {
        let features = featurizer.sentence(sentence);
        let windows = features.windows(limits).into_iter();
        pieces.extend(windows.map(|window| (i, window.start, features.slice(window))));
    }
    let features: Vec<&Features> = pieces.iter().map(|(.., features)| features).collect();
    let outputs = infer(&Engine::new(), network, params, &features, Rounds::Last);
    let empty = |sentence| InferredSentence {
        sentence,
        pieces: Vec::new(),
    };
    let mut inferred: Vec<InferredSentence<'a>> = sentences.iter().map(empty).collect();
    for ((i, start, _), mut rounds) in pieces.iter().zip(outputs) {
        let last = rounds.pop().map(|output| (*start, output));
        inferred[*i].pieces.extend(last);
    }
    inferred
}

/// Compares the predictions for annotated sentences with their annotation. `texts` of the result is
/// empty.
#[must_use]
pub fn sentence_outcomes(network: &Imn, sentences: &[InferredSentence<'_>]) -> Outcomes {
    let tag_set = network.tag_set();
    let mut outcomes = Outcomes::default();
    let pieces = sentences.iter().flat_map(|inferred| {
        let pieces = inferred.pieces.iter();
        pieces.map(|(start, output)| (inferred.sentence, *start, output))
    });
    for (sentence, start, output) in pieces {
        let in_sentence = |span: Span| Span::new(start + span.start, start + span.end);
        let found = Terms::of(output, tag_set.tags());
        for term in &found.aspects {
            let span = in_sentence(term.span);
            let aspect = sentence.aspects.iter().find(|gold| gold.span == span);
            outcomes.aspects.push((term.confidence, aspect.is_some()));
            let gold = aspect.and_then(|aspect| aspect.polarity);
            if let Some(Ok(gold)) = gold.map(Sentiment::try_from) {
                let (predicted, confidence) = sentiment(output, term.span);
                outcomes.sentiments.push((confidence, predicted == gold));
            }
        }
        if let (Some(gold), TagSet::AspectsAndOpinions) = (&sentence.opinions, tag_set) {
            let right = |term: &Term| (term.confidence, gold.contains(&in_sentence(term.span)));
            outcomes.opinions.extend(found.opinions.iter().map(right));
        }
    }
    outcomes
}

/// Compares the predicted sentiments of texts with their labels.
#[must_use]
pub(crate) fn text_outcomes(
    network: &Imn,
    params: &Params<f32>,
    texts: &[(&Features, Sentiment)],
) -> Vec<Outcome> {
    let features: Vec<&Features> = texts.iter().map(|&(features, _)| features).collect();
    sentiments(&Engine::new(), network, params, &features)
        .into_iter()
        .zip(texts)
        .filter_map(|(row, &(_, gold))| {
            let (predicted, confidence) = polarity(&row?);
            Some((confidence, predicted == gold))
        })
        .collect()
}
