//! One job: its folder, its record, and the requests to stop it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use imn_batch::read::{Input, InputSource, ReadSettings};
use tokio::sync::watch;

use super::{JobOptions, JobRecord};

const RECORD: &str = "job.json";
/// The upload.
pub(super) const INPUT: &str = "input";

/// A job.
#[derive(Debug)]
pub struct JobEntry {
    pub(super) folder: PathBuf,
    /// The record that clients see. They are notified of changes.
    pub record: watch::Sender<JobRecord>,
    /// Asks the job to stop.
    pub(super) stop: Arc<AtomicBool>,
    /// Whether a client cancelled the job.
    pub(super) cancelled: AtomicBool,
    /// Held while a result is made, so that each result is made once.
    pub(super) converting: tokio::sync::Mutex<()>,
}

impl JobEntry {
    pub(super) fn new(folder: PathBuf, record: JobRecord) -> Arc<Self> {
        Arc::new(Self {
            folder,
            record: watch::Sender::new(record),
            stop: Arc::default(),
            cancelled: AtomicBool::new(false),
            converting: tokio::sync::Mutex::new(()),
        })
    }

    /// A file of the job.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A copy of the record.
    #[must_use]
    pub fn snapshot(&self) -> JobRecord {
        self.record.borrow().clone()
    }

    /// The upload, under the name that the client gave it.
    pub(super) fn source(&self, options: &JobOptions) -> Option<InputSource> {
        Some(InputSource {
            input: Input::NamedFile {
                path: self.file(INPUT),
                name: options.shown_name().to_owned(),
            },
            format: options.format?,
        })
    }

    /// Changes the record, first on disk: once clients see that a job has ended, they may delete
    /// it and its folder.
    pub(super) fn change(&self, change: impl FnOnce(&mut JobRecord)) {
        let mut record = self.snapshot();
        change(&mut record);
        if let Err(error) = save(&self.folder, &record) {
            tracing::error!(%error, job = record.id, "writing the state of a job");
        }
        self.record.send_replace(record);
    }
}

/// How an upload is read.
pub(super) fn read_settings(options: &JobOptions) -> ReadSettings {
    ReadSettings {
        column: options.column.clone(),
        id: options.id.clone(),
        ..ReadSettings::default()
    }
}

/// Writes the record of a job to its folder.
pub(super) fn save(folder: &Path, record: &JobRecord) -> io::Result<()> {
    let mut json = serde_json::to_vec_pretty(record)?;
    json.push(b'\n');
    imn_io::atomic::write(&folder.join(RECORD), &json)
}

/// Reads the record of a job from its folder.
pub(super) fn load(folder: &Path) -> io::Result<JobRecord> {
    let record: JobRecord = serde_json::from_slice(&fs::read(folder.join(RECORD))?)?;
    // The id of a folder that was renamed by hand would differ from that of its record.
    match folder.file_name() {
        Some(name) if name.to_str() == Some(&record.id) => Ok(record),
        _ => Err(io::Error::other(
            "the id in job.json is not the name of the folder",
        )),
    }
}
