//! Which rules split a text into sentences and tokens.
//!
//! A model has learnt from the tokens of one set of rules and must be given the same tokens for ever.
//! So rules have a version, every model file names its own, and a version that was released stays
//! available: a change of the rules is a new variant of [`TokenizerRules`] beside the old ones.

use super::{Span, split_sentences, tokenize_into};

/// A version of the sentence splitter and the tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TokenizerRules {
    /// Penn Treebank rules with exact offsets; emoji, URLs and addresses stay whole.
    #[default]
    V1,
}

impl TokenizerRules {
    /// The rules of new models.
    pub const NEWEST: Self = Self::V1;

    /// The number that model files store.
    #[must_use]
    pub fn version(self) -> u32 {
        match self {
            Self::V1 => 1,
        }
    }

    /// The rules of a stored number; `None` where this program does not know them.
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
