//! Every error has its status and its type; limits hold; keys and origins are checked.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{Running, long_text};
use serde_json::json;

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn every_mistake_has_its_error() {
    let server = Running::start(|settings| {
        settings.limits.payload_limit = 1000;
        settings.limits.max_text_bytes = 100;
        settings.limits.max_client_batch_size = 3;
        settings.limits.max_client_explanations = 2;
    });
    let long = format!(r#"{{"inputs": "{}"}}"#, "x".repeat(101));
    let huge = format!(r#"{{"inputs": "{}"}}"#, "x".repeat(1000));
    let cases: &[(&str, &str, &str, u16, &str)] = &[
        ("POST", "/analyze", "{\"inputs\": ", 400, "malformed_json"),
        ("POST", "/analyze", "not json", 400, "malformed_json"),
        ("POST", "/analyze", "", 400, "empty"),
        ("POST", "/analyze", "  ", 400, "empty"),
        ("POST", "/analyze", "[]", 422, "validation"),
        ("POST", "/analyze", "{}", 422, "validation"),
        ("POST", "/analyze", r#"{"inputs": 7}"#, 422, "validation"),
        ("POST", "/analyze", r#"{"inputs": null}"#, 422, "validation"),
        (
            "POST",
            "/analyze",
            r#"{"inputs": {"text": 1}}"#,
            422,
            "validation",
        ),
        (
            "POST",
            "/analyze",
            r#"{"inputs": "a", "explain": 1}"#,
            422,
            "validation",
        ),
        (
            "POST",
            "/analyze",
            r#"{"inputs": "a", "min_confidence": 2}"#,
            422,
            "validation",
        ),
        (
            "POST",
            "/analyze",
            r#"{"inputs": "a", "offset_unit": "x"}"#,
            422,
            "validation",
        ),
        (
            "POST",
            "/analyze",
            r#"{"inputs": "a", "model": "none"}"#,
            422,
            "validation",
        ),
        (
            "POST",
            "/analyze",
            r#"{"inputs": "a", "scheme": "none"}"#,
            422,
            "validation",
        ),
        (
            "POST",
            "/analyze",
            r#"{"inputs": "a", "more": 1}"#,
            422,
            "validation",
        ),
        ("POST", "/analyze", r#"{"inputs": []}"#, 400, "empty"),
        ("POST", "/analyze", r#"{"inputs": ""}"#, 400, "empty"),
        ("POST", "/analyze", r#"{"inputs": "   "}"#, 400, "empty"),
        (
            "POST",
            "/analyze",
            r#"{"inputs": ["a", "b", "c", "d"]}"#,
            413,
            "too_large",
        ),
        (
            "POST",
            "/analyze",
            r#"{"inputs": ["a", "b", "c"], "explain": true}"#,
            413,
            "too_large",
        ),
        ("POST", "/analyze", &long, 413, "too_large"),
        ("POST", "/analyze", &huge, 413, "too_large"),
        (
            "POST",
            "/explain",
            r#"{"inputs": ["a"]}"#,
            422,
            "validation",
        ),
        ("POST", "/explain", r#"{"inputs": ""}"#, 400, "empty"),
        ("POST", "/explain", &long, 413, "too_large"),
        ("GET", "/analyze", "", 405, "method_not_allowed"),
        ("DELETE", "/info", "", 405, "method_not_allowed"),
        ("PUT", "/jobs", "", 405, "method_not_allowed"),
        ("GET", "/none", "", 404, "not_found"),
        ("POST", "/analyze/", "", 404, "not_found"),
        ("GET", "/jobs/none", "", 404, "not_found"),
        ("DELETE", "/jobs/none", "", 404, "not_found"),
        ("GET", "/jobs/none/events", "", 404, "not_found"),
        ("GET", "/jobs/none/result", "", 404, "not_found"),
        ("GET", "/jobs/..%2f..%2fetc/result", "", 404, "not_found"),
    ];
    for &(method, path, body, status, kind) in cases {
        let answer = server.send(method, path, &[JSON], body.as_bytes());
        assert_eq!(
            answer.error(),
            (status, kind.to_owned()),
            "{method} {path} {body}"
        );
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
    let allowed = server.send("GET", "/analyze", &[], b"");
    assert_eq!(allowed.header("allow"), Some("POST"));
    for media in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
    ] {
        let answer = server.send("POST", "/analyze", &[("Content-Type", media)], b"{}");
        assert_eq!(
            answer.error(),
            (415, "unsupported_media_type".to_owned()),
            "{media}"
        );
    }
    let answer = server.send("POST", "/analyze", &[], br#"{"inputs": "a"}"#);
    assert_eq!(answer.error().0, 415);
    let not_utf8 = server.send("POST", "/analyze", &[JSON], b"{\"inputs\": \"\xff\"}");
    assert_eq!(not_utf8.error(), (400, "malformed_json".to_owned()));
    // Deeper than any request has a reason to be.
    let deep = format!("{}{}", "[".repeat(400), "]".repeat(400));
    let deep = server.send("POST", "/analyze", &[JSON], deep.as_bytes());
    assert!((400..500).contains(&deep.error().0));
}

#[test]
fn a_body_without_a_length_is_limited_too() {
    let server = Running::start(|settings| settings.limits.payload_limit = 1000);
    let mut body = String::new();
    for _ in 0..50 {
        body.push_str(&format!("{:x}\r\n{}\r\n", 100, "x".repeat(100)));
    }
    let head = "POST /analyze HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
                Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut stream = common::connect(server.address);
    use std::io::Write as _;
    stream.write_all(head.as_bytes()).unwrap();
    let _ = stream.write_all(body.as_bytes());
    assert_eq!(
        common::answer(stream).error(),
        (413, "too_large".to_owned())
    );
}

#[test]
fn a_request_beyond_its_time_is_refused() {
    let server = Running::start(|settings| {
        settings.limits.request_timeout = Duration::from_millis(1);
    });
    let answer = server.post("/analyze", &json!({"inputs": long_text(5000)}));
    assert_eq!(answer.error(), (408, "timeout".to_owned()));
    // The text that nobody waits for is taken out of the queue.
    std::thread::sleep(Duration::from_millis(500));
    assert!(
        server
            .get("/metrics")
            .text()
            .contains("imn_queue_tokens 0\n")
    );
}

#[test]
fn beyond_the_queue_there_is_a_429() {
    let server = Running::start(|settings| {
        settings.limits.max_queue_tokens = 5000;
        settings.limits.max_concurrent_requests = 8;
        settings.limits.max_batch_tokens = 64;
    });
    let body = json!({"inputs": [long_text(1000), long_text(1000)]});
    let answers: Vec<_> = std::thread::scope(|scope| {
        let ask = || server.post("/analyze", &body);
        let threads: Vec<_> = (0..24).map(|_| scope.spawn(ask)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let refused: Vec<_> = answers
        .iter()
        .filter(|answer| answer.status == 429)
        .collect();
    let accepted = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(refused.len() + accepted, 24);
    assert!(accepted >= 1 && !refused.is_empty(), "{accepted}");
    for answer in refused {
        assert_eq!(answer.error().1, "overloaded");
        assert!(
            answer
                .header("retry-after")
                .unwrap()
                .parse::<u64>()
                .unwrap()
                >= 1
        );
    }
    // One request cannot fill the queue.
    let whole = json!({"inputs": vec![long_text(1000); 3]});
    let refused = server.post("/analyze", &whole);
    assert_eq!(refused.error(), (413, "too_large".to_owned()));
    assert!(refused.text().contains("/jobs"), "{}", refused.text());
    // A moment later the server answers again.
    assert_eq!(
        server
            .post("/analyze", &json!({"inputs": "Good soup."}))
            .status,
        200
    );
}

#[test]
fn the_key_is_needed_where_there_is_one() {
    let server = Running::start(|settings| settings.api_key = Some("s3cret".to_owned()));
    let body = br#"{"inputs": "Good soup."}"#;
    let with = |header: (&str, &str)| server.send("POST", "/analyze", &[JSON, header], body);
    assert_eq!(with(("Authorization", "Bearer s3cret")).status, 200);
    assert_eq!(with(("authorization", "bearer s3cret")).status, 200);
    assert_eq!(with(("Ocp-Apim-Subscription-Key", "s3cret")).status, 200);
    for header in [
        ("Authorization", "Bearer s3cre"),
        ("Authorization", "Bearer s3cret1"),
        ("Authorization", "Basic s3cret"),
        ("Authorization", "s3cret"),
        ("Authorization", "Bearer"),
        ("Ocp-Apim-Subscription-Key", ""),
        ("X-Other", "s3cret"),
    ] {
        let answer = with(header);
        assert_eq!(
            answer.error(),
            (401, "unauthorized".to_owned()),
            "{header:?}"
        );
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    for path in ["/info", "/jobs", "/jobs/none", "/jobs/none/result"] {
        assert_eq!(server.get(path).status, 401, "{path}");
    }
    for path in ["/", "/docs", "/health", "/metrics", "/openapi.json"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    let azure = server
        .send("POST", "/language/:analyze-text", &[JSON], b"{}")
        .json();
    assert_eq!(
        (&azure["error"]["code"], &azure["error_type"]),
        (&json!("401"), &json!("unauthorized"))
    );
}

#[test]
fn a_ticket_opens_one_link_once() {
    let server = Running::start(|settings| settings.api_key = Some("s3cret".to_owned()));
    let key = ("Authorization", "Bearer s3cret");
    let send = |method: &str, path: &str, body: &[u8]| {
        server.send(method, path, &[key, ("Content-Type", "text/csv")], body)
    };
    let jobs: Vec<String> = (0..2)
        .map(|_| {
            let accepted = send("POST", "/jobs", b"text\nThe soup was cold.\nbad,row\n");
            accepted.json()["id"].as_str().unwrap().to_owned()
        })
        .collect();
    for job in &jobs {
        let start = std::time::Instant::now();
        while send("GET", &format!("/jobs/{job}"), b"").json()["state"] != "finished" {
            assert!(start.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let ticket = |job: &str| {
        let issued = send("POST", &format!("/jobs/{job}/tickets"), b"");
        assert_eq!(issued.status, 201);
        issued.json()["ticket"].as_str().unwrap().to_owned()
    };
    let status = |path: String| server.get(&path).status;
    let job = &jobs[0];
    for what in ["report?title=a&", "result?format=csv&", "errors?"] {
        let link = format!("/jobs/{job}/{what}ticket={}", ticket(job));
        assert_eq!((status(link.clone()), status(link)), (200, 401), "{what}");
    }
    // Not for other jobs, other routes or other methods; a wrong guess does not use it up.
    let one = ticket(job);
    assert_eq!(
        status(format!("/jobs/{}/report?ticket={one}", jobs[1])),
        401
    );
    assert_eq!(status(format!("/jobs/{job}?ticket={one}")), 401);
    assert_eq!(status(format!("/jobs/{job}/events?ticket={one}")), 401);
    assert_eq!(status(format!("/info?ticket={one}")), 401);
    let (start, last) = one.split_at(one.len() - 1);
    let other = if last == "0" { "1" } else { "0" };
    assert_eq!(
        status(format!("/jobs/{job}/report?ticket={start}{other}")),
        401
    );
    assert_eq!(status(format!("/jobs/{job}/report?ticket=")), 401);
    assert_eq!(status(format!("/jobs/{job}/report?ticket={one}")), 200);
    let without_key = server.send("POST", &format!("/jobs/{job}/tickets"), &[], b"");
    assert_eq!(without_key.error(), (401, "unauthorized".to_owned()));
}

#[test]
fn other_origins_are_shut_out_unless_they_are_named() {
    let origin = "https://app.example.com";
    let preflight = |server: &Running, origin: &str| {
        let headers = [
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "content-type"),
        ];
        server.send("OPTIONS", "/analyze", &headers, b"")
    };
    let closed = Running::start(|_| {});
    assert_eq!(
        preflight(&closed, origin).header("access-control-allow-origin"),
        None
    );
    let open = Running::start(|settings| settings.cors_allow_origin = vec![origin.to_owned()]);
    let allowed = preflight(&open, origin);
    assert_eq!(allowed.header("access-control-allow-origin"), Some(origin));
    assert!(
        allowed
            .header("access-control-allow-methods")
            .unwrap()
            .contains("POST")
    );
    let other = preflight(&open, "https://evil.example.com");
    assert_ne!(
        other.header("access-control-allow-origin"),
        Some("https://evil.example.com")
    );
}
