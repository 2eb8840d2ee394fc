//! The journal of a job: the identity of the job, and how much of its output is durable.
//!
//! The journal is the file `OUT.journal` next to the output. It is replaced atomically, and only
//! after the output that it describes is on disk. Whatever a killed job wrote after its last
//! journal entry is truncated and computed again on resume. A finished job has no journal.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::JobTotals;

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

/// How much of the output is durable.
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
    #[error(
        "{}: cannot resume, because {what} differs: it was {before} and is now {now}; use --force \
         to start over",
        path.display()
    )]
    OtherJob {
        /// The journal.
        path: PathBuf,
        /// What differs.
        what: String,
        /// The value in the journal.
        before: String,
        /// The value of this job.
        now: String,
    },
    /// The output is shorter than the journal says.
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
        let error = |error: io::Error| JournalError::Io {
            path: self.path.clone(),
            error,
        };
        let stored = Stored {
            journal: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            job: self.job.clone(),
            mark: mark.clone(),
        };
        let mut text = serde_json::to_string_pretty(&stored).map_err(|e| error(e.into()))?;
        text.push('\n');
        imn_io::atomic::write(&self.path, text.as_bytes()).map_err(error)
    }

    /// Reads the entry on disk; `None` if there is no journal.
    pub(crate) fn load(&self) -> Result<Option<Mark>, JournalError> {
        let path = || self.path.clone();
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(JournalError::Io {
                    path: path(),
                    error,
                });
            }
        };
        let unreadable = |reason: String| JournalError::Unreadable {
            path: path(),
            reason,
        };
        let stored: Stored =
            serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        if stored.journal != VERSION {
            return Err(unreadable(format!("version {}", stored.journal)));
        }
        if let Some((what, before, now)) = difference(&stored.job, &self.job, "") {
            return Err(JournalError::OtherJob {
                path: path(),
                what,
                before,
                now,
            });
        }
        Ok(Some(stored.mark))
    }

    /// Removes the journal of a finished job.
    pub(crate) fn remove(&self) -> Result<(), JournalError> {
        std::fs::remove_file(&self.path).map_err(|error| JournalError::Io {
            path: self.path.clone(),
            error,
        })
    }
}

/// The first difference: its path in the JSON, and both values.
fn difference(before: &Value, now: &Value, name: &str) -> Option<(String, String, String)> {
    if before == now {
        return None;
    }
    let inside = |part: &str| match name {
        "" => part.to_owned(),
        _ => format!("{name}.{part}"),
    };
    let missing = Value::Null;
    match (before, now) {
        (Value::Object(a), Value::Object(b)) => a.keys().chain(b.keys()).find_map(|key| {
            let (a, b) = (a.get(key), b.get(key));
            difference(a.unwrap_or(&missing), b.unwrap_or(&missing), &inside(key))
        }),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            let mut pairs = pairs.map(|(i, (a, b))| difference(a, b, &inside(&i.to_string())));
            pairs.find_map(|found| found)
        }
        _ => Some((name.to_owned(), before.to_string(), now.to_string())),
    }
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
        let job = json!({"inputs": [{"size": 5}], "offsets": "bytes"});
        let journal = Journal::new(&out, job.clone());
        assert!(journal.load().unwrap().is_none());
        journal.save(&mark()).unwrap();
        assert_eq!(journal.load().unwrap(), Some(mark()));
        let other = json!({"inputs": [{"size": 6}], "offsets": "bytes"});
        let error = Journal::new(&out, other).load().unwrap_err().to_string();
        assert!(
            error.contains("inputs.0.size differs: it was 5 and is now 6"),
            "{error}"
        );
        std::fs::write(Journal::beside(&out), "{").unwrap();
        assert!(matches!(
            journal.load(),
            Err(JournalError::Unreadable { .. })
        ));
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
