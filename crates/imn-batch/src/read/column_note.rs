//! Remarks on a text column that was not requested but chosen by its name, so that a wrong choice
//! does not stay unnoticed.

use imn_io::columns::TEXT_COLUMNS;

use super::ReadSettings;
use super::column::Chosen;

/// Most characters of a usual column name.
const LONGEST_NAME: usize = 40;

/// A remark on the chosen text column of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnNote {
    /// Other columns could hold the text, too.
    OneOfSeveral {
        /// The chosen column.
        column: String,
        /// The other ones.
        others: Vec<String>,
    },
    /// The only column of a table has a name that looks like a review, so the table may have no
    /// header. Its first review would be lost.
    LooksLikeReview {
        /// The name.
        column: String,
    },
}

impl ColumnNote {
    /// The remark on the chosen column of a table with these columns, if there is one.
    pub(super) fn of(names: &[String], chosen: Chosen, settings: &ReadSettings) -> Option<Self> {
        if settings.column.is_some() {
            return None;
        }
        let column = names.get(chosen.text)?.clone();
        let may_be_text = |&(i, name): &(usize, &String)| {
            i != chosen.text && Some(i) != chosen.id && ends_like_text(name)
        };
        let others = names.iter().enumerate().filter(may_be_text);
        let others: Vec<String> = others.map(|(_, name)| name.clone()).collect();
        (!others.is_empty()).then_some(Self::OneOfSeveral { column, others })
    }

    /// The same for a table whose names come from its first row.
    pub(super) fn of_header(
        names: &[String],
        chosen: Chosen,
        settings: &ReadSettings,
    ) -> Option<Self> {
        match names {
            [column] if settings.column.is_none() && looks_like_review(column) => {
                Some(Self::LooksLikeReview {
                    column: column.clone(),
                })
            }
            _ => Self::of(names, chosen, settings),
        }
    }
}

/// Whether a column name is rather a review: it ends like a sentence, or it is long.
pub(super) fn looks_like_review(name: &str) -> bool {
    ends_like_sentence(name) || name.trim().chars().count() > LONGEST_NAME
}

/// Whether the first row of a table looks like a review with commas rather than like names.
pub(super) fn looks_like_text(names: &[String]) -> bool {
    let words = |name: &String| name.split_whitespace().count();
    // In prose, a space follows every comma.
    let is_prose = names.len() > 1
        && names[1..].iter().all(|name| name.starts_with(' '))
        && names.iter().any(|name| words(name) > 1);
    is_prose
        || names
            .iter()
            .any(|name| looks_like_review(name) || words(name) > 3)
}

/// Whether words end with the punctuation of a sentence. A single word may end with a full stop.
pub(super) fn ends_like_sentence(words: &str) -> bool {
    let words = words.trim();
    let end = words.trim_end_matches(['"', '\'', '”', '’', ')']);
    let is_phrase = words.contains(char::is_whitespace);
    end.ends_with('!') || is_phrase && end.ends_with(['.', '?', '…'])
}

/// Whether the last word of a column name is a usual name of a text, as in `Full review`,
/// `replyContent` and `text_2`, but not in `review_id`.
fn ends_like_text(name: &str) -> bool {
    TEXT_COLUMNS.contains(&last_word(name).as_str())
}

/// The last word of a column name in lower case: `content` in `replyContent`, `text` in `Text_2`.
pub(super) fn last_word(name: &str) -> String {
    let name = name.trim_end_matches(|c: char| !c.is_alphabetic());
    let word = name.rsplit(|c: char| !c.is_alphanumeric()).next();
    let word = word.unwrap_or_default();
    let starts_hump =
        |&(at, c): &(usize, char)| c.is_uppercase() && word[..at].ends_with(char::is_lowercase);
    let hump = word.char_indices().rev().find(starts_hump);
    word[hump.map_or(0, |(at, _)| at)..].to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::super::column::choose;
    use super::*;

    fn note(names: &[&str], column: Option<&str>) -> Option<ColumnNote> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let settings = ReadSettings {
            column: column.map(str::to_owned),
            ..ReadSettings::default()
        };
        let chosen = choose(&names, &settings, "a.csv").unwrap();
        ColumnNote::of_header(&names, chosen, &settings)
    }

    #[test]
    fn a_choice_among_several_is_noted() {
        for (names, column, others) in [
            (
                &["Review ID", "Stars", "Review, full text", "Text"][..],
                "Text",
                &["Review, full text"][..],
            ),
            (&["review", "text", "text_2"], "text", &["review", "text_2"]),
            (
                &["content", "replyContent", "at"],
                "content",
                &["replyContent"],
            ),
            (
                &["body", "Owner answer (English)", "FullREVIEW", "OTHER_TEXT"],
                "body",
                &["FullREVIEW", "OTHER_TEXT"],
            ),
        ] {
            let expected = ColumnNote::OneOfSeveral {
                column: column.to_owned(),
                others: others.iter().map(|&other| other.to_owned()).collect(),
            };
            assert_eq!(note(names, None), Some(expected), "{names:?}");
            assert_eq!(note(names, Some(column)), None, "{names:?}");
        }
        for names in [
            &["text"][..],
            &[
                "id",
                "review",
                "stars",
                "review_date",
                "text_length",
                "reviewId",
            ],
            &["words"],
            &["context", "text"],
        ] {
            assert_eq!(note(names, None), None, "{names:?}");
        }
    }

    #[test]
    fn a_name_like_a_review_is_noted() {
        let long = "great food and lovely staff would come again";
        for name in [
            "The soup was cold.",
            "Delicious!",
            "We asked \"why?\" ",
            long,
        ] {
            let column = name.to_owned();
            let expected = ColumnNote::LooksLikeReview { column };
            assert_eq!(note(&[name], None), Some(expected), "{name}");
            assert_eq!(note(&[name], Some(name)), None, "{name}");
            // With other columns, it is not chosen.
            assert_eq!(note(&[name, "review"], None), None, "{name}");
        }
        for name in ["words", "Your opinion (in your own words)", "No."] {
            assert_eq!(note(&[name], None), None, "{name}");
        }
    }

    #[test]
    fn a_review_with_commas_is_told_from_names() {
        let is_text = |header: &str| {
            let names: Vec<String> = header.split(',').map(str::to_owned).collect();
            looks_like_text(&names)
        };
        for header in [
            "The room was dirty, but the pool was nice.",
            "The room was dirty,but the pool was nice",
            "Great food, great staff",
            "id,How was your stay with us?",
        ] {
            assert!(is_text(header), "{header}");
        }
        for header in [
            "id,words",
            "id, words, stars",
            "Review ID,Date of Visit,Stars",
            "a",
        ] {
            assert!(!is_text(header), "{header}");
        }
    }
}
