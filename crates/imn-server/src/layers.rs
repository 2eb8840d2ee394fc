//! Middleware of the routes: admission, time limit, API key, CORS, security headers, log and
//! metrics.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use subtle::ConstantTimeEq as _;
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::app::App;
use crate::error::{ApiError, ErrorKind};
use crate::routes::refuse;

/// The header in which clients of Azure Language send their key.
pub const AZURE_KEY: HeaderName = HeaderName::from_static("ocp-apim-subscription-key");

/// Content security policy of answers that are not pages: a browser that shows one loads nothing.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

/// Ends a request that takes too long.
pub async fn in_time(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let limit = app.settings.limits.request_timeout;
    let path = request.uri().path().to_owned();
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(answer) => answer,
        Err(_) => {
            let seconds = limit.as_secs_f64();
            let message = format!("the request took longer than {seconds} seconds");
            refuse(&path, ApiError::new(ErrorKind::Timeout, message))
        }
    }
}

/// Refuses requests for an analysis while the server is overloaded, before their bodies are parsed,
/// so that a refusal costs almost nothing.
pub async fn admitted(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let Err(error) = app.check_room() else {
        return next.run(request).await;
    };
    refuse(request.uri().path(), error)
}

/// Refuses requests without the API key, if the server has one. Links to results and reports may
/// carry a ticket instead of the key.
pub async fn authorized(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if let Some(key) = &app.settings.api_key
        && !has_key(request.headers(), key)
        && !has_ticket(&app, request.method(), request.uri())
    {
        let message = "the API key is missing or wrong; send `Authorization: Bearer KEY`";
        let error = ApiError::new(ErrorKind::Unauthorized, message);
        return refuse(request.uri().path(), error);
    }
    next.run(request).await
}

/// Whether a request carries this key. Keys are compared in constant time.
fn has_key(headers: &HeaderMap, key: &str) -> bool {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.as_bytes().split_at_checked(7)?;
        scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
    });
    let azure = headers.get(AZURE_KEY).map(HeaderValue::as_bytes);
    let mut sent = bearer.into_iter().chain(azure);
    sent.any(|sent| sent.trim_ascii().ct_eq(key.as_bytes()).into())
}

/// Whether a request carries a valid ticket for the requested results. Each ticket works once.
fn has_ticket(app: &App, method: &Method, uri: &Uri) -> bool {
    let mut segments = uri.path().split('/').skip(1);
    let (jobs, job, what) = (segments.next(), segments.next(), segments.next());
    let (Some("jobs"), Some(job), Some("result" | "errors" | "report"), None, &Method::GET) =
        (jobs, job, what, segments.next(), method)
    else {
        return false;
    };
    let pairs = uri.query().unwrap_or_default().split('&');
    let mut sent = pairs.filter_map(|pair| pair.strip_prefix("ticket="));
    sent.next()
        .is_some_and(|sent| app.tickets.redeem(job, sent))
}

/// Lets pages of these origins use the server; `None` if there are none.
#[must_use]
pub fn cors(origins: &[String]) -> Option<CorsLayer> {
    if origins.is_empty() {
        return None;
    }
    let allowed = match origins.iter().any(|origin| origin == "*") {
        true => AllowOrigin::any(),
        false => {
            let values = origins.iter().map(|origin| HeaderValue::from_str(origin));
            AllowOrigin::list(values.filter_map(Result::ok))
        }
    };
    let methods = [Method::GET, Method::POST, Method::DELETE];
    let headers = [header::CONTENT_TYPE, header::AUTHORIZATION, AZURE_KEY];
    let layer = CorsLayer::new().allow_origin(allowed);
    Some(layer.allow_methods(methods).allow_headers(headers))
}

/// Adds security headers, unless the route has set them itself.
pub async fn secure(request: Request, next: Next) -> Response {
    let mut answer = next.run(request).await;
    let headers = answer.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, NOTHING),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    answer
}

/// Counts and logs requests. A route that panics is answered with an error.
pub async fn observed(
    State(app): State<Arc<App>>,
    path: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let route = path.map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let running = AssertUnwindSafe(next.run(request)).catch_unwind();
    let answer = running.await.unwrap_or_else(|_| {
        let error = ApiError::internal(format_args!("{route} panicked"));
        error.into_response()
    });
    let seconds = start.elapsed().as_secs_f64();
    let status = answer.status().as_u16();
    let kind = answer.extensions().get::<ErrorKind>().copied();
    tracing::info!(
        %method,
        route,
        status,
        error = kind.map(ErrorKind::name),
        ms = (1e6 * seconds).round() / 1e3,
        "request"
    );
    let labels = [("route", route.clone()), ("status", status.to_string())];
    app.metrics.requests.get_or_create(&labels).inc();
    if let Some(kind) = kind {
        let labels = [("kind", kind.name().to_owned())];
        app.metrics.failures.get_or_create(&labels).inc();
    }
    let duration = &app.metrics.request_duration;
    duration.get_or_create(&[("route", route)]).observe(seconds);
    answer
}
