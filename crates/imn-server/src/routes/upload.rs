//! Uploads: a raw body or a form, streamed to disk.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest as _, Multipart, Request};
use axum::http::{StatusCode, header};
use futures_util::{Stream, StreamExt as _};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use crate::app::App;
use crate::body::media_type;
use crate::error::{ApiError, ErrorKind};
use crate::jobs::{JobEntry, JobOptions};

/// Maximum size of a form field other than the file, in bytes.
const LONGEST_FIELD: usize = 4096;

/// Receives a file and accepts it as a job.
pub(super) async fn receive(
    app: &Arc<App>,
    query: Vec<(String, String)>,
    request: Request,
) -> Result<Arc<JobEntry>, ApiError> {
    let mut options = JobOptions::default();
    for (name, value) in &query {
        options.set(name, value)?;
    }
    let limit = app.settings.limits.max_upload_bytes;
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    // A form is slightly larger than the file in it.
    if length.is_some_and(|length| length > limit.saturating_add(1 << 16)) {
        return Err(too_large(limit));
    }
    let upload = app.jobs.receive()?;
    let mut target = Target {
        file: File::create(upload.path())
            .await
            .map_err(ApiError::internal)?,
        left: limit,
        limit,
        idle: app.settings.limits.request_timeout,
    };
    let media = media_type(request.headers());
    let media = if media.as_deref() == Some("multipart/form-data") {
        let form = Multipart::from_request(request, app).await;
        let form = form.map_err(|error| ApiError::validation(error.body_text()))?;
        receive_form(form, &mut target, &mut options).await?
    } else {
        let body = request.into_body().into_data_stream();
        let broken = |error| {
            let message = format!("the body ended too early: {error}");
            ApiError::validation(message)
        };
        target.write(body, broken).await?;
        media
    };
    if target.left == limit {
        return Err(ApiError::new(ErrorKind::Empty, "the file is empty"));
    }
    target.file.sync_all().await.map_err(ApiError::internal)?;
    options.format = Some(options.format_of(media.as_deref())?);
    let choice = app
        .models
        .choose(options.model.as_deref(), options.scheme.as_deref())?;
    // Stored by name: the default model may be another one after a restart.
    options.model = Some(app.models.model(choice).name.clone());
    options.scheme = app.models.scheme(choice).map(str::to_owned);
    let own = Arc::clone(app);
    app.slow
        .run(move || own.jobs.accept(upload, options))
        .await?
}

fn too_large(limit: u64) -> ApiError {
    ApiError::too_large(format!("the file is larger than {limit} bytes"))
}

/// The file that is being written.
struct Target {
    file: File,
    left: u64,
    limit: u64,
    idle: Duration,
}

impl Target {
    /// Writes the data of a client to the file. Fails if nothing arrives for too long.
    async fn write<S, B, E>(
        &mut self,
        mut chunks: S,
        broken: impl Fn(E) -> ApiError,
    ) -> Result<(), ApiError>
    where
        S: Stream<Item = Result<B, E>> + Unpin,
        B: AsRef<[u8]>,
    {
        loop {
            let next = timeout(self.idle, chunks.next()).await;
            let Some(chunk) = next.map_err(|_| too_slow(self.idle))? else {
                break;
            };
            let chunk = chunk.map_err(&broken)?;
            let bytes = chunk.as_ref();
            let left = self.left.checked_sub(bytes.len() as u64);
            self.left = left.ok_or_else(|| too_large(self.limit))?;
            self.file
                .write_all(bytes)
                .await
                .map_err(ApiError::internal)?;
        }
        self.file.flush().await.map_err(ApiError::internal)
    }
}

fn too_slow(idle: Duration) -> ApiError {
    let seconds = idle.as_secs_f64();
    let message = format!("nothing was sent for {seconds} seconds");
    ApiError::new(ErrorKind::Timeout, message)
}

fn broken_form(error: MultipartError) -> ApiError {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::too_large(error.body_text()),
        _ => ApiError::validation(error.body_text()),
    }
}

/// Reads a form: one field `file`, the others are options. Returns the media type of the file.
async fn receive_form(
    mut form: Multipart,
    target: &mut Target,
    options: &mut JobOptions,
) -> Result<Option<String>, ApiError> {
    let mut media = None;
    let mut received = false;
    loop {
        let next = timeout(target.idle, form.next_field()).await;
        let field = next
            .map_err(|_| too_slow(target.idle))?
            .map_err(broken_form)?;
        let Some(field) = field else {
            break;
        };
        let name = field.name().unwrap_or_default().to_owned();
        if name != "file" {
            options.set(&name, &value(field, target.idle).await?)?;
            continue;
        }
        if received {
            return Err(ApiError::validation("the form has more than one `file`"));
        }
        received = true;
        media = media_type(field.headers());
        if let (None, Some(name)) = (&options.name, field.file_name()) {
            options.set("name", name)?;
        }
        target.write(field, broken_form).await?;
    }
    if !received {
        return Err(ApiError::new(
            ErrorKind::Empty,
            "the form has no field `file`",
        ));
    }
    Ok(media)
}

/// The text of a field that is not the file.
async fn value(mut field: Field<'_>, idle: Duration) -> Result<String, ApiError> {
    let mut bytes = Vec::new();
    loop {
        let next = timeout(idle, field.chunk()).await;
        let Some(chunk) = next.map_err(|_| too_slow(idle))?.map_err(broken_form)? else {
            break;
        };
        bytes.extend_from_slice(&chunk);
        if bytes.len() > LONGEST_FIELD {
            let message = format!("a field of the form has more than {LONGEST_FIELD} bytes");
            return Err(ApiError::too_large(message));
        }
    }
    String::from_utf8(bytes).map_err(|_| ApiError::validation("a field of the form is not UTF-8"))
}
