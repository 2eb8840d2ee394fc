//! Accepts, lists and cancels the jobs of a server, and restores them after a restart.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use imn_batch::{InputError, TextGuess};
use jiff::Timestamp;
use tempfile::TempDir;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::entry::{INPUT, load, read_settings, save};
use super::worker;
use super::{JobEntry, JobOptions, JobRecord, JobState, Progress};
use crate::error::{ApiError, ErrorKind};
use crate::metrics::Metrics;
use crate::models::Models;
use crate::settings::Settings;

const LOCK: &str = ".lock";
/// Name prefix of the folders of incomplete uploads.
const UPLOAD: &str = ".upload-";
/// Name of a file that marks the folder of a cancelled job.
const CANCELLED: &str = "cancelled";
/// Number of random characters in an id.
const ID: usize = 20;
/// Maximum number of concurrent uploads.
const UPLOADS: usize = 64;

/// Why the folder of jobs cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JobsError {
    /// The operating system refused.
    #[error("folder of jobs {}: {error}; name another with --jobs-dir", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// Another server uses it.
    #[error(
        "folder of jobs {}: another server uses it; name another with --jobs-dir", path.display()
    )]
    InUse {
        /// The folder.
        path: PathBuf,
    },
}

#[derive(Default)]
pub(super) struct State {
    pub(super) jobs: BTreeMap<String, Arc<JobEntry>>,
    pub(super) queue: VecDeque<Arc<JobEntry>>,
    pub(super) closed: bool,
    pub(super) running: Option<Arc<JobEntry>>,
}

/// What the store shares with its worker.
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    pub(super) arrived: Condvar,
    pub(super) models: Arc<Models>,
    metrics: Arc<Metrics>,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts jobs by state.
    pub(super) fn observe(&self) {
        let state = self.lock();
        for of in JobState::ALL {
            let jobs = state.jobs.values();
            let count = jobs.filter(|job| job.record.borrow().state == of).count();
            let labels = [("state", of.name().to_owned())];
            self.metrics.jobs.get_or_create(&labels).set(count as i64);
        }
    }
}

/// All jobs of a server.
pub struct Jobs {
    folder: PathBuf,
    shared: Arc<Shared>,
    worker: Mutex<Option<JoinHandle<()>>>,
    max_jobs: usize,
    max_queued: usize,
    uploads: Arc<Semaphore>,
    /// The operating system unlocks it when the process ends, even if it is killed.
    _lock: File,
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Jobs")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// A file that is being received. Dropping it removes what was received.
#[derive(Debug)]
pub struct Upload {
    folder: TempDir,
    _permit: OwnedSemaphorePermit,
}

impl Upload {
    /// Where the file goes.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(INPUT)
    }
}

impl Jobs {
    /// Opens the folder of jobs and queues the jobs that have not ended.
    ///
    /// # Errors
    /// If the folder cannot be used, or another server uses it.
    pub fn open(
        settings: &Settings,
        models: Arc<Models>,
        metrics: Arc<Metrics>,
    ) -> Result<Self, JobsError> {
        let folder = settings.jobs_dir.clone();
        let io = |error| JobsError::Io {
            path: folder.clone(),
            error,
        };
        fs::create_dir_all(&folder).map_err(io)?;
        let lock = File::create(folder.join(LOCK)).map_err(io)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(JobsError::InUse { path: folder }),
            Err(fs::TryLockError::Error(error)) => return Err(io(error)),
        }
        let mut state = State::default();
        for entry in fs::read_dir(&folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(UPLOAD) {
                // An incomplete upload.
                let _ = fs::remove_dir_all(&path);
            } else if path.is_dir() {
                match load(&path) {
                    Ok(record) => {
                        state
                            .jobs
                            .insert(record.id.clone(), JobEntry::new(path, record));
                    }
                    Err(error) => {
                        tracing::warn!(%error, job = %path.display(), "a job cannot be read");
                    }
                }
            }
        }
        let mut unfinished: Vec<Arc<JobEntry>> = state
            .jobs
            .values()
            .filter(|job| !job.record.borrow().state.is_final())
            .cloned()
            .collect();
        unfinished.sort_by_key(|job| job.record.borrow().created);
        unfinished.retain(|job| {
            let goes_on = !job.file(CANCELLED).exists();
            match goes_on {
                true => job.change(|record| record.state = JobState::Queued),
                false => worker::cancel(job),
            }
            goes_on
        });
        state.queue = unfinished.into();
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            arrived: Condvar::new(),
            models,
            metrics,
        });
        shared.observe();
        let worker = worker::start(Arc::clone(&shared), settings.job_threads).map_err(io)?;
        Ok(Self {
            folder,
            shared,
            worker: Mutex::new(Some(worker)),
            max_jobs: settings.limits.max_jobs,
            max_queued: settings.limits.max_queued_jobs,
            uploads: Arc::new(Semaphore::new(UPLOADS)),
            _lock: lock,
        })
    }

    /// Starts an upload.
    ///
    /// # Errors
    /// If there are too many jobs, or too many uploads at the same time.
    pub fn receive(&self) -> Result<Upload, ApiError> {
        self.check_room(&self.shared.lock())?;
        let overloaded = |_| {
            let message = "too many uploads at the same time; try again later";
            ApiError::new(ErrorKind::Overloaded, message)
        };
        let permit = Arc::clone(&self.uploads).try_acquire_owned();
        let permit = permit.map_err(overloaded)?;
        let mut builder = tempfile::Builder::new();
        let folder = builder
            .prefix(UPLOAD)
            .rand_bytes(ID)
            .tempdir_in(&self.folder);
        Ok(Upload {
            folder: folder.map_err(ApiError::internal)?,
            _permit: permit,
        })
    }

    fn check_room(&self, state: &State) -> Result<(), ApiError> {
        let overloaded = |message: String| Err(ApiError::new(ErrorKind::Overloaded, message));
        if state.closed {
            let message = "the server is shutting down";
            return Err(ApiError::new(ErrorKind::Unavailable, message));
        }
        if state.queue.len() >= self.max_queued {
            let most = self.max_queued;
            return overloaded(format!("{most} jobs wait already; try again later"));
        }
        if state.jobs.len() >= self.max_jobs {
            let most = self.max_jobs;
            return overloaded(format!("{most} jobs are kept; delete some of them"));
        }
        Ok(())
    }

    /// Accepts a complete upload as a job. From then on it survives a restart.
    ///
    /// # Errors
    /// If the file does not have its format, or the queue is full.
    pub fn accept(&self, upload: Upload, options: JobOptions) -> Result<Arc<JobEntry>, ApiError> {
        let path = upload.folder.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let id = name.strip_prefix(UPLOAD).unwrap_or(&name).to_owned();
        let bytes = fs::metadata(upload.path())
            .map_err(ApiError::internal)?
            .len();
        let record = JobRecord {
            id: id.clone(),
            state: JobState::Queued,
            progress: Progress {
                bytes,
                ..Progress::default()
            },
            error: None,
            warning: None,
            created: Timestamp::now(),
            started: None,
            ended: None,
            options,
        };
        let entry = JobEntry::new(path.to_owned(), record.clone());
        let source = entry.source(&record.options);
        let source = source.ok_or_else(|| ApiError::internal("a job without a format"))?;
        // A table without a text column is refused now, not when the job starts.
        if let Err(error) = source.open(0, &read_settings(&record.options)) {
            let hint = match error {
                InputError::NoTextColumn { ref guess, .. } => match guess {
                    None => "; name it with `column`".to_owned(),
                    Some(TextGuess::Path(path)) => format!("; name it with `column`: `{path}`"),
                    Some(TextGuess::FirstRow) => "; name it with `column`, or use format=txt if \
                                                  the file has one review per line and no header"
                        .to_owned(),
                },
                _ => String::new(),
            };
            return Err(ApiError::validation(format!("{error}{hint}")));
        }
        save(path, &record).map_err(ApiError::internal)?;
        let mut state = self.shared.lock();
        self.check_room(&state)?;
        let folder = self.folder.join(&id);
        fs::rename(upload.folder.keep(), &folder).map_err(ApiError::internal)?;
        let entry = JobEntry::new(folder, record);
        state.jobs.insert(id, Arc::clone(&entry));
        state.queue.push_back(Arc::clone(&entry));
        drop(state);
        self.shared.arrived.notify_one();
        self.shared.observe();
        Ok(entry)
    }

    /// The job of this id.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(&self, id: &str) -> Result<Arc<JobEntry>, ApiError> {
        let found = self.shared.lock().jobs.get(id).cloned();
        found.ok_or_else(|| ApiError::not_found("no job of this id"))
    }

    /// All jobs, the newest first.
    #[must_use]
    pub fn list(&self) -> Vec<JobRecord> {
        let state = self.shared.lock();
        let mut all: Vec<JobRecord> = state.jobs.values().map(|job| job.snapshot()).collect();
        all.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.id.cmp(&b.id)));
        all
    }

    /// Cancels a job that has not ended, or removes one that has. Returns the record of a job that
    /// was cancelled.
    ///
    /// # Errors
    /// If there is no such job, or its files cannot be removed.
    pub fn delete(&self, id: &str) -> Result<Option<JobRecord>, ApiError> {
        let job = self.get(id)?;
        let mut state = self.shared.lock();
        if job.record.borrow().state.is_final() {
            state.jobs.remove(id);
            drop(state);
            fs::remove_dir_all(&job.folder).map_err(ApiError::internal)?;
            self.shared.observe();
            return Ok(None);
        }
        // If the server is killed before the job has stopped, it must not resume the job.
        if let Err(error) = fs::write(job.file(CANCELLED), b"") {
            tracing::error!(%error, job = id, "writing that a job is cancelled");
        }
        job.cancelled.store(true, Ordering::Relaxed);
        job.stop.store(true, Ordering::Relaxed);
        let waiting = state.queue.len();
        state.queue.retain(|other| !Arc::ptr_eq(other, &job));
        if state.queue.len() < waiting {
            // The job was still queued, so the worker will not see it.
            worker::cancel(&job);
        }
        drop(state);
        self.shared.observe();
        Ok(Some(job.snapshot()))
    }

    /// Asks the running job to stop, so that it can be resumed, and waits for it.
    pub fn finish(&self) {
        let mut state = self.shared.lock();
        state.closed = true;
        if let Some(job) = &state.running {
            job.stop.store(true, Ordering::Relaxed);
        }
        drop(state);
        self.shared.arrived.notify_one();
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(worker) = worker.take() {
            // A panic was reported when it happened.
            let _ = worker.join();
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.finish();
    }
}
