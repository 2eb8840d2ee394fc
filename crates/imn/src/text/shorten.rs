//! Cuts long text.

/// Cuts a text after `characters` characters and marks the cut with `…`.
///
/// ```
/// assert_eq!(imn::text::shorten("naïve".to_owned(), 3), "naï…");
/// assert_eq!(imn::text::shorten("naïve".to_owned(), 5), "naïve");
/// ```
#[must_use]
pub fn shorten(mut text: String, characters: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(characters) {
        text.truncate(at);
        text.push('…');
    }
    text
}
