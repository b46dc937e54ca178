//! Which part of a session comes from where, and when a session of hooks has come to rest
//! (`contract/event-schema-v1_1.md` §D.2).

use std::collections::BTreeSet;

use crate::api::Origin;
use crate::event::Event;
use crate::ids::TaskId;

/// A session all of whose tasks are over is quiet when no tool was used for so long.
const TOOL_REST_MS: i64 = 600_000;

/// Counts of a session's events by origin.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    /// Told by transcripts alone.
    pub(crate) told: u32,
    /// Told by hooks.
    pub(crate) hooked: u32,
    crew: Option<Box<Crew>>,
}

/// What hooks say of a session's course.
#[derive(Debug, Clone, Default)]
struct Crew {
    /// Its leader's program ended and did nothing since.
    over: bool,
    open: BTreeSet<TaskId>,
    /// It had tasks at all.
    tasked: bool,
    /// The last use of a tool, or the end of the last task.
    last: i64,
}

impl Origins {
    /// Takes the next event in.
    pub(super) fn note(&mut self, event: &Event) {
        match event.origin() {
            Origin::Transcript => self.told += 1,
            Origin::Hooks => {
                self.hooked += 1;
                self.crew.get_or_insert_default().note(event);
            }
            Origin::Log | Origin::Unknown => {}
        }
    }

    /// Whether the session has ended, where hooks tell of it: then it ends with its leader, and that a child or a task is
    /// done ends nothing.
    pub(super) fn ended(&self) -> Option<bool> {
        self.crew.as_deref().map(|crew| crew.over)
    }

    /// From when on it is quiet if nothing more comes.
    pub(crate) fn quiet_at(&self) -> Option<i64> {
        let crew = self.crew.as_deref().filter(|crew| crew.tasked && crew.open.is_empty())?;
        Some(crew.last.saturating_add(TOOL_REST_MS))
    }
}

impl Crew {
    fn note(&mut self, event: &Event) {
        let kind = event.event_type();
        self.over = kind == "agent.stopped";
        if kind.starts_with("tool.") {
            self.last = self.last.max(event.at);
        }
        let Some(task) = event.task_id().filter(|_| kind.starts_with("task.")) else { return };
        self.tasked = true;
        self.last = self.last.max(event.at);
        if event.is_terminal() {
            self.open.remove(&task);
        } else {
            self.open.insert(task);
        }
    }
}
