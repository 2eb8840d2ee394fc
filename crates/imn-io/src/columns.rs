//! Finding columns of a table by their usual names.

use std::collections::HashSet;

/// Usual names of text columns, the most likely first.
pub const TEXT_COLUMNS: [&str; 16] = [
    "text",
    "review",
    "review_text",
    "reviewtext",
    "review_body",
    "reviewbody",
    "content",
    "body",
    "comment",
    "comments",
    "sentence",
    "message",
    "feedback",
    "answer",
    "description",
    "document",
];

/// A name in lower case without spaces, underscores and hyphens. Names of columns are compared in
/// this form.
///
/// ```
/// assert_eq!(imn_io::columns::plain(" Review_Text"), "reviewtext");
/// ```
#[must_use]
pub fn plain(name: &str) -> String {
    let is_letter = |c: &char| !c.is_whitespace() && !matches!(c, '_' | '-');
    let letters: String = name.chars().filter(is_letter).collect();
    letters.to_lowercase()
}

/// The index of the column with the first of the `wanted` names that exists, ignoring case, spaces,
/// underscores and hyphens.
///
/// ```
/// use imn_io::columns::{TEXT_COLUMNS, find};
/// assert_eq!(find(&["stars", "Body", "Review Text"], &TEXT_COLUMNS), Some(2));
/// assert_eq!(find(&["stars"], &TEXT_COLUMNS), None);
/// ```
#[must_use]
pub fn find<S: AsRef<str>>(names: &[S], wanted: &[&str]) -> Option<usize> {
    let names: Vec<String> = names.iter().map(|name| plain(name.as_ref())).collect();
    let position = |wanted: &&str| {
        let wanted = plain(wanted);
        names.iter().position(|name| *name == wanted)
    };
    wanted.iter().find_map(position)
}

/// Makes names unique: a second `a` becomes `a_2`.
#[must_use]
pub fn distinct(names: Vec<String>) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    let mut seen = HashSet::new();
    let mut result = Vec::with_capacity(names.len());
    for name in names {
        if seen.insert(name.clone()) {
            result.push(name);
            continue;
        }
        let mut numbered = (2..).map(|i| format!("{name}_{i}"));
        let free = numbered
            .find(|other| !taken.contains(other))
            .unwrap_or(name);
        taken.insert(free.clone());
        seen.insert(free.clone());
        result.push(free);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_spelling() {
        for name in ["Review Text", "review-text", " REVIEW_TEXT", "reviewText"] {
            assert_eq!(find(&["stars", name], &["review_text"]), Some(1), "{name}");
        }
        assert_eq!(find(&["review", "texts"], &["review_text"]), None);
    }

    #[test]
    fn names_are_made_distinct() {
        let names = ["a", "b", "a", "a_2", "a"].map(str::to_owned).to_vec();
        assert_eq!(distinct(names), ["a", "b", "a_3", "a_2", "a_4"]);
    }
}
