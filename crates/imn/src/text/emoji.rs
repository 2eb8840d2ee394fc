//! Words for emoji that express an opinion.
//!
//! Models are trained on text that has hardly any emoji. An emoji without an entry in the lexicon
//! would be an unknown word, and the sentiment of "Breakfast 👎" would be a guess. Emoji whose
//! sentiment depends on the text (laughter, fire, a wink) have no word.

/// An adjective with the sentiment of an emoji, which may be followed by modifiers such as a skin
/// tone. `None` for other tokens.
///
/// ```
/// use imn::text::emoji_word;
///
/// assert_eq!(emoji_word("👎🏽"), Some("bad"));
/// assert_eq!(emoji_word("🍜"), None);
/// ```
#[must_use]
pub fn emoji_word(token: &str) -> Option<&'static str> {
    let first = token.chars().next().filter(|first| !first.is_ascii())?;
    Some(match first {
        '👍' | '👌' | '🙂' | '😊' | '😀' | '😃' | '😄' | '😁' | '😌' | '☺' => {
            "good"
        }
        '👏' | '🙌' | '🎉' | '🥳' | '💯' | '🤗' => "great",
        '🤩' | '😎' => "amazing",
        '😍' | '🥰' | '😘' | '😻' | '❤' | '♥' | '💕' | '💖' | '💗' | '💓' | '💞' | '💘' | '💙'
        | '💚' | '💛' | '💜' | '🧡' => "lovely",
        '😋' | '🤤' => "delicious",
        '👎' | '😒' | '🙄' | '😣' | '😖' => "bad",
        '😕' | '🙁' | '☹' | '😞' | '😟' | '😔' | '😢' | '😭' | '💔' | '😿' => {
            "disappointing"
        }
        '😠' | '😡' | '🤬' | '😤' | '👿' | '😫' | '😩' => "awful",
        '🤢' | '🤮' | '💩' => "disgusting",
        '🥱' | '😴' => "boring",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenize;

    #[test]
    fn emoji_are_tokens_with_a_word() {
        let text = "Pool😍, staff ❤️. 👎🏿";
        let tokens = tokenize(text);
        let words: Vec<_> = tokens
            .iter()
            .filter_map(|token| emoji_word(&text[token.start..token.end]))
            .collect();
        assert_eq!(words, ["lovely", "lovely", "bad"]);
    }

    #[test]
    fn other_tokens_have_no_word() {
        for token in ["", "good", ":)", "é", "🔥", "😂", "★"] {
            assert_eq!(emoji_word(token), None, "{token}");
        }
    }
}
