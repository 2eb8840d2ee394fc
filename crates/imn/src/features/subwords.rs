//! Words as subwords of a pre-trained encoder, by its `tokenizer.json`.
//!
//! Words come from our own tokenizer, because labels and answers are about words; each is cut into
//! subwords on its own. A word that the tokenizer leaves nothing of (a control character, say) is its
//! unknown token.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use serde::{Deserialize, Serialize};
use tokenizers::Tokenizer;

use super::{Features, Markers};

/// Words whose subwords are remembered: more than any corpus here has frequent ones.
const REMEMBERED: usize = 1 << 16;

/// The most subwords of one word; longer ones are nonsense, and an encoder has a limit.
const MOST_SUBWORDS: usize = 64;

/// Why a `tokenizer.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SubwordError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is malformed, or of a kind that is not supported.
    #[error("not a usable tokenizer.json: {0}")]
    Form(String),
}

/// Subwords of words that were seen before.
type Known = HashMap<Box<str>, Box<[u32]>>;

/// Cuts words into subwords.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SubwordTokenizer {
    tokenizer: Arc<Tokenizer>,
    markers: Markers,
    unknown: u32,
    known: Arc<RwLock<Known>>,
}

impl SubwordTokenizer {
    /// The tokenizer of an encoder's folder.
    ///
    /// # Errors
    /// If its `tokenizer.json` cannot be read or used.
    pub fn from_folder(folder: &Path) -> Result<Self, SubwordError> {
        let path = folder.join("tokenizer.json");
        let text = std::fs::read_to_string(&path);
        Self::from_json(&text.map_err(|error| SubwordError::Io { path, error })?)
    }

    /// A tokenizer from the text of a `tokenizer.json`.
    ///
    /// # Errors
    /// If it is malformed, or puts no markers around a sequence.
    pub fn from_json(text: &str) -> Result<Self, SubwordError> {
        let form = |error: tokenizers::Error| SubwordError::Form(error.to_string());
        let mut tokenizer: Tokenizer = text.parse().map_err(form)?;
        // Sentences are neither cut nor padded: they are packed, and long ones are read in windows.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(form)?;
        let empty = tokenizer.encode("", true).map_err(form)?;
        let [begin, end] = *empty.get_ids() else {
            let text = "it must put one marker before a sequence and one after it";
            return Err(SubwordError::Form(text.to_owned()));
        };
        let unknown = ["[UNK]", "<unk>"].into_iter();
        let unknown = unknown
            .filter_map(|token| tokenizer.token_to_id(token))
            .next()
            .ok_or_else(|| SubwordError::Form("it has no unknown token".to_owned()))?;
        Ok(Self {
            tokenizer: Arc::new(tokenizer),
            markers: Markers { begin, end },
            unknown,
            known: Arc::default(),
        })
    }

    /// How many subwords there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// Never: there are markers at least.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Whether a word is one of the subwords.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        self.tokenizer.token_to_id(&word).is_some()
    }

    /// The features of words as they stand in a text.
    #[must_use]
    pub fn features<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> Features {
        let subwords: Vec<Box<[u32]>> = words.into_iter().map(|word| self.subwords(word)).collect();
        Features::of_subwords(subwords.iter().map(|word| &**word), self.markers)
    }

    fn subwords(&self, word: &str) -> Box<[u32]> {
        // A poisoned lock only means that another thread stopped while it held it: the map is whole.
        let read = |map: &Known| map.get(word).cloned();
        let known = match self.known.read() {
            Ok(map) => read(&map),
            Err(poisoned) => read(&poisoned.into_inner()),
        };
        if let Some(known) = known {
            return known;
        }
        let encoded = self.tokenizer.encode_fast(word, false);
        let ids = encoded.map(|encoded| encoded.get_ids().to_vec());
        let mut ids = ids.unwrap_or_default();
        ids.truncate(MOST_SUBWORDS);
        if ids.is_empty() {
            ids.push(self.unknown);
        }
        let ids: Box<[u32]> = ids.into();
        if let Ok(mut map) = self.known.write()
            && map.len() < REMEMBERED
        {
            map.insert(word.into(), ids.clone());
        }
        ids
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
