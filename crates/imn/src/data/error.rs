//! Why data could not be read or written.

use std::path::{Path, PathBuf};

use super::{Place, Problem, ProblemKind};

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
    /// Nothing in it.
    #[error("{}: the file is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// What is to be written would destroy something of another kind.
    #[error("{}: {reason}; nothing was written", path.display())]
    Target {
        /// The file or folder.
        path: PathBuf,
        /// What it is, and what to do.
        reason: String,
    },
    /// The target format cannot hold a sentence or document.
    #[error("{item} {number}: {reason}; nothing was written")]
    Unwritable {
        /// `sentence` or `document`.
        item: &'static str,
        /// Its number, from 1.
        number: usize,
        /// What cannot be held.
        reason: String,
    },
}

impl DataError {
    /// As a problem of the data, where the file is there but cannot be read; otherwise the error itself.
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
            Self::Empty { path } => malformed(
                Place::new(&path, 1),
                "the file is empty".to_owned(),
                "remove it, or was it cut off?",
            ),
            Self::UnknownFormat { path, reason } => malformed(Place::new(&path, 1), reason, ""),
            Self::Io { path, source }
                if !matches!(
                    source.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied
                ) =>
            {
                let message = format!("cannot be read: {source}");
                malformed(Place::new(&path, 1), message, "is it damaged or cut off?")
            }
            error => Err(error),
        }
    }

    /// For `map_err`: an error of the operating system with its file.
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
