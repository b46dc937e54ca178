//! `speak`: messages to agents through the gateway. The gateway's token stays in the monitor.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode};
use coordination::api::{
    ErrorCode, MAX_SPEAK_SECONDS, MAX_SPOKEN_CHARS, SPEAK_SECONDS, SpeakAnswer, SpeakInfo, SpeakRequest,
};
use coordination::session_key::KeyRules;
use coordination::speak::{Call, caller, target};
use serde_json::{Map, Value};

use super::category::{line, object};
use crate::app::AppState;
use crate::gateway::{MessageRequest, SpeakError};
use crate::web::error::ApiError;
use crate::web::extract::{Answer, Reply};
use crate::web::request::RequestId;
use crate::web::security::WriteAuth;

/// Whether agents can be spoken to from here.
#[utoipa::path(get, path = "/speak", tag = "speak")]
pub(super) async fn info(State(state): State<AppState>) -> Reply<SpeakInfo> {
    let on = state.speak().is_on();
    Answer::new(&SpeakInfo { on, caller: on.then(|| caller(&rules(&state))) })
}

/// Sends one message to an agent and says what became of it. Nothing is ever sent twice: the same `requestId` again
/// gets the first answer. The answer may take `timeoutSeconds` and some seconds more.
#[utoipa::path(post, path = "/speak", tag = "speak", request_body(content = SpeakRequest))]
pub(super) async fn say(
    State(state): State<AppState>,
    _right: WriteAuth,
    Extension(request): Extension<RequestId>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Reply<SpeakAnswer> {
    let asked = asked(&object(&headers, body)?, &rules(&state), request.0)?;
    Answer::new(&state.speak().say(asked).await?)
}

fn rules(state: &AppState) -> KeyRules {
    state.hub().roster().key_rules()
}

fn asked(body: &Map<String, Value>, rules: &KeyRules, asked_by: String) -> Result<MessageRequest, ApiError> {
    let wrong = |field: &str, error: &str| ApiError::unprocessable(field, Vec::new(), format!("{field} {error}"));
    let text_of = |field: &str| body.get(field).and_then(Value::as_str);
    let to = text_of("to").and_then(|to| target(to, rules));
    let to = to.ok_or_else(|| wrong("to", "must be an agent's id or a session key such as agent:eden:main"))?;
    let text = text_of("text").map(spoken).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| wrong("text", "must say something"))?;
    if text.chars().count() > MAX_SPOKEN_CHARS {
        return Err(wrong("text", &format!("may hold {MAX_SPOKEN_CHARS} characters")));
    }
    let name = |id: &&str| {
        (8..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    };
    let request_id = text_of("requestId").filter(name);
    let request_id = request_id.ok_or_else(|| wrong("requestId", "must be 8 to 64 of A-Z a-z 0-9 _ -"))?.to_owned();
    let wait_secs = match body.get("timeoutSeconds") {
        None | Some(Value::Null) => SPEAK_SECONDS,
        // A whole number may be written `16.0`.
        Some(value) => value
            .as_f64()
            .filter(|secs| secs.fract() == 0.0 && (0.0..=f64::from(MAX_SPEAK_SECONDS)).contains(secs))
            .map(|secs| secs as u32)
            .ok_or_else(|| wrong("timeoutSeconds", &format!("must be a whole number of 0 to {MAX_SPEAK_SECONDS}")))?,
    };
    let call = Call {
        caller: caller(rules),
        target: to,
        text,
        conversation: line(body, "conversation", 200)?,
        work_session: line(body, "workSession", 200)?,
        wait_secs,
    };
    Ok(MessageRequest { request_id, call, by: line(body, "updatedBy", 200)?, asked_by })
}

/// Lines of text without what would move a terminal's cursor.
fn spoken(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let plain = |c: char| if c.is_control() && c != '\n' && c != '\t' { ' ' } else { c };
    text.chars().map(plain).collect::<String>().trim().to_owned()
}

impl From<SpeakError> for ApiError {
    fn from(error: SpeakError) -> Self {
        let (status, code) = match error {
            SpeakError::Taken => (StatusCode::CONFLICT, ErrorCode::Conflict),
            SpeakError::NotRecorded { full: true, .. } => (StatusCode::INSUFFICIENT_STORAGE, ErrorCode::NotCommitted),
            SpeakError::NotRecorded { .. } => (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::NotCommitted),
        };
        Self::new(status, code, error.to_string())
    }
}
