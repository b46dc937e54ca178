//! Reader of coding agents' events for permission requests: the agent of a request, and the calls that ended.

use coordination::api::RequestedCall;
use coordination::ids::AgentId;
use coordination::schema::folded;
use coordination::time::parse_iso;
use serde::Deserialize;
use serde_json::Value;

use super::requests::Asker;

/// The members of an event that are looked at.
#[derive(Debug, Deserialize)]
struct EventView {
    #[serde(rename = "type")]
    kind: String,
    ts: Value,
    agent_id: String,
    terminal_session_id: String,
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    payload: PayloadView,
}

#[derive(Debug, Default, Deserialize)]
struct PayloadView {
    #[serde(default)]
    native_agent_id: Option<String>,
    #[serde(default)]
    tool_name: Option<String>,
    #[serde(default)]
    summary: Option<String>,
}

/// The agent of a request, as the dashboard names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskingAgent {
    pub(super) agent: AgentId,
    pub(super) terminal: String,
}

/// A call that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallEnd {
    pub(super) asker: Asker,
    pub(super) tool: String,
    /// When, epoch ms.
    pub(super) at: i64,
    /// The description that its program wrote, as it was stored.
    summary: Option<String>,
}

/// What an event says of an agent that may be asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AgentSign {
    CallEnded(CallEnd),
    Stopped(Asker),
}

impl CallEnd {
    /// Whether it may be the end of this call. Calls of one agent run beside each other, and an end does not repeat its
    /// input; the description tells most of them apart. What looks like a secret is masked in the stored one.
    pub(super) fn may_be(&self, call: &RequestedCall) -> bool {
        let description = call.input.get("description").and_then(Value::as_str);
        match (&self.summary, description) {
            (Some(summary), Some(description)) => {
                let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let (summary, description) = (plain(summary), plain(description));
                let beginning = summary.trim_end_matches('…').trim_end();
                description.starts_with(beginning) || summary.contains('[')
            }
            _ => true,
        }
    }
}

/// The agent of an event, if the event is of this session and native agent.
pub(super) fn subject_of(event: &str, asker: &Asker) -> Option<AskingAgent> {
    let event: EventView = serde_json::from_str(event).ok()?;
    (event.asker().as_ref() == Some(asker))
        .then(|| AskingAgent { agent: AgentId::from(folded(&event.agent_id)), terminal: event.terminal_session_id })
}

/// What an event says of a call or agent.
pub(super) fn sign_of(event: &str) -> Option<AgentSign> {
    let event: EventView = serde_json::from_str(event).ok()?;
    let asker = event.asker()?;
    match event.kind.as_str() {
        "tool_succeeded" | "tool_failed" => {
            let at = match &event.ts {
                Value::String(text) => parse_iso(text)?,
                number => number.as_i64()?,
            };
            let PayloadView { tool_name, summary, .. } = event.payload;
            Some(AgentSign::CallEnded(CallEnd { asker, tool: tool_name?, at, summary }))
        }
        "agent_stopped" => Some(AgentSign::Stopped(asker)),
        _ => None,
    }
}

impl EventView {
    fn asker(&self) -> Option<Asker> {
        Some(Asker { session: self.session_id.clone()?, native: self.payload.native_agent_id.clone() })
    }
}
