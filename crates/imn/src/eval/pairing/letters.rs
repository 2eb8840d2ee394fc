//! The letters of a text, which are the same however it is spaced, cased and tokenised.

/// What of a text is compared: its letters in lower case, without white space, each with where it came from.
pub(super) fn letters(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices()
        .filter(|(_, letter)| !letter.is_whitespace())
        .flat_map(|(at, letter)| letter.to_lowercase().map(move |lower| (at, lower)))
}
