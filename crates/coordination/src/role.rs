//! Event roles and session types (`contract/monitor-api.md` §5).

use serde::{Deserialize, Serialize};

/// Role of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
#[serde(rename_all = "lowercase")]
pub enum SessionType {
    /// A main agent's session.
    Main,
    /// A sub-agent's session.
    Subagent,
    /// Neither is known.
    Unknown,
}
