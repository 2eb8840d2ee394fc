//! Finds the columns of the label and the text by the names or values of the first row.

use imn_io::columns::{TEXT_COLUMNS, find};

use super::parse_label;
use crate::text::shorten;

/// Most characters of a column name in a message. Without names, it may be a review.
const LONGEST_SHOWN: usize = 60;

/// Names of label columns, the most common first.
const LABEL_COLUMNS: [&str; 8] = [
    "label",
    "sentiment",
    "polarity",
    "stars",
    "star_rating",
    "rating",
    "score",
    "class",
];

/// Positions of the columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentLayout {
    pub(super) label: usize,
    pub(super) text: usize,
    /// Number of columns in the first row.
    pub(super) width: usize,
    /// Whether the first row has column names.
    pub(super) named: bool,
}

impl DocumentLayout {
    /// Finds the columns; `None` if the first row does not identify them. `tabs`: whether the file
    /// is TSV.
    pub(super) fn of(row: &[&str], tabs: bool) -> Option<Self> {
        let width = row.len();
        let label = find(row, &LABEL_COLUMNS);
        let text = find(row, &TEXT_COLUMNS);
        if let (Some(label), Some(text)) = (label, text) {
            return Some(Self {
                label,
                text,
                width,
                named: true,
            });
        }
        let is_label = |at: usize| row.get(at).is_some_and(|f| parse_label(f).is_some());
        // Among more columns without names, the text cannot be identified.
        let label = match width {
            2 if is_label(0) => 0,
            2 if is_label(1) => 1,
            3.. if tabs && is_label(0) => 0,
            _ => return None,
        };
        Some(Self {
            label,
            text: 1 - label,
            width,
            named: false,
        })
    }
}

/// Why the columns of a first row cannot be identified, and what to do about it.
pub(super) fn unidentified(row: &[&str]) -> (String, &'static str) {
    let columns: Vec<String> = row
        .iter()
        .map(|name| {
            format!(
                "`{}`",
                shorten(name.replace(char::is_control, " "), LONGEST_SHOWN)
            )
        })
        .collect();
    let columns = columns.join(", ");
    if find(row, &TEXT_COLUMNS).is_some() {
        let problem = format!("no label column among {columns}");
        let fix = "name it label, sentiment or stars; `imn analyze` reads reviews without labels";
        return (problem, fix);
    }
    if find(row, &LABEL_COLUMNS).is_some() {
        let problem = format!("no text column among {columns}");
        return (problem, "name it text or review");
    }
    let problem = format!("cannot tell which column has the label and which the text: {columns}");
    let fix = "name the columns label and text in the first row, or use two columns, one of them \
               with labels: pos, neg, neu, or stars from 1 to 5";
    (problem, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_spelling() {
        for row in [
            ["Stars", "Review Text"],
            ["star-rating", "REVIEW_BODY"],
            ["Star Rating", "reviewText"],
        ] {
            let layout = DocumentLayout::of(&row, false).unwrap();
            assert!(layout.named, "{row:?}");
            assert_eq!((layout.label, layout.text), (0, 1), "{row:?}");
        }
    }

    #[test]
    fn the_missing_column_is_named() {
        for (row, expected) in [
            (["Stars", "Words"], "no text column among `Stars`, `Words`"),
            (["Mark", "Text"], "no label column among `Mark`, `Text`"),
            (
                ["Mark", "Words"],
                "cannot tell which column has the label and which the text: `Mark`, `Words`",
            ),
        ] {
            assert!(DocumentLayout::of(&row, false).is_none(), "{row:?}");
            assert_eq!(unidentified(&row).0, expected);
        }
        let long = "soup ".repeat(100);
        assert!(unidentified(&[&long, "a\nb"]).0.len() < 200);
    }
}
