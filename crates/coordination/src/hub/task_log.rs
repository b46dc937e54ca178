//! Index of tasks from events: each task's events in order, the resulting status, and its rank in the task list. The
//! task list is counted and paged without a scan.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{self, Unbounded};

use serde::{Deserialize, Serialize};

use super::Log;
use super::event_meta::Posting;
use super::names::NameTable;
use super::number_set::NumberSet;
use super::task_texts::Times;
use crate::api::Origin;
use crate::event::{Event, Field};
use crate::ids::{AgentId, TaskId};
use crate::search::{SubstringIndex, Term, fold};
use crate::workspace::{Priority, TaskStatus};

/// Status by events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trace {
    pub(crate) status: TaskStatus,
    /// Time of the deciding event, in epoch milliseconds.
    pub(crate) at: i64,
    /// Number of the deciding event.
    pub(crate) event: u32,
}

/// Events of one task and the state that follows from them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct TaskEvents {
    /// All events that name the task.
    events: Posting,
    /// Number of `events` that the state reflects.
    traced: usize,
    /// Status; `None` when no event decides it.
    trace: Option<Trace>,
    /// Owner; `None` before the first event is settled.
    owner: Option<Owner>,
    /// Priority in the newest event that has one.
    priority: Priority,
    /// First task event of hooks with a label.
    titled: Option<u32>,
    /// True when a task file or an archive contains the task. It is then not on the board.
    filed: bool,
    /// True after an event was withdrawn: the state is computed again from all events.
    stale: bool,
    /// Rank, newest time and owner of its key on the board; `None` when it is not there.
    placed: Option<(usize, Option<i64>, Owner)>,
}

/// Sort key of tasks in lists: open ones first, the newest activity first within a status.
pub(crate) type TaskOrderKey = (usize, Reverse<Option<i64>>, AgentId, TaskId);

/// Rank of a status.
pub(crate) fn rank(status: TaskStatus) -> usize {
    TaskStatus::ALL.iter().position(|known| *known == status).unwrap_or(TaskStatus::ALL.len())
}

/// Owner of a task that only events name: the assignee of a backlog entry, else the emitter of its first event that
/// is not a message, else of its first one. For tasks of hooks its last assignee, else the agent that began it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Owner {
    /// Number of the event that names the owner.
    pub(crate) event: u32,
    /// The agent's number in [`super::Indexes::people`].
    pub(crate) agent: u16,
    /// That event is a message, so a later event of another type decides better.
    talk: bool,
    /// How firmly that event names the owner.
    claim: OwnerClaim,
}

/// Reason why a task of hooks has another owner than its writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum OwnerClaim {
    None,
    /// The agent that began it.
    Begun,
    /// The agent it was assigned to.
    Assigned,
}

impl OwnerClaim {
    fn from_event(event: &Event) -> Self {
        match event.event_type() {
            _ if event.origin() != Origin::Hooks => Self::None,
            "task.started" => Self::Begun,
            kind if kind.starts_with("a2a.") && event.text(Field::Assignee).is_some() => Self::Assigned,
            _ => Self::None,
        }
    }
}

impl Owner {
    fn from_event(index: u32, event: &Event, people: &mut NameTable) -> Self {
        let agent = people.number(emitter(event).as_str());
        Self { event: index, agent, talk: event.event_type().starts_with("a2a."), claim: OwnerClaim::from_event(event) }
    }

    /// Whether a later event determines the owner better.
    fn gives_way(self, event: &Event) -> bool {
        let claim = OwnerClaim::from_event(event);
        let first_act = self.talk && self.claim == OwnerClaim::None && !event.event_type().starts_with("a2a.");
        first_act || (claim > OwnerClaim::None && claim >= self.claim)
    }

    fn name(self, events: &Log, people: &NameTable) -> AgentId {
        match people.name(self.agent) {
            // An agent beyond the numbered ones.
            "" => emitter(&events[self.event as usize]),
            name => AgentId::from(name),
        }
    }
}

/// Owner of a task by its deciding event.
pub(crate) fn emitter(event: &Event) -> AgentId {
    let assigns = event.event_type() == "task.backlog_added" || OwnerClaim::from_event(event) == OwnerClaim::Assigned;
    let assignee = event.text(Field::Assignee).filter(|_| assigns);
    assignee.map_or_else(|| event.agent_id(), |id| AgentId::from(id.to_lowercase()))
}

/// Number of statuses, and one for unknown ones.
pub(crate) const RANKS: usize = TaskStatus::ALL.len() + 1;

/// Index of the tasks that events name. Grows with the log: a task is never removed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct TaskLog {
    /// Number of each task, by first appearance.
    numbers: BTreeMap<TaskId, u32>,
    /// Events and resulting state of each task, by its number.
    tasks: Vec<TaskEvents>,
    /// Tasks with a status, by the time of the deciding event, newest first.
    decided: BTreeSet<(Reverse<i64>, TaskId)>,
    /// Sort keys of the tasks that have a status and an owner by events and are in no file.
    board: BTreeSet<TaskOrderKey>,
    /// Number of tasks in `board` by agent and rank of the status.
    counts: BTreeMap<AgentId, [u32; RANKS]>,
    /// Folded ids of all tasks, for substring search, by number.
    folded_ids: SubstringIndex,
    /// Original ids that differ from the folded ones, by number.
    unfolded_ids: BTreeMap<u32, TaskId>,
    /// Tasks whose events or file changed. [`TaskLog::settle`] takes them.
    touched: BTreeSet<TaskId>,
}

impl TaskLog {
    /// Notes an event that names a task; for a new task, `filed` says whether a file contains it.
    pub(crate) fn note(&mut self, task: TaskId, index: u32, filed: impl FnOnce(&TaskId) -> bool) {
        let number = match self.numbers.get(&task) {
            Some(number) => *number,
            None => {
                // More of them than numbers: practically impossible; they are then not found.
                let Ok(number) = u32::try_from(self.tasks.len()) else { return };
                let folded = fold(task.as_str()).text;
                self.folded_ids.set(number, &folded);
                if folded != task.as_str() {
                    self.unfolded_ids.insert(number, task.clone());
                }
                self.tasks.push(TaskEvents { filed: filed(&task), ..TaskEvents::default() });
                self.numbers.insert(task.clone(), number);
                number
            }
        };
        let known = &mut self.tasks[number as usize];
        known.events.push(index);
        self.touched.insert(task);
    }

    /// Removes a withdrawn event of a task. Call [`TaskLog::settle`] afterwards.
    pub(crate) fn withdraw(&mut self, task: TaskId, index: u32, events: &Log) {
        let Some(number) = self.numbers.get(&task) else { return };
        let known = &mut self.tasks[*number as usize];
        known.events.remove(events, index);
        // The decision is recomputed.
        known.stale = true;
        self.touched.insert(task);
    }

    /// The same of many.
    pub(super) fn withdraw_all(&mut self, withdrawn: &NumberSet) {
        for (id, number) in &self.numbers {
            let known = &mut self.tasks[*number as usize];
            if known.events.remove_all(|index| withdrawn.contains(index)).is_some() {
                known.stale = true;
                self.touched.insert(id.clone());
            }
        }
    }

    /// Sets which tasks are in files; `filed` is sorted by id. Call [`TaskLog::settle`] afterwards.
    pub(crate) fn set_filed<'a>(&mut self, filed: impl Iterator<Item = &'a TaskId>) {
        let mut filed = filed.peekable();
        for (id, number) in &self.numbers {
            let known = &mut self.tasks[*number as usize];
            while filed.next_if(|filed| *filed < id).is_some() {}
            let is_filed = filed.peek() == Some(&id);
            if std::mem::replace(&mut known.filed, is_filed) != is_filed {
                self.touched.insert(id.clone());
            }
        }
    }

    /// Updates state and board of all touched tasks. Returns these tasks.
    pub(crate) fn settle(&mut self, events: &Log, people: &mut NameTable) -> BTreeSet<TaskId> {
        let touched = std::mem::take(&mut self.touched);
        for id in &touched {
            let Some(number) = self.numbers.get(id) else { continue };
            let known = &mut self.tasks[*number as usize];
            let before = known.trace;
            if known.events.settle(events).is_some() | std::mem::take(&mut known.stale) {
                (known.traced, known.trace, known.owner, known.priority) = (0, None, None, Priority::default());
                known.titled = None;
            }
            for index in &known.events.list[known.traced..] {
                let event = &events[*index as usize];
                if known.owner.is_none_or(|owner| owner.gives_way(event)) {
                    known.owner = Some(Owner::from_event(*index, event, people));
                }
                let titles = |event: &Event| event.origin() == Origin::Hooks && event.event_type().starts_with("task.");
                if known.titled.is_none() && titles(event) && event.label().is_some() {
                    known.titled = Some(*index);
                }
                known.priority = event.text(Field::Priority).map_or(known.priority, stated);
                if let Some(status) = decided(event, known.trace.map(|trace| trace.status)) {
                    known.trace = Some(Trace { status, at: event.at, event: *index });
                }
            }
            known.traced = known.events.list.len();
            let after = known.trace.map(|trace| trace.at);
            if before.map(|trace| trace.at) != after {
                if let Some(before) = before {
                    self.decided.remove(&(Reverse(before.at), id.clone()));
                }
                self.decided.extend(after.map(|at| (Reverse(at), id.clone())));
            }
            let last = known.events.list.last().map(|index| events.at(*index)).filter(|at| *at > 0);
            let placed = known.trace.zip(known.owner).filter(|_| !known.filed);
            let placed = placed.map(|(trace, owner)| (rank(trace.status), last, owner));
            let before = std::mem::replace(&mut known.placed, placed);
            let place = |(rank, last, owner): (usize, Option<i64>, Owner)| {
                (rank, Reverse(last), owner.name(events, people), id.clone())
            };
            if let Some(before) = before.map(place) {
                self.count(&before, |count| count - 1);
                self.board.remove(&before);
            }
            if let Some(now) = placed.map(place) {
                self.count(&now, |count| count + 1);
                self.board.insert(now);
            }
        }
        touched
    }

    fn count(&mut self, (rank, _, agent, _): &TaskOrderKey, change: impl Fn(u32) -> u32) {
        let counts = self.counts.entry(agent.clone()).or_default();
        counts[*rank] = change(counts[*rank]);
    }

    /// The sort keys after one, in order, of all tasks that only events name.
    pub(crate) fn board(&self, behind: Bound<&TaskOrderKey>) -> impl Iterator<Item = &TaskOrderKey> {
        self.board.range::<TaskOrderKey, _>((behind, Unbounded))
    }

    /// Shows every task on the board whose id holds the term, with the folded id.
    pub(crate) fn find<'s>(&'s self, term: &Term, mut hit: impl FnMut(&'s TaskId, &str)) {
        self.folded_ids.find(term, |number, folded| {
            let written = self.unfolded_ids.get(&number).map_or(folded, TaskId::as_str);
            if self.tasks[number as usize].placed.is_some()
                && let Some((id, _)) = self.numbers.get_key_value(written)
            {
                hit(id, folded);
            }
        });
    }

    /// How many of them each agent has in each status, by rank.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&AgentId, &[u32; RANKS])> {
        self.counts.iter()
    }

    /// How urgent the events say a task is.
    pub(crate) fn priority(&self, id: &TaskId) -> Priority {
        self.task(id).map_or(Priority::Medium, |known| known.priority)
    }

    /// All events that name the task, oldest first.
    pub(crate) fn events(&self, id: &TaskId) -> &[u32] {
        self.task(id).map_or(&[], |known| &known.events.list)
    }

    /// Number of a task that events name, by which its events are found at once.
    pub(crate) fn number(&self, id: &TaskId) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    /// All events that name the task of a number, oldest first.
    pub(crate) fn events_at(&self, number: Option<u32>) -> &[u32] {
        number.and_then(|number| self.tasks.get(number as usize)).map_or(&[], |known| &known.events.list)
    }

    /// As [`TaskLog::trace`], for the task of a number.
    pub(crate) fn trace_at(&self, number: Option<u32>) -> Option<Trace> {
        self.tasks.get(number? as usize)?.trace
    }

    fn task(&self, id: &TaskId) -> Option<&TaskEvents> {
        self.tasks.get(*self.numbers.get(id)? as usize)
    }

    /// Its number, and when its first and its newest event happened, where their times can be believed.
    pub(super) fn times(&self, id: &TaskId, events: &Log) -> Times {
        let number = self.number(id);
        let list = self.events_at(number);
        let time = |index: Option<&u32>| index.map(|index| events.at(*index)).filter(|at| *at > 0);
        Times { first: time(list.first()), newest: time(list.last()), number }
    }

    /// The event of hooks that gives it a title.
    pub(crate) fn titled(&self, id: &TaskId) -> Option<u32> {
        self.task(id)?.titled
    }

    /// Whose task it is by its events.
    pub(crate) fn owner(&self, id: &TaskId) -> Option<Owner> {
        self.task(id)?.owner
    }

    /// What the events say of a task; nothing when none of them decides.
    pub(crate) fn trace(&self, id: &TaskId) -> Option<Trace> {
        self.task(id)?.trace
    }

    /// Tasks whose status was decided at this time or later.
    pub(crate) fn decided_since(&self, at: i64) -> impl Iterator<Item = &TaskId> {
        self.decided.iter().take_while(move |(decided, _)| decided.0 >= at).map(|(_, id)| id)
    }
}

fn stated(priority: &str) -> Priority {
    match priority {
        "medium" => Priority::Medium,
        "urgent" => Priority::Urgent,
        "high" => Priority::High,
        "low" => Priority::Low,
        _ => Priority::Unknown,
    }
}

/// The status an event puts a task in (`contract/events.md` §4).
pub(crate) fn decided(event: &Event, before: Option<TaskStatus>) -> Option<TaskStatus> {
    let stated = || {
        let text = event.status().or_else(|| event.text(Field::TopStatus))?;
        if text == "failed" { Some(TaskStatus::Interrupted) } else { text.parse().ok() }
    };
    match event.event_type() {
        "task.started" if event.flag(Field::RequiresApproval) == Some(true) => Some(TaskStatus::PendingApproval),
        "task.started" | "task.approved" | "task.resumed" | "task.backlog_picked" | "backlog.auto_picked" => {
            Some(TaskStatus::InProgress)
        }
        "task.blocked" => Some(TaskStatus::Blocked),
        "task.completed" => Some(TaskStatus::Completed),
        "task.cancelled" => Some(TaskStatus::Cancelled),
        "task.backlog_added" => Some(TaskStatus::Backlog),
        "zombie.abandoned" if event.text(Field::Action) == Some("escalated") => Some(TaskStatus::Abandoned),
        "zombie.abandoned" => Some(TaskStatus::Backlog),
        "task.updated" => stated().or_else(|| before.is_none().then_some(TaskStatus::InProgress)),
        other if other.starts_with("task.") => stated(),
        _ => None,
    }
}
