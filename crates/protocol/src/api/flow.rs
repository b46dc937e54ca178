//! Types of `GET /api/v2/sessions/{id}/flow` (협업 흐름): lanes, arrows (messages), delegated runs, task bars and notes
//! (other events). An event of the session belongs to exactly one arrow, run, task bar or note ([`Flow::events`]).
//! [`crate::flow_layout`] computes the layout.

use serde::{Deserialize, Serialize};

use super::{Cursor, DelegationState, Exchange, Mark, StepsProgress, TaskSource, TaskStatus};
use crate::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

/// `GET /api/v2/sessions/{id}/flow`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Flow {
    /// The session.
    pub session_id: SessionId,
    /// Lanes from left to right, in order of appearance.
    pub lanes: Vec<FlowLane>,
    /// Messages, oldest first.
    #[serde(default)]
    pub arrows: Vec<FlowArrow>,
    /// Delegated runs, by their first sign.
    #[serde(default, alias = "twigs")]
    pub delegations: Vec<FlowDelegation>,
    /// Tasks.
    #[serde(default, alias = "ribbons")]
    pub task_bars: Vec<FlowTaskBar>,
    /// Events that belong to nothing of the above, oldest first.
    #[serde(default)]
    pub notes: Vec<FlowNote>,
    /// Earliest usable time, epoch ms.
    pub start_time: i64,
    /// Latest time, epoch ms.
    pub end_time: i64,
    /// The newest event ended the session.
    #[serde(default)]
    pub ended: bool,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// A lane.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FlowLane {
    /// Its agent; absent for the shared lane of all other agents and for the lane of people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The lane of people who speak through an agent's session; always the first.
    #[serde(default, skip_serializing_if = "is_false")]
    pub person: bool,
}

/// One message from lane to lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FlowArrow {
    /// Its event.
    pub id: EventId,
    /// Time of the message, epoch ms.
    pub at: i64,
    /// Request, answer or turn.
    pub kind: ArrowKind,
    /// Lane it leaves, by position.
    pub from: u32,
    /// Lane it reaches, by position.
    pub to: u32,
    /// Who speaks.
    pub speaker: AgentId,
    /// To whom.
    pub addressee: AgentId,
    /// First characters of the text on one line, without markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// A person wrote it through the speaker's session; it leaves the lane of people.
    #[serde(default, skip_serializing_if = "is_false")]
    pub human: bool,
    /// Its thread.
    pub thread: ThreadId,
    /// Ping-pong turn, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Effective maximum of turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// What became of it, for a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<EventId>,
    /// When the request was sent, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<i64>,
    /// Later delivery steps: retries, the notice of a missing answer, the end. Oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Mark>,
    /// The task it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// Agent whose page shows that task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_owner: Option<AgentId>,
}

/// Kinds of arrows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ArrowKind {
    /// A request.
    Request,
    /// The first answer to one.
    Answer,
    /// A ping-pong turn.
    Turn,
    /// A mention that was routed from one agent to the other.
    Route,
    /// A kind this build does not know.
    #[serde(other)]
    Unknown,
}

/// A delegated run that branches off a lane and comes back with its result. Acceptance does not end it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FlowDelegation {
    /// The event that shows it first: its node in the delegation tree.
    pub id: EventId,
    /// Lane it leaves, by position; a run within a run leaves that of the outermost.
    pub lane: u32,
    /// Who delegated; absent for an orphan whose spawn is not in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentId>,
    /// Who works.
    pub to: AgentId,
    /// `label`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// First characters of the task text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// First characters of the result, or the error as written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub result: String,
    /// Its state.
    pub state: DelegationState,
    /// No spawn event was found for its result.
    #[serde(default, skip_serializing_if = "is_false")]
    pub orphan: bool,
    /// Spawn time, or first sign of it.
    pub start_time: i64,
    /// Time of the result, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<i64>,
    /// Nesting depth, 0 at the top.
    #[serde(default)]
    pub depth: u32,
    /// All its events, oldest first.
    pub events: Vec<EventId>,
}

/// A task beside its agent's lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FlowTaskBar {
    /// The task.
    pub id: TaskId,
    /// Agent whose page shows it.
    pub owner: AgentId,
    /// Lane, by position.
    pub lane: u32,
    /// Empty when only events name the task.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its status now.
    pub status: TaskStatus,
    /// Where `status` comes from.
    pub source: TaskSource,
    /// File and events say different things.
    #[serde(default, skip_serializing_if = "is_false")]
    pub differs: bool,
    /// Steps by state.
    #[serde(default)]
    pub steps: StepsProgress,
    /// Its times, at least one, earliest first: each lasts until the next. One with an ended status ends the bar.
    pub spans: Vec<FlowSpan>,
    /// Its events in this session, oldest first.
    #[serde(default)]
    pub events: Vec<EventId>,
}

/// From when on a task has a status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FlowSpan {
    /// When it begins, epoch ms.
    pub from: i64,
    /// The status.
    pub status: TaskStatus,
    /// The event that decided it; absent where the file did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<EventId>,
    /// Why, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Events that are no message, run or task: one mark for consecutive events of the same type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FlowNote {
    /// The first of them.
    pub id: EventId,
    /// Time of the first of them, epoch ms.
    pub at: i64,
    /// Lane, by position.
    pub lane: u32,
    /// Who emitted it.
    pub agent: AgentId,
    /// `type` as written.
    #[serde(rename = "type")]
    pub event_type: String,
    /// First characters of its text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// All of them, oldest first.
    pub events: Vec<EventId>,
}

impl FlowArrow {
    /// Its own event and those of its delivery.
    pub fn events(&self) -> impl Iterator<Item = &EventId> {
        std::iter::once(&self.id).chain(self.steps.iter().map(|step| &step.id))
    }
}

impl Flow {
    /// Every event of the session, each once, in no order.
    pub fn events(&self) -> impl Iterator<Item = &EventId> {
        let arrows = self.arrows.iter().flat_map(FlowArrow::events);
        let delegations = self.delegations.iter().flat_map(|delegation| &delegation.events);
        let task_bars = self.task_bars.iter().flat_map(|task_bar| &task_bar.events);
        arrows.chain(delegations).chain(task_bars).chain(self.notes.iter().flat_map(|note| &note.events))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(flag: &bool) -> bool {
    !*flag
}
