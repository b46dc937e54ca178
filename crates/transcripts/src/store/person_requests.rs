//! Requests of OpenClaw's stores to a person: pending approvals of the shared database, and statements of agents in their
//! sessions' entries (`contract/sessions.md` §2.3). Which of them are over at a moment is decided by who shows them.

use std::sync::Arc;

use protocol::api::{AgentStatement, ApprovalKind, ApprovalRequest, RequestedCall};
use protocol::ids::AgentId;
use protocol::session_key::SessionKey;
use serde_json::{Map, Value};

use super::{StoreSnapshot, StoredSession};

/// An approval that nobody has decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingApproval {
    /// What is to be approved; without the address of its page.
    pub request: ApprovalRequest,
    /// Heading that the requester gave it; commands have none.
    pub title: Option<String>,
    /// The agent that asks.
    pub agent_id: Option<AgentId>,
    /// Key of its session.
    pub session_key: Option<String>,
    /// When it was asked, epoch milliseconds.
    pub created_at: i64,
    /// The gateway denies it itself from then on, epoch milliseconds.
    pub expires_at: i64,
    /// All of what is to be approved, for a page that answers it: [`approval_call`].
    pub call: Option<Arc<RequestedCall>>,
    /// The monitor of another machine answers it: this one only shows it.
    pub is_forwarded: bool,
}

/// A row of `operator_approvals`, column by column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApprovalRow {
    /// `approval_id`.
    pub id: String,
    /// `kind`.
    pub kind: String,
    /// `presentation_json`.
    pub presentation: String,
    /// `source_agent_id`.
    pub agent: Option<String>,
    /// `source_session_key`.
    pub session_key: Option<String>,
    /// `source_tool_name`.
    pub tool: Option<String>,
    /// `created_at_ms`.
    pub created_at: i64,
    /// `expires_at_ms`.
    pub expires_at: i64,
}

impl PendingApproval {
    /// Whether all of it can be shown, with the agent that asks.
    #[must_use]
    pub fn is_shown_whole(&self) -> bool {
        self.call.is_some() && self.agent_id.is_some()
    }

    /// Reads a row. Second: whether all of it could be read. One that could not still waits, without its text.
    #[must_use]
    pub fn read(row: ApprovalRow) -> (Self, bool) {
        let shown = serde_json::from_str::<Value>(&row.presentation).unwrap_or_default();
        let text = |name: &str| shown.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let kind = match row.kind.as_str() {
            "exec" => ApprovalKind::Exec,
            "plugin" => ApprovalKind::Plugin,
            "system-agent" => ApprovalKind::SystemAgent,
            _ => ApprovalKind::Unknown,
        };
        let written = match kind {
            ApprovalKind::Exec => text("commandText").map(str::to_owned),
            _ => {
                let parts: Vec<&str> = text("description").into_iter().chain(text("detail")).collect();
                (!parts.is_empty()).then(|| parts.join("\n"))
            }
        };
        let is_whole = written.is_some();
        let (words, left_out) = first_chars(&written.unwrap_or_default(), ApprovalRequest::MAX_TEXT_CHARS);
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let session_key = row.session_key.filter(|key| !key.trim().is_empty());
        let of_key = || Some(SessionKey::parse(session_key.as_deref()?)?.named_agent()?.to_owned());
        let agent = row.agent.filter(|agent| !agent.trim().is_empty());
        let agent = agent.or_else(|| owned(text("agentId"))).or_else(of_key);
        let tool = owned(text("toolName")).or(row.tool);
        let call = approval_call(kind, tool.as_deref(), &shown).filter(|_| row.expires_at < i64::MAX);
        let approval = Self {
            request: ApprovalRequest {
                id: row.id,
                kind,
                text: words,
                left_out,
                warning: owned(text("warningText")).unwrap_or_default(),
                tool,
                host: owned(text("host")),
                url: None,
            },
            title: owned(text("title")),
            agent_id: agent.map(|agent| AgentId::from(agent.trim().to_lowercase())),
            session_key,
            created_at: row.created_at,
            expires_at: row.expires_at,
            call: call.map(Arc::new),
            is_forwarded: false,
        };
        (approval, is_whole)
    }
}

/// What a presentation asks for, whole, as the use of a tool: a command, or what a plugin's tool is about to do. None
/// when it cannot be shown whole, when it may not be allowed once, and for kinds that only the gateway's page answers.
/// Members that are not known stay in the input; those that repeat the row or list decisions are left out.
#[must_use]
pub fn approval_call(kind: ApprovalKind, tool: Option<&str>, shown: &Value) -> Option<RequestedCall> {
    let (required, default_tool) = match kind {
        ApprovalKind::Exec => ("commandText", "exec"),
        ApprovalKind::Plugin => ("description", "plugin"),
        ApprovalKind::SystemAgent | ApprovalKind::Unknown => return None,
    };
    let fields = shown.as_object()?;
    let decisions = fields.get("allowedDecisions")?.as_array()?;
    let is_readable = fields.get(required)?.as_str().is_some_and(|text| !text.trim().is_empty());
    if !is_readable || !decisions.iter().any(|decision| decision == "allow-once") {
        return None;
    }
    let mut members: Vec<(&str, &Value)> = fields.iter().map(|(name, value)| (name.as_str(), value)).collect();
    members.retain(|(name, value)| {
        !matches!(*name, "kind" | "agentId" | "toolName" | "allowedDecisions") && !value.is_null()
    });
    // In one order, whichever way the gateway wrote them: the digest of the call is over its text.
    members.sort_unstable_by_key(|(name, _)| *name);
    let renamed = |name: &str| match name {
        "commandText" => "command".to_owned(),
        "warningText" => "warning".to_owned(),
        name => name.to_owned(),
    };
    let input: Map<String, Value> = members.into_iter().map(|(name, value)| (renamed(name), value.clone())).collect();
    let call = RequestedCall { tool: tool.unwrap_or(default_tool).to_owned(), input: Value::Object(input), cwd: None };
    (call.input.to_string().len() <= MAX_CALL_BYTES).then_some(call)
}

/// Largest input of a request that a page of the monitor answers, in bytes; the gateway's page answers others.
const MAX_CALL_BYTES: usize = 64 * 1024;

/// Everything that the stores ask of a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PersonRequests {
    /// Pending approvals, the oldest first.
    pub approvals: Vec<PendingApproval>,
    /// Statements of agents, by agent and session.
    pub statements: Vec<(AgentId, AgentStatement)>,
    /// Address of the gateway for a browser, with a `/` at its end, where the monitor knows it.
    pub gateway_page: Option<String>,
}

impl PersonRequests {
    /// Whether a page of the monitor can answer an approval: the gateway is configured, here or on the machine that it waits
    /// on, and all of it can be shown, with the agent that asks.
    #[must_use]
    pub fn is_answerable(&self, approval: &PendingApproval) -> bool {
        approval.is_forwarded || self.gateway_page.is_some() && approval.is_shown_whole()
    }
}

impl StoreSnapshot {
    /// What these stores ask of a person.
    #[must_use]
    pub fn person_requests(&self) -> PersonRequests {
        let open = self.sessions.iter().filter(|session| session.entry.archived_at().is_none());
        let statements = open.filter_map(|session| Some((session.agent_id.clone(), session.statement()?)));
        PersonRequests { approvals: self.approvals.clone(), statements: statements.collect(), gateway_page: None }
    }
}

impl StoredSession {
    /// What its agent says of it: `agentStatus` of its entry.
    #[must_use]
    pub fn statement(&self) -> Option<AgentStatement> {
        let status = self.entry.get("agentStatus")?;
        let text = |name: &str| status.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        Some(AgentStatement {
            note: first_chars(text("note")?, MAX_NOTE_CHARS).0,
            attention: text("attention").map(|icon| first_chars(icon, MAX_NOTE_CHARS).0),
            expires_at: status.get("expiresAt").and_then(Value::as_i64)?,
            session_key: self.key.to_string(),
        })
    }
}

/// OpenClaw writes at most 120 characters.
const MAX_NOTE_CHARS: usize = 200;

/// The first characters of a text, unchanged, and how many are left out.
fn first_chars(text: &str, most: usize) -> (String, u32) {
    match text.char_indices().nth(most) {
        None => (text.to_owned(), 0),
        Some((end, _)) => {
            let (shown, rest) = text.split_at(end);
            (shown.to_owned(), u32::try_from(rest.chars().count()).unwrap_or(u32::MAX))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: &str, presentation: &str) -> ApprovalRow {
        let (kind, presentation) = (kind.to_owned(), presentation.to_owned());
        ApprovalRow { id: "a-1".to_owned(), kind, presentation, created_at: 1, expires_at: 2, ..ApprovalRow::default() }
    }

    /// The presentations are those of the real program (2026.9.6).
    #[test]
    fn approval_has_text_as_recorded() {
        let exec = r#"{"kind":"exec","commandText":"rm -rf **build** && ./deploy.sh --prod","commandPreview":null,"warningText":null,"host":"gateway","nodeId":null,"agentId":"eden","allowedDecisions":["allow-once","deny"]}"#;
        let (approval, is_whole) = PendingApproval::read(row("exec", exec));
        assert_eq!(approval.request.text, "rm -rf **build** && ./deploy.sh --prod", "no character is changed");
        assert_eq!((approval.agent_id, approval.request.host.as_deref()), (Some("eden".into()), Some("gateway")));
        assert!(is_whole);
        let plugin = r#"{"kind":"plugin","title":"문서 게시","description":"위키에 올립니다.","detail":"docs/install.md","severity":"warning","pluginId":"wiki","toolName":"publish_page","agentId":null,"allowedDecisions":["deny"]}"#;
        let session_key = Some("agent:Ruda:main".to_owned());
        let (approval, _) = PendingApproval::read(ApprovalRow { session_key, ..row("plugin", plugin) });
        assert_eq!(approval.title.as_deref(), Some("문서 게시"));
        assert_eq!(approval.request.text, "위키에 올립니다.\ndocs/install.md");
        assert_eq!((approval.agent_id, approval.request.tool.as_deref()), (Some("ruda".into()), Some("publish_page")));
    }

    #[test]
    fn call_of_approval_has_every_member_once() {
        let exec = r#"{"kind":"exec","warningText":"새 명령","commandText":"ls","nodeId":"n-1","agentId":"eden","host":"node","later":[1],"commandPreview":null,"allowedDecisions":["allow-once","deny"]}"#;
        let call = PendingApproval::read(row("exec", exec)).0.call.expect("a call");
        let input = r#"{"command":"ls","host":"node","later":[1],"nodeId":"n-1","warning":"새 명령"}"#;
        assert_eq!((call.tool.as_str(), call.input.to_string().as_str()), ("exec", input));
        let mut turned: Value = serde_json::from_str(exec).expect("JSON");
        turned.as_object_mut().expect("an object").sort_keys();
        let other = approval_call(ApprovalKind::Exec, None, &turned).expect("a call");
        assert_eq!(other.digest(), call.digest(), "the order of members means nothing");
        let plugin = r#"{"description":"올립니다","toolName":"publish","allowedDecisions":["allow-once"]}"#;
        let call = PendingApproval::read(row("plugin", plugin)).0.call.expect("a call");
        assert_eq!(
            (call.tool.as_str(), call.input.clone()),
            ("publish", serde_json::json!({"description": "올립니다"}))
        );
    }

    #[test]
    fn approval_that_cannot_be_answered_here_has_no_call() {
        let long = format!(r#"{{"commandText":"{}","allowedDecisions":["allow-once"]}}"#, "x".repeat(MAX_CALL_BYTES));
        for (kind, presentation) in [
            ("exec", r#"{"commandText":"ls","allowedDecisions":["allow-always","deny"]}"#),
            ("exec", r#"{"commandText":"ls"}"#),
            ("exec", r#"{"commandText":" ","allowedDecisions":["allow-once"]}"#),
            ("system-agent", r#"{"description":"바꿉니다","allowedDecisions":["allow-once"]}"#),
            ("of-later", r#"{"description":"바꿉니다","allowedDecisions":["allow-once"]}"#),
            ("exec", &long),
        ] {
            assert_eq!(PendingApproval::read(row(kind, presentation)).0.call, None, "{kind}");
        }
    }

    #[test]
    fn approval_with_unreadable_presentation_still_waits() {
        for (kind, presentation) in [("exec", "{"), ("exec", "{}"), ("of-later", "[]"), ("plugin", "null")] {
            let (approval, is_whole) = PendingApproval::read(row(kind, presentation));
            assert!(!is_whole && approval.request.text.is_empty(), "{kind} {presentation}");
            assert_eq!((approval.request.id.as_str(), approval.expires_at), ("a-1", 2));
        }
    }

    #[test]
    fn command_of_a_megabyte_is_cut_and_counted() {
        let command = "가".repeat(1 << 20);
        let presentation = serde_json::json!({ "commandText": command }).to_string();
        let (approval, is_whole) = PendingApproval::read(row("exec", &presentation));
        assert_eq!(approval.request.text.chars().count(), ApprovalRequest::MAX_TEXT_CHARS);
        assert_eq!(approval.request.left_out as usize, (1 << 20) - ApprovalRequest::MAX_TEXT_CHARS);
        assert!(is_whole, "cut, but read");
    }
}
