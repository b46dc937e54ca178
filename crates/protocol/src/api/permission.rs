//! Types of `/api/v2/permission-requests`: an agent asks to use a tool, a person answers on the page, and the answer goes
//! through the agent's hook (`contract/event-schema-v1_1.md` §C.2) or to OpenClaw's gateway (`contract/sessions.md` §2.3).
//!
//! A request of a hook lives in the monitor's memory while the hook waits, one of OpenClaw in OpenClaw's database. An
//! answer names the digest of what was shown, so that nothing else is answered.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::strict;
use crate::digest::digest_hex;
use crate::ids::{AgentId, EventId, SessionId};

/// Longest reason of a refusal, in characters.
pub const MAX_REASON_CHARS: usize = 1_000;
/// Longest time a hook may wait for an answer, in seconds: as long as Claude Code's own default for a command.
pub const MAX_ANSWER_SECONDS: u32 = 600;
/// Default of it.
pub const ANSWER_SECONDS: u32 = 30;
/// Largest body of a hook's request, in bytes: the input of a tool may be a whole file.
pub const MAX_ASK_BYTES: usize = 2 << 20;

/// Names an open request of a line of the work list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionRef {
    /// Id of the request.
    pub id: String,
    /// When its hook stops waiting, epoch ms by the monitor's clock.
    pub expires_at: i64,
}

/// `GET /api/v2/permission-requests`: requests that wait, and those that ended lately.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequests {
    /// Those that wait, oldest first.
    pub open: Vec<PermissionSummary>,
    /// Those that ended since the monitor started, newest first, at most 100.
    pub ended: Vec<PermissionSummary>,
}

/// A request without what its tool would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionSummary {
    /// Its id.
    pub id: String,
    /// Who waits for the answer.
    #[serde(default)]
    pub channel: PermissionChannel,
    /// The agent that asks.
    pub agent: AgentId,
    /// Its session, once its event is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Event of its wait, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The tool, as the agent's program calls it: `Bash`, `Edit`.
    pub tool: String,
    /// When it was asked, epoch ms.
    pub asked_at: i64,
    /// When its hook stops waiting, or the gateway refuses it by itself, epoch ms.
    pub expires_at: i64,
    /// The terminal shows its own question only when the hook has ended: a subagent's request, or one of Codex.
    #[serde(default)]
    pub serial: bool,
    /// Whether it waits, or how it ended.
    pub state: PermissionState,
    /// The answer, where one was given on a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<GivenAnswer>,
}

/// Who waits for the answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionChannel {
    /// A hook of a coding agent.
    #[default]
    Hook,
    /// OpenClaw's gateway.
    OpenClaw,
    /// A channel this build does not know.
    #[serde(other)]
    Unknown,
}

/// Whether a request waits, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionState {
    /// It waits for an answer.
    Open,
    /// Answered on a page, and the hook or the gateway took the answer.
    Answered,
    /// Answered on a page, but the hook had ended: the answer had no effect.
    NotDelivered,
    /// Nobody answered in time; the terminal asks, or the gateway refused it.
    Expired,
    /// The hook ended before an answer: refused at the terminal, interrupted, or its program ended; or the gateway did.
    Withdrawn,
    /// The agent went on: it was answered at the terminal.
    Terminal,
    /// Of OpenClaw: it was answered elsewhere, or is gone.
    Elsewhere,
    /// Of OpenClaw: the answer was sent once, and nothing came back.
    Uncertain,
    /// A state this build does not know.
    #[serde(other)]
    Unknown,
}

/// What a person decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionDecision {
    /// The tool may run once, exactly as shown.
    Allow,
    /// It may not.
    Deny,
    /// The terminal is to ask.
    Terminal,
}

impl FromStr for PermissionDecision {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "allow" => Ok(Self::Allow),
            "deny" => Ok(Self::Deny),
            "terminal" => Ok(Self::Terminal),
            _ => Err(()),
        }
    }
}

/// An answer that was given on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GivenAnswer {
    /// What was decided.
    pub decision: PermissionDecision,
    /// When, epoch ms.
    pub at: i64,
    /// Who, if a proxy or the page names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why, of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `GET /api/v2/permission-requests/{id}`: a request with everything that a person needs to decide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionDetail {
    /// The request.
    pub request: PermissionSummary,
    /// What would run, exactly; absent for who may not answer, and once the request has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<RequestedCall>,
    /// Digest of `call`, which an answer repeats: [`RequestedCall::digest`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// Why it takes a second press to allow it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dangers: Vec<Danger>,
    /// What led to it.
    pub story: PermissionStory,
    /// Of OpenClaw: the gateway's own page of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gateway_url: Option<String>,
    /// By the monitor's clock, epoch ms.
    pub now: i64,
}

/// The use of a tool that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestedCall {
    /// The tool.
    #[cfg_attr(feature = "openapi", schema(max_length = 200, pattern = r"[^\s\x00-\x1f\x7f-\x9f]"))]
    pub tool: String,
    /// Its input as the agent's program will use it.
    pub input: Value,
    /// Folder in which it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

impl RequestedCall {
    /// SHA-256 over tool, input and folder, in hexadecimal digits. Equal calls have equal digests: members keep their
    /// order, as the program wrote them.
    #[must_use]
    pub fn digest(&self) -> String {
        // With the length of each part, so that no two calls are one text.
        let parts = [self.tool.clone(), self.input.to_string(), self.cwd.clone().unwrap_or_default()];
        let text: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
        digest_hex(&text, 64)
    }
}

/// Why the use of a tool is hard to undo. A rule's word, not a judgement of what it would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Danger {
    /// Which kind.
    pub kind: DangerKind,
    /// The words that show it, as they stand in the input.
    pub words: String,
}

/// Kinds of [`Danger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum DangerKind {
    /// Files are deleted or overwritten.
    Deletes,
    /// History of a repository is rewritten or thrown away.
    RewritesHistory,
    /// Data of a database is deleted.
    DropsData,
    /// It runs with the rights of the administrator.
    Privileged,
    /// A text from the network is run.
    RunsDownload,
    /// Something outside this machine is changed: published, deployed, deleted.
    Publishes,
    /// A disk or the whole machine is changed.
    System,
    /// A file outside the agent's folder is written.
    OutsideFolder,
    /// Characters that are invisible, change the direction of the text, or look like others.
    HiddenCharacters,
    /// A rule of this monitor's settings (`answers.confirm`).
    Configured,
    /// A kind this build does not know.
    #[serde(other)]
    Unknown,
}

/// What led to a request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionStory {
    /// What a person first asked of the session, as much as may be captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_words: Option<String>,
    /// What a person last said in it, where that is something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_words: Option<String>,
    /// Who delegated to whom, down to the agent that asks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<AgentId>,
    /// Text of the newest delegation to that agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegated: Option<String>,
    /// The newest message from or to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message: Option<StoryMessage>,
    /// Title of its session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Other agents that wait for this one, directly or through others.
    #[serde(default)]
    pub held_up: u32,
    /// Of these, the ones that wait directly, the longest wait first, at most three.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiters: Vec<AgentId>,
}

/// A message of the story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoryMessage {
    /// Who wrote it.
    pub from: AgentId,
    /// To whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<AgentId>,
    /// Its text, cut.
    pub text: String,
    /// When, epoch ms.
    pub at: i64,
}

/// `POST /api/v2/permission-requests/{id}/answer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionAnswer {
    /// What is decided.
    #[serde(deserialize_with = "strict::word")]
    pub decision: PermissionDecision,
    /// Digest of what was shown.
    #[cfg_attr(feature = "openapi", schema(pattern = "^[0-9a-f]{64}$"))]
    pub digest: String,
    /// Why, of a refusal; the agent reads it. OpenClaw takes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub reason: Option<String>,
    /// The person pressed a second time, where [`PermissionDetail::dangers`] asks for it.
    #[serde(default)]
    pub confirmed: bool,
    /// Who answers, for the record, where no proxy names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    pub updated_by: Option<String>,
}

/// `POST /api/hooks/permission`: a hook asks, and waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionAsk {
    /// Key of the hook's event, which was posted before.
    #[cfg_attr(feature = "openapi", schema(max_length = 100, pattern = r"[^\s\x00-\x1f\x7f-\x9f]"))]
    pub key: String,
    /// Session of the agent's program.
    #[cfg_attr(feature = "openapi", schema(max_length = 200, pattern = r"[^\s\x00-\x1f\x7f-\x9f]"))]
    pub session: String,
    /// The program's own id of a subagent; absent for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    pub native_agent: Option<String>,
    /// What would run.
    #[serde(deserialize_with = "strict::object")]
    pub call: RequestedCall,
    /// How long the hook waits, in seconds.
    #[serde(deserialize_with = "strict::whole_number")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 600))]
    pub wait_seconds: u32,
    /// The terminal asks only when the hook has ended.
    #[serde(default)]
    pub serial: bool,
    /// What a person first said in the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 4000))]
    pub first_words: Option<String>,
    /// What a person last said in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 4000))]
    pub last_words: Option<String>,
}

/// Answer to a hook. Without `decision` the terminal asks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionVerdict {
    /// Allow or deny.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<PermissionDecision>,
    /// Digest of the call that was decided. The hook holds it against its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// Why, of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn digest_differs_for_every_part() {
        let call = |tool: &str, command: &str, cwd: Option<&str>| RequestedCall {
            tool: tool.to_owned(),
            input: json!({ "command": command }),
            cwd: cwd.map(str::to_owned),
        };
        let one = call("Bash", "ls", Some("/a")).digest();
        assert_eq!(one, call("Bash", "ls", Some("/a")).digest());
        assert_eq!(one.len(), 64);
        for other in [call("bash", "ls", Some("/a")), call("Bash", "ls ", Some("/a")), call("Bash", "ls", None)] {
            assert_ne!(one, other.digest(), "{other:?}");
        }
    }
}
