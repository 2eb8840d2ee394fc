//! Uploads, and waiting for what becomes of them.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Answer, Running};

/// A table with a row that cannot be read.
pub const CSV: &str = "id,text,\"star\"\"s\",when\n\
    a,The soup was cold.,1,2024-01-03\n\
    b,\"Lovely, quick staff — and crème brûlée!\",5,2024-02-01\n\
    c,,3,2024-02-05\n\
    d,too,many,fields,here\n\
    e,Nothing to add.,4,2024-03-01\n";

pub fn upload(server: &Running, path: &str, media: &str, body: &[u8]) -> Answer {
    server.send("POST", path, &[("Content-Type", media)], body)
}

/// Waits until a job has ended.
#[track_caller]
pub fn wait(server: &Running, id: &str) -> Value {
    let start = Instant::now();
    loop {
        let job = server.get(&format!("/jobs/{id}")).json();
        let state = job["state"].as_str().unwrap();
        if !matches!(state, "queued" | "running") {
            return job;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "{job}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[track_caller]
pub fn finish(server: &Running, accepted: &Answer) -> String {
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let id = accepted.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(
        accepted.header("location"),
        Some(format!("/jobs/{id}").as_str())
    );
    let job = wait(server, &id);
    assert_eq!(job["state"], "finished", "{job}");
    id
}
