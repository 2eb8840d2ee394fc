//! Parses tags and polarities in the spellings of various tools.

use crate::data::Polarity;

/// Position of a tag in its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Begin,
    Inside,
    /// Part of a span that begins wherever the previous tag differs (`T-POS`).
    Run,
}

/// Kind of the term that a tag belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The kind of its column.
    Column,
    Aspect,
    Opinion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) position: Position,
    pub(super) kind: Kind,
    pub(super) polarity: Option<Polarity>,
}

/// Parses a tag. `Some(None)` is an outside tag; `None` means that the field is not a tag.
pub(super) fn parse_tag(field: &str) -> Option<Option<Tag>> {
    let tag = |position, kind, polarity| {
        Some(Some(Tag {
            position,
            kind,
            polarity,
        }))
    };
    match field {
        "O" | "o" | "_" => return Some(None),
        "BA" => return tag(Position::Begin, Kind::Aspect, None),
        "IA" => return tag(Position::Inside, Kind::Aspect, None),
        "BP" => return tag(Position::Begin, Kind::Opinion, None),
        "IP" => return tag(Position::Inside, Kind::Opinion, None),
        _ => {}
    }
    let (place, label) = field.split_once(['-', '_']).unwrap_or((field, ""));
    let position = match place {
        "B" | "S" => Position::Begin,
        "I" | "E" | "M" => Position::Inside,
        "T" => Position::Run,
        _ => return None,
    };
    if label.is_empty() {
        return tag(position, Kind::Column, None);
    }
    let is = |names: &[&str]| names.iter().any(|name| label.eq_ignore_ascii_case(name));
    if is(&["ASP", "ASPECT", "A", "TERM", "TARGET", "T"]) {
        tag(position, Kind::Aspect, None)
    } else if is(&["OP", "OPINION", "P", "O", "OPI"]) {
        tag(position, Kind::Opinion, None)
    } else {
        Polarity::from_name(label).and_then(|polarity| tag(position, Kind::Aspect, Some(polarity)))
    }
}

/// Parses a field of a polarity column. `Some(None)` is no polarity; `None` means that the field is
/// not a polarity.
pub(super) fn parse_polarity(field: &str) -> Option<Option<Polarity>> {
    match field {
        "_" | "O" | "-" | "-1" | "-100" | "-999" | "none" | "None" => Some(None),
        name => Polarity::from_name(name).map(Some),
    }
}
