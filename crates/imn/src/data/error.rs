//! Errors of reading and writing data.

use std::path::{Path, PathBuf};

use imn_io::encoding::StartError;

use super::{Place, Problem, ProblemKind};

/// Why data could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The operating system reported an error.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: std::io::Error,
    },
    /// The file is not UTF-8.
    #[error("{place}: not UTF-8 (convert the file, e.g. with iconv -t UTF-8)")]
    Encoding {
        /// The first line that is not UTF-8.
        place: Place,
    },
    /// The file starts with a byte-order mark of UTF-16.
    #[error("{}: {}", path.display(), StartError::Utf16)]
    Utf16 {
        /// Path of the file.
        path: PathBuf,
    },
    /// The content does not follow its format.
    #[error("{0}")]
    Content(Problem),
    /// No known format fits.
    #[error("{}: {reason}", path.display())]
    UnknownFormat {
        /// Path of the file or folder.
        path: PathBuf,
        /// What was expected.
        reason: String,
    },
    /// The file is empty.
    #[error("{}: the file is empty", path.display())]
    Empty {
        /// Path of the file.
        path: PathBuf,
    },
    /// Writing would overwrite something of another kind.
    #[error("{}: {reason}; nothing was written", path.display())]
    Target {
        /// Path of the file or folder.
        path: PathBuf,
        /// What is there, and what to do.
        reason: String,
    },
    /// The target format cannot represent a sentence or document.
    #[error("{item} {number}: {reason}; nothing was written")]
    Unwritable {
        /// `sentence` or `document`.
        item: &'static str,
        /// Its number, from 1.
        number: usize,
        /// What cannot be represented.
        reason: String,
    },
}

impl DataError {
    /// Converts the error to a problem of the data if the file exists but cannot be read. Other
    /// errors are returned unchanged.
    pub(crate) fn into_problem(self) -> Result<Problem, Self> {
        let malformed = |place, message: String, fix: &str| {
            Ok(Problem::new(place, ProblemKind::Malformed, message, fix))
        };
        match self {
            Self::Content(problem) => Ok(problem),
            Self::Encoding { place } => malformed(
                place,
                "not UTF-8".to_owned(),
                "convert the file, e.g. with iconv -t UTF-8",
            ),
            Self::Utf16 { path } => {
                malformed(Place::new(&path, 1), StartError::Utf16.to_string(), "")
            }
            Self::Empty { path } => malformed(
                Place::new(&path, 1),
                "the file is empty".to_owned(),
                "remove it, or restore it if it was truncated",
            ),
            Self::UnknownFormat { path, reason } => malformed(Place::new(&path, 1), reason, ""),
            Self::Io { path, source }
                if !matches!(
                    source.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied
                ) =>
            {
                let message = format!("cannot be read: {source}");
                malformed(Place::new(&path, 1), message, "is it damaged or truncated?")
            }
            error => Err(error),
        }
    }

    /// For `map_err`: adds the path to an I/O error.
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
