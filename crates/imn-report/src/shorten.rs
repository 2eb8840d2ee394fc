//! Text of others is shown up to a length, so that no review makes the page endless.

/// Letters of a term that are kept.
pub(crate) const TERM: usize = 60;

/// A text of at most so many letters, with a sign where it was longer.
pub(crate) fn shorten(mut text: String, letters: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(letters) {
        text.truncate(at);
        text.push('…');
    }
    text
}
