//! Parser of the results of the tools `sessions_send` and `sessions_spawn`, also inside a result of the tool
//! `tool_call` (`contract/sessions.md` §3, §8.2). It returns status, run id, session keys, reply and error.

use serde_json::{Map, Value};

use super::super::TranscriptMessage;
use super::super::message::tool_name;
use super::ExchangeContext;

/// The parts of an answer that exchanges need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ToolAnswer {
    /// `status` as written.
    pub(super) status: Option<String>,
    pub(super) run_id: Option<String>,
    /// Key of the session to which the message went.
    pub(super) session_key: Option<String>,
    /// Key of the spawned session.
    pub(super) child_key: Option<String>,
    /// The reply, possibly cut.
    pub(super) reply: Option<String>,
    pub(super) error: Option<String>,
    /// Where the program put it (the fork's era).
    pub(super) context: ExchangeContext,
}

impl ToolAnswer {
    fn from_details(details: &Map<String, Value>) -> Option<Self> {
        let text =
            |name: &str| details.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        let status = text("status")?;
        Some(Self {
            status: Some(status),
            run_id: text("runId"),
            session_key: text("sessionKey"),
            child_key: text("childSessionKey"),
            reply: text("reply"),
            error: text("error"),
            context: ExchangeContext {
                task: text("taskId"),
                work_session: text("workSessionId"),
                conversation: text("conversationId"),
            },
        })
    }
}

/// The tool behind a result, and what it answered. Details may have been left out where they were long; the text has
/// the same again.
pub(super) fn answer(message: TranscriptMessage<'_>) -> (Option<String>, Option<ToolAnswer>) {
    let named = message.text_of("toolName").map(str::to_owned);
    let details = message.fields().get("details");
    let text = || message.first_text().and_then(|text| serde_json::from_str::<Value>(text).ok());
    if named.as_deref() != Some("tool_call") {
        let found = details.and_then(Value::as_object).and_then(ToolAnswer::from_details);
        return (named, found.or_else(|| ToolAnswer::from_details(text()?.as_object()?)));
    }
    match details.and_then(unwrapped) {
        Some(found) => found,
        None => text().as_ref().and_then(unwrapped).unwrap_or_default(),
    }
}

/// `{tool: {name}, result: {details | content}}`
fn unwrapped(wrapper: &Value) -> Option<(Option<String>, Option<ToolAnswer>)> {
    let tool = wrapper.get("tool")?;
    let name = ["name", "id"].iter().find_map(|field| tool.get(*field).and_then(Value::as_str))?;
    Some((Some(tool_name(name).to_owned()), wrapper.get("result").and_then(inner)))
}

/// What a tool gave: `{details}`, else JSON in its first text.
pub(super) fn inner(result: &Value) -> Option<ToolAnswer> {
    if let Some(found) = result.get("details").and_then(Value::as_object).and_then(ToolAnswer::from_details) {
        return Some(found);
    }
    let blocks = result.get("content")?.as_array()?;
    let text = blocks.iter().find_map(|block| block.get("text").and_then(Value::as_str))?;
    ToolAnswer::from_details(serde_json::from_str::<Value>(text).ok()?.as_object()?)
}
