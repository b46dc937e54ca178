//! Types of the accepted inputs from coding agents: hooks, and schema events of other programs. All events
//! but heartbeats are derived from them. Two more types list the events and the agents that new inputs change.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AgentNow, AgentProgram, SchemaEvent};

/// One accepted input. It holds no more of a hook than its capture level allows (§C.6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchemaInput {
    /// What makes it itself (§A.4): the id of a v1.1 event, the fingerprint of a hook. The same key again is the same
    /// input.
    pub key: String,
    /// When it happened: a v1.1 event's own time, or when a hook was received. Epoch milliseconds.
    pub at: i64,
    /// A hook, or an event that a program wrote.
    #[serde(flatten)]
    pub what: InputKind,
}

/// A hook, or an event as received.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// A hook's payload, reduced to what is stored of it.
    Hook {
        /// The reduced payload.
        payload: Map<String, Value>,
        /// Times and places that the wrapper and the monitor added.
        stamp: HookStamp,
    },
    /// A checked v1.1 event, also a `schema_error` made for a rejected input.
    Event(Box<SchemaEvent>),
}

/// What is known of a hook besides its payload (§C.1, §C.3).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookStamp {
    /// Whose hook it is.
    #[serde(default, skip_serializing_if = "AgentProgram::is_default")]
    pub program: AgentProgram,
    /// When the wrapper took it, in epoch milliseconds; none: it only has the time of its arrival.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_at: Option<i64>,
    /// When the monitor got it, in epoch milliseconds.
    pub arrived_at: i64,
    /// The terminal, as the wrapper's environment names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal_session_id: Option<String>,
    /// The repository, as the wrapper finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
}

/// What a step made of the events: those that are new or read differently, and the ids of those that are
/// no more.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changed {
    /// New, or in place of the one of the same id.
    pub put: Vec<SchemaEvent>,
    /// Withdrawn.
    pub removed: Vec<String>,
    /// No longer held, though nothing took them back: only the record has them (see `Ledger::evict`).
    pub evicted: Vec<String>,
}

/// Changed agents by id, each with its state at every published terminal, the newest first; an empty list for an agent
/// that was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentsChanged(pub BTreeMap<String, Vec<AgentNow>>);

impl FromIterator<AgentNow> for AgentsChanged {
    fn from_iter<T: IntoIterator<Item = AgentNow>>(agents: T) -> Self {
        let mut changed = Self::default();
        for agent in agents {
            changed.0.entry(agent.agent_id.clone()).or_default().push(agent);
        }
        changed
    }
}
