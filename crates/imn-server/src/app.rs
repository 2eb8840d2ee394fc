//! State that all routes share: models, queue, limits, jobs, metrics.

use std::sync::Arc;

use imn::analyze::{Detail, StepwiseText};
use tokio::sync::{Semaphore, watch};

use crate::batcher::{Answer, Batcher};
use crate::error::{ApiError, ErrorKind};
use crate::jobs::Jobs;
use crate::metrics::Metrics;
use crate::models::{Choice, Models};
use crate::pool::Pool;
use crate::server::ServeError;
use crate::settings::Settings;
use crate::tickets::Tickets;

/// Maximum total size, in bytes, of texts whose answer is written on a thread of the runtime.
/// Larger answers are written on the threads for slow work.
const SHORT_ANSWER: usize = 1 << 15;

/// Threads for slow work. Uploads are accepted on them too, so a few reports must not take all.
const SLOW_THREADS: usize = 4;

/// Maximum number of concurrent requests with explanations: an answer can have megabytes.
const EXPLANATIONS: usize = 4;

/// State that all routes share.
#[derive(Debug)]
pub struct App {
    /// The models.
    pub models: Arc<Models>,
    /// The queue.
    pub batcher: Batcher,
    /// Jobs.
    pub jobs: Jobs,
    /// The metrics.
    pub metrics: Arc<Metrics>,
    /// Threads for work that would delay other requests.
    pub slow: Pool,
    /// Tickets for links.
    pub tickets: Tickets,
    /// The settings.
    pub settings: Settings,
    /// Becomes true when the server stops.
    pub stopping: watch::Receiver<bool>,
    requests: Semaphore,
    explanations: Semaphore,
}

impl App {
    /// An app with these models.
    ///
    /// # Errors
    /// If a thread cannot be started, or the folder of jobs cannot be used.
    pub fn new(
        models: Models,
        settings: Settings,
        stopping: watch::Receiver<bool>,
    ) -> Result<Self, ServeError> {
        let models = Arc::new(models);
        let metrics = Arc::new(Metrics::default());
        let limits = settings.limits.clone();
        let shared = || (Arc::clone(&models), Arc::clone(&metrics));
        let (own, counts) = shared();
        let batcher = Batcher::start(own, counts, limits).map_err(ServeError::Start)?;
        let (own, counts) = shared();
        Ok(Self {
            batcher,
            slow: Pool::new("slow", SLOW_THREADS).map_err(ServeError::Start)?,
            tickets: Tickets::default(),
            jobs: Jobs::open(&settings, own, counts)?,
            requests: Semaphore::new(settings.limits.max_concurrent_requests),
            explanations: Semaphore::new(EXPLANATIONS),
            models,
            metrics,
            settings,
            stopping,
        })
    }

    /// Checks one text against the limits.
    ///
    /// # Errors
    /// If it is empty or too long.
    pub fn check_text(&self, text: &str) -> Result<(), ApiError> {
        let limit = self.settings.limits.max_text_bytes;
        if text.len() > limit {
            let length = text.len();
            let message = format!("the text has {length} bytes, more than {limit}");
            return Err(ApiError::too_large(message));
        }
        if text.trim().is_empty() {
            return Err(ApiError::new(ErrorKind::Empty, "the text is empty"));
        }
        Ok(())
    }

    /// Refuses a request for an analysis if the server is overloaded. It is called before the body
    /// is read and reserves nothing: the request is counted only in [`App::analyze`], because a
    /// client may take any time to send its body.
    ///
    /// # Errors
    /// If too many requests are in progress, or the queue is full.
    pub fn check_room(&self) -> Result<(), ApiError> {
        match self.requests.available_permits() {
            0 => Err(too_many()),
            _ => self.batcher.check_room(),
        }
    }

    /// Analyses checked texts in batches with those of other requests, and converts the results,
    /// in the order of the texts, to an answer with `make`. A large answer is made on the threads
    /// for slow work.
    ///
    /// # Errors
    /// If too many requests are in progress, the queue is full, or the analysis fails.
    pub async fn analyze<T: Send + 'static>(
        &self,
        choice: Choice,
        texts: Vec<String>,
        detail: Detail,
        make: impl FnOnce(Vec<StepwiseText>) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        if texts.is_empty() {
            return Ok(make(Vec::new()));
        }
        // Held until the answer is made, so that the number of unfinished answers is bounded too.
        let _permit = self.requests.try_acquire().map_err(|_| too_many())?;
        let _explanation = match detail {
            Detail::Explanation => Some(
                self.explanations
                    .acquire()
                    .await
                    .map_err(ApiError::internal)?,
            ),
            Detail::Analysis => None,
        };
        if self.settings.log_texts {
            for text in &texts {
                tracing::info!(text, "analysing");
            }
        }
        let bytes: usize = texts.iter().map(String::len).sum();
        let answers = self.batcher.enqueue(choice, texts, detail)?;
        let mut done = Vec::with_capacity(answers.len());
        for answer in answers {
            done.push(Answer::wait(answer).await?);
        }
        self.metrics.texts.inc_by(done.len() as u64);
        match detail == Detail::Explanation || bytes > SHORT_ANSWER {
            true => self.slow.run(move || make(done)).await,
            false => Ok(make(done)),
        }
    }
}

fn too_many() -> ApiError {
    let message = "too many requests are in progress; try again later";
    ApiError::new(ErrorKind::Overloaded, message)
}
