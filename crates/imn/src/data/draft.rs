//! From byte-offset annotation to token spans: what the readers of raw text share.
//!
//! Rules: an annotation that begins or ends inside a token is widened to whole tokens, its exact bytes are kept
//! in [`Extra::cuts`]; equal spans are one, with two polarities they are *conflict*; where offsets and term disagree
//! the term wins if it stands exactly once in the text.

use super::{
    AnnotatedSentence, Aspect, Cut, Extra, Link, Mark, Place, Polarity, Problem, ProblemKind, Span,
};
use crate::text::{OffsetIndex, OffsetUnit, is_separator, tokenize};

/// A sentence whose annotation is still in bytes and in the source's order.
#[derive(Debug, Default)]
pub(super) struct Draft {
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
pub(super) struct Report<'a> {
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

/// The bytes of an annotation given by code points and, maybe, its term.
pub(super) fn locate(
    index: &OffsetIndex<'_>,
    text: &str,
    chars: Span,
    term: Option<&str>,
    report: &mut Report<'_>,
) -> Option<Span> {
    let found = index
        .span_to_bytes(chars, OffsetUnit::Chars)
        .filter(|bytes| !bytes.is_empty());
    let there = found.and_then(|bytes| bytes.of(text));
    let (from, to) = (chars.start, chars.end);
    match (found, term) {
        (Some(bytes), None) => Some(bytes),
        (Some(bytes), Some(term)) if there == Some(term) => Some(bytes),
        (_, Some(term)) if !term.is_empty() => {
            let is = match there {
                Some(other) => format!("offsets {from}..{to} hold {other:?}, not {term:?}"),
                None => format!("offsets {from}..{to} of {term:?} are not in the text"),
            };
            let mut places = text.match_indices(term);
            match (places.next(), places.next()) {
                (Some((at, _)), None) => {
                    let bytes = Span::new(at, at + term.len());
                    let right = index
                        .span_from_bytes(bytes, OffsetUnit::Chars)
                        .unwrap_or(bytes);
                    let fix = format!(
                        "offsets {}..{} hold the term and are taken",
                        right.start, right.end
                    );
                    report.add(ProblemKind::OffsetMismatch, is, fix);
                    Some(bytes)
                }
                (None, _) => report.refuse(
                    ProblemKind::OffsetMismatch,
                    is,
                    "the term is not in the text: correct it",
                ),
                _ => {
                    let fix = "the term stands in the text more than once: correct the offsets";
                    report.refuse(ProblemKind::OffsetMismatch, is, fix)
                }
            }
        }
        _ => report.refuse(
            ProblemKind::OffsetMismatch,
            format!(
                "offsets {from}..{to} are empty or not in the text, which has {} characters",
                text.chars().count()
            ),
            "offsets count code points, the end is exclusive",
        ),
    }
}

impl Draft {
    /// The annotated sentence; `None` where something was reported that keeps it from being read.
    pub fn finish(self, report: &mut Report<'_>) -> Option<AnnotatedSentence> {
        let Self {
            id,
            text,
            tokens,
            aspects,
            opinions,
            links,
            mut extra,
        } = self;
        let tokens = tokens.unwrap_or_else(|| tokenize(&text));
        let mut sentence = AnnotatedSentence {
            id,
            text,
            tokens,
            ..AnnotatedSentence::default()
        };

        let mut spans = Vec::with_capacity(aspects.len());
        for (bytes, polarity) in aspects {
            spans.push((
                place_on_tokens(&sentence, bytes, "aspect", report)?,
                bytes,
                polarity,
            ));
        }
        let aspect_order = sort_and_merge(&mut spans, |kept, again| {
            match (kept.2, again.2) {
                (Some(a), Some(b)) if a != b => report.add(
                    ProblemKind::TwoPolarities,
                    format!(
                        "{:?} is {a} and {b}",
                        again.1.of(&sentence.text).unwrap_or("")
                    ),
                    "read as conflict",
                ),
                _ => report.add(
                    ProblemKind::RepeatedSpan,
                    format!(
                        "aspect {:?} is annotated twice",
                        again.1.of(&sentence.text).unwrap_or("")
                    ),
                    "read once",
                ),
            }
            kept.2 = match (kept.2, again.2) {
                (Some(a), Some(b)) => Some(a.merge(b)),
                (a, b) => a.or(b),
            };
        });
        for (i, &(span, bytes, polarity)) in spans.iter().enumerate() {
            sentence.aspects.push(Aspect { span, polarity });
            if sentence.bytes(span) != bytes {
                extra.cuts.push(Cut {
                    mark: Mark::Aspect(i),
                    bytes,
                });
            }
        }

        let mut opinion_order = Vec::new();
        if let Some(opinions) = opinions {
            let mut spans = Vec::with_capacity(opinions.len());
            for bytes in opinions {
                spans.push((
                    place_on_tokens(&sentence, bytes, "opinion", report)?,
                    bytes,
                    (),
                ));
            }
            opinion_order = sort_and_merge(&mut spans, |_, again| {
                let term = again.1.of(&sentence.text).unwrap_or("");
                report.add(
                    ProblemKind::RepeatedSpan,
                    format!("opinion {term:?} is annotated twice"),
                    "read once",
                );
            });
            for (i, &(span, bytes, ())) in spans.iter().enumerate() {
                if sentence.bytes(span) != bytes {
                    extra.cuts.push(Cut {
                        mark: Mark::Opinion(i),
                        bytes,
                    });
                }
            }
            sentence.opinions = Some(spans.into_iter().map(|(span, ..)| span).collect());
        }

        if let Some(links) = links {
            let mut kept = Vec::with_capacity(links.len());
            for link in links {
                match (
                    aspect_order.get(link.aspect),
                    opinion_order.get(link.opinion),
                ) {
                    (Some(&aspect), Some(&opinion)) => kept.push(Link { aspect, opinion }),
                    _ => {
                        return report.refuse(
                            ProblemKind::Malformed,
                            format!("link [{}, {}] points to no aspect or no opinion", link.aspect, link.opinion),
                            "links are pairs of an aspect's and an opinion's position in their lists, from 0",
                        );
                    }
                }
            }
            kept.sort_unstable();
            kept.dedup();
            sentence.links = Some(kept);
        }
        for category in &mut extra.categories {
            if let Some(aspect) = category.aspect {
                match aspect_order.get(aspect) {
                    Some(&sorted) => category.aspect = Some(sorted),
                    None => {
                        return report.refuse(
                            ProblemKind::Malformed,
                            format!(
                                "category {:?} points to aspect {aspect}, which is not there",
                                category.category
                            ),
                            "aspects count from 0",
                        );
                    }
                }
            }
        }
        sentence.extra = extra;
        Some(sentence)
    }
}

/// The tokens that `bytes` touches.
fn place_on_tokens(
    sentence: &AnnotatedSentence,
    bytes: Span,
    what: &str,
    report: &mut Report<'_>,
) -> Option<Span> {
    let start = sentence
        .tokens
        .partition_point(|token| token.end <= bytes.start);
    let end = sentence
        .tokens
        .partition_point(|token| token.start < bytes.end);
    let term = bytes.of(&sentence.text).unwrap_or("");
    if start >= end {
        return report.refuse(
            ProblemKind::OffsetMismatch,
            format!("{what} {term:?} holds no token"),
            "an annotation needs at least one visible character",
        );
    }
    let span = Span::new(start, end);
    let inner = term.trim_start_matches(is_separator);
    let from = bytes.end - inner.len();
    let to = from + inner.trim_end_matches(is_separator).len();
    let edges = sentence.bytes(span);
    if (from, to) != (edges.start, edges.end) {
        let whole = edges.of(&sentence.text).unwrap_or("");
        report.add(
            ProblemKind::CutToken,
            format!("{what} {term:?} cuts a token of {whole:?}"),
            "the model sees the whole tokens; the exact offsets are kept",
        );
    }
    Some(span)
}

/// Sorts by position and makes equal byte spans one; returns for every old index the new one.
fn sort_and_merge<T>(
    spans: &mut Vec<(Span, Span, T)>,
    mut merge: impl FnMut(&mut (Span, Span, T), &(Span, Span, T)),
) -> Vec<usize> {
    let mut sorted: Vec<(usize, (Span, Span, T))> = spans.drain(..).enumerate().collect();
    sorted.sort_by_key(|(_, (tokens, bytes, _))| (*tokens, *bytes));
    let mut new_index = vec![0; sorted.len()];
    for (old, entry) in sorted {
        match spans.last_mut() {
            Some(last) if last.1 == entry.1 => merge(last, &entry),
            _ => spans.push(entry),
        }
        if let Some(slot) = new_index.get_mut(old) {
            *slot = spans.len() - 1;
        }
    }
    new_index
}
