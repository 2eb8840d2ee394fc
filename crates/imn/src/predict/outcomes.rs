//! How sure IMN is of its answers about annotated text, and whether they are right: what calibration
//! curves are fitted on.

use imn_nn::{Engine, Params};

use super::{Rounds, SentenceOutput, Term, Terms, polarity, read, sentiment, sentiments};
use crate::data::{AnnotatedSentence, Sentiment, Span};
use crate::eval::{Outcome, Outcomes};
use crate::features::{Features, Featurizer};
use crate::model::{Imn, Network as _, Prediction, TagSet};

/// An annotated sentence and what the network makes of its words.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadSentence<'a> {
    /// The sentence.
    pub sentence: &'a AnnotatedSentence,
    /// The last round for its words, in pieces with the number of their first word: one piece, unless
    /// the sentence is very long.
    pub pieces: Vec<(usize, SentenceOutput)>,
}

impl ReadSentence<'_> {
    /// The reading of a sentence that was read at once.
    #[must_use]
    pub fn whole(&self) -> Option<&SentenceOutput> {
        match self.pieces.as_slice() {
            [(_, reading)] => Some(reading),
            _ => None,
        }
    }

    /// The sentence with the annotation that the network gives it.
    #[must_use]
    pub fn annotated(&self, tags: TagSet) -> AnnotatedSentence {
        let mut whole = Prediction::default();
        for (start, reading) in &self.pieces {
            whole.append(reading.prediction(tags), *start);
        }
        whole.annotate(self.sentence, tags)
    }
}

/// Reads the words of annotated sentences, once for everything that is to be said of them.
#[must_use]
pub fn read_annotated<'a>(
    network: &Imn,
    params: &Params<f32>,
    featurizer: &Featurizer,
    sentences: &'a [AnnotatedSentence],
) -> Vec<ReadSentence<'a>> {
    let limits = network.limits();
    let mut pieces: Vec<(usize, usize, Features)> = Vec::new();
    for (i, sentence) in sentences.iter().enumerate() {
        let features = featurizer.sentence(sentence);
        let windows = features.windows(limits).into_iter();
        pieces.extend(windows.map(|window| (i, window.start, features.slice(window))));
    }
    let features: Vec<&Features> = pieces.iter().map(|(.., features)| features).collect();
    let readings = read(&Engine::new(), network, params, &features, Rounds::Last);
    let unread = |sentence| ReadSentence {
        sentence,
        pieces: Vec::new(),
    };
    let mut read: Vec<ReadSentence<'a>> = sentences.iter().map(unread).collect();
    for ((i, start, _), mut rounds) in pieces.iter().zip(readings) {
        let reading = rounds.pop().map(|reading| (*start, reading));
        read[*i].pieces.extend(reading);
    }
    read
}

/// Whether the network is right about annotated sentences; `texts` stays empty.
#[must_use]
pub fn sentence_outcomes(network: &Imn, read: &[ReadSentence<'_>]) -> Outcomes {
    let tag_set = network.tag_set();
    let mut outcomes = Outcomes::default();
    let pieces = read.iter().flat_map(|read| {
        let pieces = read.pieces.iter();
        pieces.map(|(start, reading)| (read.sentence, *start, reading))
    });
    for (sentence, start, reading) in pieces {
        let in_sentence = |span: Span| Span::new(start + span.start, start + span.end);
        let found = Terms::of(reading, tag_set.tags());
        for term in &found.aspects {
            let span = in_sentence(term.span);
            let aspect = sentence.aspects.iter().find(|gold| gold.span == span);
            outcomes.aspects.push((term.confidence, aspect.is_some()));
            let gold = aspect.and_then(|aspect| aspect.polarity);
            if let Some(Ok(gold)) = gold.map(Sentiment::try_from) {
                let (predicted, confidence) = sentiment(reading, term.span);
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

/// Whether the network is right about the sentiment of texts whose sentiment is known.
#[must_use]
pub(crate) fn text_outcomes(
    network: &Imn,
    params: &Params<f32>,
    texts: &[(&Features, Sentiment)],
) -> Vec<Outcome> {
    let features: Vec<&Features> = texts.iter().map(|&(features, _)| features).collect();
    let found = sentiments(&Engine::new(), network, params, &features);
    let found = found.into_iter().zip(texts);
    found
        .filter_map(|(row, &(_, gold))| {
            let (predicted, confidence) = polarity(&row?);
            Some((confidence, predicted == gold))
        })
        .collect()
}
