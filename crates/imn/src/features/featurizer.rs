//! The one place where words are converted to ids.

use serde::{Deserialize, Serialize};

use super::{Features, Limits, SubwordTokenizer};
use crate::data::AnnotatedSentence;
use crate::text::{Span, TokenizerRules, Vocabulary, blank_tags, emoji_word, parts};

/// The table in which words are looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lexicon {
    /// Whole words, for an encoder over word vectors.
    Words(Vocabulary),
    /// Subwords, for a pre-trained transformer encoder.
    Subwords(SubwordTokenizer),
}

impl Lexicon {
    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Words(vocabulary) => vocabulary.len(),
            Self::Subwords(subwords) => subwords.len(),
        }
    }

    /// Always false: there are reserved entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Whether the word itself has an entry.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        match self {
            Self::Words(vocabulary) => vocabulary.has(word),
            Self::Subwords(subwords) => subwords.has(word),
        }
    }

    /// The vocabulary, if the entries are whole words.
    #[must_use]
    pub fn words(&self) -> Option<&Vocabulary> {
        match self {
            Self::Words(vocabulary) => Some(vocabulary),
            Self::Subwords(_) => None,
        }
    }
}

/// Converts text to the features that a model reads, by its tokenizer rules and its lexicon.
///
/// ```
/// use imn::features::{Featurizer, Lexicon, Limits};
/// use imn::text::{Normalizer, TokenizerRules, VocabularyBuilder};
///
/// let mut builder = VocabularyBuilder::new(Normalizer::default());
/// builder.count("soup");
/// let lexicon = Lexicon::Words(builder.build(None, [], 0));
/// let featurizer = Featurizer::new(TokenizerRules::NEWEST, lexicon);
///
/// let pieces = featurizer.pieces("Soup! More soup, please.", Limits::WORDS);
/// assert_eq!(pieces.len(), 2); // one per sentence
/// assert_eq!(pieces[0].features.ids(), [3, 1]); // soup, and "!" is unknown
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Featurizer {
    rules: TokenizerRules,
    lexicon: Lexicon,
    /// Whether annotated texts are split into sentences.
    splits: bool,
}

/// Consecutive words that the network reads at once: a sentence, or part of a very long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Byte spans of the words.
    pub tokens: Vec<Span>,
    /// Features of the same words.
    pub features: Features,
}

impl Featurizer {
    /// A featurizer with these rules and this lexicon.
    #[must_use]
    pub fn new(rules: TokenizerRules, lexicon: Lexicon) -> Self {
        Self {
            rules,
            lexicon,
            splits: false,
        }
    }

    /// Whether annotated texts, which may hold several sentences, are split as texts to analyse
    /// always are. Annotated texts that were split by hand are best left alone: the default.
    #[must_use]
    pub fn splitting(mut self, splits: bool) -> Self {
        self.splits = splits;
        self
    }

    /// The tokenizer rules.
    #[must_use]
    pub fn rules(&self) -> TokenizerRules {
        self.rules
    }

    /// The table in which words are looked up.
    #[must_use]
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// The features of words as written in a text.
    #[must_use]
    pub fn words<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> Features {
        match &self.lexicon {
            Lexicon::Words(vocabulary) => {
                let ids = words.into_iter().map(|word| vocabulary.id(word));
                ids.collect::<Vec<u32>>().into()
            }
            Lexicon::Subwords(subwords) => subwords.features(words),
        }
    }

    /// The features of the words of a sentence. Emoji count as words with their sentiment
    /// ([`emoji_word`]), because labelled sentences have too few of them to learn from. Rated
    /// documents have more.
    fn sentence_words<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> Features {
        let words = words.into_iter();
        self.words(words.map(|word| emoji_word(word).unwrap_or(word)))
    }

    /// The features of an annotated sentence. Its labels are not used.
    #[must_use]
    pub fn sentence(&self, sentence: &AnnotatedSentence) -> Features {
        let features = self.sentence_words(sentence.words());
        if !self.splits {
            return features;
        }
        let spans = self.rules.sentences(&blank_tags(&sentence.text));
        let tokens = &sentence.tokens;
        let first = |span: Span| tokens.partition_point(|token| token.start < span.start);
        let mut breaks: Vec<u32> = spans
            .iter()
            .skip(1)
            .map(|&span| first(span) as u32)
            .collect();
        breaks.dedup();
        breaks.retain(|&word| word > 0 && (word as usize) < tokens.len());
        features.with_breaks(breaks)
    }

    /// Splits a text into sentences, and long ones into several pieces: where a clause begins
    /// ([`parts`]), and at the limits. HTML tags count as white space.
    #[must_use]
    pub fn pieces(&self, text: &str, limits: Limits) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let text = &*blank_tags(text);
        for sentence in self.rules.sentences(text) {
            let mut tokens = Vec::new();
            self.rules.tokenize_into(text, sentence, &mut tokens);
            let features =
                self.sentence_words(tokens.iter().map(|token| &text[token.start..token.end]));
            let breaks = parts(text, &tokens)
                .iter()
                .skip(1)
                .map(|part| part.start as u32)
                .collect();
            let features = features.with_breaks(breaks);
            let windows = features.windows(limits);
            if let [_] = windows.as_slice() {
                pieces.push(Piece { tokens, features });
                continue;
            }
            pieces.extend(windows.into_iter().map(|window| Piece {
                tokens: tokens[window.clone()].to_vec(),
                features: features.slice(window),
            }));
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Normalizer, VocabularyBuilder};

    #[test]
    fn emoji_in_sentences_count_as_words_with_their_sentiment() {
        let mut builder = VocabularyBuilder::new(Normalizer::default());
        ["bad", "👎"].iter().for_each(|word| builder.count(word));
        let lexicon = Lexicon::Words(builder.build(None, [], 0));
        let featurizer = Featurizer::new(TokenizerRules::NEWEST, lexicon);
        let bad = featurizer.words(["bad"]);
        assert_eq!(featurizer.pieces("👎", Limits::WORDS)[0].features, bad);
        let annotated = AnnotatedSentence {
            text: "👎".to_owned(),
            tokens: vec![Span::new(0, "👎".len())],
            ..AnnotatedSentence::default()
        };
        assert_eq!(featurizer.sentence(&annotated), bad);
        // A document keeps the emoji.
        assert_ne!(featurizer.words(["👎"]), bad);
    }
}
