//! Extractors of JSON request bodies for REST handlers. `ValidJson` parses and validates an object; its error names the
//! faulty field. `JsonBytes` returns the raw bytes, which the handler parses.

use std::marker::PhantomData;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, OptionalFromRequest, Request};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use coordination::api::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::web::error::ApiError;
use crate::web::request::says_json;

/// A body that [`ValidJson`] reads.
pub(in crate::web) trait RequestBody: DeserializeOwned {
    /// The refusal of a field that is missing or of another type.
    fn refuse(field: &BadField) -> ApiError;

    /// Checks what types do not say, and normalises texts.
    ///
    /// # Errors
    /// The refusal of the field that is wrong.
    fn validated(self) -> Result<Self, ApiError>;
}

/// A field that serde refused.
pub(in crate::web) struct BadField {
    /// Its own name; empty for an item of a list.
    pub(in crate::web) name: String,
    /// Name of the field of the body that it is, or is in.
    pub(in crate::web) top: String,
    /// The field `name` is not there.
    pub(in crate::web) is_missing: bool,
    /// What serde says.
    pub(in crate::web) message: String,
}

impl BadField {
    fn new(error: &serde_path_to_error::Error<serde_json::Error>) -> Self {
        let message = error.inner().to_string();
        // The path ends before a missing field, which only the message names.
        let missing = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
        let mut names: Vec<&str> = Vec::new();
        for segment in error.path().iter() {
            match segment {
                Segment::Map { key } => names.push(key),
                Segment::Seq { .. } => names.push(""),
                Segment::Enum { .. } | Segment::Unknown => {}
            }
        }
        names.extend(missing);
        let name = |name: Option<&&str>| name.copied().unwrap_or_default().to_owned();
        let is_missing = missing.is_some();
        Self { name: name(names.last()), top: name(names.first()), is_missing, message }
    }
}

/// The body of a request as a `T`: a JSON object, read and validated.
#[derive(Debug)]
pub(in crate::web) struct ValidJson<T>(pub(in crate::web) T);

impl<T: RequestBody, S: Send + Sync> FromRequest<S> for ValidJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        parsed(&JsonBytes::<T>::from_request(request, state).await?.bytes)
    }
}

/// An empty body counts as `None`, whatever its content type.
impl<T: RequestBody, S: Send + Sync> OptionalFromRequest<S> for ValidJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, ApiError> {
        let is_json = says_json(request.headers());
        match Bytes::from_request(request, state).await {
            Ok(bytes) if bytes.is_empty() => Ok(None),
            bytes => parsed(&json_bytes(is_json, bytes)?).map(Some),
        }
    }
}

/// The body of a request that says it is JSON, from which a `T` is read later.
pub(in crate::web) struct JsonBytes<T> {
    pub(in crate::web) bytes: Bytes,
    of: PhantomData<fn() -> T>,
}

impl<T, S: Send + Sync> FromRequest<S> for JsonBytes<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let is_json = says_json(request.headers());
        let bytes = json_bytes(is_json, Bytes::from_request(request, state).await)?;
        Ok(Self { bytes, of: PhantomData })
    }
}

fn json_bytes(is_json: bool, bytes: Result<Bytes, BytesRejection>) -> Result<Bytes, ApiError> {
    if !is_json {
        return Err(ApiError::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    bytes.map_err(|rejection| ApiError::of_status(rejection.into_response().status()))
}

fn parsed<T: RequestBody>(bytes: &[u8]) -> Result<ValidJson<T>, ApiError> {
    let Ok(object @ Value::Object(_)) = serde_json::from_slice(bytes) else {
        return Err(ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidBody, "The body must be a JSON object"));
    };
    let body: T = serde_path_to_error::deserialize(object).map_err(|error| T::refuse(&BadField::new(&error)))?;
    body.validated().map(ValidJson)
}

/// The refusal of a field that is no text.
pub(in crate::web) fn not_text(field: &str) -> ApiError {
    ApiError::unprocessable(field, Vec::new(), format!("{field} must be text"))
}

/// An optional line of text: trimmed, without control characters, blank as good as absent.
pub(in crate::web) fn line(text: Option<String>, field: &str, longest: usize) -> Result<Option<String>, ApiError> {
    let Some(text) = text else { return Ok(None) };
    let text = text.trim();
    if text.chars().count() > longest {
        let error = format!("{field} may hold {longest} characters");
        return Err(ApiError::unprocessable(field, Vec::new(), error));
    }
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}
