//! Pages and the files that they load.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};

use std::sync::LazyLock;

use crate::assets::{DOCS, INDEX, asset as find};
use crate::error::ApiError;
use crate::openapi;

/// Pages load only what this server has, and run no script that is written into them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

fn page(bytes: &'static [u8]) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, bytes).into_response()
}

pub(super) async fn index() -> Response {
    page(INDEX)
}

pub(super) async fn docs() -> Response {
    page(DOCS)
}

pub(super) async fn openapi() -> Response {
    static DOCUMENT: LazyLock<String> = LazyLock::new(openapi::document);
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (headers, DOCUMENT.as_str()).into_response()
}

pub(super) async fn asset(Path(name): Path<String>) -> Result<Response, ApiError> {
    let asset = find(&name).ok_or_else(|| ApiError::not_found("no such file"))?;
    let headers = [
        (header::CONTENT_TYPE, asset.content_type),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    Ok((headers, asset.bytes).into_response())
}
