//! Joins the tags of consecutive tokens into spans.

use super::tags::{Position, Tag};
use crate::data::draft::Report;
use crate::data::{Polarity, ProblemKind, Span};

/// A span that the next tags may extend.
pub(super) struct OpenSpan {
    pub(super) span: Span,
    pub(super) polarity: Option<Polarity>,
    /// Whether the span consists of [`Position::Run`] tags.
    pub(super) run: bool,
}

/// Adds the tag of token `at` to the spans.
pub(super) fn extend(
    open: &mut Vec<OpenSpan>,
    at: usize,
    tag: Tag,
    field: &str,
    report: &mut Report<'_>,
) {
    let last = open.last_mut().filter(|last| last.span.end == at);
    match (tag.position, last) {
        (Position::Begin, _) => open.push(OpenSpan {
            span: Span::new(at, at + 1),
            polarity: tag.polarity,
            run: false,
        }),
        (Position::Inside, Some(last)) => {
            last.span.end = at + 1;
            if tag.polarity.is_some() && last.polarity.is_some() && tag.polarity != last.polarity {
                let message = format!(
                    "{field:?} has another polarity than the start of its term; the first is used"
                );
                let fix = "write the same polarity on all tokens of the term";
                report.add(ProblemKind::MixedPolarity, message, fix);
            }
        }
        (Position::Inside, None) => report.add(
            ProblemKind::OrphanTag,
            format!("inside tag {field:?} without a begin tag; ignored"),
            "write B where the term begins",
        ),
        (Position::Run, Some(last)) if last.run && last.polarity == tag.polarity => {
            last.span.end = at + 1
        }
        (Position::Run, _) => open.push(OpenSpan {
            span: Span::new(at, at + 1),
            polarity: tag.polarity,
            run: true,
        }),
    }
}
