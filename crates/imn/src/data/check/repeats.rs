//! Sentences that occur in a set more than once, with the same or different annotation.

use std::collections::HashMap;

use super::Loaded;
use crate::data::{AnnotatedSentence, Place, Problem, ProblemKind};

/// Key by which two sentences of a set are the same.
pub(in crate::data) fn key(sentence: &AnnotatedSentence) -> String {
    sentence
        .words()
        .map(str::to_lowercase)
        .collect::<Vec<_>>()
        .join(" ")
}

pub(super) fn check_repeats(set: &Loaded, problems: &mut Vec<Problem>) {
    let mut seen: HashMap<String, (&AnnotatedSentence, &Place)> = HashMap::new();
    for (sentence, place) in set.sentences.iter().zip(&set.places) {
        if sentence.tokens.is_empty() {
            continue;
        }
        match seen.get(&key(sentence)) {
            None => {
                seen.insert(key(sentence), (sentence, place));
            }
            Some((first, before)) => {
                let same = first.aspects == sentence.aspects && first.opinions == sentence.opinions;
                let line = before.line;
                problems.push(if same {
                    let message = format!("the same sentence and annotation as on line {line}");
                    Problem::new(
                        place.clone(),
                        ProblemKind::DuplicateSentence,
                        message,
                        "remove one of them unless this is intended",
                    )
                } else {
                    let message =
                        format!("the same sentence as on line {line}, annotated differently");
                    Problem::new(
                        place.clone(),
                        ProblemKind::Contradiction,
                        message,
                        "correct one of them",
                    )
                });
            }
        }
    }
}
