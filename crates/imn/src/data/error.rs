//! Why data could not be read or written.

use std::path::{Path, PathBuf};

use super::{Place, Problem};

/// Why data could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Its reason.
        #[source]
        source: std::io::Error,
    },
    /// Not UTF-8.
    #[error("{place}: not UTF-8 (convert the file, e.g. with iconv -t UTF-8)")]
    Encoding {
        /// The first bad line.
        place: Place,
    },
    /// The content does not follow its format.
    #[error("{0}")]
    Content(Problem),
    /// No format fits.
    #[error("{}: {reason}", path.display())]
    UnknownFormat {
        /// The file or folder.
        path: PathBuf,
        /// What was looked for.
        reason: String,
    },
    /// The target format cannot hold a sentence.
    #[error("sentence {sentence}: {reason}")]
    Unwritable {
        /// Its number, from 1.
        sentence: usize,
        /// What cannot be held.
        reason: String,
    },
}

impl DataError {
    /// For `map_err`: an error of the operating system with its file.
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
