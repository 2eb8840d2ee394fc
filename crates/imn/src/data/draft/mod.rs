//! From byte-offset annotation to token spans: what the readers of raw text share.
//!
//! Rules: an annotation that begins or ends inside a token is widened to whole tokens, its exact bytes are kept
//! in [`Extra::cuts`]; equal spans are one, with two polarities they are *conflict*; where offsets and term disagree
//! the term wins if it stands exactly once in the text.

mod finish;
mod locate;

pub(super) use locate::locate;

use super::{Extra, Link, Place, Polarity, Problem, ProblemKind, Span};

/// A sentence whose annotation is still in bytes and in the source's order.
#[derive(Debug, Default)]
pub(in crate::data) struct Draft {
    pub id: Option<String>,
    pub text: String,
    /// The source's own tokens; the tokenizer's where it has none.
    pub tokens: Option<Vec<Span>>,
    pub aspects: Vec<(Span, Option<Polarity>)>,
    pub opinions: Option<Vec<Span>>,
    pub links: Option<Vec<Link>>,
    /// Category opinions refer to `aspects` above; cuts are found by [`Draft::finish`].
    pub extra: Extra,
}

/// Reports into one list for one place.
pub(in crate::data) struct Report<'a> {
    pub place: Place,
    pub problems: &'a mut Vec<Problem>,
}

impl Report<'_> {
    pub fn add(&mut self, kind: ProblemKind, message: impl Into<String>, fix: impl Into<String>) {
        self.problems
            .push(Problem::new(self.place.clone(), kind, message, fix));
    }

    /// Reports what keeps the sentence from being read, and gives `None`.
    pub fn refuse<T>(
        &mut self,
        kind: ProblemKind,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Option<T> {
        self.problems
            .push(Problem::new(self.place.clone(), kind, message, fix).as_error());
        None
    }
}
