//! The OpenAPI document: derived from the types of requests and answers, with the errors that every
//! route can give.

mod formats;
mod paths;
mod records;

use std::collections::BTreeMap;

use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::Ref;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Content, OpenApi, RefOr, Response};
use utoipa::{Modify, OpenApi as _};

use crate::error::ErrorKind;

/// The document as JSON.
#[must_use]
pub fn document() -> String {
    let mut document = paths::Api::openapi();
    Errors.modify(&mut document);
    Keys.modify(&mut document);
    document.to_pretty_json().unwrap_or_default()
}

/// Errors by path, besides those of every route.
fn errors(path: &str, method: &str) -> Vec<ErrorKind> {
    use ErrorKind as E;
    let mut kinds = vec![E::Internal, E::MethodNotAllowed];
    if path.starts_with("/jobs") || matches!(path, "/analyze" | "/explain" | "/info") {
        kinds.extend([E::Unauthorized, E::Timeout]);
    }
    if path.starts_with("/jobs/") {
        kinds.push(E::NotFound);
    }
    let body = [
        E::MalformedJson,
        E::Validation,
        E::TooLarge,
        E::UnsupportedMediaType,
        E::Overloaded,
        E::Unavailable,
    ];
    match (method, path) {
        ("post", "/analyze" | "/explain" | "/jobs") => kinds.extend(body),
        ("get", "/jobs/{id}/result" | "/jobs/{id}/report") => {
            kinds.extend([E::Conflict, E::Validation]);
        }
        ("get", "/jobs/{id}/errors") => kinds.push(E::Conflict),
        ("get", "/health") => kinds.push(E::Unavailable),
        ("get", "/assets/{name}") => kinds.push(E::NotFound),
        _ => {}
    }
    kinds
}

/// Adds the errors of each route.
struct Errors;

impl Modify for Errors {
    fn modify(&self, document: &mut OpenApi) {
        for (path, item) in &mut document.paths.paths {
            let operations: [(&str, &mut Option<Operation>); 3] = [
                ("get", &mut item.get),
                ("post", &mut item.post),
                ("delete", &mut item.delete),
            ];
            for (method, operation) in operations {
                if let Some(operation) = operation {
                    add_errors(path, method, operation);
                }
            }
        }
    }
}

fn add_errors(path: &str, method: &str, operation: &mut Operation) {
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    let (kinds, schema) = match path {
        "/language/:analyze-text" => (errors("/analyze", method), "AzureErrorBody"),
        _ => (errors(path, method), "ErrorBody"),
    };
    for kind in kinds {
        by_status
            .entry(kind.status().as_u16())
            .or_default()
            .push(kind.name());
    }
    for (status, names) in by_status {
        let mut response = Response::new(format!("`error_type`: {}", names.join(", ")));
        let content = Content::new(Some(RefOr::Ref(Ref::from_schema_name(schema))));
        response
            .content
            .insert("application/json".to_owned(), content);
        let responses = &mut operation.responses.responses;
        responses.insert(status.to_string(), RefOr::T(response));
    }
}

/// Adds the two ways to send the API key.
struct Keys;

impl Modify for Keys {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        let azure = ApiKey::Header(ApiKeyValue::new("Ocp-Apim-Subscription-Key"));
        components.add_security_scheme("azure", SecurityScheme::ApiKey(azure));
    }
}

/// Every route and method of the document.
#[must_use]
pub fn operations() -> Vec<(String, &'static str)> {
    let document = paths::Api::openapi();
    let mut all = Vec::new();
    for (path, item) in &document.paths.paths {
        let methods = [
            ("GET", item.get.is_some()),
            ("POST", item.post.is_some()),
            ("DELETE", item.delete.is_some()),
        ];
        let methods = methods.into_iter().filter(|(_, there)| *there);
        all.extend(methods.map(|(method, _)| (path.clone(), method)));
    }
    all
}
