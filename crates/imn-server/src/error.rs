//! One error type for every route: `{"error": …, "error_type": …}` with the right status.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

/// Seconds after which a client that was refused may try again.
const RETRY_AFTER: &str = "1";

/// Why a request, or one text of it, was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The body is not JSON.
    MalformedJson,
    /// The body, the query or a text does not have the form that the route needs.
    Validation,
    /// There is nothing to analyse.
    Empty,
    /// A body, a text or a list is longer than the server accepts.
    TooLarge,
    /// The content type of the body is not one that the route reads.
    UnsupportedMediaType,
    /// No such route, model or job.
    NotFound,
    /// The route has no such method.
    MethodNotAllowed,
    /// The API key is missing or wrong.
    Unauthorized,
    /// The queue is full.
    Overloaded,
    /// The request took too long, to arrive or to be answered.
    Timeout,
    /// The job is in a state in which this cannot be done.
    Conflict,
    /// The server is shutting down.
    Unavailable,
    /// A defect of the server.
    Internal,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::MalformedJson,
        Self::Validation,
        Self::Empty,
        Self::TooLarge,
        Self::UnsupportedMediaType,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::Unauthorized,
        Self::Overloaded,
        Self::Timeout,
        Self::Conflict,
        Self::Unavailable,
        Self::Internal,
    ];

    /// Its name in answers and metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MalformedJson => "malformed_json",
            Self::Validation => "validation",
            Self::Empty => "empty",
            Self::TooLarge => "too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::Unauthorized => "unauthorized",
            Self::Overloaded => "overloaded",
            Self::Timeout => "timeout",
            Self::Conflict => "conflict",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
        }
    }

    /// The status of an answer.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::MalformedJson | Self::Empty => StatusCode::BAD_REQUEST,
            Self::Validation => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Overloaded => StatusCode::TOO_MANY_REQUESTS,
            Self::Timeout => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict => StatusCode::CONFLICT,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// Why a request, or one text of it, was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// For programs.
    pub kind: ErrorKind,
    /// For people.
    pub message: String,
}

/// The body of an answer that is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// What is wrong, for people.
    pub error: String,
    /// What is wrong, for programs.
    pub error_type: ErrorKind,
}

impl ApiError {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// A body or a query of the wrong form.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Validation, message)
    }

    /// Something exceeds a limit.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::TooLarge, message)
    }

    /// A route, model or job that does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// A defect of the server. The cause is logged, not sent.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!(%cause, "internal error");
        Self::new(ErrorKind::Internal, "internal error; see the server's log")
    }

    /// A JSON body that cannot be read.
    pub fn json(error: &serde_json::Error) -> Self {
        match error.classify() {
            serde_json::error::Category::Data => Self::validation(error.to_string()),
            _ => Self::new(
                ErrorKind::MalformedJson,
                format!("the body is not JSON: {error}"),
            ),
        }
    }

    /// The body of its answer.
    #[must_use]
    pub fn body(self) -> ErrorBody {
        ErrorBody {
            error: self.message,
            error_type: self.kind,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let kind = self.kind;
        let answer = (kind.status(), JsonBody(self.body())).into_response();
        mark(answer, kind)
    }
}

/// Adds the headers of this kind of error to an answer, and the kind for the metrics.
pub fn mark(mut answer: Response, kind: ErrorKind) -> Response {
    let headers = answer.headers_mut();
    match kind {
        ErrorKind::Overloaded | ErrorKind::Unavailable => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER));
        }
        ErrorKind::Unauthorized => {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        _ => {}
    }
    answer.extensions_mut().insert(kind);
    answer
}

/// An answer in JSON.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<T: Serialize> IntoResponse for JsonBody<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => ([(header::CONTENT_TYPE, "application/json")], bytes).into_response(),
            Err(error) => {
                tracing::error!(%error, "an answer has no JSON form");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }
}
