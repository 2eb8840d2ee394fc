//! Finds the text column and the id column.

use imn_io::columns::{TEXT_COLUMNS, find, plain};

use super::column_note::last_word;
use crate::InputError;
use crate::read::ReadSettings;

/// Last words of column names that are not texts, so that a column `id` or `Review Date` is not the
/// text only because it is alone.
const NOT_TEXTS: [&str; 18] = [
    "id",
    "ids",
    "uuid",
    "guid",
    "key",
    "index",
    "number",
    "date",
    "time",
    "timestamp",
    "stars",
    "rating",
    "score",
    "label",
    "sentiment",
    "polarity",
    "url",
    "email",
];
/// Most words of such a name. More words may be a review.
const MOST_WORDS: usize = 3;

/// The indexes of the text column and the id column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) text: usize,
    pub(crate) id: Option<usize>,
}

/// Finds both columns: the requested ones, otherwise by their usual names. A single column is the
/// text unless it is the id, or has the name of something else.
pub(crate) fn choose(
    names: &[String],
    settings: &ReadSettings,
    source_name: &str,
) -> Result<Chosen, InputError> {
    let named = |wanted: &str| names.iter().position(|name| name == wanted);
    let text = match &settings.column {
        Some(asked) => named(asked),
        None => usual_text_column(names).or_else(|| match names {
            [only] => (settings.id.as_ref() != Some(only) && may_be_text(only)).then_some(0),
            _ => None,
        }),
    };
    let Some(text) = text else {
        return Err(InputError::NoTextColumn {
            source_name: source_name.to_owned(),
            asked: settings.column.clone(),
            columns: names.to_vec(),
            guess: None,
        });
    };
    let id = match &settings.id {
        Some(asked) => Some(named(asked).ok_or_else(|| InputError::NoIdColumn {
            source_name: source_name.to_owned(),
            asked: asked.clone(),
            columns: names.to_vec(),
        })?),
        None => find(names, &["id"]).filter(|&id| id != text),
    };
    Ok(Chosen { text, id })
}

/// Whether a column with this name can have the text.
fn may_be_text(name: &str) -> bool {
    let is_short = name.split_whitespace().count() <= MOST_WORDS;
    !(is_short && NOT_TEXTS.contains(&last_word(name).as_str()))
}

/// The first column that differs from a requested one only in case, spaces, underscores and
/// hyphens.
pub(crate) fn alike<'a>(asked: &str, names: &'a [String]) -> Option<&'a str> {
    let asked = plain(asked);
    let mut names = names.iter().map(String::as_str);
    names.find(|name| plain(name) == asked)
}

/// The column with a usual name for the text.
pub(super) fn usual_text_column<S: AsRef<str>>(names: &[S]) -> Option<usize> {
    find(names, &TEXT_COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str], column: Option<&str>, id: Option<&str>) -> Result<Chosen, InputError> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let settings = ReadSettings {
            column: column.map(str::to_owned),
            id: id.map(str::to_owned),
            ..ReadSettings::default()
        };
        choose(&names, &settings, "a.csv")
    }

    #[test]
    fn requested_then_usual_then_only_column() {
        let chosen = |text, id| Chosen { text, id };
        let names = ["ID", "Review", "text"];
        assert_eq!(of(&names, None, None).unwrap(), chosen(2, Some(0)));
        assert_eq!(
            of(&names, Some("Review"), Some("text")).unwrap(),
            chosen(1, Some(2))
        );
        assert_eq!(of(&["words"], None, None).unwrap(), chosen(0, None));
        for name in ["Review Text", "review-text", " REVIEW_TEXT", "reviewText"] {
            let names = ["Review Date", name];
            assert_eq!(of(&names, None, None).unwrap(), chosen(1, None), "{name}");
        }
    }

    #[test]
    fn the_only_column_is_not_the_text_if_it_is_something_else() {
        for name in [
            "id",
            " ID",
            "review_id",
            "reviewId",
            "Order Number",
            "Stars",
            "uuid",
        ] {
            let error = of(&[name], None, None).unwrap_err().to_string();
            let expected = format!("cannot tell which column has the text (columns: `{name}`)");
            assert!(error.ends_with(&expected), "{error}");
            // A requested column is taken.
            assert_eq!(of(&[name], Some(name), None).unwrap().text, 0, "{name}");
        }
        assert!(of(&["words"], None, Some("words")).is_err());
        for name in ["words", "Opinion", "grid", "I was there at that time"] {
            assert_eq!(of(&[name], None, None).unwrap().text, 0, "{name}");
        }
    }

    #[test]
    fn a_missing_column_is_named_with_the_existing_ones() {
        let error = of(&["stars", "words"], None, None).unwrap_err().to_string();
        assert!(
            error.contains("which column has the text (columns: `stars`, `words`)"),
            "{error}"
        );
        let error = of(&["text"], Some("Text"), None).unwrap_err().to_string();
        let expected = "a.csv: no column `Text`: did you mean `text`? (columns: `text`)";
        assert_eq!(error, expected);
        let error = of(&["text"], None, Some("key")).unwrap_err().to_string();
        assert_eq!(error, "a.csv: no id column `key` (columns: `text`)");
    }

    #[test]
    fn a_column_that_is_spelt_differently_is_suggested() {
        let names = ["Review ID", "Review, full text", "Text"];
        for (asked, suggested) in [
            ("text", "`text`: did you mean `Text`?"),
            ("review, FULL text", "did you mean `Review, full text`?"),
            ("other", "no column `other` (columns:"),
        ] {
            let error = of(&names, Some(asked), None).unwrap_err().to_string();
            assert!(error.contains(suggested), "{error}");
            let columns = "(columns: `Review ID`, `Review, full text`, `Text`)";
            assert!(error.ends_with(columns), "{error}");
        }
        let error = of(&names, None, Some("review_id")).unwrap_err();
        let expected = "no id column `review_id`: did you mean `Review ID`?";
        assert!(error.to_string().contains(expected), "{error}");
    }
}
