//! Origin counts of a work session: how many of its events come from transcripts and from hooks. For work sessions
//! known through hooks, it also determines whether they have ended and from what time they are quiet
//! (`contract/event-schema-v1_1.md` §D.2).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::api::Origin;
use crate::event::{Event, Field};
use crate::ids::{AgentId, TaskId};

/// A session whose tasks have all ended is quiet after this long without the use of a tool.
const TOOL_REST_MS: i64 = 600_000;

/// Suffix of a leader's id (§D.1).
const LEADER: &str = "~leader";

/// Counts of a session's events by origin.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Origins {
    /// Number of events from transcripts.
    pub(crate) from_transcripts: u32,
    /// Number of events from hooks.
    pub(crate) agent_events: u32,
    /// State by hooks; absent for sessions without events from hooks.
    crew: Option<Box<Crew>>,
}

/// Course of a session, by hooks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Crew {
    /// True when the leader's program ended and no work began since; without a leader, any member's program.
    ended: bool,
    /// True when the leader has an event.
    has_leader: bool,
    /// Agents that wait for a person's answer.
    waiting: BTreeSet<AgentId>,
    /// Tasks that have not ended.
    open_tasks: BTreeSet<TaskId>,
    /// True when the session has or had a task.
    has_tasks: bool,
    /// Time of the newest tool or task event, in epoch milliseconds.
    last_at: i64,
}

impl Origins {
    /// Counts the next event.
    pub(super) fn note(&mut self, event: &Event) {
        match event.origin() {
            Origin::Transcript => self.from_transcripts += 1,
            Origin::Hooks => {
                self.agent_events += 1;
                self.crew.get_or_insert_default().note(event);
            }
            Origin::Log | Origin::Unknown => {}
        }
    }

    /// Whether the session has ended, for sessions of hooks: such a session ends with its leader, and the end of a
    /// child or a task ends nothing.
    pub(super) fn ended(&self) -> Option<bool> {
        self.crew.as_deref().map(|crew| crew.ended)
    }

    /// Time from which it is quiet without further events. `None` while an agent waits.
    pub(crate) fn quiet_at(&self) -> Option<i64> {
        let rests = |crew: &&Crew| crew.has_tasks && crew.open_tasks.is_empty() && crew.waiting.is_empty();
        let crew = self.crew.as_deref().filter(rests)?;
        Some(crew.last_at.saturating_add(TOOL_REST_MS))
    }
}

impl Crew {
    fn note(&mut self, event: &Event) {
        let kind = event.event_type();
        let leads = event.agent().ends_with(LEADER);
        self.has_leader |= leads;
        match kind {
            "agent.stopped" => self.ended |= leads || !self.has_leader,
            // Work that began before may end after the leader.
            "a2a.complete"
            | "a2a.response"
            | "tool.succeeded"
            | "tool.failed"
            | "task.completed"
            | "task.cancelled"
            | "task.resumed"
            | "agent.unblocked"
            | "system.schema_error" => {}
            _ => self.ended = false,
        }
        self.wait(kind, event);
        if kind.starts_with("tool.") {
            self.last_at = self.last_at.max(event.at);
        }
        let Some(task) = event.task_id().filter(|_| kind.starts_with("task.")) else { return };
        self.has_tasks = true;
        self.last_at = self.last_at.max(event.at);
        if event.is_terminal() {
            self.open_tasks.remove(&task);
        } else {
            self.open_tasks.insert(task);
        }
    }

    fn wait(&mut self, kind: &str, event: &Event) {
        match kind {
            // An agent that waits for the next prompt is idle, and one stopped by an error waits for no answer.
            "agent.blocked" | "task.blocked" if !matches!(event.text(Field::Reason), Some("idle" | "error")) => {
                self.waiting.insert(event.agent_id());
            }
            "agent.blocked" | "task.blocked" | "agent.unblocked" | "task.resumed" | "agent.started"
            | "agent.stopped" => {
                self.waiting.remove(&event.agent_id());
            }
            _ => {}
        }
    }
}
