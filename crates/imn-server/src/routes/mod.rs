//! All routes: one file per route or group of routes. This file combines them.

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
use axum::routing::{MethodRouter, get, post};

use crate::app::App;
use crate::error::{ApiError, ErrorKind};
use crate::{layers, unread};

pub(crate) use azure::refuse;

/// The checks before a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// None: pages, their files, health and metrics.
    Open,
    /// The API key and the time limit.
    Timed,
    /// Also room in the queue, checked before the body is read.
    Queued,
    /// The API key only. Uploads and downloads may take as long as their files need, but each has
    /// a limit for the time without progress.
    Streaming,
}

/// A route of the server.
#[derive(Debug)]
pub struct Route {
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// Its checks.
    pub guard: Guard,
    handlers: fn() -> MethodRouter<Arc<App>>,
}

impl Route {
    const fn new(
        path: &'static str,
        guard: Guard,
        handlers: fn() -> MethodRouter<Arc<App>>,
    ) -> Self {
        Self {
            path,
            guard,
            handlers,
        }
    }
}

/// All routes of the router.
pub const ROUTES: &[Route] = &[
    Route::new("/analyze", Guard::Queued, || post(analyze::analyze)),
    Route::new("/explain", Guard::Queued, || post(explain::explain)),
    Route::new(azure::PATHS[0], Guard::Queued, || post(azure::analyze)),
    Route::new("/info", Guard::Timed, || get(info::info)),
    Route::new("/jobs", Guard::Streaming, || {
        get(jobs::list).post(jobs::create)
    }),
    Route::new("/jobs/{id}", Guard::Timed, || {
        get(jobs::show).delete(jobs::delete)
    }),
    Route::new("/jobs/{id}/tickets", Guard::Timed, || post(jobs::ticket)),
    Route::new("/jobs/{id}/events", Guard::Streaming, || get(jobs::events)),
    Route::new("/jobs/{id}/result", Guard::Streaming, || get(jobs::result)),
    Route::new("/jobs/{id}/errors", Guard::Streaming, || get(jobs::errors)),
    Route::new("/jobs/{id}/report", Guard::Streaming, || get(jobs::report)),
    Route::new("/health", Guard::Open, || get(info::health)),
    Route::new("/metrics", Guard::Open, || get(info::metrics)),
    Route::new("/openapi.json", Guard::Open, || get(pages::openapi)),
    Route::new("/", Guard::Open, || get(pages::index)),
    Route::new("/docs", Guard::Open, || get(pages::docs)),
    Route::new("/assets/{name}", Guard::Open, || get(pages::asset)),
];

/// The routes behind one guard.
fn behind(guard: Guard) -> Router<Arc<App>> {
    // The path of Azure Language has a segment that begins with a colon.
    let mut router = Router::new().without_v07_checks();
    for route in ROUTES.iter().filter(|route| route.guard == guard) {
        let spellings: &[&str] = match route.path == azure::PATHS[0] {
            true => &azure::PATHS,
            false => &[route.path],
        };
        for path in spellings {
            router = router.route(path, (route.handlers)());
        }
    }
    router
}

/// The router of a server.
pub fn router(app: Arc<App>) -> Router {
    let in_time = from_fn_with_state(Arc::clone(&app), layers::in_time);
    let admitted = from_fn_with_state(Arc::clone(&app), layers::admitted);
    let authorized = from_fn_with_state(Arc::clone(&app), layers::authorized);
    let queued = behind(Guard::Queued)
        .route_layer(in_time.clone())
        .route_layer(admitted);
    let timed = behind(Guard::Timed).route_layer(in_time);
    let streaming = behind(Guard::Streaming).layer(DefaultBodyLimit::disable());
    let protected = queued.merge(timed).merge(streaming).route_layer(authorized);
    let mut router = protected
        .merge(behind(Guard::Open))
        .fallback(no_route)
        .method_not_allowed_fallback(no_method);
    if let Some(cors) = layers::cors(&app.settings.cors_allow_origin) {
        router = router.layer(cors);
    }
    router
        .layer(from_fn(unread::received))
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
