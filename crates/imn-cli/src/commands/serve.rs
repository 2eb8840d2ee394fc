//! `imn serve`: the HTTP server.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use imn::bundle::{BUILT_IN, DEFAULT, Model};
use imn_repro::fit::FAMILIES;
use imn_server::logging::{self, LogFormat};
use imn_server::{Level, Limits, Models, ServedModel, Server, Settings};

use super::model::PrecisionArgs;
use crate::progress::say;
use crate::threads::{ThreadArgs, one_or_more, thread_count};

const EXAMPLES: &str = "\
Examples:
  imn serve
  imn serve --port 8080 --model reviews --model hotels.imn
  imn serve --hostname 0.0.0.0 --api-key \"$KEY\" --cors-allow-origin https://app.example.com
  IMN_PORT=8080 IMN_MAX_BATCH_TOKENS=16384 imn serve

  curl -s localhost:3000/analyze -H 'Content-Type: application/json' \\
    -d '{\"inputs\": \"The ramen was wonderful, but our waiter ignored us.\"}'

The page is at /, and the API documentation is at /docs. On SIGTERM or Ctrl-C, the server finishes
the requests that it has accepted and exits; a second signal ends it at once. Routes, errors and
limits: docs/serve.md.";

/// Serve analyses, explanations and jobs over HTTP, with a page to try them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Serve {
    /// Model, a built-in name or a file (repeatable); the first is the default.
    #[arg(long, short, env = "IMN_MODEL", value_name = "NAME|PATH", value_delimiter = ',',
        default_value = DEFAULT)]
    model: Vec<String>,
    #[command(flatten)]
    precision: PrecisionArgs,
    /// Address to listen on; 0.0.0.0 for every address of the machine.
    #[arg(
        long,
        env = "IMN_HOSTNAME",
        value_name = "HOST",
        default_value = "127.0.0.1"
    )]
    hostname: String,
    /// Port to listen on; 0 for any free port.
    #[arg(long, short, env = "IMN_PORT", default_value_t = 3000)]
    port: u16,
    /// Key that clients must send as `Authorization: Bearer KEY` [default: no key].
    #[arg(long, env = "IMN_API_KEY", value_name = "KEY", hide_env_values = true)]
    api_key: Option<String>,
    /// Origin whose pages may use the server; * for every origin (repeatable) [default: none].
    #[arg(
        long,
        env = "IMN_CORS_ALLOW_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    cors_allow_origin: Vec<String>,
    /// Folder for jobs and their results [default: imn/jobs in the user's state folder].
    #[arg(long, env = "IMN_JOBS_DIR", value_name = "DIR")]
    jobs_dir: Option<PathBuf>,
    /// Threads that jobs run on [default: half of the cores].
    #[arg(long, env = "IMN_JOB_THREADS", value_name = "N", value_parser = thread_count)]
    job_threads: Option<usize>,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Log level: error, warn, info, debug or trace.
    #[arg(long, env = "IMN_LOG_LEVEL", value_name = "LEVEL", default_value_t = Level::INFO)]
    log_level: Level,
    /// Write the log as JSON, one object per line.
    #[arg(long, env = "IMN_JSON_OUTPUT")]
    json_output: bool,
    /// Log the analysed texts [default: no text is ever logged].
    #[arg(long, env = "IMN_LOG_TEXTS")]
    log_texts: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// The limits of the server.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// Maximum number of requests in progress, including waiting ones; others get a 429.
    #[arg(long, env = "IMN_MAX_CONCURRENT_REQUESTS", value_name = "N", value_parser = one_or_more,
        default_value_t = Limits::default().max_concurrent_requests)]
    max_concurrent_requests: usize,
    /// Maximum number of words in the queue; requests that do not fit get a 429.
    #[arg(long, env = "IMN_MAX_QUEUE_TOKENS", value_name = "N", value_parser = one_or_more,
        default_value_t = Limits::default().max_queue_tokens)]
    max_queue_tokens: usize,
    /// Maximum number of words per batch. The answers do not depend on it.
    #[arg(long, env = "IMN_MAX_BATCH_TOKENS", value_name = "N", value_parser = one_or_more,
        default_value_t = Limits::default().max_batch_tokens)]
    max_batch_tokens: usize,
    /// Maximum number of texts per request.
    #[arg(long, env = "IMN_MAX_CLIENT_BATCH_SIZE", value_name = "N", value_parser = one_or_more,
        default_value_t = Limits::default().max_client_batch_size)]
    max_client_batch_size: usize,
    /// Maximum number of texts per request with explanations.
    #[arg(long, env = "IMN_MAX_CLIENT_EXPLANATIONS", value_name = "N", value_parser = one_or_more,
        default_value_t = Limits::default().max_client_explanations)]
    max_client_explanations: usize,
    /// Maximum size of a JSON body, in bytes.
    #[arg(long, env = "IMN_PAYLOAD_LIMIT", value_name = "BYTES", value_parser = one_or_more,
        default_value_t = Limits::default().payload_limit)]
    payload_limit: usize,
    /// Maximum size of a text, in bytes.
    #[arg(long, env = "IMN_MAX_TEXT_BYTES", value_name = "BYTES", value_parser = one_or_more,
        default_value_t = Limits::default().max_text_bytes)]
    max_text_bytes: usize,
    /// Maximum time from the headers of a request to its answer, in seconds.
    #[arg(long, env = "IMN_REQUEST_TIMEOUT", value_name = "SECONDS", value_parser = seconds,
        default_value = "30")]
    request_timeout: Duration,
    /// Maximum time for requests in progress after a signal to stop, in seconds.
    #[arg(long, env = "IMN_SHUTDOWN_TIMEOUT", value_name = "SECONDS", value_parser = seconds,
        default_value = "30")]
    shutdown_timeout: Duration,
    /// Maximum number of open connections; further clients wait.
    #[arg(long, env = "IMN_MAX_CONNECTIONS", value_name = "N", value_parser = one_or_more,
        default_value_t = Limits::default().max_connections)]
    max_connections: usize,
    /// Maximum size of an uploaded file, in bytes.
    #[arg(long, env = "IMN_MAX_UPLOAD_BYTES", value_name = "BYTES",
        default_value_t = Limits::default().max_upload_bytes)]
    max_upload_bytes: u64,
    /// Maximum number of waiting jobs; further jobs get a 429.
    #[arg(long, env = "IMN_MAX_QUEUED_JOBS", value_name = "N", value_parser = one_or_more,
        default_value_t = Limits::default().max_queued_jobs)]
    max_queued_jobs: usize,
    /// Maximum number of jobs, finished ones included; then a 429 until some are deleted.
    #[arg(long, env = "IMN_MAX_JOBS", value_name = "N", value_parser = one_or_more,
        default_value_t = Limits::default().max_jobs)]
    max_jobs: usize,
}

impl Serve {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.threads.apply()?;
        let format = match self.json_output {
            true => LogFormat::Json,
            false => LogFormat::Text,
        };
        logging::start(self.log_level, format);
        let served = self.model.iter();
        let served = served.map(|model| serve_model(model, self.precision));
        let models = Models::new(served.collect::<Result<_, _>>()?)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs_dir = self.jobs_dir.or_else(state_folder);
        let settings = Settings {
            shutdown_timeout: self.limits.shutdown_timeout,
            limits: self.limits.into(),
            api_key: self.api_key.filter(|key| !key.is_empty()),
            cors_allow_origin: self.cors_allow_origin,
            jobs_dir: jobs_dir.context("no home folder; name a folder with --jobs-dir")?,
            job_threads: self.job_threads.unwrap_or(cores.div_ceil(2)),
            log_texts: self.log_texts,
        };
        let ready = |address| say(&format!("imn: listening on http://{address}"));
        Server::run(&self.hostname, self.port, models, settings, ready)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Opens a model under the name that requests use: that of a built-in model, or of its file without
/// the extension.
fn serve_model(name_or_path: &str, precision: PrecisionArgs) -> anyhow::Result<ServedModel> {
    let built_in = BUILT_IN.iter().any(|model| model.name == name_or_path);
    let stem = Path::new(name_or_path).file_stem();
    let name = match stem {
        Some(stem) if !built_in => stem.to_string_lossy().into_owned(),
        _ => name_or_path.to_owned(),
    };
    let (model, sha256) = Model::open_with_hash(name_or_path, FAMILIES)?;
    Ok(ServedModel::new(name, precision.apply(model)?, sha256)?)
}

/// The folder of jobs of this user.
fn state_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let state = variable("XDG_STATE_HOME").map(PathBuf::from);
    let home = variable("HOME").or_else(|| variable("USERPROFILE"));
    let state = state.or_else(|| Some(Path::new(&home?).join(".local/state")));
    Some(state?.join("imn/jobs"))
}

/// A number of seconds above 0.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0);
    let time = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    time.ok_or_else(|| "a number of seconds above 0".to_owned())
}

impl From<LimitArgs> for Limits {
    fn from(args: LimitArgs) -> Self {
        Self {
            max_concurrent_requests: args.max_concurrent_requests,
            max_queue_tokens: args.max_queue_tokens,
            max_batch_tokens: args.max_batch_tokens,
            max_client_batch_size: args.max_client_batch_size,
            max_client_explanations: args.max_client_explanations,
            payload_limit: args.payload_limit,
            max_text_bytes: args.max_text_bytes,
            request_timeout: args.request_timeout,
            max_connections: args.max_connections,
            max_upload_bytes: args.max_upload_bytes,
            max_queued_jobs: args.max_queued_jobs,
            max_jobs: args.max_jobs,
        }
    }
}
