//! A client that was written for Azure Language finds what it expects.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::Running;
use serde_json::{Value, json};

const PATH: &str = "/language/:analyze-text?api-version=2023-04-01";

fn request(documents: Value, parameters: Value) -> Value {
    json!({
        "kind": "SentimentAnalysis",
        "analysisInput": {"documents": documents},
        "parameters": parameters,
    })
}

/// What a reference such as `#/documents/0/sentences/0/assessments/0` points to in the results.
fn resolve<'a>(results: &'a Value, reference: &str) -> &'a Value {
    results
        .pointer(reference.strip_prefix('#').unwrap())
        .unwrap()
}

#[test]
fn targets_and_assessments_are_linked_and_in_place() {
    let server = Running::start(|_| {});
    let text = "👍🏽 The ramen was wonderful, but our waiter ignored us. The tea was not hot.";
    let documents = json!([
        {"id": "bad", "language": "fr", "text": "Bonjour"},
        {"id": "a", "language": "en-GB", "text": text},
        {"id": "a", "text": "The same id."},
        {"id": "b", "text": " "},
        {"id": "c", "text": "The soup was cold."},
    ]);
    let count = |unit: &str, text: &str| match unit {
        "TextElements_v8" => {
            unicode_segmentation::UnicodeSegmentation::graphemes(text, true).count()
        }
        "UnicodeCodePoint" => text.chars().count(),
        _ => text.encode_utf16().count(),
    };
    for unit in ["TextElements_v8", "UnicodeCodePoint", "Utf16CodeUnit"] {
        let parameters =
            json!({"opinionMining": true, "stringIndexType": unit, "loggingOptOut": true});
        let path = format!("{PATH}&showStats=true");
        let answer = server.post(&path, &request(documents.clone(), parameters));
        assert_eq!(answer.status, 200, "{answer:?}");
        let answer = answer.json();
        assert_eq!(answer["kind"], "SentimentAnalysisResults");
        let results = &answer["results"];
        assert_eq!(results["modelVersion"], common::MODELS[0]);
        assert_eq!(results["statistics"]["documentsCount"], 5);
        assert_eq!(results["statistics"]["validDocumentsCount"], 2);
        let errors: Vec<&Value> = results["errors"].as_array().unwrap().iter().collect();
        let ids: Vec<&str> = errors
            .iter()
            .map(|error| error["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids, ["bad", "a", "b"]);
        assert_eq!(
            errors[0]["error"]["innererror"]["code"],
            "UnsupportedLanguageCode"
        );
        let document = &results["documents"][0];
        assert_eq!(document["id"], "a");
        assert_eq!(document["warnings"], json!([]));
        let sentences = document["sentences"].as_array().unwrap();
        assert!(sentences.len() >= 2);
        let whole: Vec<&str> = match unit {
            "TextElements_v8" => {
                unicode_segmentation::UnicodeSegmentation::graphemes(text, true).collect()
            }
            _ => Vec::new(),
        };
        let mut linked = 0;
        for sentence in sentences {
            let terms = ["targets", "assessments"].map(|name| sentence[name].as_array().unwrap());
            for term in terms.into_iter().flatten().chain([sentence]) {
                let words = term["text"].as_str().unwrap();
                let offset = term["offset"].as_u64().unwrap() as usize;
                let length = term["length"].as_u64().unwrap() as usize;
                assert_eq!(length, count(unit, words), "{unit} {words}");
                if unit == "UnicodeCodePoint" {
                    let found: String = text.chars().skip(offset).take(length).collect();
                    assert_eq!(found, words);
                } else if unit == "Utf16CodeUnit" {
                    let units: Vec<u16> = text.encode_utf16().collect();
                    let found = String::from_utf16(&units[offset..offset + length]).unwrap();
                    assert_eq!(found, words);
                } else {
                    assert_eq!(whole[offset..offset + length].concat(), words);
                }
            }
            for target in sentence["targets"].as_array().unwrap() {
                let scores = &target["confidenceScores"];
                let sum =
                    scores["positive"].as_f64().unwrap() + scores["negative"].as_f64().unwrap();
                assert!((sum - 1.0).abs() < 0.02);
                for relation in target["relations"].as_array().unwrap() {
                    assert_eq!(relation["relationType"], "assessment");
                    let assessment = resolve(results, relation["ref"].as_str().unwrap());
                    assert!(
                        sentence["assessments"]
                            .as_array()
                            .unwrap()
                            .contains(assessment)
                    );
                    linked += 1;
                }
            }
        }
        assert!(linked >= 3, "{sentences:?}");
        let negated: Vec<bool> = sentences.last().unwrap()["assessments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|assessment| assessment["isNegated"].as_bool().unwrap())
            .collect();
        assert_eq!(negated, [true]);
        // References of a second document name the second document.
        let target = &results["documents"][1]["sentences"][0]["targets"][0];
        let reference = target["relations"][0]["ref"].as_str().unwrap();
        assert_eq!(reference, "#/documents/1/sentences/0/assessments/0");
        assert_eq!(resolve(results, reference)["text"], "cold");
    }
}

#[test]
fn without_opinion_mining_there_are_sentences_only() {
    let server = Running::start(|_| {});
    let documents = json!([{"id": "1", "text": "Great soup. Awful service."}]);
    let answer = server.post(PATH, &request(documents, json!({}))).json();
    let document = &answer["results"]["documents"][0];
    assert_eq!(document["sentiment"], "mixed");
    assert!(document["sentences"][0].get("targets").is_none());
    assert_eq!(document["sentences"][0]["sentiment"], "positive");
    assert_eq!(document["sentences"][1]["sentiment"], "negative");
    assert!(document.get("statistics").is_none());
}

#[test]
fn errors_have_the_shape_of_azure() {
    let server = Running::start(|settings| settings.limits.max_client_batch_size = 2);
    let one = |text: &str| json!([{"id": "1", "text": text}]);
    let other_kind = json!({"kind": "KeyPhraseExtraction", "analysisInput": {"documents": []}});
    let three =
        json!([{"id": "1", "text": "a"}, {"id": "2", "text": "b"}, {"id": "3", "text": "c"}]);
    let cases = [
        (
            "/language/:analyze-text",
            request(one("Fine."), json!({})),
            422,
        ),
        (PATH, json!({}), 422),
        (PATH, other_kind, 422),
        (PATH, request(json!([]), json!({})), 400),
        (PATH, request(three, json!({})), 413),
        (
            PATH,
            request(one("Fine."), json!({"stringIndexType": "Bytes"})),
            422,
        ),
        (
            PATH,
            request(one("Fine."), json!({"modelVersion": "none"})),
            422,
        ),
    ];
    for (path, body, status) in cases {
        let answer = server.post(path, &body);
        assert_eq!(answer.status, status, "{body}");
        let json = answer.json();
        assert_eq!(json["error"]["code"], "InvalidRequest", "{json}");
        assert!(json["error"]["message"].is_string());
        assert!(json["error_type"].is_string());
    }
    let body = request(one("Fine."), json!({"modelVersion": "latest"}));
    assert_eq!(server.post(PATH, &body).status, 200);
    let encoded = "/language/%3Aanalyze-text?api-version=2023-04-01";
    assert_eq!(server.post(encoded, &body).status, 200);
}
