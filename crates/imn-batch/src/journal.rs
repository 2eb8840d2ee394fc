//! The journal of a job: the identity of the job, and how much of its output is durable.
//!
//! The journal is the file `OUT.journal` next to the output. It is replaced atomically, and only
//! after the output that it describes is on disk. Whatever a killed job wrote after its last
//! journal entry is truncated and computed again on resume.
//!
//! The journal stays after the end, marked as finished. Without it, an output that another job or
//! another program wrote could not be told from that of a finished job.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::JobTotals;
use crate::journal_difference::difference;

/// The version of the journal format.
///
/// Since version 2, models and the ends of inputs are identified by SHA-256.
const VERSION: u32 = 2;

/// How many bytes at each end of a file are hashed.
const ENDS: u64 = 1 << 16;

/// The identity of a file: it changes if the file is replaced or edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// The absolute path.
    pub path: PathBuf,
    /// The size in bytes.
    pub size: u64,
    /// The modification time, in nanoseconds since 1970.
    pub modified: u64,
    /// The SHA-256 of its first and last bytes, in hexadecimal.
    pub ends: String,
}

impl Fingerprint {
    /// Takes the fingerprint of a file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH);
        let mut ends = Vec::new();
        file.by_ref().take(ENDS).read_to_end(&mut ends)?;
        file.seek(SeekFrom::Start(metadata.len().saturating_sub(ENDS)))?;
        file.take(ENDS).read_to_end(&mut ends)?;
        Ok(Self {
            path: path.to_owned(),
            size: metadata.len(),
            modified: modified.map_or(0, |time| time.as_nanos() as u64),
            ends: imn_io::sha256(&ends),
        })
    }
}

/// The position in the input at which a job continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Position {
    /// The index of the source.
    pub(crate) source: usize,
    /// How many of its rows are done, including bad ones.
    pub(crate) rows: u64,
}

/// How much of the output is durable. A finished output is always one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Durable {
    /// This many bytes of one file.
    Bytes(u64),
    /// This many part files.
    Parts(u64),
}

/// A journal entry: how far a job has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mark {
    pub(crate) position: Position,
    pub(crate) totals: JobTotals,
    /// Durable bytes of the errors file.
    pub(crate) error_bytes: u64,
    pub(crate) output: Durable,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    journal: u32,
    program: String,
    job: Value,
    mark: Mark,
    /// Journals of older programs do not have this field: they were removed at the end.
    #[serde(default)]
    finished: bool,
}

/// What a journal says about its job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The job was stopped here, and can be resumed.
    Stopped(Mark),
    /// The job is finished.
    Finished {
        /// Size of its output.
        bytes: u64,
        /// What it has done.
        totals: JobTotals,
    },
}

/// A journal on disk.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    job: Value,
}

/// Why a job cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// An I/O error.
    #[error("{}: {error}", path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// Not a journal, or one of another version.
    #[error(
        "{}: not a journal that this program can resume ({reason}); use --force to start over",
        path.display()
    )]
    Unreadable {
        /// The journal.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The journal belongs to another job.
    #[error("{}: cannot resume, because {difference}; use --force to start over", path.display())]
    OtherJob {
        /// The journal.
        path: PathBuf,
        /// What differs, in words.
        difference: String,
    },
    /// The output exists, but nothing says which job wrote it.
    #[error(
        "{} exists, but has no journal ({}) that says which job wrote it, so it cannot be resumed; \
         use --force to overwrite it, or write to another file",
        output.display(),
        Journal::beside(output).display()
    )]
    Missing {
        /// The output.
        output: PathBuf,
    },
    /// The output does not have the size that the journal says.
    #[error(
        "{} has {found} bytes, but its journal says {expected}: the file was changed; use --force \
         to start over",
        path.display()
    )]
    Changed {
        /// The output.
        path: PathBuf,
        /// Its size in bytes.
        found: u64,
        /// The size in the journal.
        expected: u64,
    },
}

impl Journal {
    /// The path of the journal of an output.
    #[must_use]
    pub fn beside(output: &Path) -> PathBuf {
        let mut name = output.as_os_str().to_owned();
        name.push(".journal");
        PathBuf::from(name)
    }

    /// The journal of a job that writes `output`; nothing is written yet.
    pub(crate) fn new(output: &Path, job: Value) -> Self {
        Self {
            path: Self::beside(output),
            job,
        }
    }

    /// Removes the temporary file of a job that was killed while it wrote its journal.
    pub(crate) fn remove_stale(&self) -> Result<(), JournalError> {
        imn_io::atomic::remove_stale(&self.path).map_err(|error| JournalError::Io {
            path: self.path.clone(),
            error,
        })
    }

    /// Replaces the entry on disk.
    pub(crate) fn save(&self, mark: &Mark) -> Result<(), JournalError> {
        self.write(mark, false)
    }

    /// Records that the job is finished. `mark` is its last entry, with the size of the output.
    pub(crate) fn finish(&self, mark: &Mark) -> Result<(), JournalError> {
        self.write(mark, true)
    }

    fn write(&self, mark: &Mark, finished: bool) -> Result<(), JournalError> {
        let error = |error: io::Error| JournalError::Io {
            path: self.path.clone(),
            error,
        };
        let stored = Stored {
            journal: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            job: self.job.clone(),
            mark: mark.clone(),
            finished,
        };
        let mut text = serde_json::to_string_pretty(&stored).map_err(|e| error(e.into()))?;
        text.push('\n');
        imn_io::atomic::write(&self.path, text.as_bytes()).map_err(error)
    }

    /// Reads the entry on disk; `None` if there is no journal.
    pub(crate) fn load(&self) -> Result<Option<Entry>, JournalError> {
        let Some(stored) = read(&self.path)? else {
            return Ok(None);
        };
        if let Some(difference) = difference(&stored.job, &self.job) {
            return Err(JournalError::OtherJob {
                path: self.path.clone(),
                difference,
            });
        }
        Ok(Some(match (stored.finished, stored.mark.output) {
            (true, Durable::Bytes(bytes)) => Entry::Finished {
                bytes,
                totals: stored.mark.totals,
            },
            _ => Entry::Stopped(stored.mark),
        }))
    }

    /// Whether the output has the journal of a job that is not finished. A journal that cannot be
    /// read counts too.
    pub(crate) fn unfinished(output: &Path) -> bool {
        match read(&Self::beside(output)) {
            Ok(stored) => stored.is_some_and(|stored| !stored.finished),
            Err(_) => true,
        }
    }

    /// Removes the journal of an output, if there is one.
    pub(crate) fn remove(output: &Path) -> Result<(), JournalError> {
        let path = Self::beside(output);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(JournalError::Io { path, error })
            }
            _ => Ok(()),
        }
    }
}

/// Reads a journal; `None` if there is none.
fn read(path: &Path) -> Result<Option<Stored>, JournalError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(JournalError::Io {
                path: path.to_owned(),
                error,
            });
        }
    };
    let unreadable = |reason: String| JournalError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    let stored: Stored =
        serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
    if stored.journal != VERSION {
        return Err(unreadable(format!("version {}", stored.journal)));
    }
    Ok(Some(stored))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mark() -> Mark {
        Mark {
            position: Position { source: 1, rows: 7 },
            totals: JobTotals::default(),
            error_bytes: 0,
            output: Durable::Bytes(10),
        }
    }

    #[test]
    fn another_job_is_refused_and_the_difference_named() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.jsonl");
        let job = json!({"offsets": "bytes"});
        let journal = Journal::new(&out, job.clone());
        assert!(journal.load().unwrap().is_none());
        journal.save(&mark()).unwrap();
        assert_eq!(journal.load().unwrap(), Some(Entry::Stopped(mark())));
        assert!(Journal::unfinished(&out));
        journal.finish(&mark()).unwrap();
        let finished = Entry::Finished {
            bytes: 10,
            totals: JobTotals::default(),
        };
        assert_eq!(journal.load().unwrap(), Some(finished));
        assert!(!Journal::unfinished(&out));
        let other = Journal::new(&out, json!({"offsets": "chars"}));
        let error = other.load().unwrap_err().to_string();
        let words = "the unit of offsets differs: it was bytes and is now chars";
        assert!(error.contains(words), "{error}");
        std::fs::write(Journal::beside(&out), "{").unwrap();
        assert!(matches!(
            journal.load(),
            Err(JournalError::Unreadable { .. })
        ));
        assert!(Journal::unfinished(&out));
        Journal::remove(&out).unwrap();
        Journal::remove(&out).unwrap();
        assert!(journal.load().unwrap().is_none());
    }

    #[test]
    fn a_fingerprint_sees_a_changed_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mut bytes = vec![b'a'; 200_000];
        std::fs::write(&path, &bytes).unwrap();
        let before = Fingerprint::of(&path).unwrap();
        assert_eq!(before, Fingerprint::of(&path).unwrap());
        bytes[199_999] = b'b';
        std::fs::write(&path, &bytes).unwrap();
        assert_ne!(before.ends, Fingerprint::of(&path).unwrap().ends);
    }
}
