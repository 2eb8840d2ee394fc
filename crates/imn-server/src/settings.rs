//! The settings of a server: limits, API key, folders.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

/// The settings of a server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Limits of requests.
    pub limits: Limits,
    /// Clients must send this key, if there is one.
    pub api_key: Option<String>,
    /// Origins whose pages may use the server. `*` is every origin.
    pub cors_allow_origin: Vec<String>,
    /// The folder of jobs.
    pub jobs_dir: PathBuf,
    /// Threads that jobs run on.
    pub job_threads: usize,
    /// How long requests that were accepted may take after a signal to stop.
    pub shutdown_timeout: Duration,
    /// Whether texts are logged.
    pub log_texts: bool,
}

/// The limits of a server. A request that exceeds one gets an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Maximum number of requests that are analysed or wait at the same time.
    pub max_concurrent_requests: usize,
    /// Maximum number of words that wait in the queue.
    pub max_queue_tokens: usize,
    /// Maximum number of words that the network reads at once.
    pub max_batch_tokens: usize,
    /// Maximum number of texts in a request.
    pub max_client_batch_size: usize,
    /// Maximum number of texts in a request that asks for explanations.
    pub max_client_explanations: usize,
    /// Maximum size of a JSON body in bytes.
    pub payload_limit: usize,
    /// Maximum size of a text in bytes.
    pub max_text_bytes: usize,
    /// Maximum time of a request in seconds, from its headers to its answer.
    #[serde(serialize_with = "seconds")]
    pub request_timeout: Duration,
    /// Maximum number of connections.
    pub max_connections: usize,
    /// Maximum size of an uploaded file in bytes.
    pub max_upload_bytes: u64,
    /// Maximum number of jobs that wait.
    pub max_queued_jobs: usize,
    /// Maximum number of jobs that are kept, finished ones included.
    pub max_jobs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_concurrent_requests: 512,
            max_queue_tokens: 1 << 17,
            max_batch_tokens: 1 << 12,
            max_client_batch_size: 256,
            max_client_explanations: 8,
            payload_limit: 2_000_000,
            max_text_bytes: 1 << 16,
            request_timeout: Duration::from_secs(30),
            max_connections: 1024,
            max_upload_bytes: 1 << 30,
            max_queued_jobs: 100,
            max_jobs: 1000,
        }
    }
}

fn seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}
