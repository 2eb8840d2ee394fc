//! A named vector file, and the report on reading it.
//!
//! The name identifies the columns of the file in the embedding, and seeds the vectors of words
//! that the file does not have.

use std::ops::Range;
use std::path::{Path, PathBuf};

use imn_io::{without_compression, without_extension};
use serde::{Deserialize, Serialize};

use super::{Hits, Match};

/// A named file of word vectors.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VectorSource {
    /// Name of the source, e.g. `general` or `domain`.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
}

impl VectorSource {
    /// A source named after its file.
    ///
    /// ```
    /// let source = imn::vectors::VectorSource::from_path("dir/glove.6B.300d.txt.gz".as_ref());
    /// assert_eq!(source.name, "glove.6B.300d");
    /// let shouted = imn::vectors::VectorSource::from_path("GLOVE.VEC.GZ".as_ref());
    /// assert_eq!(shouted.name, "GLOVE");
    /// ```
    #[must_use]
    pub fn from_path(path: &Path) -> Self {
        let file = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy();
        let mut name = without_compression(&file);
        for extension in ["txt", "vec", "bin"] {
            name = without_extension(name, &[extension]);
        }
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
        }
    }
}

/// Report on reading one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceReport {
    /// The file that was read.
    pub source: VectorSource,
    /// The columns of this file in the embedding.
    pub columns: Range<usize>,
    /// Number of rows in the file.
    pub rows: u64,
    /// Number of rows according to the header. If it differs from `rows`, the file may be
    /// truncated.
    pub stated_rows: Option<u64>,
    /// Number of rows skipped because their word is not UTF-8.
    pub unreadable_words: u64,
    /// How each wanted word was found.
    pub matches: Vec<Match>,
}

impl SourceReport {
    /// How many of the wanted words were found.
    #[must_use]
    pub fn hits(&self) -> Hits {
        Hits::count(self.matches.iter().map(|&found| (found, 1)))
    }
}
