//! `POST /language/:analyze-text`: opinion mining for clients of Azure Language.

use std::collections::HashSet;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use imn::analyze::{Detail, StepwiseText};

use super::jobs::{Parameters, parameters};
use crate::app::App;
use crate::azure::{
    AzureAnswer, AzureDocumentError, AzureError, AzureErrorBody, AzureInnerError, AzureRequest,
    AzureResults, AzureTotals, document, language_error,
};
use crate::body;
use crate::error::{ApiError, ErrorKind, JsonBody, mark};
use crate::jobs::boolean;

const KIND: &str = "SentimentAnalysis";

pub(super) async fn analyze(
    State(app): State<Arc<App>>,
    query: Parameters,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let answered = answer(&app, query, &headers, body).await;
    answered.unwrap_or_else(refused)
}

/// The path of the route, as clients of Azure Language write it; some encode the colon.
pub(super) const PATHS: [&str; 3] = [
    "/language/:analyze-text",
    "/language/%3Aanalyze-text",
    "/language/%3aanalyze-text",
];

/// The answer to a request for `path` that is refused before it reaches its route.
pub(crate) fn refuse(path: &str, error: ApiError) -> Response {
    match PATHS.contains(&path) {
        true => refused(error),
        false => error.into_response(),
    }
}

/// An error in the format of Azure, with the error type of our other routes.
fn refused(error: ApiError) -> Response {
    let (code, inner) = match error.kind {
        ErrorKind::Overloaded => ("TooManyRequests", None),
        ErrorKind::Unauthorized => ("401", None),
        ErrorKind::NotFound => ("NotFound", None),
        ErrorKind::Timeout => ("Timeout", None),
        ErrorKind::Unavailable => ("ServiceUnavailable", None),
        ErrorKind::Internal => ("InternalServerError", None),
        ErrorKind::TooLarge => ("InvalidRequest", Some("InvalidDocumentBatch")),
        _ => ("InvalidRequest", Some("InvalidRequestBodyFormat")),
    };
    let body = AzureErrorBody {
        error: AzureError {
            code,
            message: error.message.clone(),
            innererror: inner.map(|code| AzureInnerError {
                code,
                message: error.message,
            }),
        },
        error_type: error.kind,
    };
    mark(
        (error.kind.status(), JsonBody(body)).into_response(),
        error.kind,
    )
}

async fn answer(
    app: &Arc<App>,
    query: Parameters,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let mut version = false;
    let mut statistics = false;
    for (name, value) in parameters(query)? {
        match name.as_str() {
            "api-version" => version = !value.is_empty(),
            "showStats" => statistics = boolean("showStats", &value.to_ascii_lowercase())?,
            _ => {}
        }
    }
    if !version {
        let message = "The query parameter `api-version` is required, such as 2023-04-01";
        return Err(ApiError::validation(message));
    }
    let limits = &app.settings.limits;
    let request: AzureRequest = body::json(headers, body, limits.payload_limit).await?;
    if request.kind != KIND {
        let message = format!("`kind` must be {KIND}; this server has no other task");
        return Err(ApiError::validation(message));
    }
    let parameters = &request.parameters;
    let model = parameters.model_version.as_deref();
    let model = model.filter(|name| !name.is_empty() && *name != "latest");
    let choice = app.models.choose(model, None)?;
    let documents = request.analysis_input.documents;
    let count = documents.len();
    if count == 0 {
        return Err(ApiError::new(
            ErrorKind::Empty,
            "The request has no documents",
        ));
    }
    if count > limits.max_client_batch_size {
        let most = limits.max_client_batch_size;
        let message = format!("{count} documents, more than {most} in a request");
        return Err(ApiError::too_large(message));
    }
    let mut seen = HashSet::new();
    let (mut ids, mut texts, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for document in documents {
        let checked = match language_error(document.language.as_deref()) {
            Some(message) => Err(("UnsupportedLanguageCode", message)),
            None if document.id.is_empty() => {
                Err(("InvalidDocument", "The document has no id".to_owned()))
            }
            None if !seen.insert(document.id.clone()) => {
                let message = "Another document of the request has this id".to_owned();
                Err(("InvalidDocument", message))
            }
            None => app
                .check_text(&document.text)
                .map_err(|error| ("InvalidDocument", error.message)),
        };
        match checked {
            Ok(()) => {
                ids.push(document.id);
                texts.push(document.text);
            }
            Err((code, message)) => errors.push(document_error(document.id, code, message)),
        }
    }
    let own = Arc::clone(app);
    let (unit, opinions) = (parameters.string_index_type, parameters.opinion_mining);
    let make = move |found: Vec<StepwiseText>| {
        let documents = ids.into_iter().zip(found).enumerate();
        let documents: Vec<_> = documents
            .map(|(number, (id, text))| document(id, number, text, unit, opinions, statistics))
            .collect();
        let totals = AzureTotals {
            documents_count: count,
            valid_documents_count: documents.len(),
            erroneous_documents_count: errors.len(),
            transactions_count: documents
                .iter()
                .filter_map(|document| Some(document.statistics.as_ref()?.transactions_count))
                .sum(),
        };
        let answer = AzureAnswer {
            kind: "SentimentAnalysisResults",
            results: AzureResults {
                documents,
                errors,
                statistics: statistics.then_some(totals),
                model_version: own.models.model(choice).name.clone(),
            },
        };
        JsonBody(answer).into_response()
    };
    app.analyze(choice, texts, Detail::Analysis, make).await
}

fn document_error(id: String, code: &'static str, message: String) -> AzureDocumentError {
    AzureDocumentError {
        id,
        error: AzureError {
            code: "InvalidArgument",
            message: "Invalid document in the request".to_owned(),
            innererror: Some(AzureInnerError { code, message }),
        },
    }
}
