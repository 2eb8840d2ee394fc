//! Converts the elements of one sentence to spans of its text.
//!
//! Annotations are converted when the sentence ends, because the text that their offsets refer to
//! may come after them.

use std::path::Path;

use super::attributes::Annotation;
use super::read::refuse;
use crate::data::draft::{Draft, Report, locate};
use crate::data::{CategoryOpinion, Loaded, Place, Polarity, ProblemKind};
use crate::text::OffsetIndex;

/// A sentence while its elements are read.
#[derive(Default)]
pub(super) struct Sentence {
    pub(super) line: usize,
    pub(super) id: Option<String>,
    pub(super) out_of_scope: bool,
    pub(super) text: Option<String>,
    pub(super) annotations: Vec<Annotation>,
    /// Whether an error was reported that makes the sentence unreadable.
    pub(super) broken: bool,
}

impl Sentence {
    /// Adds the sentence to `loaded`, unless it cannot be read.
    pub(super) fn finish(self, review: Option<&String>, path: &Path, loaded: &mut Loaded) {
        if self.broken {
            return;
        }
        let line = self.line;
        let Some(text) = self.text else {
            refuse(
                loaded,
                path,
                line,
                "<sentence> without <text>".to_owned(),
                "add it",
            );
            return;
        };
        let mut draft = Draft {
            id: self.id,
            ..Draft::default()
        };
        draft.extra.review = review.cloned();
        draft.extra.out_of_scope = self.out_of_scope;
        let index = OffsetIndex::new(&text);
        for annotation in self.annotations {
            let place = Place::new(path, annotation.line);
            let mut report = Report {
                place,
                problems: &mut loaded.problems,
            };
            let aspect = match annotation.offsets {
                Some(chars) => {
                    let term = annotation.term.as_deref();
                    let Some(bytes) = locate(&index, &text, chars, term, &mut report) else {
                        return;
                    };
                    Some(bytes)
                }
                None => None,
            };
            let aspect = match (aspect, &annotation.category) {
                (None, _) => None,
                // Opinions on one target about several categories are one aspect.
                (Some(bytes), Some(_)) => match draft.aspects.iter().position(|(b, _)| *b == bytes)
                {
                    Some(known) => {
                        merge_polarity(&mut draft, known, annotation.polarity, &mut report, &text);
                        Some(known)
                    }
                    None => {
                        draft.aspects.push((bytes, annotation.polarity));
                        Some(draft.aspects.len() - 1)
                    }
                },
                (Some(bytes), None) => {
                    draft.aspects.push((bytes, annotation.polarity));
                    Some(draft.aspects.len() - 1)
                }
            };
            if let Some(category) = annotation.category {
                let polarity = annotation.polarity;
                draft.extra.categories.push(CategoryOpinion {
                    category,
                    polarity,
                    aspect,
                });
            }
        }
        draft.text = text;
        let mut report = Report {
            place: Place::new(path, line),
            problems: &mut loaded.problems,
        };
        if let Some(done) = draft.finish(&mut report) {
            loaded.push(line, done);
        }
    }
}

fn merge_polarity(
    draft: &mut Draft,
    known: usize,
    polarity: Option<Polarity>,
    report: &mut Report<'_>,
    text: &str,
) {
    let Some((bytes, kept)) = draft.aspects.get_mut(known) else {
        return;
    };
    match (*kept, polarity) {
        (Some(a), Some(b)) if a != b => {
            let term = bytes.of(text).unwrap_or("");
            let message = format!("{term:?} is {a} and {b}");
            report.add(ProblemKind::TwoPolarities, message, "read as conflict");
            *kept = Some(a.merge(b));
        }
        (None, Some(b)) => *kept = Some(b),
        _ => {}
    }
}
