//! Parser of the tool calls by which an agent sends a message or starts a delegated run, with their results.

use serde_json::{Map, Value};

use super::super::ToolCallBlock;
use super::result::ToolAnswer;
use super::{ExchangeContext, ExchangeParty};

/// `timeoutSeconds` of `sessions_send` where the call names none (`contract/sessions.md` §8.2).
const DEFAULT_WAIT_MS: i64 = 30_000;

/// A tool that begins an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    Send,
    Spawn,
}

/// A call of a tool that begins an exchange.
#[derive(Debug, Clone)]
pub(super) struct CallMark {
    pub(super) tool: Tool,
    /// Id of the tool call.
    pub(super) id: String,
    /// Time of the call, in epoch milliseconds.
    pub(super) at_ms: i64,
    /// Positions of the lines in which the call and its result are.
    pub(super) places: Vec<u64>,
    /// Session key to which the call sends.
    pub(super) target_key: Option<String>,
    /// Agent for which the call spawns a child, in lower case.
    pub(super) target_agent: Option<String>,
    pub(super) label: Option<String>,
    /// The message, or the task.
    pub(super) text: Option<String>,
    pub(super) context: ExchangeContext,
    /// Result of the call.
    pub(super) answer: Option<ToolAnswer>,
    /// How long the call waits for a reply, in milliseconds; 0 when it does not wait.
    wait_ms: i64,
    /// Time of the result, in epoch milliseconds.
    answered_ms: Option<i64>,
}

impl CallMark {
    pub(super) fn bare(tool: Tool, id: &str, at_ms: i64) -> Self {
        Self {
            tool,
            id: id.to_owned(),
            at_ms,
            places: Vec::new(),
            target_key: None,
            target_agent: None,
            label: None,
            text: None,
            context: ExchangeContext::default(),
            answer: None,
            wait_ms: DEFAULT_WAIT_MS,
            answered_ms: None,
        }
    }

    pub(super) fn from_call(tool: Tool, call: ToolCallBlock<'_>, place: u64, at_ms: i64) -> Self {
        let mut mark = Self { places: vec![place], ..Self::bare(tool, call.id, at_ms) };
        if let Some(arguments) = call.arguments {
            mark.take_arguments(arguments);
        }
        mark
    }

    pub(super) fn take_arguments(&mut self, arguments: &Map<String, Value>) {
        let text = |name: &str| {
            let text = arguments.get(name).and_then(Value::as_str).map(str::trim);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        self.target_key = text("sessionKey");
        self.target_agent = text("agentId").map(|agent| agent.to_lowercase());
        self.label = text("label");
        self.context = ExchangeContext {
            task: text("taskId"),
            work_session: text("workSessionId"),
            conversation: text("conversationId"),
        };
        if let Some(seconds) = arguments.get("timeoutSeconds").and_then(Value::as_f64) {
            self.wait_ms = (seconds.max(0.0) * 1_000.0) as i64;
        }
        self.text = text(match self.tool {
            Tool::Send => "message",
            Tool::Spawn => "task",
        });
    }

    /// Takes what the program answered; an answer that cannot be read leaves an earlier one.
    pub(super) fn take_answer(&mut self, answer: Option<ToolAnswer>, at_ms: i64) {
        if answer.is_some() {
            self.answer = answer;
            self.answered_ms = Some(at_ms);
        }
    }

    /// The call waited for a reply as long as it was to, and none came. OpenClaw 2026.2 answers `timeout`; 2026.9 answers
    /// `accepted`, as for a message that waits for nothing, and only the elapsed time distinguishes the two
    /// (`contract/sessions.md` §8.2).
    pub(super) fn timed_out(&self) -> bool {
        let status = self.answer.as_ref().and_then(|answer| answer.status.as_deref());
        let waited = self.answered_ms.map(|answered| answered.saturating_sub(self.at_ms));
        match status {
            Some("timeout") => true,
            Some("accepted") => self.wait_ms > 0 && waited.is_some_and(|waited| waited >= self.wait_ms),
            _ => false,
        }
    }

    /// Ids of the work it belongs to: those in the answer win over those in the request.
    pub(super) fn belongs(&self) -> ExchangeContext {
        let answered = self.answer.as_ref().map(|answer| answer.context.clone()).unwrap_or_default();
        let requested = &self.context;
        ExchangeContext {
            task: answered.task.or_else(|| requested.task.clone()),
            work_session: answered.work_session.or_else(|| requested.work_session.clone()),
            conversation: answered.conversation.or_else(|| requested.conversation.clone()),
        }
    }

    /// The session it went to, as far as the call and its answer say.
    pub(super) fn target(&self) -> ExchangeParty {
        let key = self.answer.as_ref().and_then(|answer| answer.session_key.as_deref()).or(self.target_key.as_deref());
        match (key, &self.target_agent) {
            (Some(key), _) => ExchangeParty::of_key(key),
            (None, Some(agent)) => ExchangeParty { agent: agent.clone(), key: None },
            (None, None) => ExchangeParty { agent: "unknown".to_owned(), key: None },
        }
    }
}

/// The tool of this name, if it begins exchanges.
pub(super) fn tool(name: &str) -> Option<Tool> {
    match name {
        "sessions_send" => Some(Tool::Send),
        "sessions_spawn" => Some(Tool::Spawn),
        _ => None,
    }
}
