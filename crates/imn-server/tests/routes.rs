//! Every route gives what it promises.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{MODELS, Running, analyzer, long_text, schemes};
use imn::analyze::{AnalyzedReview, Analyzer};
use imn::text::OffsetUnit;
use serde_json::json;

const TEXT: &str = "The ramen was wonderful, but our waiter ignored us.";

/// The record of a text, as `imn analyze` writes it.
fn record(analyzer: &Analyzer, text: &str) -> String {
    let record = AnalyzedReview::new(text, analyzer.analyze(text));
    serde_json::to_string(&record).unwrap()
}

#[test]
fn one_text_gets_the_record_of_imn_analyze() {
    let server = Running::start(|_| {});
    let analyzer = analyzer();
    let found = server.post("/analyze", &json!({"inputs": TEXT}));
    assert_eq!(found.status, 200);
    assert_eq!(found.header("content-type"), Some("application/json"));
    let expected = record(&analyzer, TEXT);
    assert_eq!(found.text(), answer(0, 0, &expected));
}

#[test]
fn each_text_of_a_list_has_a_result_or_an_error() {
    let server = Running::start(|settings| settings.limits.max_text_bytes = 100);
    let inputs = json!([
        TEXT,
        {"text": "The soup was cold.", "id": "r-1"},
        {"text": "x".repeat(101), "id": 7},
        "  \n",
        12,
        {"id": 3},
        {"text": "Fine.", "id": {"a": 1}},
    ]);
    let answer = server.post("/analyze", &json!({"inputs": inputs})).json();
    let results = answer["results"].as_array().unwrap();
    let kind = |i: usize| results[i]["error_type"].as_str();
    assert_eq!(results.len(), 7);
    assert_eq!((kind(0), kind(1)), (None, None));
    assert_eq!(results[1]["id"], "r-1");
    assert_eq!(results[1]["aspects"][0]["term"], "soup");
    assert_eq!((kind(2), &results[2]["id"]), (Some("too_large"), &json!(7)));
    assert_eq!(kind(3), Some("empty"));
    for result in &results[4..] {
        assert_eq!(result["error_type"], "validation", "{result}");
    }
}

#[test]
fn ids_are_echoed_digit_for_digit() {
    let server = Running::start(|_| {});
    let body = r#"{"inputs": [{"text": "Fine.", "id": 123456789012345678901234567890.10}]}"#;
    let headers = [("Content-Type", "application/json; charset=utf-8")];
    let answer = server.send("POST", "/analyze", &headers, body.as_bytes());
    assert!(
        answer
            .text()
            .contains(r#""id":123456789012345678901234567890.10,"#)
    );
}

/// The whole answer for one record.
fn answer(model: usize, scheme: usize, record: &str) -> String {
    let (model, scheme) = (MODELS[model], &schemes()[scheme]);
    format!(r#"{{"model":"{model}","scheme":"{scheme}","results":[{record}]}}"#)
}

#[test]
fn options_are_those_of_imn_analyze() {
    let server = Running::start(|_| {});
    let text = "👍 Crème brûlée was superb, the coffee weak.";
    let analyzer = analyzer();
    for unit in [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16] {
        let request = json!({"inputs": text, "offset_unit": unit.name(), "min_confidence": 0.5});
        let found = server.post("/analyze", &request);
        let mut expected = AnalyzedReview::new(text, analyzer.analyze(text));
        expected.retain_confident(0.5);
        let expected = serde_json::to_string(&expected.in_unit(unit)).unwrap();
        assert_eq!(found.text(), answer(0, 0, &expected));
    }
    let request = json!({"inputs": TEXT, "min_confidence": 1});
    let none = server.post("/analyze", &request).json();
    assert_eq!(none["results"][0]["aspects"], json!([]));
    for (number, scheme) in schemes().iter().enumerate() {
        let request = json!({"inputs": TEXT, "model": MODELS[1], "scheme": scheme});
        let found = server.post("/analyze", &request);
        // A model of its own, opened in this scheme.
        let model = common::model().in_scheme(scheme).unwrap();
        let expected = record(&Analyzer::new(model).unwrap(), TEXT);
        assert_eq!(found.text(), answer(1, number, &expected));
    }
    let explained = server.post("/analyze", &json!({"inputs": [TEXT], "explain": true}));
    let expected = AnalyzedReview::explained(TEXT, analyzer.explain(TEXT));
    let expected = serde_json::to_string(&expected).unwrap();
    assert_eq!(explained.text(), answer(0, 0, &expected));
}

#[test]
fn an_explanation_is_that_of_imn_explain() {
    let server = Running::start(|_| {});
    let analyzer = analyzer();
    // More words than are explained.
    for text in [TEXT.to_owned(), long_text(2500)] {
        let request = json!({"inputs": {"text": text}, "offset_unit": "utf16"});
        let answer = server.post("/explain", &request);
        let expected = analyzer.explain(&text).in_unit(&text, OffsetUnit::Utf16);
        assert_eq!(answer.text(), serde_json::to_string(&expected).unwrap());
    }
    let request = json!({"inputs": TEXT, "min_confidence": 1});
    let unsure = server.post("/explain", &request).json();
    assert_eq!(unsure["analysis"]["aspects"], json!([]));
    assert_ne!(unsure["sentences"], json!([]));
}

#[test]
fn the_server_says_what_it_is() {
    let server = Running::start(|_| {});
    let info = server.get("/info").json();
    for (number, name) in MODELS.iter().enumerate() {
        assert_eq!(info["models"][number]["name"], *name);
        assert_eq!(info["models"][number]["schemes"], json!(schemes()));
    }
    assert_eq!(info["limits"]["request_timeout"], 30.0);
    assert_eq!(server.get("/health").json(), json!({"status": "ok"}));
    server.post("/analyze", &json!({"inputs": [TEXT, ""]}));
    server.post("/analyze", &json!({}));
    let metrics = server.get("/metrics");
    assert!(
        metrics
            .header("content-type")
            .unwrap()
            .starts_with("application/openmetrics-text")
    );
    for line in [
        r#"imn_requests_total{route="/analyze",status="200"} 1"#,
        r#"imn_requests_total{route="/analyze",status="422"} 1"#,
        r#"imn_request_failures_total{kind="validation"} 1"#,
        r#"imn_text_failures_total{kind="empty"} 1"#,
        "imn_texts_total 1",
        "imn_queue_size 0",
        "imn_queue_tokens 0",
        "imn_batch_size_count 1",
        "imn_queue_duration_seconds_count 1",
        "imn_inference_duration_seconds_count 1",
        r#"imn_jobs{state="running"} 0"#,
        "# EOF",
    ] {
        assert!(metrics.text().lines().any(|other| other == line), "{line}");
    }
}

#[test]
fn pages_load_only_what_the_server_has() {
    let server = Running::start(|_| {});
    for path in ["/", "/docs"] {
        let page = server.get(path);
        assert_eq!(
            (page.status, page.header("content-type").unwrap()),
            (200, "text/html; charset=utf-8")
        );
        let policy = page.header("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        // Everything that it names is there, and nothing of it is on another host.
        for part in page.text().split(['"', '\'']) {
            assert!(!part.starts_with("http"), "{part}");
            if part.starts_with("/assets/") {
                assert_eq!(server.get(part).status, 200, "{part}");
            }
        }
    }
    for path in ["/", "/info", "/none"] {
        let answer = server.get(path);
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert!(
            answer
                .header("content-security-policy")
                .unwrap()
                .contains("default-src 'none'")
        );
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    assert_eq!(
        server.get("/assets/none.js").error(),
        (404, "not_found".to_owned())
    );
    assert_eq!(server.get("/assets/..%2f..%2fCargo.toml").status, 404);
}
