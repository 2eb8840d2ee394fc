//! Splits words into the subwords of a pre-trained encoder, with its `tokenizer.json`.
//!
//! Words come from our own tokenizer, because labels and predictions refer to words. Each word is
//! split on its own. A word that has no subwords (a control character, for example) becomes the
//! unknown token.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use serde::{Deserialize, Serialize};
use tokenizers::Tokenizer;

use super::{Features, Markers};

/// Capacity of the cache in words, enough for the frequent words of every corpus used here.
const CACHED_WORDS: usize = 1 << 16;

/// Most subwords of one word. Words with more are noise, and the length of a sequence is limited.
const MOST_SUBWORDS: usize = 64;

/// Why a `tokenizer.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SubwordError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file that cannot be read.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// The file is malformed, or its kind is not supported.
    #[error("not a usable tokenizer.json: {0}")]
    Form(String),
}

/// Subwords of words seen before.
type Cache = HashMap<Box<str>, Box<[u32]>>;

/// Splits words into subwords.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SubwordTokenizer {
    tokenizer: Arc<Tokenizer>,
    markers: Markers,
    unknown: u32,
    cache: Arc<RwLock<Cache>>,
}

impl SubwordTokenizer {
    /// Reads `tokenizer.json` in the folder of an encoder.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or used.
    pub fn from_folder(folder: &Path) -> Result<Self, SubwordError> {
        let path = folder.join("tokenizer.json");
        let text = std::fs::read_to_string(&path);
        Self::from_json(&text.map_err(|error| SubwordError::Io { path, error })?)
    }

    /// Parses the text of a `tokenizer.json`.
    ///
    /// ```
    /// use imn::features::SubwordTokenizer;
    ///
    /// let error = SubwordTokenizer::from_json("{}").unwrap_err();
    /// assert!(error.to_string().starts_with("not a usable tokenizer.json"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is malformed, has no unknown token, or does not put one marker before and one
    /// after a sequence.
    pub fn from_json(text: &str) -> Result<Self, SubwordError> {
        let form = |error: tokenizers::Error| SubwordError::Form(error.to_string());
        let mut tokenizer: Tokenizer = text.parse().map_err(form)?;
        // No truncation and no padding: sentences are packed, and long ones are read in windows.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(form)?;
        let empty = tokenizer.encode("", true).map_err(form)?;
        let [begin, end] = *empty.get_ids() else {
            let text = "it must put one marker before a sequence and one after it";
            return Err(SubwordError::Form(text.to_owned()));
        };
        let unknown = ["[UNK]", "<unk>"]
            .into_iter()
            .filter_map(|token| tokenizer.token_to_id(token))
            .next()
            .ok_or_else(|| SubwordError::Form("it has no unknown token".to_owned()))?;
        Ok(Self {
            tokenizer: Arc::new(tokenizer),
            markers: Markers { begin, end },
            unknown,
            cache: Arc::default(),
        })
    }

    /// Number of subwords.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// Always false: there are at least the markers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Whether the lower-case word is itself a subword.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        self.tokenizer.token_to_id(&word).is_some()
    }

    /// The features of words as written in a text.
    #[must_use]
    pub fn features<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> Features {
        let subwords: Vec<Box<[u32]>> = words.into_iter().map(|word| self.subwords(word)).collect();
        Features::of_subwords(subwords.iter().map(|word| &**word), self.markers)
    }

    fn subwords(&self, word: &str) -> Box<[u32]> {
        // A poisoned lock only means that another thread panicked while it held it: the map is
        // valid.
        let read = |map: &Cache| map.get(word).cloned();
        let cached = match self.cache.read() {
            Ok(map) => read(&map),
            Err(poisoned) => read(&poisoned.into_inner()),
        };
        if let Some(subwords) = cached {
            return subwords;
        }
        let encoded = self.tokenizer.encode_fast(word, false);
        let mut ids = encoded
            .map(|encoded| encoded.get_ids().to_vec())
            .unwrap_or_default();
        ids.truncate(MOST_SUBWORDS);
        if ids.is_empty() {
            ids.push(self.unknown);
        }
        let subwords: Box<[u32]> = ids.into();
        if let Ok(mut map) = self.cache.write()
            && map.len() < CACHED_WORDS
        {
            map.insert(word.into(), subwords.clone());
        }
        subwords
    }
}

impl std::fmt::Debug for SubwordTokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SubwordTokenizer({} subwords)", self.len())
    }
}

impl PartialEq for SubwordTokenizer {
    fn eq(&self, other: &Self) -> bool {
        String::from(self.clone()) == String::from(other.clone())
    }
}

impl Eq for SubwordTokenizer {}

impl TryFrom<String> for SubwordTokenizer {
    type Error = SubwordError;

    fn try_from(text: String) -> Result<Self, SubwordError> {
        Self::from_json(&text)
    }
}

impl From<SubwordTokenizer> for String {
    fn from(subwords: SubwordTokenizer) -> Self {
        subwords.tokenizer.to_string(false).unwrap_or_default()
    }
}
