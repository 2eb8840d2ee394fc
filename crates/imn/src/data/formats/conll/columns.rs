//! The contents of each column: named in a header, or inferred from the values of the column.
//!
//! Files of this kind come from many tools and rarely have a header.

use super::blocks::{Block, comment, split};
use super::tags::{Kind, Tag, parse_polarity, parse_tag};
use crate::data::ProblemKind;
use crate::data::draft::Report;

/// Contents of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Token,
    Aspect,
    Opinion,
    Polarity,
    Ignored,
}

/// Whether a text looks like columns of tags.
pub(in crate::data) fn looks_like(text: &str) -> bool {
    let mut rows = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(50)
        .peekable();
    if rows
        .peek()
        .and_then(|line| comment(line))
        .is_some_and(|(key, _)| key == "columns")
    {
        return true;
    }
    rows.peek().is_some()
        && rows.filter(|line| comment(line).is_none()).all(|line| {
            let fields = split(line);
            (2..=8).contains(&fields.len()) && fields.iter().skip(1).any(|f| parse_tag(f).is_some())
        })
}

pub(super) fn named_columns(names: &str, report: &mut Report<'_>) -> Option<Vec<Column>> {
    let mut columns = Vec::new();
    for name in names.split_whitespace() {
        columns.push(match name {
            "token" => Column::Token,
            "aspect" => Column::Aspect,
            "opinion" => Column::Opinion,
            "polarity" => Column::Polarity,
            "_" => Column::Ignored,
            _ => {
                let message = format!("unknown column {name:?}");
                return report.refuse(
                    ProblemKind::Malformed,
                    message,
                    "token, aspect, opinion, polarity or _",
                );
            }
        });
    }
    if columns.contains(&Column::Token) {
        return Some(columns);
    }
    report.refuse(
        ProblemKind::Malformed,
        "there is no column of tokens",
        "name one of the columns token",
    )
}

/// Infers the columns: the first one is the token, the others are recognised by their values.
pub(super) fn guess_columns(blocks: &[Block<'_>]) -> Option<Vec<Column>> {
    let width = blocks.first()?.rows.first()?.1.len();
    let mut columns = vec![Column::Token];
    for at in 1..width {
        let fields = || {
            blocks
                .iter()
                .flat_map(|b| &b.rows)
                .filter_map(move |(_, row)| row.get(at))
        };
        let tags = fields().all(|field| parse_tag(field).is_some());
        let polarities = fields().all(|field| parse_polarity(field).is_some());
        let labelled = fields().any(|f| {
            matches!(
                parse_tag(f),
                Some(Some(Tag {
                    kind: Kind::Aspect,
                    ..
                }))
            )
        });
        let opinions = fields().any(|f| {
            matches!(
                parse_tag(f),
                Some(Some(Tag {
                    kind: Kind::Opinion,
                    ..
                }))
            )
        });
        columns.push(if tags && opinions && !labelled {
            Column::Opinion
        } else if tags && !columns.contains(&Column::Aspect) {
            Column::Aspect
        } else if polarities && columns.contains(&Column::Aspect) && !tags {
            Column::Polarity
        } else if tags && !columns.contains(&Column::Opinion) {
            Column::Opinion
        } else {
            Column::Ignored
        });
    }
    columns
        .iter()
        .any(|c| matches!(c, Column::Aspect | Column::Opinion))
        .then_some(columns)
}
