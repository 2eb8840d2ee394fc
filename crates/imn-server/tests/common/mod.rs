//! A real server on a free port, and a client that can also misbehave.

#![allow(dead_code, reason = "not every test uses everything")]

pub mod contract;
pub mod jobs;
pub mod schema;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use imn::analyze::Analyzer;
use imn::bundle::{BUILT_IN, Model};
use imn_server::{Limits, Models, ServedModel, Server, Settings};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// The built-in model that tests run with, if there is one of this name: a fast one. Otherwise they
/// use the default.
const MODEL: &str = "fast";

/// The names of the two models of the server, the default first. Both are [`model`].
pub const MODELS: [&str; 2] = ["first", "second"];

/// The model that tests run with.
pub fn model() -> Model {
    let fast = BUILT_IN.iter().find(|model| model.name == MODEL);
    Model::open(fast.unwrap_or(&BUILT_IN[0]).name).unwrap()
}

/// An analyzer with the model that tests run with.
pub fn analyzer() -> Analyzer {
    Analyzer::new(model()).unwrap()
}

/// The annotation schemes of the model that tests run with, the default first: two or more.
pub fn schemes() -> Vec<String> {
    let schemes = model().schemes().to_vec();
    assert!(schemes.len() >= 2, "{schemes:?}");
    schemes
}

/// A server that is stopped when it is dropped.
pub struct Running {
    pub address: SocketAddr,
    pub jobs: Option<TempDir>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

pub fn settings(jobs: &Path) -> Settings {
    Settings {
        limits: Limits::default(),
        api_key: None,
        cors_allow_origin: Vec::new(),
        jobs_dir: jobs.to_owned(),
        job_threads: 1,
        shutdown_timeout: Duration::from_secs(20),
        log_texts: false,
    }
}

fn served(name: &str) -> ServedModel {
    ServedModel::new(name.to_owned(), model(), "0".repeat(64)).unwrap()
}

impl Running {
    /// A server with these changes to its settings.
    pub fn start(change: impl FnOnce(&mut Settings)) -> Self {
        let jobs = tempfile::tempdir().unwrap();
        let mut running = Self::start_in(jobs.path(), change);
        running.jobs = Some(jobs);
        running
    }

    /// A server that uses a folder of jobs that stays.
    pub fn start_in(jobs: &Path, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = settings(jobs);
        change(&mut settings);
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, address) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let models = Models::new(MODELS.map(served).into()).unwrap();
                let server = Server::bind("127.0.0.1", 0, models, settings)
                    .await
                    .unwrap();
                ready.send(server.address().unwrap()).unwrap();
                server
                    .serve(async {
                        let _ = stopped.await;
                    })
                    .await;
            });
        });
        Self {
            address: address.recv().unwrap(),
            jobs: None,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Asks the server to stop, without waiting for it.
    pub fn signal(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }

    /// Waits until the queue has something in it.
    pub fn wait_for_work(&self) {
        let start = Instant::now();
        while self.get("/metrics").text().contains("imn_queue_tokens 0\n") {
            assert!(start.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        let headers = [("Content-Type", "application/json")];
        self.send("POST", path, &headers, body.as_bytes())
    }

    #[track_caller]
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        request(self.address, method, path, headers, body)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.signal();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.unwrap();
            }
        }
    }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(json) => json,
            Err(error) => panic!("{error}: {self:?}"),
        }
    }

    /// Status and `error_type`.
    #[track_caller]
    pub fn error(&self) -> (u16, String) {
        let json = self.json();
        assert!(json.get("error").is_some(), "{json}");
        (self.status, json["error_type"].as_str().unwrap().to_owned())
    }
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    stream
}

pub fn head(method: &str, path: &str, headers: &[(&str, &str)], length: usize) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {length}\r\n\r\n"));
    head
}

/// Sends a request and holds it and its answer to the OpenAPI document.
#[track_caller]
pub fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut stream = connect(address);
    let head = head(method, path, headers, body.len());
    stream.write_all(head.as_bytes()).unwrap();
    // The server may have refused the body already.
    let _ = stream.write_all(body);
    let answer = answer(stream);
    let media = headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let sent = contract::Sent {
        method,
        target: path,
        media: media.map_or("", |(_, value)| value),
        body,
    };
    contract::check(&sent, &answer);
    answer
}

/// Reads an answer to the end of the connection.
pub fn answer(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A connection that is reset after the answer has still brought it.
    let _ = stream.read_to_end(&mut bytes);
    parse(&bytes)
}

#[track_caller]
pub fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let headers: Vec<(String, String)> = lines
        .map(|line| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_ascii_lowercase(), value.trim().to_owned())
        })
        .collect();
    let mut body = bytes[end + 4..].to_vec();
    if headers
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value == "chunked")
    {
        body = unchunk(&body);
    }
    Answer {
        status: status.parse().unwrap(),
        headers,
        body,
    }
}

fn unchunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
    }
    body
}

/// A text of about so many words.
pub fn long_text(words: usize) -> String {
    let sentences = [
        "The soup was cold and far too salty for my taste.",
        "Our waiter smiled and brought fresh bread at once.",
        "The keyboard feels cheap, though the screen is bright.",
        "I would not order the dumplings again.",
    ];
    let mut text = String::new();
    let mut count = 0;
    for sentence in sentences.iter().cycle() {
        if count >= words {
            break;
        }
        text.push_str(sentence);
        text.push(' ');
        count += sentence.split(' ').count();
    }
    text
}
