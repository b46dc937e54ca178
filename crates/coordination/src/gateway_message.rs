//! Builder of requests that send a message to an agent, and parser of the answers (`contract/sessions.md` §8.2). The
//! request calls `sessions_send` through the gateway's `POST /tools/invoke`. Answers of gateway versions 2026.2.26
//! and 2026.9.6 are understood. The monitor sends the request.

use serde_json::{Map, Value, json};

use crate::api::{Delivered, SpeakAnswer, SpeakState};
use crate::session_key::KeyRules;
use crate::text::{human_prefix, is_control_token};

/// Last part of the key of the sending session: one of our own, so that replies start no turn in anybody's main
/// session.
pub const CALLER_KEY_PART: &str = "task-hub";
/// Prefix of a person's message (`contract/events.md` §7.4).
const HUMAN_PREFIX: &str = "[Human Intervention]";
/// Where 2026.9.6 cuts a reply, in characters; it then ends with an ellipsis.
const GATEWAY_REPLY_CHARS: usize = 4_096;
/// Most characters of a reply that are passed on; older gateways do not cut.
const MAX_REPLY_CHARS: usize = 20_000;
/// Most characters of a failure's description.
const MAX_FAILURE_CHARS: usize = 400;
/// A timer may fire a little early.
const TIMER_SLACK_MS: u64 = 250;

/// The session as which messages are sent.
#[must_use]
pub fn caller(rules: &KeyRules) -> String {
    format!("agent:{}:{CALLER_KEY_PART}", rules.default_agent)
}

/// The session key that `to` names: an agent's id is its main session. None when it is neither.
#[must_use]
pub fn target(to: &str, rules: &KeyRules) -> Option<String> {
    let Some(key) = to.strip_prefix("agent:") else {
        return is_agent_id(to).then(|| format!("agent:{to}:{}", rules.main_key));
    };
    let (agent, rest) = key.split_once(':')?;
    let plain = rest.len() <= 200 && rest.bytes().all(|byte| byte.is_ascii_graphic());
    let whole = !rest.is_empty() && rest.split(':').all(|part| !part.is_empty());
    (is_agent_id(agent) && plain && whole).then(|| to.to_owned())
}

/// `contract/events.md` §3.
fn is_agent_id(id: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    id.len() <= 64
        && id.bytes().next().is_some_and(inner)
        && id.bytes().all(|byte| inner(byte) || byte == b'_' || byte == b'-')
}

/// One message, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// Key of the sending session.
    pub caller: String,
    /// Key of the receiving session.
    pub target: String,
    /// The text, with or without the mark of a human intervention.
    pub text: String,
    /// The conversation it belongs to.
    pub conversation: Option<String>,
    /// The work session it belongs to.
    pub work_session: Option<String>,
    /// How long the gateway waits for the answer, in seconds.
    pub wait_secs: u32,
}

impl OutgoingMessage {
    /// The body of the request.
    #[must_use]
    pub fn body(&self) -> Value {
        let text = human_prefix(&self.text).unwrap_or(&self.text).trim();
        let mut args = Map::new();
        args.insert("sessionKey".to_owned(), self.target.as_str().into());
        args.insert("message".to_owned(), format!("{HUMAN_PREFIX} {text}").into());
        args.insert("timeoutSeconds".to_owned(), self.wait_secs.into());
        // Fields of the fork's gateway (E4–E7); others ignore them.
        for (name, value) in [("conversationId", &self.conversation), ("workSessionId", &self.work_session)] {
            if let Some(value) = value {
                args.insert(name.to_owned(), value.as_str().into());
            }
        }
        json!({ "tool": "sessions_send", "sessionKey": self.caller, "args": args })
    }
}

/// A gateway's HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayReply {
    /// HTTP status.
    pub status: u16,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<u32>,
    /// The body.
    pub body: Vec<u8>,
    /// How long it took to come, in milliseconds.
    pub elapsed_ms: u64,
}

/// Result of a response to a request that waited `wait_secs` for the reply.
#[must_use]
pub fn read(reply: &GatewayReply, wait_secs: u32) -> SpeakAnswer {
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    if reply.status == 200 {
        return match details(&body) {
            Some(details) => of_details(&details, wait_secs, reply.elapsed_ms),
            None => answer(SpeakState::Uncertain, Delivered::Unknown),
        };
    }
    let error = body.get("error").unwrap_or(&Value::Null);
    let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
    let (state, delivered) = match reply.status {
        400 | 408 | 413 | 415 | 422 => (SpeakState::Refused, Delivered::No),
        401 => (SpeakState::Unauthorized, Delivered::No),
        403 => (SpeakState::Forbidden, Delivered::No),
        // Unknown and forbidden tools have the same error.
        404 if kind == "not_found" => (SpeakState::NotAllowed, Delivered::No),
        429 => (SpeakState::TooMany, Delivered::No),
        300..=399 | 404 | 405 | 501 => (SpeakState::NotGateway, Delivered::No),
        500 if kind == "tool_error" => (SpeakState::Failed, Delivered::Unknown),
        503 if kind == "service_unavailable" => (SpeakState::Draining, Delivered::No),
        402..=499 => (SpeakState::Refused, Delivered::No),
        // A proxy may have passed it on and lost the answer.
        _ => (SpeakState::Uncertain, Delivered::Unknown),
    };
    let failure = error.get("message").and_then(Value::as_str).and_then(failure_line);
    SpeakAnswer { said: failure, retry_after: reply.retry_after, ..answer(state, delivered) }
}

/// `details` of a result, else its text.
fn details(body: &Value) -> Option<Map<String, Value>> {
    let result = body.get("result")?;
    match result.get("details") {
        Some(Value::Object(details)) => Some(details.clone()),
        _ => {
            let text = result.get("content")?.get(0)?.get("text")?.as_str()?;
            serde_json::from_str(text).ok()
        }
    }
}

fn of_details(details: &Map<String, Value>, wait_secs: u32, elapsed_ms: u64) -> SpeakAnswer {
    let text = |name: &str| details.get(name).and_then(Value::as_str);
    let reply = text("reply").filter(|reply| !reply.trim().is_empty() && !is_control_token(reply));
    let error = text("error").unwrap_or_default();
    // 2026.9.6 says `accepted` when the time was up, too.
    let waited = wait_secs > 0 && elapsed_ms.saturating_add(TIMER_SLACK_MS) >= u64::from(wait_secs) * 1_000;
    let status = text("status").unwrap_or_default();
    let (state, delivered) = match status {
        "accepted" if waited => (SpeakState::TimedOut, Delivered::Yes),
        "accepted" => (SpeakState::Accepted, Delivered::Yes),
        "timeout" => (SpeakState::TimedOut, Delivered::Yes),
        "ok" if reply.is_some() => (SpeakState::Answered, Delivered::Yes),
        "ok" | "no_reply" => (SpeakState::NoReply, Delivered::Yes),
        "forbidden" => (SpeakState::Forbidden, Delivered::No),
        "error" if details.get("sentBeforeError") == Some(&Value::Bool(true)) => (SpeakState::Failed, Delivered::Yes),
        "error" if error.starts_with("No session found") => (SpeakState::NoSession, Delivered::No),
        // 2026.2.26 does not say whether the run failed or never began.
        "error" => (SpeakState::Failed, Delivered::Unknown),
        _ => (SpeakState::Uncertain, Delivered::Unknown),
    };
    let (reply, reply_cut) = match reply.filter(|_| state == SpeakState::Answered) {
        Some(reply) => {
            let chars = reply.chars().count();
            let by_gateway = chars == GATEWAY_REPLY_CHARS && reply.ends_with('…');
            (Some(reply.chars().take(MAX_REPLY_CHARS).collect()), by_gateway || chars > MAX_REPLY_CHARS)
        }
        None => (None, false),
    };
    let id = |name: &str| text(name).filter(|id| id.len() <= 300).map(str::to_owned);
    SpeakAnswer {
        session_key: id("sessionKey"),
        run_id: id("runId"),
        reply,
        reply_cut,
        said: failure_line(if state == SpeakState::Uncertain { status } else { error }),
        ..answer(state, delivered)
    }
}

/// One line of what a gateway or system says about a failure; nothing when it says nothing.
#[must_use]
pub fn failure_line(text: &str) -> Option<String> {
    let line: String = text.chars().take(MAX_FAILURE_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    Some(line.trim().to_owned()).filter(|line| !line.is_empty())
}

fn answer(state: SpeakState, delivered: Delivered) -> SpeakAnswer {
    SpeakAnswer { state, delivered, ..SpeakAnswer::default() }
}
