//! Handlers of `/api/v2/speak`: `POST` sends a message to an agent through OpenClaw's gateway, `GET` returns whether
//! that is possible. The gateway's token stays in the monitor.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use coordination::api::{
    ErrorCode, MAX_MESSAGE_CHARS, MAX_SPEAK_SECONDS, SPEAK_SECONDS, SpeakAnswer, SpeakInfo, SpeakRequest,
};
use coordination::gateway_message::{OutgoingMessage, caller, target};
use coordination::session_key::KeyRules;

use crate::app::AppState;
use crate::gateway::{MessageRequest, SpeakError};
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, BadField, RequestBody, ValidJson, json, line, not_text};
use crate::web::request::RequestId;
use crate::web::security::{Author, MaySpeak, Viewer};

/// Whether the person who asks can send messages to agents, and as which session.
#[utoipa::path(get, path = "/speak", tag = "speak")]
pub(super) async fn info(State(state): State<AppState>, viewer: Viewer) -> ApiResult<SpeakInfo> {
    let on = state.speak().is_on() && viewer.may_speak;
    json(&SpeakInfo { on, caller: on.then(|| caller(&rules(&state))) })
}

/// Sends one message to an agent and says what became of it. Nothing is ever sent twice: the same `requestId` again
/// gets the first answer. The answer may take `timeoutSeconds` and some seconds more.
#[utoipa::path(post, path = "/speak", tag = "speak")]
pub(super) async fn say(
    State(state): State<AppState>,
    MaySpeak(author): MaySpeak,
    Extension(RequestId(http_request_id)): Extension<RequestId>,
    ValidJson(body): ValidJson<SpeakRequest>,
) -> ApiResult<SpeakAnswer> {
    let message_request = message_request(body, author, &rules(&state), http_request_id)?;
    json(&state.speak().send_once(message_request).await?)
}

fn rules(state: &AppState) -> KeyRules {
    state.hub().roster().key_rules()
}

fn message_request(
    body: SpeakRequest,
    author: Author,
    rules: &KeyRules,
    http_request_id: String,
) -> Result<MessageRequest, ApiError> {
    let call = OutgoingMessage {
        caller: caller(rules),
        target: target(&body.to, rules).ok_or_else(|| invalid_field("to", BAD_TARGET))?,
        text: body.text,
        conversation: body.conversation,
        work_session: body.work_session,
        wait_secs: body.timeout_seconds.unwrap_or(SPEAK_SECONDS),
    };
    Ok(MessageRequest { request_id: body.request_id, call, by: author.or_claimed(body.updated_by), http_request_id })
}

impl RequestBody for SpeakRequest {
    fn refuse(field: &BadField) -> ApiError {
        match field.name.as_str() {
            "to" => invalid_field("to", BAD_TARGET),
            "text" => invalid_field("text", NO_TEXT),
            "requestId" => invalid_field("requestId", BAD_ID),
            "timeoutSeconds" => bad_timeout(),
            name => not_text(name),
        }
    }

    fn validated(self) -> Result<Self, ApiError> {
        let text = plain_lines(&self.text);
        if text.is_empty() {
            return Err(invalid_field("text", NO_TEXT));
        }
        if text.chars().count() > MAX_MESSAGE_CHARS {
            return Err(invalid_field("text", &format!("may hold {MAX_MESSAGE_CHARS} characters")));
        }
        let id = &self.request_id;
        let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        if !(8..=64).contains(&id.len()) || !id.bytes().all(is_name) {
            return Err(invalid_field("requestId", BAD_ID));
        }
        if self.timeout_seconds.is_some_and(|seconds| seconds > MAX_SPEAK_SECONDS) {
            return Err(bad_timeout());
        }
        Ok(Self {
            text,
            conversation: line(self.conversation, "conversation", 200)?,
            work_session: line(self.work_session, "workSession", 200)?,
            updated_by: line(self.updated_by, "updatedBy", 200)?,
            ..self
        })
    }
}

const BAD_TARGET: &str = "must be an agent's id or a session key such as agent:eden:main";
const NO_TEXT: &str = "must say something";
const BAD_ID: &str = "must be 8 to 64 of A-Z a-z 0-9 _ -";

fn invalid_field(field: &str, error: &str) -> ApiError {
    ApiError::unprocessable(field, Vec::new(), format!("{field} {error}"))
}

fn bad_timeout() -> ApiError {
    invalid_field("timeoutSeconds", &format!("must be a whole number of 0 to {MAX_SPEAK_SECONDS}"))
}

/// Text with `\n` line ends; control characters other than line ends and tabs become blanks.
fn plain_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let plain = |c: char| if c.is_control() && c != '\n' && c != '\t' { ' ' } else { c };
    text.chars().map(plain).collect::<String>().trim().to_owned()
}

impl From<SpeakError> for ApiError {
    fn from(error: SpeakError) -> Self {
        let (status, code) = match error {
            SpeakError::RequestIdTaken => (StatusCode::CONFLICT, ErrorCode::Conflict),
            SpeakError::NotRecorded { full: true, .. } => (StatusCode::INSUFFICIENT_STORAGE, ErrorCode::NotCommitted),
            SpeakError::NotRecorded { .. } => (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::NotCommitted),
        };
        Self::new(status, code, error.to_string())
    }
}
