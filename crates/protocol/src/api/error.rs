//! Types of the error body of REST v2 and of errors in query parameters.

use serde::{Deserialize, Serialize};

/// Body of every REST v2 error answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// English sentence for scripts and logs; the dashboard chooses its own words by `code`.
    pub error: String,
    /// What went wrong.
    pub code: ErrorCode,
    /// The query parameter or body field at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Values that would have been accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// Where in the value of a search: start and end in UTF-16 code units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[u32; 2]>,
    /// What is wrong with a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<super::SearchFault>,
    /// Id of this answer in the monitor's log.
    #[serde(default)]
    pub request_id: String,
}

impl ErrorBody {
    /// An error that names no field.
    #[must_use]
    pub fn new(code: ErrorCode, error: impl Into<String>) -> Self {
        Self {
            error: error.into(),
            code,
            field: None,
            allowed: Vec::new(),
            range: None,
            fault: None,
            request_id: String::new(),
        }
    }
}

/// A query value that is not acceptable: 400 with the field and what would have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// The parameter.
    pub field: String,
    /// Values that would have been accepted, when they can be listed.
    pub allowed: Vec<String>,
    /// English sentence for scripts and logs.
    pub message: String,
    /// Where in the value: start and end in UTF-16 code units.
    pub range: Option<[u32; 2]>,
    /// What is wrong with a search.
    pub fault: Option<super::SearchFault>,
}

impl std::fmt::Display for QueryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for QueryError {}

/// The body of a 400.
impl From<QueryError> for ErrorBody {
    fn from(error: QueryError) -> Self {
        let QueryError { field, allowed, message, range, fault } = error;
        Self { field: Some(field), allowed, range, fault, ..Self::new(ErrorCode::InvalidValue, message) }
    }
}

/// Error codes; an unknown code from a newer server reads as `Unknown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// A query value or body field is not acceptable (400, 422).
    InvalidValue,
    /// The body is not JSON of the right shape (400), or did not arrive in time (408).
    InvalidBody,
    /// Nothing by that id (404).
    NotFound,
    /// Write without the right token or session (401).
    Unauthorized,
    /// Write where nobody may write (401): no token is set, and other machines can reach the monitor.
    ReadOnly,
    /// Too many writes without the right (429).
    RateLimited,
    /// The signed-in person has not the right (403).
    Forbidden,
    /// Foreign origin (403).
    ForbiddenOrigin,
    /// Foreign host name (421), or none that can be read (400).
    MisdirectedHost,
    /// Wrong method (405).
    MethodNotAllowed,
    /// Body, address or head of the request too large (413, 414, 431).
    TooLarge,
    /// Wrong content type (415).
    UnsupportedMediaType,
    /// Conflict: the value changed since the client read it (409).
    Conflict,
    /// The override was not written; the old value is still in force (503, 507).
    NotCommitted,
    /// The override was written but its durability could not be confirmed (503).
    DurabilityUncertain,
    /// The machine whose files are read or would change is off, does not answer, or takes no changes (503).
    MachineOffline,
    /// The machine does not show this to its fleet (501).
    NotOffered,
    /// The answer of a machine is larger than a message of the fleet's servers (413).
    AnswerTooLarge,
    /// A cursor is too old or of another epoch (410).
    CursorExpired,
    /// The route was removed on purpose (410).
    Gone,
    /// The data source cannot be read (503).
    SourceUnavailable,
    /// An internal error (500).
    Internal,
    /// A code this build does not know.
    #[serde(other)]
    Unknown,
}
