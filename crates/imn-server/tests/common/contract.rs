//! Every request and answer of the tests is held to the OpenAPI document.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex};

use serde_json::{Value, json};

use super::{Answer, schema};

/// The document.
pub static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(imn_server::openapi::DOCUMENT).unwrap());

/// Method, path and status of every answer that was checked.
pub static SEEN: Mutex<BTreeSet<(String, String, u16)>> = Mutex::new(BTreeSet::new());

/// Routes that are pages, not part of the interface for programs.
pub const PAGES: [&str; 3] = ["/", "/docs", "/assets/{name}"];

/// A request, as far as the document describes it.
pub struct Sent<'a> {
    pub method: &'a str,
    /// The path with its query.
    pub target: &'a str,
    pub media: &'a str,
    pub body: &'a [u8],
}

/// What a reference points to, or the value itself.
fn resolve(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(reference) => DOCUMENT.pointer(&reference[1..]).unwrap(),
        None => value,
    }
}

/// Panics unless a value fits a schema.
#[track_caller]
pub fn fits(schema: &Value, value: &Value, what: &str) {
    let errors = schema::errors(&DOCUMENT, schema, value, "");
    assert!(errors.is_empty(), "{what}: {errors:?}");
}

fn named(schema: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{schema}")})
}

/// The path of the document that a path fits, with its entry.
pub fn path_item(path: &str) -> Option<(&'static str, &'static Value)> {
    let path = path.replace("%3A", ":").replace("%3a", ":");
    let segments: Vec<&str> = path.split('/').collect();
    let paths = DOCUMENT["paths"].as_object().unwrap();
    let found = paths.iter().find(|(template, _)| {
        let parts: Vec<&str> = template.split('/').collect();
        let same = |(part, segment): (&&str, &&str)| part == segment || part.starts_with('{');
        parts.len() == segments.len() && parts.iter().zip(&segments).all(same)
    });
    found.map(|(template, item)| (template.as_str(), item))
}

/// Panics unless the document allows this answer to this request, and this request if it
/// succeeded.
#[track_caller]
pub fn check(sent: &Sent<'_>, answer: &Answer) {
    let (path, query) = sent.target.split_once('?').unwrap_or((sent.target, ""));
    let what = format!("{} {}: {}", sent.method, sent.target, answer.status);
    let is_page = PAGES.contains(&path) || path.starts_with("/assets/");
    if sent.method == "OPTIONS" || (is_page && answer.status == 200) {
        return;
    }
    let Some((template, item)) = path_item(path) else {
        assert!([404, 405].contains(&answer.status), "{what}");
        return fits(&named("ErrorBody"), &answer.json(), &what);
    };
    let operation = &item[sent.method.to_ascii_lowercase()];
    if operation.is_null() {
        assert_eq!(answer.status, 405, "{what}");
        return fits(&named("ErrorBody"), &answer.json(), &what);
    }
    let seen = (sent.method.to_owned(), template.to_owned(), answer.status);
    SEEN.lock().unwrap().insert(seen);
    let documented = resolve(&operation["responses"][answer.status.to_string()]);
    assert!(documented.is_object(), "{what} is not documented");
    for name in documented["headers"].as_object().into_iter().flatten() {
        let name = name.0.to_ascii_lowercase();
        assert!(answer.header(&name).is_some(), "{what}: no header {name}");
    }
    check_body(template, documented, answer, &what);
    if answer.status < 300 {
        check_request(operation, sent, query, answer, &what);
    }
}

#[track_caller]
fn check_body(template: &str, documented: &'static Value, answer: &Answer, what: &str) {
    let Some(content) = documented["content"].as_object() else {
        return assert!(
            answer.body.is_empty(),
            "{what}: a body that is not documented"
        );
    };
    let media = answer.header("content-type").unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default();
    let Some(body) = content.get(media) else {
        panic!("{what}: {media} is not documented");
    };
    let lines = |schema: &str, prefix: &str| {
        for line in answer.text().lines() {
            if let Some(line) = line.strip_prefix(prefix) {
                fits(&named(schema), &serde_json::from_str(line).unwrap(), what);
            }
        }
    };
    match (media, template) {
        ("application/json", _) => fits(&body["schema"], &answer.json(), what),
        ("application/x-ndjson", "/jobs/{id}/result") => lines("AnalyzedReview", ""),
        ("text/event-stream", _) => lines("Job", "data: "),
        _ => {}
    }
}

/// A request that succeeded has only what the document describes.
#[track_caller]
fn check_request(
    operation: &'static Value,
    sent: &Sent<'_>,
    query: &str,
    answer: &Answer,
    what: &str,
) {
    let parameters = operation["parameters"].as_array();
    let parameters = parameters.into_iter().flatten().map(resolve);
    let known: Vec<&str> = parameters.filter_map(|one| one["name"].as_str()).collect();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let name = pair.split('=').next().unwrap_or_default();
        assert!(known.contains(&name) || name == "ticket", "{what}: {name}");
    }
    let media = sent.media.split(';').next().unwrap_or_default();
    let schema = &operation["requestBody"]["content"][media]["schema"];
    if media != "application/json" || schema.is_null() {
        return;
    }
    // A bad text of a list is an error among the results.
    let results = answer.json()["results"].clone();
    let results = results.as_array().into_iter().flatten();
    if { results }.all(|result| result["error_type"].is_null()) {
        let body = serde_json::from_slice(sent.body).unwrap();
        fits(schema, &body, &format!("{what}: the request"));
    }
}
