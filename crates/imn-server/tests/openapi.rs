//! The OpenAPI document and the program say the same.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::collections::BTreeSet;
use std::time::Duration;

use common::contract::{DOCUMENT, PAGES, SEEN, fits};
use common::jobs::{CSV, finish, upload};
use common::{MODELS, Running, long_text};
use imn_server::ROUTES;
use imn_server::error::ErrorKind;
use imn_server::jobs::JobState;
use serde_json::{Value, json};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const JSON: (&str, &str) = ("Content-Type", "application/json");

/// Every reference of a JSON document.
fn references<'a>(json: &'a Value, found: &mut BTreeSet<&'a str>) {
    match json {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn every_route_and_method_is_in_the_document_and_no_other() {
    let routes: BTreeSet<&str> = ROUTES.iter().map(|route| route.path).collect();
    let pages = BTreeSet::from(PAGES);
    let documented: BTreeSet<&str> = DOCUMENT["paths"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(&routes - &pages, documented);
    let server = Running::start(|_| {});
    for path in documented {
        for method in METHODS {
            let answer = server.send(method, &path.replace("{id}", "none"), &[], b"");
            let operation = &DOCUMENT["paths"][path][method.to_ascii_lowercase()];
            assert_eq!(answer.status == 405, operation.is_null(), "{method} {path}");
        }
    }
}

#[test]
fn references_lead_somewhere_and_nothing_is_left_over() {
    let mut used = BTreeSet::new();
    references(&DOCUMENT, &mut used);
    for reference in &used {
        assert!(DOCUMENT.pointer(&reference[1..]).is_some(), "{reference}");
    }
    for kind in ["schemas", "responses", "parameters"] {
        for name in DOCUMENT["components"][kind].as_object().unwrap().keys() {
            let reference = format!("#/components/{kind}/{name}");
            assert!(used.contains(reference.as_str()), "{reference} is not used");
        }
    }
    assert_eq!(DOCUMENT["info"]["version"], env!("CARGO_PKG_VERSION"));
    let schemas = &DOCUMENT["components"]["schemas"];
    let kinds: Vec<&str> = ErrorKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(schemas["ErrorKind"]["enum"], json!(kinds));
    let states: Vec<&str> = JobState::ALL.iter().map(|state| state.name()).collect();
    assert_eq!(schemas["JobState"]["enum"], json!(states));
}

#[test]
fn the_served_document_names_the_models() {
    let server = Running::start(|_| {});
    let document = server.get("/openapi.json").json();
    assert_eq!(document["paths"], DOCUMENT["paths"]);
    let schemas = &document["components"]["schemas"];
    let [first, second] = MODELS;
    assert_eq!(schemas["ModelName"]["enum"], json!([first, second, null]));
    let schemes = server.get("/info").json()["models"][0]["schemes"].clone();
    let named = schemas["SchemeName"]["enum"].as_array().unwrap();
    assert_eq!(named[..named.len() - 1], *schemes.as_array().unwrap());
    let examples = schemas.as_object().unwrap().values();
    for schema in examples.filter(|schema| schema["example"].is_object()) {
        fits(schema, &schema["example"], "an example");
    }
}

#[test]
fn values_that_do_not_fit_are_noticed() {
    let schemas = &DOCUMENT["components"]["schemas"];
    let opinion = json!({"term": "a", "start": 0, "end": 1, "confidence": 0.5});
    let errors = |schema: &str, value: &Value| {
        common::schema::errors(&DOCUMENT, &schemas[schema], value, "").len()
    };
    assert_eq!(errors("Opinion", &opinion), 0);
    for (name, wrong) in [
        ("term", json!(1)),
        ("start", json!(-1)),
        ("start", json!(0.5)),
        ("confidence", json!(1.5)),
        ("more", json!(1)),
    ] {
        let mut opinion = opinion.clone();
        opinion[name] = wrong;
        assert_eq!(errors("Opinion", &opinion), 1, "{opinion}");
    }
    assert_eq!(
        errors("Opinion", &json!({"term": "a", "start": 0, "end": 1})),
        1
    );
    assert_eq!(
        errors("ErrorBody", &json!({"error": "a", "error_type": "odd"})),
        1
    );
    assert_eq!(errors("AnalyzeRequest", &json!({"inputs": []})), 1);
    assert_eq!(errors("AnalyzeRequest", &json!({"inputs": " "})), 1);
    assert_eq!(
        errors(
            "AnalyzeRequest",
            &json!({"inputs": ["a", {"text": "b", "id": 1}]})
        ),
        0
    );
}

/// Runs every route through all its documented answers; the client checks each of them.
#[test]
fn every_documented_answer_is_given() {
    texts_and_jobs();
    keys();
    refusals();
    time_limits();
    let seen = SEEN.lock().unwrap();
    let mut missing = Vec::new();
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for status in operation["responses"].as_object().into_iter().flatten() {
                let status: u16 = status.0.parse().unwrap();
                // Defects of the server; a server that stops has a test of its own.
                if status == 500 || status == 503 {
                    continue;
                }
                let key = (method.to_ascii_uppercase(), path.clone(), status);
                if !seen.contains(&key) {
                    missing.push(key);
                }
            }
        }
    }
    // A job is found and deleted faster than any limit that a test can set, and a request without a
    // body has nothing to wait for.
    missing.retain(|(method, path, status)| {
        let quick = path.starts_with("/jobs/") || path == "/info";
        !(*status == 408 && quick && (method == "GET" || method == "DELETE" || method == "POST"))
    });
    assert_eq!(missing, []);
}

const AZURE: &str = "/language/:analyze-text?api-version=2023-04-01";

fn azure(text: &str) -> Value {
    json!({
        "kind": "SentimentAnalysis",
        "analysisInput": {"documents": [{"id": "1", "text": text}]},
        "parameters": {"opinionMining": true},
    })
}

fn texts_and_jobs() {
    let server = Running::start(|settings| {
        settings.limits.payload_limit = 10_000;
        settings.limits.max_upload_bytes = 10_000;
        settings.limits.max_queued_jobs = 1;
    });
    let text = "The soup was cold.";
    for path in ["/info", "/health", "/metrics", "/openapi.json", "/jobs"] {
        assert_eq!(server.get(path).status, 200);
    }
    let inputs = json!({"inputs": text});
    for (path, good) in [
        ("/analyze", &inputs),
        ("/explain", &inputs),
        (AZURE, &azure(text)),
    ] {
        assert_eq!(server.post(path, good).status, 200);
        let send = |media, body: &[u8]| server.send("POST", path, &[("Content-Type", media)], body);
        assert_eq!(send("application/json", b"{").status, 400);
        assert_eq!(send("application/json", b"{}").status, 422);
        assert_eq!(send("application/json", &[b' '; 10_001]).status, 413);
        assert_eq!(send("text/plain", b"{}").status, 415);
    }
    let id = finish(
        &server,
        &upload(&server, "/jobs?name=a.csv", "text/csv", CSV.as_bytes()),
    );
    let clean = upload(&server, "/jobs", "text/csv", b"text\nFine.\n");
    let clean = finish(&server, &clean);
    let slow = format!("text\n{}", "The soup was cold.\n".repeat(500));
    let running = upload(&server, "/jobs", "text/csv", slow.as_bytes());
    let running = running.json()["id"].as_str().unwrap().to_owned();
    for name in ["result", "errors", "report"] {
        assert_eq!(server.get(&format!("/jobs/{running}/{name}")).status, 409);
        assert_eq!(server.get(&format!("/jobs/{id}/{name}")).status, 200);
    }
    for name in ["result", "report"] {
        assert_eq!(server.get(&format!("/jobs/{id}/{name}?x=1")).status, 422);
    }
    assert_eq!(server.get(&format!("/jobs/{clean}/errors")).status, 204);
    assert_eq!(server.get(&format!("/jobs/{id}/events")).status, 200);
    let path = format!("/jobs/{id}/tickets");
    assert_eq!(server.send("POST", &path, &[], b"").status, 201);
    for (media, body, status) in [
        ("text/csv", &b""[..], 400),
        ("text/csv", &[b'a'; 10_001], 413),
        ("application/json", b"{}", 415),
        ("text/csv", b"a,b\n1,2\n", 422),
    ] {
        assert_eq!(upload(&server, "/jobs", media, body).status, status);
    }
    let refused = (0..3).any(|_| {
        let answer = upload(&server, "/jobs", "text/csv", slow.as_bytes());
        answer.status == 429
    });
    assert!(refused, "the queue takes one job only");
    let delete = |id: &str| {
        server
            .send("DELETE", &format!("/jobs/{id}"), &[], b"")
            .status
    };
    assert_eq!(
        (delete(&running), delete(&id), delete(&id)),
        (200, 204, 404)
    );
    for name in ["", "/events", "/result", "/errors", "/report"] {
        assert_eq!(server.get(&format!("/jobs/none{name}")).status, 404);
    }
    assert_eq!(
        server.send("POST", "/jobs/none/tickets", &[], b"").status,
        404
    );
    for job in server.get("/jobs").json()["jobs"].as_array().unwrap() {
        delete(job["id"].as_str().unwrap());
    }
}

fn keys() {
    let server = Running::start(|settings| settings.api_key = Some("key".to_owned()));
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if !operation["responses"]["401"].is_null() {
                let (method, path) = (method.to_ascii_uppercase(), path.replace("{id}", "none"));
                let answer = server.send(&method, &path, &[JSON], b"{}");
                assert_eq!(answer.status, 401, "{method} {path}");
            }
        }
    }
}

fn refusals() {
    let server = Running::start(|settings| {
        settings.limits.max_concurrent_requests = 1;
        settings.limits.max_batch_tokens = 64;
    });
    std::thread::scope(|scope| {
        let long = scope.spawn(|| server.post("/analyze", &json!({"inputs": long_text(4000)})));
        server.wait_for_work();
        for (path, body) in [
            ("/analyze", json!({"inputs": "Fine."})),
            ("/explain", json!({"inputs": "Fine."})),
            (AZURE, azure("Fine.")),
        ] {
            assert_eq!(server.post(path, &body).status, 429);
        }
        assert_eq!(long.join().unwrap().status, 200);
    });
}

fn time_limits() {
    let server = Running::start(|settings| {
        settings.limits.request_timeout = Duration::from_millis(1);
    });
    let text = long_text(3000);
    for (path, body) in [
        ("/analyze", json!({"inputs": text})),
        ("/explain", json!({"inputs": text})),
        (AZURE, azure(&text)),
    ] {
        assert_eq!(server.post(path, &body).status, 408);
    }
    let mut stream = common::connect(server.address);
    let head = common::head("POST", "/jobs", &[("Content-Type", "text/csv")], 100);
    std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
    let sent = common::contract::Sent {
        method: "POST",
        target: "/jobs",
        media: "text/csv",
        body: b"",
    };
    let answer = common::answer(stream);
    common::contract::check(&sent, &answer);
    assert_eq!(answer.status, 408);
}
