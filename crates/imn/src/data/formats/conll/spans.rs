//! Tags of neighbouring tokens, put together to spans.

use super::tags::{Position, Tag};
use crate::data::draft::Report;
use crate::data::{Polarity, ProblemKind, Span};

/// A span while it grows: its tokens and polarity.
pub(super) struct Open {
    pub(super) span: Span,
    pub(super) polarity: Option<Polarity>,
    pub(super) run: bool,
}

/// Takes the tag of token number `at` into the spans so far.
pub(super) fn extend(
    open: &mut Vec<Open>,
    at: usize,
    tag: Tag,
    field: &str,
    report: &mut Report<'_>,
) {
    let last = open.last_mut().filter(|last| last.span.end == at);
    match (tag.position, last) {
        (Position::Begin, _) => open.push(Open {
            span: Span::new(at, at + 1),
            polarity: tag.polarity,
            run: false,
        }),
        (Position::Inside, Some(last)) => {
            last.span.end = at + 1;
            if tag.polarity.is_some() && last.polarity.is_some() && tag.polarity != last.polarity {
                report.add(
                    ProblemKind::MixedPolarity,
                    format!("{field:?} goes on with another polarity than its term began; the first counts"),
                    "write the same polarity on all tokens of the term",
                );
            }
        }
        (Position::Inside, None) => report.add(
            ProblemKind::OrphanTag,
            format!("inside tag {field:?} without a beginning; ignored"),
            "write B where the term begins",
        ),
        (Position::Run, Some(last)) if last.run && last.polarity == tag.polarity => {
            last.span.end = at + 1
        }
        (Position::Run, _) => open.push(Open {
            span: Span::new(at, at + 1),
            polarity: tag.polarity,
            run: true,
        }),
    }
}
