//! What is compared: the spans of one sentence, on the gold or on the predicted side.

use crate::data::{Aspect, Polarity, Span};

/// The aspects and opinions of one sentence, as a scorer sees them.
///
/// Spans may count tokens, bytes or anything else, as long as both sides count the same. They are sets: a span
/// that stands there twice counts once, and with two different polarities it is *conflict*.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SentenceSpans {
    /// Aspect terms. Without a polarity an aspect still counts for F1-a.
    pub aspects: Vec<Aspect>,
    /// Opinion terms as the five-class tags hold them; `None` where nobody annotated or predicted opinions.
    pub opinions: Option<Vec<Span>>,
    /// Inside tags without a beginning that were ignored to get these spans; for reporting only.
    pub orphans: u64,
}

/// Sorted by span, each span once; two polarities on one span are *conflict*, a known one beats an unknown one.
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

/// Sorted, each span once.
pub(super) fn distinct(spans: &[Span]) -> Vec<Span> {
    let mut sorted = spans.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}
