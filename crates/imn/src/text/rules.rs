//! Versions of the rules that split a text into sentences and tokens.
//!
//! A model was trained on the tokens of one set of rules and must always be given the same tokens.
//! Every model file therefore names the version of its rules, and a released version stays
//! available: changed rules are a new variant of [`TokenizerRules`].

use super::{Span, split_sentences, tokenize_into};

/// A version of the sentence splitter and the tokenizer.
///
/// ```
/// use imn::text::TokenizerRules;
///
/// let text = "It's late. We left.";
/// let rules = TokenizerRules::NEWEST;
/// let sentences = rules.sentences(text);
/// let mut tokens = Vec::new();
/// rules.tokenize_into(text, sentences[1], &mut tokens);
/// let words: Vec<_> = tokens.iter().filter_map(|token| token.of(text)).collect();
/// assert_eq!(words, ["We", "left", "."]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TokenizerRules {
    /// Penn Treebank rules with exact offsets; emoji, URLs and addresses stay whole.
    #[default]
    V1,
}

impl TokenizerRules {
    /// The rules that new models are trained with.
    pub const NEWEST: Self = Self::V1;

    /// The version number stored in model files.
    #[must_use]
    pub fn version(self) -> u32 {
        match self {
            Self::V1 => 1,
        }
    }

    /// The rules with this version number; `None` if this program does not have them.
    #[must_use]
    pub fn from_version(version: u32) -> Option<Self> {
        match version {
            1 => Some(Self::V1),
            _ => None,
        }
    }

    /// The byte spans of the sentences of a text.
    #[must_use]
    pub fn sentences(self, text: &str) -> Vec<Span> {
        match self {
            Self::V1 => split_sentences(text),
        }
    }

    /// Appends the byte spans of the tokens of one sentence of `text` to `tokens`.
    pub fn tokenize_into(self, text: &str, sentence: Span, tokens: &mut Vec<Span>) {
        match self {
            Self::V1 => tokenize_into(text, sentence, tokens),
        }
    }

    /// The byte spans of the tokens of a text that is one sentence.
    #[must_use]
    pub fn tokenize(self, text: &str) -> Vec<Span> {
        let mut tokens = Vec::with_capacity(text.len() / 5 + 1);
        self.tokenize_into(text, Span::new(0, text.len()), &mut tokens);
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_found_by_its_number() {
        let rules = TokenizerRules::NEWEST;
        assert_eq!(TokenizerRules::from_version(rules.version()), Some(rules));
        assert_eq!(TokenizerRules::from_version(rules.version() + 1), None);
    }
}
