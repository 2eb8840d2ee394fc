//! The spans of one sentence, on the gold or on the predicted side.

use crate::data::{Aspect, Polarity, Span};

/// The aspects and opinions of one sentence, as the scorer compares them.
///
/// Spans may count tokens, bytes or anything else, as long as both sides count the same. They are
/// sets: a repeated span counts once, and is *conflict* if its polarities differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SentenceSpans {
    /// Aspect terms. An aspect without a polarity still counts for F1-a.
    pub aspects: Vec<Aspect>,
    /// Opinion terms, as the five-class tags represent them; `None` if opinions were not annotated
    /// or predicted.
    pub opinions: Option<Vec<Span>>,
    /// Number of inside tags without a begin tag that were ignored; for reporting only.
    pub orphans: u64,
}

/// Sorts by span and merges equal spans. Different polarities become *conflict*; a known polarity
/// replaces a missing one.
pub(super) fn merged(aspects: &[Aspect]) -> Vec<Aspect> {
    let mut sorted = aspects.to_vec();
    sorted.sort_unstable_by_key(|aspect| (aspect.span, aspect.polarity));
    sorted.dedup_by(|later, kept| {
        let same = later.span == kept.span;
        if same {
            kept.polarity = match (kept.polarity, later.polarity) {
                (Some(a), Some(b)) if a != b => Some(Polarity::Conflict),
                (a, b) => a.or(b),
            };
        }
        same
    });
    sorted
}

/// Sorts the spans and removes duplicates.
pub(super) fn distinct(spans: &[Span]) -> Vec<Span> {
    let mut sorted = spans.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}
