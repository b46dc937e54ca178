//! Types of what OpenClaw records for a person: requests for approval of a command or tool, and statements in which an
//! agent asks for attention itself (`contract/sessions.md` §2.3).

use serde::{Deserialize, Serialize};

/// A request that waits in OpenClaw's gateway for a decision. Nobody can answer it here: the gateway takes decisions over
/// its own WebSocket and on its own page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// Its id in the gateway.
    pub id: String,
    /// Who asks.
    pub kind: ApprovalKind,
    /// The command, or what a tool is about to do, exactly as OpenClaw recorded it: at most
    /// [`ApprovalRequest::MAX_TEXT_CHARS`] characters. Empty when the record cannot be read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Characters of the text that are left out here.
    #[serde(default)]
    pub left_out: u32,
    /// OpenClaw's own warning about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub warning: String,
    /// The tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Where a command would run: `gateway`, `node` or `sandbox`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Its page in the gateway, where the monitor knows the gateway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl ApprovalRequest {
    /// Maximum number of characters of a text; home is sent often.
    pub const MAX_TEXT_CHARS: usize = 2_000;
}

/// Who asks for an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ApprovalKind {
    /// An agent that is about to run a command.
    Exec,
    /// A plugin whose tool is about to act.
    Plugin,
    /// OpenClaw's own agent, which changes the installation.
    SystemAgent,
    /// A kind this build does not know.
    #[default]
    #[serde(other)]
    Unknown,
}

/// What an agent says of a session itself: a short note with an end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentStatement {
    /// Its words.
    pub note: String,
    /// The icon with which it asks for attention, as OpenClaw names it (`hand`, `key`, `alert`, `flag`, `lock`,
    /// `hourglass`); absent when it asks for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention: Option<String>,
    /// It is void from then on, epoch ms.
    pub expires_at: i64,
    /// Key of the session.
    pub session_key: String,
}
