//! The letters of a text, which do not depend on white space, case and tokens.

/// All characters except white space, in lower case, with their byte offsets.
pub(super) fn letters(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices()
        .filter(|(_, letter)| !letter.is_whitespace())
        .flat_map(|(at, letter)| letter.to_lowercase().map(move |lower| (at, lower)))
}
