//! `POST /analyze`: texts in, records out.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use imn::analyze::{Detail, RawJson, StepwiseText};

use crate::app::App;
use crate::body;
use crate::error::{ApiError, ErrorKind, JsonBody};
use crate::types::{AnalyzeRequest, AnalyzeResponse, Inputs, RefusedText, TextResult};

pub(super) async fn analyze(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let limits = &app.settings.limits;
    let request: AnalyzeRequest = body::json(&headers, body, limits.payload_limit).await?;
    let choice = app
        .models
        .choose(request.model.as_deref(), request.scheme.as_deref())?;
    let (inputs, alone) = match request.inputs {
        Inputs::One(text) => (vec![text], true),
        Inputs::Many(texts) => (texts, false),
    };
    if inputs.is_empty() {
        let message = "`inputs` has no texts";
        return Err(ApiError::new(ErrorKind::Empty, message));
    }
    let (most, what) = match request.explain {
        true => (limits.max_client_explanations, "texts with explanations"),
        false => (limits.max_client_batch_size, "texts"),
    };
    if inputs.len() > most {
        let message = format!("{} {what}, more than {most} in a request", inputs.len());
        return Err(ApiError::too_large(message));
    }
    let mut texts = Vec::new();
    let mut slots = Vec::new();
    for input in inputs {
        let text = input
            .text
            .and_then(|text| app.check_text(&text).map(|()| text));
        match text {
            Ok(text) => {
                texts.push(text);
                slots.push((input.id, None));
            }
            Err(error) if alone => return Err(error),
            Err(error) => slots.push((input.id, Some(error))),
        }
    }
    let detail = match request.explain {
        true => Detail::Explanation,
        false => Detail::Analysis,
    };
    let threshold = request.min_confidence.0;
    let (unit, own) = (request.offset_unit, Arc::clone(&app));
    let make = move |found: Vec<StepwiseText>| {
        let mut found = found.into_iter();
        let result = |(id, refused): (Option<RawJson>, Option<ApiError>)| {
            let refused = match (refused, &mut found) {
                (Some(error), _) => error,
                (None, found) => match found.next() {
                    None => ApiError::internal("a text without a result"),
                    Some(text) => {
                        let mut review = text.into_review();
                        review.id = id;
                        review.retain_confident(threshold);
                        return TextResult::Found(Box::new(review.in_unit(unit)));
                    }
                },
            };
            refused_text(&own, id, refused)
        };
        let answer = AnalyzeResponse {
            results: slots.into_iter().map(result).collect(),
            model: &own.models.model(choice).name,
            scheme: own.models.scheme(choice),
        };
        JsonBody(answer).into_response()
    };
    app.analyze(choice, texts, detail, make).await
}

fn refused_text(app: &App, id: Option<RawJson>, error: ApiError) -> TextResult {
    let labels = [("kind", error.kind.name().to_owned())];
    app.metrics.text_failures.get_or_create(&labels).inc();
    TextResult::Refused(RefusedText {
        id,
        error: error.message,
        error_type: error.kind,
    })
}
