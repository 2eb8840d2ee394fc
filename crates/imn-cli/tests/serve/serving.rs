//! A running `imn serve`, and requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

pub struct Serving {
    pub child: Child,
    pub address: SocketAddr,
    pub log: std::thread::JoinHandle<String>,
}

impl Serving {
    /// Starts `imn serve` on a free port with these options, and waits until it listens.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("listening on http://") {
            line.clear();
            assert_ne!(lines.read_line(&mut line).unwrap(), 0, "it does not listen");
        }
        let address = line.trim().rsplit('/').next().unwrap().parse().unwrap();
        let log = std::thread::spawn(move || {
            let mut rest = String::new();
            let _ = lines.read_to_string(&mut rest);
            rest
        });
        Self {
            child,
            address,
            log,
        }
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([name, &id])
                .status()
                .unwrap()
                .success()
        );
    }

    pub fn request(&self, head: &str, body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{head}\r\nHost: a\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        )
        .unwrap();
        stream.write_all(body).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1.to_owned();
        (status, body)
    }

    pub fn get(&self, path: &str) -> String {
        let (status, body) = self.request(&format!("GET {path} HTTP/1.1"), b"");
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    pub fn job(&self, id: &str) -> Value {
        serde_json::from_str(&self.get(&format!("/jobs/{id}"))).unwrap()
    }

    pub fn upload(&self, csv: &str) -> String {
        let head = "POST /jobs HTTP/1.1\r\nContent-Type: text/csv";
        let (status, body) = self.request(head, csv.as_bytes());
        assert_eq!(status, 202, "{body}");
        let job: Value = serde_json::from_str(&body).unwrap();
        job["id"].as_str().unwrap().to_owned()
    }

    pub fn wait(&self, id: &str, until: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let job = self.job(id);
            if until(&job) {
                return job;
            }
            assert!(start.elapsed() < Duration::from_secs(180), "{job}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// `imn serve` on a free port.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_imn"));
    command.args(["serve", "--port", "0"]);
    command
}
