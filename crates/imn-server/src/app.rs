//! What all routes share, and the way of texts through it: limits, tokens, queue, answers.

use std::sync::Arc;

use imn::analyze::StepwiseText;
use tokio::sync::{Semaphore, watch};

use crate::batcher::{Answer, Batcher};
use crate::error::{ApiError, ErrorKind};
use crate::jobs::Jobs;
use crate::metrics::Metrics;
use crate::models::{Choice, Models};
use crate::server::ServeError;
use crate::settings::Settings;

/// Texts with together more bytes are tokenized on a thread of their own.
const TOKENIZED_HERE: usize = 1 << 14;

/// Requests with explanations that are in progress at a time: an answer can have megabytes.
const EXPLANATIONS: usize = 4;

/// What all routes share.
#[derive(Debug)]
pub struct App {
    /// The models.
    pub models: Arc<Models>,
    /// The queue.
    pub batcher: Batcher,
    /// Jobs.
    pub jobs: Jobs,
    /// What is counted.
    pub metrics: Arc<Metrics>,
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

    /// Analyses texts that were checked, together with those of other requests. The results are in
    /// the order of the texts.
    ///
    /// # Errors
    /// If too many requests are in progress, the queue is full, or the analysis fails.
    pub async fn analyze(
        self: &Arc<Self>,
        choice: Choice,
        texts: Vec<String>,
        explain: bool,
    ) -> Result<Vec<StepwiseText>, ApiError> {
        let overloaded = |_| {
            let message = "too many requests are in progress; try again later";
            ApiError::new(ErrorKind::Overloaded, message)
        };
        let _permit = self.requests.try_acquire().map_err(overloaded)?;
        let _explanation = match explain {
            true => Some(
                self.explanations
                    .acquire()
                    .await
                    .map_err(ApiError::internal)?,
            ),
            false => None,
        };
        if self.settings.log_texts {
            for text in &texts {
                tracing::info!(text, "analysing");
            }
        }
        let texts = self.tokenize(choice, texts, explain).await?;
        let answers = self.batcher.enqueue(choice, texts)?;
        let mut done = Vec::with_capacity(answers.len());
        for answer in answers {
            done.push(Answer::wait(answer).await?);
        }
        self.metrics.texts.inc_by(done.len() as u64);
        Ok(done)
    }

    async fn tokenize(
        self: &Arc<Self>,
        choice: Choice,
        texts: Vec<String>,
        explain: bool,
    ) -> Result<Vec<StepwiseText>, ApiError> {
        let bytes: usize = texts.iter().map(String::len).sum();
        let app = Arc::clone(self);
        let tokenize = move || {
            let analyzer = app.models.analyzer(choice);
            let texts = texts.into_iter();
            texts
                .map(|text| StepwiseText::new(analyzer, text, explain))
                .collect()
        };
        if bytes <= TOKENIZED_HERE {
            return Ok(tokenize());
        }
        let tokenized = tokio::task::spawn_blocking(tokenize).await;
        tokenized.map_err(ApiError::internal)
    }
}
