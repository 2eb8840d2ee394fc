//! Jobs are watched, cancelled, deleted and resumed; the server answers meanwhile.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::{Duration, Instant};

use common::jobs::{CSV, finish, upload, wait};
use common::{Running, connect};
use serde_json::json;

/// A file of `rows` reviews.
fn file(rows: usize) -> String {
    let mut csv = "id,text\n".to_owned();
    for i in 0..rows {
        csv.push_str(&format!(
            "{i},The soup was cold and our waiter ignored us for {i} minutes.\n"
        ));
    }
    csv
}

/// A file that no machine analyses before its job is cancelled.
fn slow_file() -> String {
    file(50_000)
}

#[test]
fn jobs_are_watched_cancelled_and_deleted() {
    let server = Running::start(|settings| settings.limits.max_queued_jobs = 2);
    let csv = slow_file();
    let ids: Vec<String> = (0..3)
        .map(|_| {
            let accepted = upload(&server, "/jobs?name=a.csv", "text/csv", csv.as_bytes());
            // The first one must be running before the queue can take two more.
            std::thread::sleep(Duration::from_millis(300));
            accepted.json()["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let refused = upload(&server, "/jobs?name=a.csv", "text/csv", b"text\nFine.\n");
    assert_eq!(refused.error(), (429, "overloaded".to_owned()));
    let early = server.get(&format!("/jobs/{}/result", ids[0]));
    assert_eq!(early.error(), (409, "conflict".to_owned()));
    let early = server.get(&format!("/jobs/{}/report", ids[2]));
    assert_eq!(early.error(), (409, "conflict".to_owned()));
    let metrics = server.get("/metrics").text().to_owned();
    assert!(
        metrics.contains("imn_jobs{state=\"queued\"} 2"),
        "{metrics}"
    );
    let address = server.address;
    let events = format!("/jobs/{}/events", ids[0]);
    let watching = std::thread::spawn(move || common::request(address, "GET", &events, &[], b""));
    std::thread::sleep(Duration::from_millis(500));
    // One that waits is cancelled at once, one that runs as soon as its chunk is done.
    let cancelled = server.send("DELETE", &format!("/jobs/{}", ids[2]), &[], b"");
    assert_eq!(
        (cancelled.status, &cancelled.json()["state"]),
        (200, &json!("cancelled"))
    );
    assert_eq!(
        server
            .send("DELETE", &format!("/jobs/{}", ids[1]), &[], b"")
            .status,
        200
    );
    assert_eq!(
        server
            .send("DELETE", &format!("/jobs/{}", ids[0]), &[], b"")
            .status,
        200
    );
    for id in &ids {
        let job = wait(&server, id);
        assert_eq!(job["state"], "cancelled");
        let result = server.get(&format!("/jobs/{id}/result"));
        assert_eq!(result.error(), (409, "conflict".to_owned()));
    }
    let events = watching.join().unwrap();
    assert_eq!(events.header("content-type"), Some("text/event-stream"));
    let text = events.text();
    assert!(text.starts_with("event: running\ndata: {"), "{text}");
    assert!(
        text.trim_end()
            .rsplit("\n\n")
            .next()
            .unwrap()
            .starts_with("event: cancelled")
    );
    // Progress was reported on the way.
    assert!(text.matches("event: running").count() > 1, "{text}");
    for id in &ids {
        assert_eq!(
            server
                .send("DELETE", &format!("/jobs/{id}"), &[], b"")
                .status,
            204
        );
        assert_eq!(server.get(&format!("/jobs/{id}")).status, 404);
    }
    // Requests are answered while a job runs.
    let running = upload(&server, "/jobs?name=a.csv", "text/csv", csv.as_bytes());
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    assert_eq!(
        server
            .post("/analyze", &json!({"inputs": "Good soup."}))
            .status,
        200
    );
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "{:?}",
        start.elapsed()
    );
    let id = running.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(
        server
            .send("DELETE", &format!("/jobs/{id}"), &[], b"")
            .status,
        200
    );
}

#[test]
fn a_stopped_server_resumes_its_job_and_keeps_its_results() {
    let jobs = tempfile::tempdir().unwrap();
    let csv = file(2000);
    let server = Running::start_in(jobs.path(), |_| {});
    let small = finish(
        &server,
        &upload(&server, "/jobs?name=s.csv", "text/csv", CSV.as_bytes()),
    );
    let result = server.get(&format!("/jobs/{small}/result?format=csv")).body;
    let accepted = upload(&server, "/jobs?name=a.csv", "text/csv", csv.as_bytes());
    let large = accepted.json()["id"].as_str().unwrap().to_owned();
    let start = Instant::now();
    while server.get(&format!("/jobs/{large}")).json()["progress"]["reviews"] == 0 {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(server);
    let state = std::fs::read_to_string(jobs.path().join(&large).join("job.json")).unwrap();
    assert!(state.contains("\"queued\""), "{state}");
    std::fs::create_dir(jobs.path().join(".upload-left")).unwrap();
    std::fs::create_dir(jobs.path().join("damaged")).unwrap();
    std::fs::write(jobs.path().join("damaged/job.json"), "{").unwrap();
    let server = Running::start_in(jobs.path(), |_| {});
    assert!(!jobs.path().join(".upload-left").exists());
    assert_eq!(
        server.get(&format!("/jobs/{small}/result?format=csv")).body,
        result
    );
    let job = wait(&server, &large);
    assert_eq!(job["state"], "finished", "{job}");
    assert_eq!(job["progress"]["reviews"], 2000);
    let result = server.get(&format!("/jobs/{large}/result"));
    assert_eq!(result.text().lines().count(), 2000);
    for (i, line) in result.text().lines().enumerate().step_by(997) {
        assert!(line.contains(&format!("\"id\":\"{i}\"")), "{line}");
    }
}

#[test]
fn a_cancelled_job_stays_cancelled_after_a_kill() {
    let jobs = tempfile::tempdir().unwrap();
    let server = Running::start_in(jobs.path(), |_| {});
    let csv = slow_file();
    let accepted = upload(&server, "/jobs?name=a.csv", "text/csv", csv.as_bytes());
    let id = accepted.json()["id"].as_str().unwrap().to_owned();
    let start = Instant::now();
    while server.get(&format!("/jobs/{id}")).json()["progress"]["reviews"] == 0 {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    let folder = jobs.path().join(&id);
    let running = std::fs::read(folder.join("job.json")).unwrap();
    let cancelled = server.send("DELETE", &format!("/jobs/{id}"), &[], b"");
    assert_eq!(cancelled.status, 200);
    wait(&server, &id);
    drop(server);
    // As if the server had been killed before the job had stopped.
    std::fs::write(folder.join("job.json"), running).unwrap();
    let server = Running::start_in(jobs.path(), |_| {});
    let job = server.get(&format!("/jobs/{id}")).json();
    assert_eq!(job["state"], "cancelled", "{job}");
}

#[test]
fn an_upload_that_stands_still_is_given_up() {
    use std::io::Write as _;
    let server = Running::start(|settings| {
        settings.limits.request_timeout = Duration::from_millis(500);
    });
    let mut stream = connect(server.address);
    let head = common::head("POST", "/jobs", &[("Content-Type", "text/csv")], 100);
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(b"text\nThe soup").unwrap();
    assert_eq!(common::answer(stream).error(), (408, "timeout".to_owned()));
    let folder = server.jobs.as_ref().unwrap().path();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}
