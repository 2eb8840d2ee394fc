//! The thread that runs jobs, one at a time.
//!
//! Jobs are analysed in their own thread pool. On the threads of the batcher, the texts of requests
//! would have to wait until a chunk of a job is done.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use imn::text::OffsetUnit;
use imn_batch::write::{OutputFormat, RowPer, WriteSettings};
use imn_batch::{BatchError, Event, IfExists, Job, Outcome, OutputTarget};
use jiff::Timestamp;
use rayon::ThreadPool;

use super::entry::read_settings;
use super::store::Shared;
use super::{JobEntry, JobState, results};

/// Minimum time between two progress reports.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

pub(super) fn start(shared: Arc<Shared>, threads: usize) -> io::Result<JoinHandle<()>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("job {number}"))
        .build()
        .map_err(io::Error::other)?;
    let run = move || {
        while let Some(job) = next(&shared) {
            shared.observe();
            run(&shared, &pool, &job);
            shared.lock().running = None;
            shared.observe();
        }
    };
    thread::Builder::new().name("jobs".to_owned()).spawn(run)
}

/// Waits for a job; `None` once the server stops.
fn next(shared: &Shared) -> Option<Arc<JobEntry>> {
    let mut state = shared.lock();
    loop {
        if state.closed {
            return None;
        }
        if let Some(job) = state.queue.pop_front() {
            state.running = Some(Arc::clone(&job));
            return Some(job);
        }
        let woken = shared.arrived.wait(state);
        state = woken.unwrap_or_else(PoisonError::into_inner);
    }
}

/// How a job ended.
enum End {
    Finished,
    /// The server is stopping; the job will be resumed.
    Interrupted,
    Cancelled,
}

fn run(shared: &Shared, pool: &ThreadPool, job: &Arc<JobEntry>) {
    job.change(|record| {
        record.state = JobState::Running;
        record.started = Some(Timestamp::now());
    });
    let id = job.snapshot().id;
    tracing::info!(job = id, "job started");
    let analyzed = catch_unwind(AssertUnwindSafe(|| pool.install(|| analyze(shared, job))));
    match analyzed {
        Ok(Ok(End::Finished)) => end(job, JobState::Finished, None),
        Ok(Ok(End::Interrupted)) => job.change(|record| record.state = JobState::Queued),
        Ok(Ok(End::Cancelled)) => cancel(job),
        Ok(Err(message)) => end(job, JobState::Failed, Some(message)),
        Err(_) => {
            let message = "a defect of the server; see its log";
            end(job, JobState::Failed, Some(message.to_owned()));
        }
    }
    let state = job.snapshot().state.name();
    tracing::info!(job = id, state, "job ended");
}

fn end(job: &JobEntry, state: JobState, error: Option<String>) {
    job.change(|record| {
        record.state = state;
        record.error = error;
        record.ended = Some(Timestamp::now());
    });
}

/// Removes the records and the upload of a job, and marks it as cancelled.
pub(super) fn cancel(job: &JobEntry) {
    results::remove_records(job);
    end(job, JobState::Cancelled, None);
}

/// Analyses the upload of a job, starting where an earlier run stopped.
fn analyze(shared: &Shared, job: &JobEntry) -> Result<End, String> {
    let options = job.snapshot().options;
    let models = &shared.models;
    let choice = models.choose(options.model.as_deref(), options.scheme.as_deref());
    let choice = choice.map_err(|error| error.message)?;
    let source = job
        .source(&options)
        .ok_or("the format of the file is not known")?;
    let batch = Job {
        analyzer: models.analyzer(choice),
        model: models.identity(choice),
        sources: vec![source],
        read: read_settings(&options),
        // Results in other units and formats are converted from these records.
        write: WriteSettings {
            format: OutputFormat::Jsonl,
            per: RowPer::default(),
            unit: OffsetUnit::Bytes,
            color: false,
        },
        min_confidence: options.min_confidence,
        explain: options.explain,
        output: OutputTarget::File(job.file(results::RECORDS)),
        errors: Some(job.file(results::ERRORS)),
        if_exists: IfExists::Resume,
    };
    let mut reported = Instant::now();
    let mut observer = |event: Event<'_>| match event {
        Event::Started { done, .. } => {
            job.record.send_modify(|record| record.progress.count(done));
        }
        Event::Written { bytes, totals } => {
            if reported.elapsed() >= BETWEEN_REPORTS {
                reported = Instant::now();
                job.record.send_modify(|record| {
                    record.progress.bytes_read = bytes;
                    record.progress.count(totals);
                });
            }
        }
        Event::BadRow { .. } => {}
        Event::NotEnglish { language, .. } => {
            let looks = language.map_or("are not in English".to_owned(), |language| {
                format!("are in {language}, not in English")
            });
            let warning = format!("the texts look as if they {looks}");
            job.record
                .send_modify(|record| record.warning = Some(warning));
        }
    };
    let outcome = batch.run(&job.stop, &mut observer).map_err(message)?;
    match outcome {
        Outcome::Finished(totals) | Outcome::FinishedBefore(totals) => {
            job.record.send_modify(|record| {
                record.progress.bytes_read = record.progress.bytes;
                record.progress.count(totals);
            });
            Ok(End::Finished)
        }
        Outcome::Stopped { .. } if job.cancelled.load(Ordering::Relaxed) => Ok(End::Cancelled),
        Outcome::Stopped { .. } => Ok(End::Interrupted),
    }
}

/// Why a job failed, for the client: the message does not contain paths of the server.
fn message(error: BatchError) -> String {
    match error {
        BatchError::Input(error) => error.to_string(),
        BatchError::Journal(error) => {
            tracing::error!(%error, "resuming a job");
            "the job was interrupted and cannot be resumed, because its files or its model have \
             changed; upload the file again"
                .to_owned()
        }
        error => {
            tracing::error!(%error, "running a job");
            "the server could not write the results; see its log".to_owned()
        }
    }
}
