//! `/jobs`: uploads, progress and results.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::watch;
use tokio_util::io::ReaderStream;

use super::upload;
use crate::app::App;
use crate::error::{ApiError, JsonBody};
use crate::jobs::{JobRecord, ResultFile};
use crate::tickets::LIFETIME;

/// Query parameters in their order.
pub(super) type Parameters = Result<Query<Vec<(String, String)>>, QueryRejection>;

pub(super) fn parameters(query: Parameters) -> Result<Vec<(String, String)>, ApiError> {
    let Query(pairs) = query.map_err(|error| ApiError::validation(error.body_text()))?;
    Ok(pairs)
}

/// The parameters of a request that may come from a link, without the ticket, which was checked
/// before.
fn link_parameters(query: Parameters) -> Result<Vec<(String, String)>, ApiError> {
    let mut pairs = parameters(query)?;
    pairs.retain(|(name, _)| name != "ticket");
    Ok(pairs)
}

/// The answer of `GET /jobs`.
#[derive(Debug, Serialize)]
struct JobList {
    /// All jobs, the newest first.
    jobs: Vec<JobRecord>,
}

pub(super) async fn create(
    State(app): State<Arc<App>>,
    query: Parameters,
    request: Request,
) -> Result<Response, ApiError> {
    let job = upload::receive(&app, parameters(query)?, request).await?;
    let record = job.snapshot();
    let location = format!("/jobs/{}", record.id);
    let headers = [(header::LOCATION, location)];
    Ok((StatusCode::ACCEPTED, headers, JsonBody(record)).into_response())
}

pub(super) async fn list(State(app): State<Arc<App>>) -> Response {
    let jobs = app.jobs.list();
    JsonBody(JobList { jobs }).into_response()
}

pub(super) async fn show(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    Ok(JsonBody(app.jobs.get(&id)?.snapshot()).into_response())
}

pub(super) async fn delete(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let own = Arc::clone(&app);
    let deleted = app.slow.run(move || own.jobs.delete(&id)).await?;
    Ok(match deleted? {
        Some(record) => JsonBody(record).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// The answer of `POST /jobs/{id}/tickets`.
#[derive(Debug, Serialize)]
struct IssuedTicket {
    ticket: String,
    /// Seconds.
    expires_in: u64,
}

pub(super) async fn ticket(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    app.jobs.get(&id)?;
    let issued = IssuedTicket {
        ticket: app.tickets.issue(&id)?,
        expires_in: LIFETIME.as_secs(),
    };
    Ok((StatusCode::CREATED, JsonBody(issued)).into_response())
}

/// The changes of a job, until the job ends or the server stops.
struct Listener {
    job: watch::Receiver<JobRecord>,
    stopping: watch::Receiver<bool>,
    begun: bool,
}

pub(super) async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let listener = Listener {
        job: app.jobs.get(&id)?.record.subscribe(),
        stopping: app.stopping.clone(),
        begun: false,
    };
    let events = stream::unfold(Some(listener), |listener| async move {
        let mut listener = listener?;
        if listener.begun {
            let Listener { job, stopping, .. } = &mut listener;
            tokio::select! {
                changed = job.changed() => changed.ok()?,
                _ = stopping.wait_for(|stopping| *stopping) => return None,
            }
        }
        listener.begun = true;
        let record = listener.job.borrow_and_update().clone();
        let event = Event::default().event(record.state.name());
        let data = serde_json::to_string(&record).ok()?;
        let next = (!record.state.is_final()).then_some(listener);
        Some((Ok::<_, Infallible>(event.data(data)), next))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response())
}

pub(super) async fn result(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    query: Parameters,
) -> Result<Response, ApiError> {
    let job = app.jobs.get(&id)?;
    let file = job.result(&link_parameters(query)?, &app.slow).await?;
    send(file).await
}

pub(super) async fn errors(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    match app.jobs.get(&id)?.errors()? {
        Some(file) => send(file).await,
        None => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}

pub(super) async fn report(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    query: Parameters,
) -> Result<Response, ApiError> {
    let job = app.jobs.get(&id)?;
    let (page, download) = job.report(&link_parameters(query)?, &app.slow).await?;
    let policy = imn_report::content_security_policy();
    let policy = format!("{policy}; sandbox allow-scripts; frame-ancestors 'none'");
    let disposition = match download {
        true => format!(
            "attachment; filename=\"imn-{}.report.html\"",
            job.snapshot().id
        ),
        false => "inline".to_owned(),
    };
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, page).into_response())
}

/// Sends a file as a download.
async fn send(file: ResultFile) -> Result<Response, ApiError> {
    let opened = tokio::fs::File::open(&file.path).await;
    let opened = opened.map_err(ApiError::internal)?;
    let length = opened.metadata().await.map_err(ApiError::internal)?.len();
    let headers = [
        (header::CONTENT_TYPE, file.content_type.to_owned()),
        (header::CONTENT_LENGTH, length.to_string()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}\"", file.name),
        ),
    ];
    let body = axum::body::Body::from_stream(ReaderStream::new(opened));
    Ok((headers, body).into_response())
}
