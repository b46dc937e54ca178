//! What this tab knows of the monitor's state, patched by live frames.

use std::collections::BTreeSet;
use std::sync::Arc;

use coordination::api::{AgentSummary, Delta, Home, ThreadPatch};
use coordination::ids::{AgentId, SessionId};
use leptos::prelude::*;

use crate::source::Source;

/// What the newest frames touched. Pages compare it with what they show and ask again, or patch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// Sessions that are new or changed.
    pub sessions: BTreeSet<SessionId>,
    /// Threads with new or changed items.
    pub threads: Vec<ThreadPatch>,
    /// Agents whose tasks or files changed.
    pub agents: BTreeSet<AgentId>,
    /// How many events came.
    pub events: u32,
    /// Anything may have changed: first contact, names, roles, overrides, or a link that was down.
    pub everything: bool,
}

impl Change {
    /// Adds what a delta touches.
    pub fn add(&mut self, delta: &Delta) {
        self.sessions.extend(delta.sessions.iter().map(|card| card.work_session_id.clone()));
        self.threads.extend(delta.threads.iter().cloned());
        self.agents.extend(delta.agents.iter().cloned());
        self.events += delta.events_total;
        self.everything |= delta.everything;
    }

    /// True when it concerns this session.
    pub fn touches_session(&self, session: &SessionId) -> bool {
        self.everything
            || self.sessions.contains(session)
            || self.threads.iter().any(|patch| patch.session_id == *session)
    }

    /// True when tasks may read differently.
    pub fn touches_tasks(&self) -> bool {
        self.everything || self.events > 0 || !self.agents.is_empty()
    }
}

/// The tab's knowledge.
#[derive(Clone, Copy)]
pub struct Hub {
    /// Where data comes from; none until the monitor was recognised.
    pub source: RwSignal<Option<Source>>,
    /// Home as of the newest frame or answer.
    pub home: RwSignal<Option<Arc<Home>>>,
    /// What the newest frames touched; replaced by each batch, never grows.
    pub change: RwSignal<Arc<Change>>,
}

impl Hub {
    pub(super) fn new() -> Self {
        Self {
            source: RwSignal::new(None),
            home: RwSignal::new(None),
            change: RwSignal::new(Arc::new(Change::default())),
        }
    }

    /// Agents as home lists them.
    pub fn agents(self) -> Vec<AgentSummary> {
        self.home.with(|home| home.as_ref().map(|home| home.agents.clone()).unwrap_or_default())
    }
}

/// The tab's knowledge.
pub fn use_hub() -> Hub {
    expect_context()
}
