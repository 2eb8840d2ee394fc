//! How sure a model is of what it says about annotated text, and whether it is right: what its curves of calibration are fitted on.

use imn_nn::Engine;

use super::terms::{self, Terms};
use crate::bundle::Bundle;
use crate::data::{AnnotatedSentence, Polarity};
use crate::eval::{Outcome, Outcomes};
use crate::model::Opinions;
use crate::predict::{self, LONGEST, Reading, Rounds};

/// Annotated sentences as the network reads them; those too long to be read at once are passed over.
pub(super) fn read_annotated<'a>(
    bundle: &Bundle,
    sentences: &'a [AnnotatedSentence],
) -> Vec<(&'a AnnotatedSentence, Reading)> {
    let sentences = sentences
        .iter()
        .filter(|sentence| sentence.tokens.len() <= LONGEST);
    let numbered: Vec<(&AnnotatedSentence, Vec<u32>)> = sentences
        .map(|sentence| {
            let words = sentence.words().map(|word| bundle.vocabulary.id(word));
            (sentence, words.collect())
        })
        .collect();
    let words: Vec<&[u32]> = numbered.iter().map(|(_, words)| words.as_slice()).collect();
    let Bundle {
        network, params, ..
    } = bundle;
    let readings = predict::read(&Engine::new(), network, params, &words, Rounds::Last);
    let sentences = numbered.iter().map(|(sentence, _)| *sentence);
    sentences
        .zip(readings)
        .filter_map(|(sentence, mut rounds)| Some((sentence, rounds.pop()?)))
        .collect()
}

/// What a model says of annotated sentences; `texts` stays empty. Sentences too long to be read at once are passed over.
#[must_use]
pub fn sentence_outcomes(bundle: &Bundle, gold: &[AnnotatedSentence]) -> Outcomes {
    let network = &bundle.network;
    let tags = network.config().tag_set().tags();
    let knows_opinions = network.config().opinions != Opinions::Unlabelled;
    let mut outcomes = Outcomes::default();
    for (sentence, reading) in &read_annotated(bundle, gold) {
        let found = Terms::of(reading, tags);
        for term in &found.aspects {
            let aspect = sentence.aspects.iter().find(|gold| gold.span == term.span);
            outcomes.aspects.push((term.confidence, aspect.is_some()));
            match aspect.and_then(|aspect| aspect.polarity) {
                None | Some(Polarity::Conflict) => {}
                Some(polarity) => {
                    let (said, confidence) = terms::sentiment(reading, term.span);
                    outcomes.sentiments.push((confidence, said == polarity));
                }
            }
        }
        if let (Some(gold), true) = (&sentence.opinions, knows_opinions) {
            let right = |term: &terms::Term| (term.confidence, gold.contains(&term.span));
            outcomes.opinions.extend(found.opinions.iter().map(right));
        }
    }
    outcomes
}

/// What a model says of the sentiment of texts whose sentiment is known, given as word numbers.
#[must_use]
pub fn text_outcomes(bundle: &Bundle, texts: &[(&[u32], Polarity)]) -> Vec<Outcome> {
    let words: Vec<&[u32]> = texts.iter().map(|&(words, _)| words).collect();
    let Bundle {
        network, params, ..
    } = bundle;
    let said = predict::sentiments(&Engine::new(), network, params, &words);
    let said = said.into_iter().zip(texts);
    said.filter_map(|(row, &(_, gold))| {
        let (said, confidence) = terms::polarity(&row?);
        Some((confidence, said == gold))
    })
    .collect()
}
