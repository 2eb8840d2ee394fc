//! A vector file by name, and what was found in it.
//!
//! A file has a name because its drawn vectors and its columns of the embedding go by it.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Hits, Match};

/// A file of word vectors and what it is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VectorSource {
    /// What it is called, e.g. `general` or `domain`.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

impl VectorSource {
    /// Named by its file: `dir/glove.6B.300d.txt.gz` is `glove.6B.300d`.
    #[must_use]
    pub fn from_path(path: &Path) -> Self {
        let file = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy();
        let mut name = file.as_ref();
        for ending in [".gz", ".zst", ".txt", ".vec", ".bin"] {
            name = name.strip_suffix(ending).unwrap_or(name);
        }
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
        }
    }
}

/// What was found in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceReport {
    /// The file and its name.
    pub source: VectorSource,
    /// Its columns of the embedding.
    pub columns: Range<usize>,
    /// Rows in the file.
    pub rows: u64,
    /// Rows according to the file's header; where it differs from `rows`, the file may be cut off.
    pub stated_rows: Option<u64>,
    /// Rows passed over because their word is not UTF-8.
    pub unreadable_words: u64,
    /// How each word was found.
    pub matches: Vec<Match>,
}

impl SourceReport {
    /// How many of the words were found.
    #[must_use]
    pub fn hits(&self) -> Hits {
        Hits::count(self.matches.iter().map(|&found| (found, 1)))
    }
}
