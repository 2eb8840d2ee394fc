//! Pages and the files that they load.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};

use crate::app::App;
use crate::assets::{DOCS, INDEX, asset as find};
use crate::error::ApiError;
use crate::openapi;

/// Content security policy: pages load files of this server only, and run no inline scripts.
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

pub(super) async fn openapi(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    let document = openapi::document(&app.models).map_err(ApiError::internal)?;
    let headers = [(header::CONTENT_TYPE, "application/json")];
    Ok((headers, document).into_response())
}

pub(super) async fn asset(Path(name): Path<String>) -> Result<Response, ApiError> {
    let asset = find(&name).ok_or_else(|| ApiError::not_found("no such file"))?;
    let headers = [
        (header::CONTENT_TYPE, asset.content_type),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    Ok((headers, asset.bytes).into_response())
}
