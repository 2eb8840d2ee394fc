//! All routes. A file per route or per group of routes; this one puts them together.

mod analyze;
mod azure;
mod explain;
mod info;
mod jobs;
mod pages;
mod upload;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};

use crate::app::App;
use crate::error::{ApiError, ErrorKind};
use crate::layers;

pub use info::Info;
pub use jobs::JobList;

pub(crate) use azure::refuse;

/// The router of a server.
pub fn router(app: Arc<App>) -> Router {
    // The path of Azure Language has a segment that begins with a colon.
    let mut timed = Router::new().without_v07_checks();
    for path in azure::PATHS {
        timed = timed.route(path, post(azure::analyze));
    }
    let timed = timed
        .route("/analyze", post(analyze::analyze))
        .route("/explain", post(explain::explain))
        .route("/info", get(info::info))
        .route("/jobs/{id}", get(jobs::show).delete(jobs::delete))
        .route_layer(from_fn_with_state(Arc::clone(&app), layers::in_time));
    // Uploads and downloads take as long as their files need; each has a limit for standing still.
    let untimed = Router::new()
        .route("/jobs", get(jobs::list).post(jobs::create))
        .route("/jobs/{id}/events", get(jobs::events))
        .route("/jobs/{id}/result", get(jobs::result))
        .route("/jobs/{id}/errors", get(jobs::errors))
        .route("/jobs/{id}/report", get(jobs::report))
        .layer(DefaultBodyLimit::disable());
    let protected = timed.merge(untimed);
    let protected = protected.route_layer(from_fn_with_state(Arc::clone(&app), layers::authorized));
    let public = Router::new()
        .route("/", get(pages::index))
        .route("/docs", get(pages::docs))
        .route("/openapi.json", get(pages::openapi))
        .route("/assets/{name}", get(pages::asset))
        .route("/health", get(info::health))
        .route("/metrics", get(info::metrics));
    let mut router = protected
        .merge(public)
        .fallback(no_route)
        .method_not_allowed_fallback(no_method);
    if let Some(cors) = layers::cors(&app.settings.cors_allow_origin) {
        router = router.layer(cors);
    }
    router
        .layer(from_fn(layers::secure))
        .layer(from_fn_with_state(Arc::clone(&app), layers::observed))
        .with_state(app)
}

async fn no_route() -> ApiError {
    ApiError::not_found("no such route; GET /docs lists them")
}

async fn no_method() -> ApiError {
    ApiError::new(
        ErrorKind::MethodNotAllowed,
        "the route has no such method; GET /docs lists them",
    )
}
