//! Event roles and session types (`contract/monitor-api.md` §5).

use serde::{Deserialize, Serialize};

use crate::event::{Event, Field};
use crate::roster::Roster;

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

/// What an event means, as far as its own line and the roster tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derived {
    /// Its role.
    pub role: Role,
    /// Session type of the speaking side.
    pub from_type: SessionType,
    /// Session type of the other side.
    pub to_type: SessionType,
    /// Somebody delegated ([`Event::delegation_hint`]).
    pub delegation_hint: bool,
}

/// Role and session types of one event (`contract/monitor-api.md` §5).
#[must_use]
pub fn derive(event: &Event, roster: &Roster) -> Derived {
    let delegation_hint = event.delegation_hint();
    let (from_type, to_type) = session_types(event, roster, delegation_hint);
    let explicit = event.text(Field::EventRole).and_then(|text| text.parse().ok());
    let role = explicit.unwrap_or_else(|| role_of(event.event_type(), from_type, to_type, delegation_hint));
    Derived { role, from_type, to_type, delegation_hint }
}

const ORCHESTRATION: [&str; 7] =
    ["task.", "continuation.", "plan.", "unblock.", "zombie.", "resume_reminder.", "backlog."];

fn role_of(event_type: &str, from: SessionType, to: SessionType, delegation_hint: bool) -> Role {
    if ORCHESTRATION.iter().any(|prefix| event_type.starts_with(prefix)) {
        return Role::OrchestrationTask;
    }
    if !event_type.starts_with("a2a.") {
        return Role::SystemObservability;
    }
    let delegated = is_spawn(event_type) || delegation_hint;
    if !delegated && from == SessionType::Main && to == SessionType::Main {
        Role::ConversationMain
    } else {
        Role::DelegationSubagent
    }
}

fn is_spawn(event_type: &str) -> bool {
    matches!(event_type, "a2a.spawn" | "a2a.spawn_result")
}

fn session_types(event: &Event, roster: &Roster, delegation_hint: bool) -> (SessionType, SessionType) {
    let explicit = |field| event.text(field).and_then(|text| text.parse::<SessionType>().ok());
    if let (Some(from), Some(to)) = (explicit(Field::FromSessionType), explicit(Field::ToSessionType)) {
        return (from, to);
    }
    if is_spawn(event.event_type()) {
        // Before any key: the twin of a spawn out of a sub-agent's session counts as the main agent's work.
        return (SessionType::Main, SessionType::Subagent);
    }
    let of_key = |key: Option<&str>| key.map_or(SessionType::Unknown, SessionType::of_key);
    let origin = [Field::SourceSessionKey, Field::RequesterSessionKey, Field::SessionKey];
    let from = of_key(origin.into_iter().find_map(|field| event.text(field)));
    let to = of_key(event.target_session_key());
    let (from_main, to_main) = (roster.is_main(event.from_text()), roster.is_main(event.to_text()));
    let fill = |known: SessionType, own_main: bool, other_main: bool| match known {
        SessionType::Unknown if own_main => SessionType::Main,
        SessionType::Unknown if delegation_hint && other_main => SessionType::Subagent,
        _ => known,
    };
    (fill(from, from_main, to_main), fill(to, to_main, from_main))
}
