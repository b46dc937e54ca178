//! Error response of REST v2, and of checks before any route, such as the security checks: [`ApiError`]. Handlers
//! return it; `request::finish` adds the request id and writes the body. REST 1.x has another error format with the
//! same error codes (`v1/answer.rs`).

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use coordination::api::{ErrorBody, ErrorCode};
use coordination::ids::SessionId;
use coordination::query::QueryError;

use crate::fs::durable::WriteError;

/// Error response of REST v2: a status and an [`ErrorBody`]. Its `into_response` has no body yet; `request::finish`
/// writes it.
#[derive(Debug, Clone)]
pub struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) body: ErrorBody,
}

impl ApiError {
    /// An error that names no field.
    pub fn new(status: StatusCode, code: ErrorCode, error: impl Into<String>) -> Self {
        Self { status, body: ErrorBody::new(code, error) }
    }

    /// 404; `error` says what is missing.
    pub fn not_found(error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, error)
    }

    /// State of a machine of the fleet, and no failure of this process: each page that shows the machine gets it.
    pub(super) fn is_of_machine(&self) -> bool {
        matches!(self.body.code, ErrorCode::MachineOffline | ErrorCode::NotOffered)
    }

    /// 422: a body field has an invalid value.
    pub fn unprocessable(field: &str, allowed: Vec<String>, error: impl Into<String>) -> Self {
        let mut answer = Self::new(StatusCode::UNPROCESSABLE_ENTITY, ErrorCode::InvalidValue, error);
        answer.body.field = Some(field.to_owned());
        answer.body.allowed = allowed;
        answer
    }

    /// The standard error for a status that axum or a middleware sets without a body.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let (code, error) = match status {
            StatusCode::NOT_FOUND => (ErrorCode::NotFound, "Not found"),
            StatusCode::METHOD_NOT_ALLOWED => (ErrorCode::MethodNotAllowed, "Method not allowed"),
            StatusCode::PAYLOAD_TOO_LARGE => (ErrorCode::TooLarge, "The body is larger than this route takes"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                (ErrorCode::UnsupportedMediaType, "The body must be application/json")
            }
            StatusCode::REQUEST_TIMEOUT => (ErrorCode::InvalidBody, "The body did not arrive in time"),
            StatusCode::URI_TOO_LONG => (ErrorCode::TooLarge, "The address is longer than 8 KiB"),
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
                (ErrorCode::TooLarge, "The headers are more than 100 or larger than 16 KiB")
            }
            status if status.is_client_error() => (ErrorCode::InvalidBody, "The request cannot be read"),
            _ => (ErrorCode::Internal, "Internal server error"),
        };
        Self::new(status, code, error)
    }
}

/// Message of a 404 for a session.
pub(super) fn session_not_found(id: &SessionId) -> String {
    format!("Session not found: {id}")
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        Self { status: StatusCode::BAD_REQUEST, body: error.into() }
    }
}

impl From<WriteError> for ApiError {
    fn from(error: WriteError) -> Self {
        let (status, code) = match error {
            WriteError::Conflict { .. } => (StatusCode::CONFLICT, ErrorCode::Conflict),
            WriteError::NotCommitted { disk_full: true, .. } => {
                (StatusCode::INSUFFICIENT_STORAGE, ErrorCode::NotCommitted)
            }
            WriteError::NotCommitted { .. } => (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::NotCommitted),
            WriteError::Uncertain { .. } => (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::DurabilityUncertain),
        };
        Self::new(status, code, error.to_string())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        // Without a body: `request::finish` takes the error out, adds the request id and writes the body.
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}
