//! Path parameters of REST v2. Their doc comments are their descriptions in `docs/openapi.json`.

use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};
use serde::{Deserialize, Deserializer};
use utoipa::IntoParams;

/// Path of a session.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct SessionPath {
    /// The session
    pub(super) id: SessionId,
}

/// Path of a shared record.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct SharedPath {
    /// The record
    pub(super) id: String,
}

/// Path of a permission request.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct PermissionPath {
    /// The permission request
    pub(super) id: String,
}

/// Path of a push subscription.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct SubscriptionPath {
    /// The push subscription
    pub(super) id: String,
}

/// Path of a thread.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct ThreadPath {
    /// The session
    pub(super) id: SessionId,
    /// The thread
    pub(super) thread: ThreadId,
}

/// Path of an agent, whose id is taken in any case.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct AgentPath {
    /// The agent
    #[serde(deserialize_with = "lowercased")]
    pub(super) id: AgentId,
}

/// Path of a task.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct TaskPath {
    /// The agent that owns the task
    #[serde(deserialize_with = "lowercased")]
    pub(super) agent: AgentId,
    /// The task
    pub(super) id: TaskId,
}

/// Path of an event.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct EventPath {
    /// The event
    pub(super) id: EventId,
}

/// Path of a session of OpenClaw's own stores.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct StoredSessionPath {
    /// The session's key, in any case, or its id
    #[param(example = "agent:ruda:main")]
    pub(super) key: String,
}

/// Path of an archived transcript.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct ArchivedSessionPath {
    /// The agent
    #[param(example = "eden")]
    pub(super) agent: String,
    /// The session's id
    #[param(example = "70e14d35-13d4-4028-8a08-4708e7f7c260")]
    pub(super) session: String,
}

fn lowercased<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AgentId, D::Error> {
    String::deserialize(deserializer).map(|id| AgentId::from(id.to_lowercase()))
}
