//! Checks the sentences of a set one by one.

use std::collections::HashMap;

use super::Loaded;
use crate::data::{Place, Problem, ProblemKind, encode_tags};

pub(super) fn check_sentences(set: &Loaded, problems: &mut Vec<Problem>) {
    let mut ids: HashMap<&str, &Place> = HashMap::new();
    for (sentence, place) in set.sentences.iter().zip(&set.places) {
        let mut add = |kind, message: String, fix: &str| {
            problems.push(Problem::new(place.clone(), kind, message, fix));
        };
        if sentence.tokens.is_empty() {
            add(
                ProblemKind::EmptySentence,
                "a sentence without tokens".to_owned(),
                "remove it",
            );
        }
        if let Some(id) = &sentence.id
            && let Some(first) = ids.insert(id, place)
        {
            add(
                ProblemKind::DuplicateId,
                format!("id {id:?} is also on line {}", first.line),
                "give each sentence its own id",
            );
        }
        let missing = sentence
            .aspects
            .iter()
            .filter(|a| a.polarity.is_none())
            .count();
        if missing > 0 {
            add(
                ProblemKind::MissingPolarity,
                format!("{missing} aspects without a polarity"),
                "they are used to train extraction, but not sentiment",
            );
        }
        let encoded = encode_tags(sentence);
        let aspects = encoded
            .lost_aspects
            .iter()
            .filter_map(|i| sentence.aspects.get(*i))
            .map(|a| a.span);
        let all = sentence.opinions.as_deref().unwrap_or_default();
        let opinions = encoded
            .lost_opinions
            .iter()
            .filter_map(|i| all.get(*i))
            .copied();
        for span in aspects.chain(opinions) {
            let message = format!(
                "{:?} shares a token with another term of the same kind",
                sentence.surface(span)
            );
            add(
                ProblemKind::Overlap,
                message,
                "tags keep the term that starts first, then the longer one",
            );
        }
    }
}
