//! Handlers of permission requests. `POST /api/hooks/permission` holds a hook of a coding agent until somebody answers.
//! `/api/v2/permission-requests` shows requests of hooks, and approvals that wait in OpenClaw's gateway, to people and
//! takes their answers.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use coordination::api::{
    ErrorCode, MAX_ANSWER_SECONDS, MAX_REASON_CHARS, PermissionAnswer, PermissionAsk, PermissionDecision,
    PermissionDetail, PermissionRequests, PermissionStory, PermissionSummary, PermissionVerdict,
};
use coordination::hub::Hub;
use coordination::query;
use coordination::store::PendingApproval;

use super::paths::PermissionPath;
use crate::app::AppState;
use crate::permissions::{AnswerError, AnswerRefused, AnswerRequest, AskRefused, KnownRequest};
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, BadField, RequestBody, StrictPath, ValidJson, json, line, not_text};
use crate::web::request::RequestId;
use crate::web::security::{MayAnswer, MayCategorize, Viewer};

/// Longest text of an ask besides its call, in characters.
const MAX_WORDS_CHARS: usize = 4_000;

/// A hook asks for the permission to use a tool and waits for an answer. Without a decision in the answer, the agent's
/// terminal asks. The request ends when its connection does.
#[utoipa::path(post, path = "/api/hooks/permission", tag = "coding agents")]
pub(super) async fn ask(
    State(state): State<AppState>,
    _right: MayCategorize,
    ValidJson(body): ValidJson<PermissionAsk>,
) -> ApiResult<PermissionVerdict> {
    let clients = state.live().clients();
    let waiting = state.permissions().ask(body, state.agent_events(), || clients.info().clients);
    let mut closing = state.closing();
    let verdict = tokio::select! {
        verdict = waiting => verdict?,
        // The sender lives in the state, so waiting cannot fail.
        _ = closing.wait_for(|closing| *closing) => PermissionVerdict::default(),
    };
    json(&verdict)
}

/// Permission requests that wait, and those that ended since the monitor started.
#[utoipa::path(get, path = "/permission-requests", tag = "coding agents")]
pub(super) async fn list(State(state): State<AppState>) -> ApiResult<PermissionRequests> {
    json(&state.permissions().list())
}

/// One permission request, with what would run and what led to it. Also an approval of OpenClaw that can be answered here.
#[utoipa::path(get, path = "/permission-requests/{id}", tag = "coding agents")]
pub(super) async fn get(
    State(state): State<AppState>,
    viewer: Viewer,
    StrictPath(PermissionPath { id }): StrictPath<PermissionPath>,
) -> ApiResult<PermissionDetail> {
    if viewer.is_of_fleet && viewer.may_answer {
        state.permissions().note_opened(&id);
    }
    let found = match state.permissions().find(&id) {
        Some(known) => Some((known, None)),
        None => {
            let pending = pending_approval(&state, &id).await;
            state.approvals().find(&id, pending.as_ref())
        }
    };
    let (known, url) = found.ok_or_else(|| ApiError::from(AnswerRefused::NotFound))?;
    // The gateway's page has an address of this machine alone.
    let url = url.filter(|_| !viewer.is_of_fleet);
    state.run_query(move |hub, now| json(&detail(known, url, viewer.may_answer, hub, now))).await
}

/// An approval of OpenClaw that can be answered here, as its database has it.
async fn pending_approval(state: &AppState, id: &str) -> Option<PendingApproval> {
    let id = id.to_owned();
    state.run_query(move |hub, _| query::answerable_approval(hub, &id)).await
}

fn detail(known: KnownRequest, url: Option<String>, may_answer: bool, hub: &Hub, now: i64) -> PermissionDetail {
    let KnownRequest { mut summary, call, dangers, key, story } = known;
    let context = query::permission_context(hub, now, &summary.agent, &key);
    (summary.session_id, summary.event_id) = (context.session_id, context.event_id);
    let (call, digest) = call.filter(|_| may_answer).unzip();
    // What a person wrote at a terminal is for those who answer, like the call.
    let (first_words, last_words) = if may_answer { (story.first_words, story.last_words) } else { (None, None) };
    PermissionDetail {
        request: summary,
        dangers: if call.is_some() { dangers } else { Vec::new() },
        call,
        digest: digest.unwrap_or_default(),
        story: PermissionStory { first_words, last_words, ..context.story },
        gateway_url: url,
        now,
    }
}

/// Answers a permission request: allow once, deny with a reason, or leave it to the terminal. The answer is recorded
/// first, and given once. It must name the digest of what was shown, and come from a page. An approval of OpenClaw is
/// allowed once or denied, without a reason, through its gateway.
#[utoipa::path(post, path = "/permission-requests/{id}/answer", tag = "coding agents")]
pub(super) async fn answer(
    State(state): State<AppState>,
    MayAnswer(author): MayAnswer,
    Extension(RequestId(request_id)): Extension<RequestId>,
    StrictPath(PermissionPath { id }): StrictPath<PermissionPath>,
    ValidJson(body): ValidJson<PermissionAnswer>,
) -> ApiResult<PermissionSummary> {
    let by = author.or_claimed(body.updated_by.clone());
    let is_of_hook = state.permissions().find(&id).is_some();
    let approval = if is_of_hook { None } else { pending_approval(&state, &id).await };
    let is_ended = !is_of_hook && approval.is_none() && state.approvals().find(&id, None).is_some();
    let request = AnswerRequest { id, answer: body, by, request_id };
    match approval {
        Some(approval) => json(&state.approvals().answer(approval, request).await?),
        None if is_ended => Err(AnswerRefused::Ended.into()),
        None => json(&state.permissions().answer(request).await?),
    }
}

impl RequestBody for PermissionAnswer {
    fn refuse(field: &BadField) -> ApiError {
        match field.top.as_str() {
            "decision" => {
                let words = ["allow", "deny", "terminal"].map(str::to_owned).into();
                ApiError::unprocessable("decision", words, "decision must be allow, deny or terminal")
            }
            "confirmed" => ApiError::unprocessable("confirmed", Vec::new(), "confirmed must be true or false"),
            name => not_text(name),
        }
    }

    fn validated(self) -> Result<Self, ApiError> {
        let is_digest = self.digest.len() == 64 && self.digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !is_digest {
            return Err(ApiError::unprocessable("digest", Vec::new(), "digest must be 64 hexadecimal digits"));
        }
        let reason = line(self.reason, "reason", MAX_REASON_CHARS)?;
        let reason = reason.filter(|_| self.decision == PermissionDecision::Deny);
        Ok(Self { reason, updated_by: line(self.updated_by, "updatedBy", 200)?, ..self })
    }
}

impl RequestBody for PermissionAsk {
    fn refuse(field: &BadField) -> ApiError {
        match field.top.as_str() {
            "call" => ApiError::unprocessable("call", Vec::new(), format!("call: {}", field.message)),
            "waitSeconds" => bad_wait(),
            "serial" => ApiError::unprocessable("serial", Vec::new(), "serial must be true or false"),
            name => not_text(name),
        }
    }

    fn validated(self) -> Result<Self, ApiError> {
        if !(1..=MAX_ANSWER_SECONDS).contains(&self.wait_seconds) {
            return Err(bad_wait());
        }
        let required = |text: String, field: &str, longest: usize| {
            let blank = || ApiError::unprocessable(field, Vec::new(), format!("{field} must not be blank"));
            line(Some(text), field, longest)?.ok_or_else(blank)
        };
        let mut call = self.call;
        call.tool = required(call.tool, "call.tool", 200)?;
        Ok(Self {
            key: required(self.key, "key", 100)?,
            session: required(self.session, "session", 200)?,
            native_agent: line(self.native_agent, "nativeAgent", 200)?,
            call,
            first_words: words(self.first_words, "firstWords")?,
            last_words: words(self.last_words, "lastWords")?,
            ..self
        })
    }
}

/// A text of several lines, which are kept.
fn words(text: Option<String>, field: &str) -> Result<Option<String>, ApiError> {
    let text = text.filter(|text| !text.trim().is_empty());
    if text.as_ref().is_some_and(|text| text.chars().count() > MAX_WORDS_CHARS) {
        let error = format!("{field} may hold {MAX_WORDS_CHARS} characters");
        return Err(ApiError::unprocessable(field, Vec::new(), error));
    }
    Ok(text)
}

fn bad_wait() -> ApiError {
    let error = format!("waitSeconds must be a whole number of 1 to {MAX_ANSWER_SECONDS}");
    ApiError::unprocessable("waitSeconds", Vec::new(), error)
}

impl From<AskRefused> for ApiError {
    fn from(error: AskRefused) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, error.to_string())
    }
}

impl From<AnswerRefused> for ApiError {
    fn from(error: AnswerRefused) -> Self {
        match error {
            AnswerRefused::NotFound => Self::not_found(error.to_string()),
            AnswerRefused::Unconfirmed => Self::unprocessable("confirmed", Vec::new(), error.to_string()),
            AnswerRefused::NoTerminal => {
                Self::unprocessable("decision", ["allow", "deny"].map(str::to_owned).into(), error.to_string())
            }
            AnswerRefused::NoReason => Self::unprocessable("reason", Vec::new(), error.to_string()),
            AnswerRefused::Ended | AnswerRefused::BeingAnswered | AnswerRefused::OtherCall => {
                Self::new(StatusCode::CONFLICT, ErrorCode::Conflict, error.to_string())
            }
        }
    }
}

impl From<AnswerError> for ApiError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Refused(refused) => refused.into(),
            AnswerError::NotRecorded(ref cause) => {
                let full = matches!(cause.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded);
                let status = if full { StatusCode::INSUFFICIENT_STORAGE } else { StatusCode::SERVICE_UNAVAILABLE };
                Self::new(status, ErrorCode::NotCommitted, error.to_string())
            }
            AnswerError::NotTaken(_) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, error.to_string())
            }
        }
    }
}
