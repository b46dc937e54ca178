//! Role of an event (such as conversation or delegation) and session types of its sender and recipient
//! (`contract/monitor-api.md` §5). Values that the event does not state are derived from its other fields and from the
//! roster, the list of configured agents.

use super::{Event, Field};
use protocol::role::{Role, SessionType};
use protocol::roster::Roster;

/// Role of an event, as far as its own line and the roster determine it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DerivedRole {
    /// Its role.
    pub role: Role,
    /// Session type of the speaking side.
    pub from_type: SessionType,
    /// Session type of the other side.
    pub to_type: SessionType,
    /// Whether an agent delegated ([`Event::delegation_hint`]).
    pub delegation_hint: bool,
}

/// Role and session types of one event (`contract/monitor-api.md` §5).
#[must_use]
pub fn derive_role(event: &Event, roster: &Roster) -> DerivedRole {
    let delegation_hint = event.delegation_hint();
    let (from_type, to_type) = session_types(event, roster, delegation_hint);
    let explicit = event.text(Field::EventRole).and_then(|text| text.parse().ok());
    let role = explicit.unwrap_or_else(|| role_of(event.event_type(), from_type, to_type, delegation_hint));
    DerivedRole { role, from_type, to_type, delegation_hint }
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
        // Before any key: the twin of a spawn from a sub-agent's session counts as the main agent's work.
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
