//! Locates an annotation in the text by its offsets and its term.
//!
//! Published files sometimes have wrong offsets. A term that occurs in the text exactly once is
//! still found; in all other cases the annotation is an error.

use super::Report;
use crate::data::{ProblemKind, Span};
use crate::text::{OffsetIndex, OffsetUnit};

/// The bytes of an annotation given by offsets in code points and optionally its term.
pub(in crate::data) fn locate(
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
                Some(other) => format!("offsets {from}..{to} select {other:?}, not {term:?}"),
                None => format!("offsets {from}..{to} of {term:?} are out of bounds"),
            };
            let mut places = text.match_indices(term);
            match (places.next(), places.next()) {
                (Some((at, _)), None) => {
                    let bytes = Span::new(at, at + term.len());
                    let right = index
                        .span_from_bytes(bytes, OffsetUnit::Chars)
                        .unwrap_or(bytes);
                    let fix = format!(
                        "offsets {}..{} select the term and are used",
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
                    let fix = "the term occurs more than once in the text: correct the offsets";
                    report.refuse(ProblemKind::OffsetMismatch, is, fix)
                }
            }
        }
        _ => report.refuse(
            ProblemKind::OffsetMismatch,
            format!(
                "offsets {from}..{to} are empty or out of bounds: the text has {} characters",
                text.chars().count()
            ),
            "offsets count code points, and the end is exclusive",
        ),
    }
}
