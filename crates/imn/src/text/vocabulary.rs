//! Word ids.
//!
//! A vocabulary is built from training text only: words by falling count (ties by spelling, so that
//! the same text gives the same ids), up to a maximum size, followed by extra words that have
//! pre-trained vectors.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Normalizer;
use super::spelling::{self, Spelling};

/// Why a stored vocabulary is invalid.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum VocabularyError {
    /// A reserved word does not have its id.
    #[error("vocabulary: word {id} must be {expected:?}, not {found:?}")]
    Reserved {
        /// Id of the word.
        id: usize,
        /// The reserved word.
        expected: &'static str,
        /// The word found instead.
        found: String,
    },
    /// A word has two ids.
    #[error("vocabulary: {word:?} occurs twice")]
    Duplicate {
        /// The word.
        word: String,
    },
    /// There are more words than ids.
    #[error("vocabulary: more than {} words", u32::MAX)]
    TooLarge,
}

/// Maps words to ids and back. Words are normalised before they are looked up.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Vocabulary {
    normalizer: Normalizer,
    spelling: Spelling,
    words: Vec<String>,
    ids: HashMap<String, u32>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    normalizer: Normalizer,
    #[serde(default)]
    spelling: Spelling,
    words: Vec<String>,
}

const RESERVED: [&str; 3] = ["<pad>", "<unk>", Normalizer::NUMBER];

impl Vocabulary {
    /// Id of padding.
    pub const PAD: u32 = 0;
    /// Id of every unknown word.
    pub const UNK: u32 = 1;
    /// Id of every number.
    pub const NUM: u32 = 2;

    /// Id of a word as written in a text.
    #[must_use]
    pub fn id(&self, word: &str) -> u32 {
        self.id_of_normalized(&self.normalizer.apply(word))
    }

    /// Id of a word that is already normalised.
    #[must_use]
    pub fn id_of_normalized(&self, word: &str) -> u32 {
        let known = |word: &str| self.ids.get(word).copied();
        known(word)
            .or_else(|| match self.spelling {
                Spelling::Exact => None,
                Spelling::Nearest => spelling::nearest(word, known),
            })
            .unwrap_or(Self::UNK)
    }

    /// Whether the word itself is in the vocabulary. [`Spelling`] plays no part.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.ids.contains_key(self.normalizer.apply(word).as_ref())
    }

    /// Sets how words that are not in the vocabulary are looked up.
    ///
    /// ```
    /// use imn::text::{Normalizer, Spelling, Vocabulary, VocabularyBuilder};
    ///
    /// let mut builder = VocabularyBuilder::new(Normalizer::default());
    /// builder.count("delicious");
    /// let exact = builder.build(None, [], 0);
    /// assert_eq!(exact.id("delicous"), Vocabulary::UNK);
    /// let nearest = exact.with_spelling(Spelling::Nearest);
    /// assert_eq!(nearest.id("delicous"), nearest.id("delicious"));
    /// ```
    #[must_use]
    pub fn with_spelling(self, spelling: Spelling) -> Self {
        Self { spelling, ..self }
    }

    /// The word with this id.
    #[must_use]
    pub fn word(&self, id: u32) -> Option<&str> {
        self.words.get(id as usize).map(String::as_str)
    }

    /// All words in the order of their ids, reserved words first.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The normalisation applied to every word.
    #[must_use]
    pub fn normalizer(&self) -> Normalizer {
        self.normalizer
    }

    /// Number of words, including the reserved ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Always false: the reserved words are always present.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn new(
        normalizer: Normalizer,
        spelling: Spelling,
        words: Vec<String>,
    ) -> Result<Self, VocabularyError> {
        for (id, expected) in RESERVED.into_iter().enumerate() {
            let found = words.get(id).map_or("", String::as_str);
            if found != expected {
                return Err(VocabularyError::Reserved {
                    id,
                    expected,
                    found: found.to_owned(),
                });
            }
        }
        let mut ids = HashMap::with_capacity(words.len());
        for (id, word) in words.iter().enumerate() {
            let id = u32::try_from(id).map_err(|_| VocabularyError::TooLarge)?;
            if ids.insert(word.clone(), id).is_some() {
                return Err(VocabularyError::Duplicate { word: word.clone() });
            }
        }
        Ok(Self {
            normalizer,
            spelling,
            words,
            ids,
        })
    }
}

impl Default for Vocabulary {
    /// The reserved words only.
    fn default() -> Self {
        VocabularyBuilder::new(Normalizer::default()).build(None, [], 0)
    }
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.normalizer == other.normalizer
            && self.spelling == other.spelling
            && self.words == other.words
    }
}

impl Eq for Vocabulary {}

impl TryFrom<Stored> for Vocabulary {
    type Error = VocabularyError;

    fn try_from(stored: Stored) -> Result<Self, VocabularyError> {
        Self::new(stored.normalizer, stored.spelling, stored.words)
    }
}

impl From<Vocabulary> for Stored {
    fn from(vocabulary: Vocabulary) -> Self {
        Self {
            normalizer: vocabulary.normalizer,
            spelling: vocabulary.spelling,
            words: vocabulary.words,
        }
    }
}

/// Counts words, then assigns their ids.
///
/// ```
/// use imn::text::{Normalizer, Vocabulary, VocabularyBuilder};
///
/// let mut builder = VocabularyBuilder::new(Normalizer::default());
/// for word in ["Soup", "soup", "12", "bread"] {
///     builder.count(word);
/// }
/// let vocabulary = builder.build(Some(20_000), ["waiter", "chef"], 1);
/// assert_eq!(vocabulary.words(), ["<pad>", "<unk>", "<num>", "soup", "bread", "waiter"]);
/// assert_eq!(vocabulary.id("SOUP"), 3);
/// assert_eq!(vocabulary.id("99"), Vocabulary::NUM);
/// assert_eq!(vocabulary.id("fork"), Vocabulary::UNK);
/// ```
#[derive(Debug, Clone)]
pub struct VocabularyBuilder {
    normalizer: Normalizer,
    counts: HashMap<String, u64>,
}

impl VocabularyBuilder {
    /// A builder with no words.
    #[must_use]
    pub fn new(normalizer: Normalizer) -> Self {
        Self {
            normalizer,
            counts: HashMap::new(),
        }
    }

    /// Counts one word of training text.
    pub fn count(&mut self, word: &str) {
        let normalizer = self.normalizer;
        self.count_normalized(&normalizer.apply(word));
    }

    /// Counts a word that is already normalised.
    pub fn count_normalized(&mut self, word: &str) {
        match self.counts.get_mut(word) {
            Some(count) => *count += 1,
            None => {
                self.counts.insert(word.to_owned(), 1);
            }
        }
    }

    /// Builds a vocabulary of the reserved words, the `max_size` most frequent words (`None`: all),
    /// and the first `max_extra_words` words of `extra` that are not among them, in their order.
    /// `extra` words are normalised too.
    #[must_use]
    pub fn build<'a>(
        self,
        max_size: Option<usize>,
        extra: impl IntoIterator<Item = &'a str>,
        max_extra_words: usize,
    ) -> Vocabulary {
        let mut growing = self.grow(max_size, max_extra_words);
        for word in extra {
            if growing.is_full() {
                break;
            }
            growing.add(word);
        }
        growing.finish()
    }

    /// Assigns ids to the counted words, as [`build`](Self::build) does. Extra words are then added
    /// one by one, so that they can come from a file that is read only once.
    #[must_use]
    pub(crate) fn grow(self, max_size: Option<usize>, max_extra_words: usize) -> GrowingVocabulary {
        let Self { normalizer, counts } = self;
        let mut counted: Vec<(String, u64)> = counts
            .into_iter()
            .filter(|(word, _)| !RESERVED.contains(&word.as_str()))
            .collect();
        counted.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counted.truncate(max_size.unwrap_or(usize::MAX));

        let most = (RESERVED.len() + counted.len()).saturating_add(max_extra_words);
        let mut growing = GrowingVocabulary {
            vocabulary: Vocabulary {
                normalizer,
                spelling: Spelling::default(),
                words: Vec::new(),
                ids: HashMap::new(),
            },
            most,
        };
        let reserved = RESERVED.into_iter().map(str::to_owned);
        for word in reserved.chain(counted.into_iter().map(|(word, _)| word)) {
            growing.add_normalized(&word);
        }
        growing
    }
}

/// A vocabulary of the counted words, to which extra words can be added.
#[derive(Debug, Clone)]
pub(crate) struct GrowingVocabulary {
    vocabulary: Vocabulary,
    most: usize,
}

impl GrowingVocabulary {
    /// The words so far, in the order of their ids.
    #[must_use]
    pub fn words(&self) -> &[String] {
        self.vocabulary.words()
    }

    /// Whether no further word will be added.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.vocabulary.len() >= self.most
    }

    /// Adds the normalised form of a word. Returns that form if it is new and there is room for it.
    pub fn add(&mut self, word: &str) -> Option<&str> {
        let normalizer = self.vocabulary.normalizer;
        self.add_normalized(&normalizer.apply(word))
    }

    fn add_normalized(&mut self, word: &str) -> Option<&str> {
        if self.is_full() || self.vocabulary.ids.contains_key(word) {
            return None;
        }
        let Vocabulary { words, ids, .. } = &mut self.vocabulary;
        let id = u32::try_from(words.len()).ok()?;
        ids.insert(word.to_owned(), id);
        words.push(word.to_owned());
        words.last().map(String::as_str)
    }

    /// The finished vocabulary.
    #[must_use]
    pub fn finish(self) -> Vocabulary {
        self.vocabulary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_frequent_first_ties_by_spelling() {
        let mut builder = VocabularyBuilder::new(Normalizer::default());
        for word in ["b", "a", "c", "c", "<pad>", "7"] {
            builder.count(word);
        }
        let vocabulary = builder.build(Some(2), ["A", "z"], usize::MAX);
        assert_eq!(
            vocabulary.words(),
            ["<pad>", "<unk>", "<num>", "c", "a", "z"]
        );
    }

    #[test]
    fn survives_storage_and_refuses_damage() {
        let mut builder = VocabularyBuilder::new(Normalizer::default());
        builder.count("menu");
        let vocabulary = builder.build(None, [], 0);
        let json = serde_json::to_string(&vocabulary).unwrap();
        assert_eq!(
            serde_json::from_str::<Vocabulary>(&json).unwrap(),
            vocabulary
        );
        let twice = json.replace("\"menu\"", "\"menu\",\"menu\"");
        assert!(
            serde_json::from_str::<Vocabulary>(&twice)
                .unwrap_err()
                .to_string()
                .contains("twice")
        );
        let moved = json.replace("<unk>", "<what>");
        assert!(
            serde_json::from_str::<Vocabulary>(&moved)
                .unwrap_err()
                .to_string()
                .contains("<unk>")
        );
    }
}
