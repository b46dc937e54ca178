//! Response format of REST 1.x: JSON indented by two spaces, with `Content-Type: application/json`. Errors have the old
//! `error` key and the code and field of REST v2.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use coordination::api::ErrorCode;
use serde_json::{Value, json};

use crate::fs::durable::WriteError;
use crate::web::ApiError;

/// A JSON value, pretty-printed as `JSON.stringify(value, null, 2)` does.
#[derive(Debug)]
pub(super) struct Pretty(pub(super) Value);

impl IntoResponse for Pretty {
    fn into_response(self) -> Response {
        let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
        // Printing a `Value` cannot fail: its keys are texts and its numbers finite.
        (headers, serde_json::to_string_pretty(&self.0).unwrap_or_default()).into_response()
    }
}

/// An error answer.
#[derive(Debug)]
pub(super) struct V1Error {
    status: StatusCode,
    /// English sentence.
    error: String,
    code: ErrorCode,
    /// The parameter or field at fault.
    field: Option<&'static str>,
    /// Values that would be accepted.
    allowed: Vec<String>,
}

impl V1Error {
    fn new(status: StatusCode, code: ErrorCode, error: impl Into<String>) -> Self {
        Self { status, error: error.into(), code, field: None, allowed: Vec::new() }
    }

    /// 405.
    pub(super) fn method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::MethodNotAllowed, "Method not allowed")
    }

    /// 404.
    pub(super) fn not_found(error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, error)
    }

    /// 410: the route is gone on purpose.
    pub(super) fn removed(error: impl Into<String>) -> Self {
        Self::new(StatusCode::GONE, ErrorCode::Gone, error)
    }

    /// 400 for the body.
    pub(super) fn body(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidBody, error)
    }

    /// 400 for one value, naming what would have been accepted.
    pub(super) fn value(field: &'static str, allowed: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let allowed: Vec<String> = allowed.into_iter().map(Into::into).collect();
        let error = format!("{field} is not acceptable; allowed: {}", allowed.join(", "));
        Self { field: Some(field), allowed, ..Self::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidValue, error) }
    }

    /// 413.
    pub(super) fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::TooLarge, "Body too large")
    }

    /// 415. Only a body declared as JSON is taken: a form of a foreign page needs a preflight for that.
    pub(super) fn not_json() -> Self {
        let error = "The body must be application/json";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::UnsupportedMediaType, error)
    }

    /// 503: a file is there and cannot be read, which is never shown as "nothing there".
    pub(super) fn unreadable(file: &str, cause: &str) -> Self {
        let error = format!("{file} could not be read: {cause}");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, error)
    }

    /// 503: so many large answers at once would take the machine's memory.
    pub(super) fn busy(error: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, error)
    }

    /// There is no such thing.
    pub(super) fn is_not_found(&self) -> bool {
        self.code == ErrorCode::NotFound
    }

    /// The error text.
    pub(super) fn text(&self) -> &str {
        &self.error
    }

    /// Names the field at fault and the words the old monitor uses for it.
    pub(super) fn with_field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self
    }
}

impl From<WriteError> for V1Error {
    /// The status and code of REST v2.
    fn from(error: WriteError) -> Self {
        let ApiError { status, body } = error.into();
        Self::new(status, body.code, body.error)
    }
}

impl IntoResponse for V1Error {
    fn into_response(self) -> Response {
        let mut body = json!({ "error": self.error, "code": self.code });
        if let Some(field) = self.field {
            body["field"] = field.into();
        }
        if !self.allowed.is_empty() {
            body["allowed"] = self.allowed.into();
        }
        (self.status, Pretty(body)).into_response()
    }
}
