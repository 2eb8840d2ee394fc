//! `GET /info`, `/health` and `/metrics`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;

use crate::app::App;
use crate::error::{ApiError, ErrorKind, JsonBody};
use crate::metrics::CONTENT_TYPE;
use crate::settings::Limits;

/// The answer of `GET /info`.
#[derive(Debug, Serialize)]
struct Info {
    /// Version of the program.
    version: &'static str,
    /// Version of the records that it writes.
    schema: u32,
    /// The models, the default first.
    models: Vec<ModelInfo>,
    /// The limits.
    limits: Limits,
}

/// A model of the server.
#[derive(Debug, Serialize)]
struct ModelInfo {
    /// The name that requests use.
    name: String,
    /// SHA-256 of its bytes.
    sha256: String,
    /// Annotation schemes, the default first.
    schemes: Vec<String>,
    /// The number of weights.
    parameters: usize,
    /// The number of rounds of message passing.
    rounds: usize,
}

pub(super) async fn info(State(app): State<Arc<App>>) -> Response {
    let models = app.models.all().iter();
    let models = models.map(|model| ModelInfo {
        name: model.name.clone(),
        sha256: model.sha256.clone(),
        schemes: model.schemes.clone(),
        parameters: model.analyzer().part().params.count(),
        rounds: model.analyzer().network().config().rounds,
    });
    let info = Info {
        version: env!("CARGO_PKG_VERSION"),
        schema: imn::analyze::SCHEMA,
        models: models.collect(),
        limits: app.settings.limits.clone(),
    };
    JsonBody(info).into_response()
}

pub(super) async fn health(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    if *app.stopping.borrow() {
        let message = "the server is shutting down";
        return Err(ApiError::new(ErrorKind::Unavailable, message));
    }
    #[derive(Serialize)]
    struct Health {
        status: &'static str,
    }
    Ok(JsonBody(Health { status: "ok" }).into_response())
}

pub(super) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let headers = [(header::CONTENT_TYPE, CONTENT_TYPE)];
    (headers, app.metrics.encode()).into_response()
}
