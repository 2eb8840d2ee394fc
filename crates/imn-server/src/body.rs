//! Reads JSON bodies and checks their content type and size.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use crate::error::{ApiError, ErrorKind};

/// The media type of a body, without parameters, in lower case.
#[must_use]
pub fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let essence = value.split(';').next().unwrap_or_default();
    Some(essence.trim().to_ascii_lowercase())
}

/// Reads a JSON body of at most `limit` bytes.
///
/// # Errors
/// If it is not JSON of this form, too large, or of another content type.
pub async fn json<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<T, ApiError> {
    let media = media_type(headers).unwrap_or_default();
    let is_json = media == "application/json"
        || (media.starts_with("application/") && media.ends_with("+json"));
    if !is_json {
        let message = "send JSON with `Content-Type: application/json`";
        return Err(ApiError::new(ErrorKind::UnsupportedMediaType, message));
    }
    let too_large = || ApiError::too_large(format!("the body is larger than {limit} bytes"));
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let bytes = match Limited::new(body, limit).collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(error) if error.downcast_ref::<LengthLimitError>().is_some() => {
            return Err(too_large());
        }
        Err(error) => {
            let message = format!("the body ended too early: {error}");
            return Err(ApiError::new(ErrorKind::MalformedJson, message));
        }
    };
    if bytes.trim_ascii().is_empty() {
        return Err(ApiError::new(ErrorKind::Empty, "the body is empty"));
    }
    // Serde would read a list as the fields of an object, in order.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        let list: Result<serde::de::IgnoredAny, _> = serde_json::from_slice(&bytes);
        list.map_err(|error| ApiError::json(&error))?;
        return Err(ApiError::validation("the body must be a JSON object"));
    }
    serde_json::from_slice(&bytes).map_err(|error| ApiError::json(&error))
}
