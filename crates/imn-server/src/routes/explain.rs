//! `POST /explain`: the predictions for every word of one text, round by round.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use imn::analyze::{Detail, StepwiseText};

use crate::app::App;
use crate::body;
use crate::error::{ApiError, JsonBody};
use crate::types::{ExplainRequest, Inputs};

pub(super) async fn explain(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let limit = app.settings.limits.payload_limit;
    let request: ExplainRequest = body::json(&headers, body, limit).await?;
    let choice = app
        .models
        .choose(request.model.as_deref(), request.scheme.as_deref())?;
    let Inputs::One(input) = request.inputs else {
        let message = "one text is explained at a time; `inputs` must not be a list";
        return Err(ApiError::validation(message));
    };
    let text = input.text?;
    app.check_text(&text)?;
    let (unit, min_confidence) = (request.offset_unit, request.min_confidence);
    let make = move |explained: Vec<StepwiseText>| {
        let explained = explained.into_iter().next();
        let (text, mut explanation) = explained
            .and_then(StepwiseText::into_explanation)
            .ok_or_else(|| ApiError::internal("a text without a result"))?;
        explanation.analysis.retain_confident(min_confidence.0);
        Ok(JsonBody(explanation.in_unit(&text, unit)).into_response())
    };
    let detail = Detail::Explanation;
    app.analyze(choice, vec![text], detail, make).await?
}
