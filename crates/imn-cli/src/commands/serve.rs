//! `imn serve`: the HTTP server.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, ensure};
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
  imn serve --model old=runs/1/model.imn --model new=runs/2/model.imn
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
    /// Model: a built-in name, a file, or NAME=PATH (repeatable); the first is the default.
    #[arg(long, short, env = "IMN_MODEL", value_name = "MODEL",
        value_delimiter = ',', value_parser = NamedModel::parse, default_value = DEFAULT)]
    model: Vec<NamedModel>,
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
        check_names(&self.model)?;
        let served = self.model.into_iter();
        let served = served.map(|model| model.open(self.precision));
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

/// A model and the name that requests use.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedModel {
    name: String,
    /// Name of a built-in model, or a file.
    source: String,
}

impl NamedModel {
    /// Parses the name of a built-in model, a path, or `NAME=PATH`. A path may contain `=`, but a
    /// name has no slash.
    fn parse(text: &str) -> Result<Self, String> {
        let (name, source) = match text.split_once('=') {
            Some((name, path)) if !name.contains(['/', '\\']) && !Path::new(text).is_file() => {
                (name.trim().to_owned(), path)
            }
            _ if BUILT_IN.iter().any(|model| model.name == text) => (text.to_owned(), text),
            _ => (name_of_file(Path::new(text)), text),
        };
        if name.is_empty() || source.is_empty() {
            return Err("expected the name of a built-in model, a file, or NAME=PATH".to_owned());
        }
        let source = source.to_owned();
        Ok(Self { name, source })
    }

    fn open(self, precision: PrecisionArgs) -> anyhow::Result<ServedModel> {
        let (model, sha256) = Model::open_with_hash(&self.source, FAMILIES)?;
        Ok(ServedModel::new(
            self.name,
            precision.apply(model)?,
            sha256,
        )?)
    }
}

/// The name of a file without its extension. Every training writes a `model.imn`, so a file of this
/// name has the name of its folder.
fn name_of_file(path: &Path) -> String {
    let text = |name: Option<&OsStr>| name.map(|name| name.to_string_lossy().into_owned());
    let of_folder = || {
        let folder = path.parent()?;
        if let Some(name) = text(folder.file_name()) {
            return Some(name);
        }
        // The path is `model.imn`, or its folder is `..`.
        let whole = path.canonicalize().ok()?;
        text(whole.parent()?.file_name())
    };
    let folder = match path.file_name() {
        Some(name) if name == "model.imn" => of_folder(),
        _ => None,
    };
    folder
        .or_else(|| text(path.file_stem()))
        .unwrap_or_default()
}

/// Fails if two models have one name, before any of them is opened.
fn check_names(models: &[NamedModel]) -> anyhow::Result<()> {
    let mut names = BTreeSet::new();
    for model in models {
        ensure!(
            names.insert(&model.name),
            "two models are called `{}`; give one of them another name with --model NAME=PATH",
            model.name
        );
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_names() {
        for (text, name, source) in [
            ("reviews", "reviews", "reviews"),
            ("hotels.imn", "hotels", "hotels.imn"),
            ("a/run1/model.imn", "run1", "a/run1/model.imn"),
            ("a/run1/hotels.imn", "hotels", "a/run1/hotels.imn"),
            ("new=a/run1/model.imn", "new", "a/run1/model.imn"),
            ("old=reviews", "old", "reviews"),
            ("a/lr=1/model.imn", "lr=1", "a/lr=1/model.imn"),
            ("best=a/lr=1/model.imn", "best", "a/lr=1/model.imn"),
        ] {
            let expected = NamedModel {
                name: name.to_owned(),
                source: source.to_owned(),
            };
            assert_eq!(NamedModel::parse(text), Ok(expected), "{text}");
        }
        for text in ["", "=a.imn", "a="] {
            assert!(NamedModel::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_are_unique() {
        let parse = |all: &[&str]| all.iter().map(|text| NamedModel::parse(text)).collect();
        let models: Result<Vec<_>, _> = parse(&["a/1/model.imn", "a/2/model.imn", "reviews"]);
        assert!(check_names(&models.unwrap()).is_ok());
        let models: Result<Vec<_>, _> = parse(&["a/1/model.imn", "b/1/model.imn"]);
        let error = check_names(&models.unwrap()).unwrap_err().to_string();
        assert!(error.contains("two models are called `1`"), "{error}");
        assert!(error.contains("--model NAME=PATH"), "{error}");
    }
}
