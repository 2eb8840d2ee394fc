//! Converts byte-offset annotation to token spans, for all readers of raw text.
//!
//! An annotation that begins or ends inside a token is extended to whole tokens, and its exact
//! bytes are kept in [`Extra::cuts`]. Equal spans are merged; if their polarities differ, the
//! result is *conflict*. If offsets and term disagree, the term is used if it occurs exactly once
//! in the text.

mod finish;
mod locate;

pub(super) use locate::locate;

use super::{Extra, Link, Place, Polarity, Problem, ProblemKind, Span};

/// A sentence whose annotation is still in bytes and in the order of the source.
#[derive(Debug, Default)]
pub(in crate::data) struct Draft {
    pub id: Option<String>,
    pub text: String,
    /// Tokens of the source; `None` uses the tokenizer.
    pub tokens: Option<Vec<Span>>,
    pub aspects: Vec<(Span, Option<Polarity>)>,
    pub opinions: Option<Vec<Span>>,
    pub links: Option<Vec<Link>>,
    /// Category opinions refer to `aspects`. [`Draft::finish`] fills in the cuts.
    pub extra: Extra,
}

/// Collects the problems of one line.
pub(in crate::data) struct Report<'a> {
    pub place: Place,
    pub problems: &'a mut Vec<Problem>,
}

impl Report<'_> {
    pub fn add(&mut self, kind: ProblemKind, message: impl Into<String>, fix: impl Into<String>) {
        self.problems
            .push(Problem::new(self.place.clone(), kind, message, fix));
    }

    /// Reports an error that makes the sentence unreadable, and returns `None`.
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
