//! The texts of all clients share batches, and no client notices.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{Running, connect, head, long_text, schemes};
use serde_json::{Value, json};

const SENTENCES: [&str; 8] = [
    "The soup was cold.",
    "Our waiter ignored us, but the ramen was wonderful.",
    "Great battery life and an awful keyboard!",
    "Would come back for the desserts alone; the music is too loud.",
    "😀 Crème brûlée: superb.",
    "The screen is not bright enough and the fan is noisy.",
    "Friendly staff.",
    "I have nothing to say about this place.",
];

/// The bytes of each result of an answer.
fn results(text: &str) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Raw<'a> {
        #[serde(borrow)]
        results: Vec<&'a serde_json::value::RawValue>,
    }
    let raw: Raw<'_> = serde_json::from_str(text).unwrap();
    raw.results
        .into_iter()
        .map(|raw| raw.get().to_owned())
        .collect()
}

#[test]
fn batched_answers_equal_single_ones_byte_for_byte() {
    // Batches so small that texts of several sentences take several of them.
    for max_batch_tokens in [16, 64, 4096] {
        let server = Running::start(|settings| {
            settings.limits.max_batch_tokens = max_batch_tokens;
        });
        let texts: Vec<String> = (0..24)
            .map(|i| {
                let sentences = (0..=i % 5).map(|j| SENTENCES[(i * 3 + j) % SENTENCES.len()]);
                sentences.collect::<Vec<_>>().join(" ")
            })
            .collect();
        let single: Vec<String> = texts
            .iter()
            .map(|text| {
                let answer = server.post("/analyze", &json!({"inputs": text}));
                results(answer.text()).remove(0)
            })
            .collect();
        let together = server.post("/analyze", &json!({"inputs": texts}));
        assert_eq!(results(together.text()), single);
        // Many clients at the same time, each with its own part of the texts and its own options.
        std::thread::scope(|scope| {
            for client in 0..12 {
                let (server, texts, single) = (&server, &texts, &single);
                scope.spawn(move || {
                    for turn in 0..4 {
                        let first = (client * 5 + turn * 7) % texts.len();
                        let mine = &texts[first..(first + 4).min(texts.len())];
                        let answer = server.post("/analyze", &json!({"inputs": mine}));
                        assert_eq!(answer.status, 200);
                        assert_eq!(results(answer.text()), single[first..first + mine.len()]);
                    }
                });
            }
            for _ in 0..2 {
                let server = &server;
                scope.spawn(move || {
                    let request = json!({"inputs": SENTENCES[1], "scheme": schemes()[1]});
                    for _ in 0..4 {
                        assert_eq!(server.post("/explain", &request).status, 200);
                    }
                });
            }
        });
    }
}

#[test]
fn a_long_text_does_not_hold_up_short_ones() {
    let server = Running::start(|settings| {
        settings.limits.max_batch_tokens = 256;
        settings.limits.request_timeout = Duration::from_secs(300);
        settings.limits.max_queue_tokens = 1 << 20;
    });
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let long = scope.spawn(|| {
            let texts = vec![long_text(3000); 2];
            let start = Instant::now();
            let answer = server.post("/analyze", &json!({"inputs": texts}));
            done.store(true, Ordering::SeqCst);
            assert_eq!(answer.status, 200);
            start.elapsed()
        });
        std::thread::sleep(Duration::from_millis(200));
        let mut times = Vec::new();
        while !done.load(Ordering::SeqCst) {
            let start = Instant::now();
            let answer = server.post("/analyze", &json!({"inputs": "The soup was cold."}));
            assert_eq!(answer.status, 200);
            times.push(start.elapsed());
        }
        let whole = long.join().unwrap();
        times.sort();
        let median = times[times.len() / 2];
        assert!(times.len() >= 8, "{} short texts in {whole:?}", times.len());
        assert!(median * 8 < whole, "{median:?} of {whole:?}");
    });
}

/// A request that never ends.
fn half_open(server: &Running, body: &str) -> std::net::TcpStream {
    let mut stream = connect(server.address);
    let headers = [("Content-Type", "application/json")];
    let head = head("POST", "/analyze", &headers, 1000);
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    stream
}

#[test]
fn clients_that_misbehave_do_not_stall_others() {
    let server = Running::start(|settings| {
        settings.limits.request_timeout = Duration::from_secs(2);
        settings.limits.max_concurrent_requests = 16;
    });
    let mut bad = Vec::new();
    for _ in 0..40 {
        bad.push(half_open(&server, "{\"inputs\": \"The "));
        // Headers that never end.
        let mut stream = connect(server.address);
        stream
            .write_all(b"POST /analyze HTTP/1.1\r\nHost: a\r\nX-A: ")
            .unwrap();
        bad.push(stream);
        // Nothing at all.
        bad.push(connect(server.address));
    }
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET\r\n\r\n",
        b"POST /analyze HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /analyze HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST /analyze HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ] {
        let mut stream = connect(server.address);
        stream.write_all(garbage).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let refused = answer.is_empty() || answer.starts_with("HTTP/1.1 4");
        assert!(refused, "{garbage:?}: {answer}");
    }
    let huge = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(1 << 20));
    let mut stream = connect(server.address);
    let _ = stream.write_all(huge.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    // A client that asks for much and reads nothing.
    let request = json!({"inputs": vec![SENTENCES[1]; 40]}).to_string();
    for _ in 0..4 {
        let mut stream = connect(server.address);
        let headers = [("Content-Type", "application/json")];
        let head = head("POST", "/analyze", &headers, request.len());
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        bad.push(stream);
    }
    std::thread::sleep(Duration::from_millis(1000));
    // In time: after two seconds it would be refused.
    let answer = server.post("/analyze", &json!({"inputs": "The soup was cold."}));
    assert_eq!(answer.status, 200, "{answer:?}");
    // The half-open requests are answered when their time is up.
    let mut first = bad.remove(0);
    let mut text = String::new();
    first.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 408"), "{text}");
}

/// A server with one place, which is taken while `run` runs.
fn with_a_full_server(run: impl FnOnce(&Running)) {
    let server = Running::start(|settings| {
        settings.limits.max_batch_tokens = 64;
        settings.limits.max_concurrent_requests = 1;
        settings.limits.request_timeout = Duration::from_secs(120);
    });
    std::thread::scope(|scope| {
        let long = scope.spawn(|| server.post("/analyze", &json!({"inputs": long_text(9000)})));
        server.wait_for_work();
        run(&server);
        assert!(!long.is_finished(), "the place was free too early");
        assert_eq!(long.join().unwrap().status, 200);
    });
    let answer = server.post("/analyze", &json!({"inputs": "Good soup."}));
    assert_eq!(answer.status, 200);
}

#[test]
fn a_full_server_refuses_before_the_body_arrives() {
    with_a_full_server(|server| {
        // Nothing of the body but a beginning that is not JSON, and never the rest.
        let mut waiting = half_open(server, "not JSON");
        let start = Instant::now();
        let mut answer = [0; 12];
        waiting.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 429");
        assert!(
            start.elapsed() < Duration::from_secs(1),
            "{:?}",
            start.elapsed()
        );
    });
}

#[test]
fn a_client_that_sends_too_much_gets_its_answer() {
    let server = Running::start(|_| {});
    let body = vec![b' '; 8 << 20];
    // Refused by the length, by the media type and by the route, before any of it was read.
    for (path, media, status) in [
        ("/analyze", "application/json", 413),
        ("/analyze", "text/plain", 415),
        ("/none", "application/json", 404),
    ] {
        let mut stream = connect(server.address);
        let head = head("POST", path, &[("Content-Type", media)], body.len());
        stream.write_all(head.as_bytes()).unwrap();
        // A client that writes before it reads, as most do.
        stream.write_all(&body).unwrap();
        assert_eq!(common::answer(stream).status, status, "{path} {media}");
    }
}

#[test]
fn a_refused_client_can_use_its_connection_again() {
    with_a_full_server(|server| {
        let mut stream = connect(server.address);
        let body = r#"{"inputs": "Good soup."}"#;
        let head = head(
            "POST",
            "/analyze",
            &[("Content-Type", "application/json")],
            body.len(),
        );
        let request = head.replace("Connection: close\r\n", "") + body;
        for _ in 0..5 {
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = Vec::new();
            while !answer.ends_with(b"}") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                answer.push(byte[0]);
            }
            assert!(answer.starts_with(b"HTTP/1.1 429"));
        }
    });
}

#[test]
fn what_was_accepted_is_answered_before_the_server_stops() {
    let mut server = Running::start(|settings| settings.limits.max_batch_tokens = 64);
    let address = server.address;
    let asking = std::thread::spawn(move || {
        let body = json!({"inputs": long_text(6000)}).to_string();
        let headers = [("Content-Type", "application/json")];
        common::request(address, "POST", "/analyze", &headers, body.as_bytes())
    });
    server.wait_for_work();
    server.signal();
    let answer = asking.join().unwrap();
    assert_eq!(answer.status, 200);
    let answer: Value = answer.json();
    assert!(answer["results"][0]["aspects"].as_array().unwrap().len() > 100);
}
