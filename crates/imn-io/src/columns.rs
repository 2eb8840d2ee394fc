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

/// The index of the column with the first of the `wanted` names that exists, ignoring case.
///
/// ```
/// use imn_io::columns::{TEXT_COLUMNS, find};
/// assert_eq!(find(&["stars", "Body", "review"], &TEXT_COLUMNS), Some(2));
/// assert_eq!(find(&["stars"], &TEXT_COLUMNS), None);
/// ```
#[must_use]
pub fn find<S: AsRef<str>>(names: &[S], wanted: &[&str]) -> Option<usize> {
    let position = |wanted: &&str| {
        let mut columns = names.iter();
        columns.position(|name| name.as_ref().trim().eq_ignore_ascii_case(wanted))
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
    fn names_are_made_distinct() {
        let names = ["a", "b", "a", "a_2", "a"].map(str::to_owned).to_vec();
        assert_eq!(distinct(names), ["a", "b", "a_3", "a_2", "a_4"]);
    }
}
