//! The real binary: flags and variables, signals, and a kill that loses nothing.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod names;
mod serving;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use imn::bundle::BUILT_IN;
use serde_json::Value;

use self::serving::{Serving, command};

/// The built-in model that tests run with, if there is one of this name: a fast one. Otherwise they
/// use the default.
const MODEL: &str = "fast";

fn model() -> &'static str {
    let fast = BUILT_IN.iter().find(|model| model.name == MODEL);
    fast.unwrap_or(&BUILT_IN[0]).name
}

/// Starts `imn serve` with a folder of jobs.
fn serve(jobs: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Serving {
    let mut command = command();
    command.arg("--jobs-dir").arg(jobs).args(arguments);
    command.env("IMN_MODEL", model());
    Serving::start(command.envs(variables.iter().copied()))
}

fn ended(job: &Value) -> bool {
    !matches!(job["state"].as_str().unwrap(), "queued" | "running")
}

fn large_file() -> String {
    let rows =
        (0..2000).map(|i| format!("{i},Row {i}: the soup was cold and the staff friendly.\n"));
    "id,text\n".to_owned() + &rows.collect::<String>()
}

#[test]
fn a_kill_loses_no_finished_job_and_resumes_the_others() {
    let jobs = tempfile::tempdir().unwrap();
    let mut server = serve(jobs.path(), &[], &[]);
    let finished = server.upload("id,text\nx,The tea was weak.\n");
    server.wait(&finished, ended);
    let result = server.get(&format!("/jobs/{finished}/result"));
    assert!(result.contains("\"tea\""), "{result}");
    let (running, queued) = (server.upload(&large_file()), server.upload(&large_file()));
    let mut kills = 0;
    // Killed again and again, wherever it is.
    loop {
        let job = server.wait(&running, |job| {
            ended(job) || job["progress"]["reviews"] != 0
        });
        if ended(&job) || kills == 3 {
            break;
        }
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        kills += 1;
        server = serve(jobs.path(), &[], &[]);
        assert_eq!(server.get(&format!("/jobs/{finished}/result")), result);
    }
    assert!(kills > 0, "the job was done before it could be killed");
    let expected: Vec<String> = (0..2000).map(|i| i.to_string()).collect();
    for id in [&running, &queued] {
        let job = server.wait(id, ended);
        assert_eq!(job["state"], "finished", "{job}");
        assert_eq!(job["progress"]["reviews"], 2000);
        let result = server.get(&format!("/jobs/{id}/result"));
        let ids: Vec<String> = result
            .lines()
            .map(|line| {
                let record: Value = serde_json::from_str(line).unwrap();
                record["id"].as_str().unwrap().to_owned()
            })
            .collect();
        assert!(ids == expected, "no row lost, none twice");
    }
    server.signal("-TERM");
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn a_job_whose_model_is_gone_fails_and_says_so() {
    let jobs = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.imn");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    std::fs::copy(models.join(format!("{}.imn", model())), &path).unwrap();
    let mut server = serve(jobs.path(), &["--model", path.to_str().unwrap()], &[]);
    let id = server.upload(&large_file());
    server.wait(&id, |job| job["state"] != "queued");
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let mut server = serve(jobs.path(), &[], &[]);
    let job = server.wait(&id, ended);
    assert_eq!(job["state"], "failed", "{job}");
    assert!(
        job["error"].as_str().unwrap().contains("no model `mine`"),
        "{job}"
    );
    server.signal("-INT");
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn sigterm_finishes_what_was_accepted_and_texts_stay_out_of_the_log() {
    let jobs = tempfile::tempdir().unwrap();
    let variables = [("IMN_MAX_BATCH_TOKENS", "64"), ("IMN_LOG_LEVEL", "trace")];
    let mut server = serve(jobs.path(), &["--json-output"], &variables);
    let secret = "The xylophone soup was cold. ".repeat(1500);
    let body = format!("{{\"inputs\": \"{secret}\"}}");
    let address = server.address;
    let asking = std::thread::spawn(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        let length = body.len();
        let head = "POST /analyze HTTP/1.1\r\nHost: a\r\nContent-Type: application/json";
        write!(stream, "{head}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    let start = Instant::now();
    while server.get("/metrics").contains("imn_queue_tokens 0\n") {
        assert!(start.elapsed() < Duration::from_secs(30));
    }
    server.signal("-TERM");
    let answer = asking.join().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{}", &answer[..100]);
    assert!(server.child.wait().unwrap().success());
    let log = server.log.join().unwrap();
    assert!(log.contains("\"route\":\"/analyze\""), "{log}");
    assert!(log.contains("stopped"), "{log}");
    assert!(!log.contains("xylophone"), "a text is in the log");
    assert!(TcpStream::connect(address).is_err(), "nobody listens");
}

#[test]
fn texts_are_logged_if_asked_for() {
    let jobs = tempfile::tempdir().unwrap();
    let mut server = serve(jobs.path(), &[], &[("IMN_LOG_TEXTS", "true")]);
    let head = "POST /analyze HTTP/1.1\r\nContent-Type: application/json";
    let (status, _) = server.request(head, br#"{"inputs": "A xylophone."}"#);
    assert_eq!(status, 200);
    server.signal("-TERM");
    server.child.wait().unwrap();
    assert!(server.log.join().unwrap().contains("xylophone"));
}

#[test]
fn mistakes_are_named_before_anything_starts() {
    let jobs = tempfile::tempdir().unwrap();
    let server = serve(jobs.path(), &["--api-key", "k"], &[]);
    let port = server.address.port().to_string();
    let other = tempfile::tempdir().unwrap();
    let jobs = jobs.path().to_str().unwrap();
    let other = other.path().to_str().unwrap();
    for (arguments, message) in [
        (
            vec!["--port", &port, "--jobs-dir", other],
            "listening on 127.0.0.1",
        ),
        (
            vec!["--port", "0", "--jobs-dir", jobs],
            "another server uses it",
        ),
        (
            vec!["--port", "0", "--jobs-dir", "/dev/null/x"],
            "--jobs-dir",
        ),
        (vec!["--model", "none.imn", "--jobs-dir", other], "none.imn"),
        (
            vec!["--model", model(), "--model", model()],
            "two models are called",
        ),
        (vec!["--request-timeout", "0"], "seconds"),
        (vec!["--max-batch-tokens", "0"], "1 or more"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_imn"))
            .arg("serve")
            .args(&arguments)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(message), "{arguments:?}: {error}");
    }
    server.signal("-KILL");
}

#[test]
fn help_names_a_variable_for_every_flag() {
    let output = Command::new(env!("CARGO_BIN_EXE_imn"))
        .args(["serve", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let (options, _) = help.split_once("Examples:").unwrap();
    let flags = options
        .lines()
        .filter(|line| line.trim_start().starts_with('-'));
    let flags: Vec<&str> = flags.filter(|line| !line.contains("--help")).collect();
    assert!(flags.len() > 20, "{help}");
    // Lines are wrapped inside of it.
    let unwrapped = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let variables = unwrapped.matches("[env: IMN_").count();
    assert_eq!(variables, flags.len(), "{help}");
}
