//! Cuts long text, so that the size of the page is bounded.

/// The maximum length of a term, in characters.
pub(crate) const TERM: usize = 60;

/// Cuts a text after `characters` characters and marks the cut with `…`.
pub(crate) fn shorten(mut text: String, characters: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(characters) {
        text.truncate(at);
        text.push('…');
    }
    text
}
