//! Enums for the role of an event (conversation, delegation, task, system) and for the type of a session (main,
//! sub-agent, unknown), with their wire texts (`contract/monitor-api.md` §5).

use serde::{Deserialize, Serialize};

/// Role of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Role {
    /// Talk between main agents.
    #[serde(rename = "conversation.main")]
    ConversationMain,
    /// Delegated work of sub-agents.
    #[serde(rename = "delegation.subagent")]
    DelegationSubagent,
    /// Task bookkeeping.
    #[serde(rename = "orchestration.task")]
    OrchestrationTask,
    /// Everything else.
    #[serde(rename = "system.observability")]
    SystemObservability,
}

impl Role {
    /// All four, in display order.
    pub const ALL: [Self; 4] =
        [Self::ConversationMain, Self::DelegationSubagent, Self::OrchestrationTask, Self::SystemObservability];

    /// Wire text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConversationMain => "conversation.main",
            Self::DelegationSubagent => "delegation.subagent",
            Self::OrchestrationTask => "orchestration.task",
            Self::SystemObservability => "system.observability",
        }
    }
}

impl std::str::FromStr for Role {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(())
    }
}

/// Type of one side's session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SessionType {
    /// A main agent's session.
    Main,
    /// A sub-agent's session.
    Subagent,
    /// Neither is known.
    Unknown,
}

impl SessionType {
    /// Wire text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Subagent => "subagent",
            Self::Unknown => "unknown",
        }
    }

    /// Type of the session a key names: contains `:subagent:`, or is `agent:<one segment>:main` in any case.
    #[must_use]
    pub fn of_key(key: &str) -> Self {
        if key.contains(":subagent:") {
            return Self::Subagent;
        }
        let mut parts = key.split(':');
        let main = parts.next().is_some_and(|part| part.eq_ignore_ascii_case("agent"))
            && parts.next().is_some_and(|part| !part.is_empty())
            && parts.next().is_some_and(|part| part.eq_ignore_ascii_case("main"))
            && parts.next().is_none();
        if main { Self::Main } else { Self::Unknown }
    }
}

impl std::str::FromStr for SessionType {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Main, Self::Subagent, Self::Unknown].into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}
