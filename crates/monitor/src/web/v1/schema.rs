//! Response shapes of REST 1.x for the OpenAPI document (`contract/monitor-api.md` §3, §4, §7). Answers are built as
//! JSON values; `devtools contract` checks that they have these shapes.
#![expect(dead_code, reason = "described, never made")]

mod asked;

use std::collections::BTreeMap;

use coordination::api::{ManualOverride, StepsProgress};
use coordination::category::{Category, CategorySource};
use coordination::ids::{AgentId, SessionId, TaskId};
use coordination::role::{Role, SessionType};
use coordination::session::Status;
use coordination::workspace::{Priority, Step, TaskOutcome, TaskStatus};
use serde_json::{Map, Value};
use utoipa::ToSchema;

pub(super) use asked::{
    OldClassifier, OldCount, OldEventsQuery, OldSearchQuery, OldSessionsQuery, OldShownQuery, OldText, Whose,
};

/// `GET /api`.
#[derive(ToSchema)]
pub(super) struct OldAbout {
    name: String,
    version: String,
    endpoints: Vec<String>,
    docs: String,
}

/// `GET /api/health`.
#[derive(ToSchema)]
pub(super) struct OldHealth {
    /// Always `ok`.
    status: String,
    /// ISO time.
    timestamp: String,
}

/// `GET /api/agents`.
#[derive(ToSchema)]
pub(super) struct OldAgents {
    agents: Vec<OldAgent>,
    count: u32,
    /// Which files could not be read, and why; absent when all could.
    unreadable: Option<Vec<String>>,
}

/// One agent that has a folder.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldAgent {
    id: AgentId,
    workspace_dir: String,
    /// `null` when it could not be read.
    #[schema(required)]
    has_current_task: Option<bool>,
    /// `null` when they could not be read.
    #[schema(required)]
    task_count: Option<u32>,
    /// Which files could not be read, and why; absent when all could.
    unreadable: Option<Vec<String>>,
}

/// A task, open or archived.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldTask {
    id: String,
    status: TaskStatus,
    priority: Priority,
    description: String,
    /// As written; now when the file does not tell.
    created: String,
    /// As written; `created` when the file does not tell.
    last_activity: String,
    progress: Vec<String>,
    /// The status as written when it is none that is known.
    raw_status: Option<String>,
    /// The priority as written when it is none that is known.
    raw_priority: Option<String>,
    context: Option<String>,
    source: Option<String>,
    work_session_id: Option<SessionId>,
    previous_work_session_id: Option<SessionId>,
    #[schema(inline)]
    #[serde(flatten)]
    blocking: OldBlocking,
    created_by: Option<String>,
    assignee: Option<String>,
    depends_on: Option<Vec<String>>,
    estimated_effort: Option<String>,
    start_date: Option<String>,
    due_date: Option<String>,
    outcome: Option<TaskOutcome>,
    steps: Option<Vec<Step>>,
    steps_progress: StepsProgress,
}

/// `GET /api/agents/{id}/tasks`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldTasks {
    agent_id: AgentId,
    tasks: Vec<OldTask>,
    count: u32,
    /// Which files could not be read, and why; absent when all could.
    unreadable: Option<Vec<String>>,
}

/// `GET /api/agents/{id}/tasks/{task}`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldOneTask {
    agent_id: AgentId,
    /// `null` when there is none.
    #[schema(required)]
    task: Option<OldTask>,
    /// `active`, `history`, `not_found`, or where the task says it came from.
    source: String,
}

/// `GET /api/agents/{id}/current`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldCurrent {
    agent_id: AgentId,
    has_task: bool,
    /// The file as written; `null` when there is none.
    #[schema(required)]
    content: Option<String>,
    /// What its first line about the task says.
    #[schema(required)]
    task_summary: Option<String>,
}

/// `GET /api/agents/{id}/history`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldHistory {
    agent_id: AgentId,
    /// Entries as written.
    history: String,
    has_history: bool,
    /// Months with an archive, newest first.
    months: Vec<String>,
    /// The month told; `null` when there is none.
    #[schema(required)]
    current_month: Option<String>,
}

/// `GET /api/agents/{id}/blocked`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldBlocked {
    agent_id: AgentId,
    blocked_tasks: Vec<OldBlockedTask>,
    count: u32,
    /// Which files could not be read, and why; absent when all could.
    unreadable: Option<Vec<String>>,
}

/// Why a task is stuck.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldBlocking {
    blocked_reason: Option<String>,
    unblocked_by: Option<Vec<String>>,
    unblocked_action: Option<String>,
    unblock_request_count: Option<u32>,
    escalation_state: Option<String>,
    last_unblocker_index: Option<i64>,
    last_unblock_request_at: Option<String>,
    unblock_request_failures: Option<u32>,
}

/// A task that is stuck.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldBlockedTask {
    id: TaskId,
    description: String,
    last_activity: String,
    #[serde(flatten)]
    blocking: OldBlocking,
}

/// `GET /api/agents/{id}/plans`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldPlans {
    agent_id: String,
    /// As written.
    plans: Vec<Value>,
    count: u32,
    /// Which files could not be read, and why; absent when all could.
    unreadable: Option<Vec<String>>,
}

/// `GET /api/team-state`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldTeamState {
    version: f64,
    /// As written, by agent.
    agents: Map<String, Value>,
    last_updated_ms: f64,
}

/// An event with all it was written with and what is derived from it.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldEvent {
    /// As written; all other keys of the line stand beside these.
    #[schema(required)]
    r#type: Option<Value>,
    data: OldData,
    event_role: Role,
    from_session_type: SessionType,
    to_session_type: SessionType,
    collab_category: Category,
    collab_sub_tags: Vec<String>,
    category_confidence: f64,
    category_source: CategorySource,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// `data` of an event: as written, with the derived keys over it.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldData {
    event_role: Role,
    from_session_type: SessionType,
    to_session_type: SessionType,
    collab_category: Category,
    collab_sub_tags: Vec<String>,
    category_confidence: f64,
    category_source: CategorySource,
    category_version: String,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// `GET /api/events`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldEvents {
    /// Oldest first.
    events: Vec<OldEvent>,
    count: u32,
    /// Events in the log.
    total: u32,
    total_matched: u32,
    /// As asked.
    #[schema(required)]
    role: Option<Role>,
    /// As asked.
    r#type: Vec<String>,
    /// As asked.
    #[schema(required)]
    view_category: Option<String>,
    category_counts: BTreeMap<String, u32>,
}

/// `GET /api/events/search`.
#[derive(ToSchema)]
pub(super) struct OldFoundEvents {
    /// Newest first.
    events: Vec<OldEvent>,
    count: u32,
    total: u32,
    offset: u64,
    limit: u32,
    /// As asked.
    query: String,
}

/// A thread of a work session.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldThread {
    id: String,
    conversation_id: Option<String>,
    from_agent: String,
    to_agent: String,
    start_time: i64,
    last_time: i64,
    event_count: u32,
    collab_category: Category,
    collab_sub_tags: Vec<String>,
    events: Vec<OldEvent>,
}

/// A work session.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldSession {
    id: String,
    work_session_id: SessionId,
    status: Status,
    start_time: i64,
    last_time: i64,
    duration_ms: i64,
    thread_count: u32,
    event_count: u32,
    collab_category: Category,
    collab_sub_tags: Vec<String>,
    /// `manual_override` or `event`.
    category_source: String,
    role_counts: BTreeMap<String, u32>,
    threads: Vec<OldThread>,
    /// Made of a conversation that names no work session.
    synthetic: Option<bool>,
    /// When a filter hides some.
    total_event_count: Option<u32>,
    /// When a filter hides some.
    total_thread_count: Option<u32>,
}

/// `GET /api/work-sessions`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldSessions {
    sessions: Vec<OldSession>,
    count: u32,
    total_matched: u32,
    total_sessions: u32,
    /// As asked.
    role: Vec<Role>,
    /// As asked.
    r#type: Vec<String>,
    /// As asked.
    status: Vec<Status>,
    /// As asked.
    #[schema(required)]
    view_category: Option<String>,
    /// As asked.
    #[schema(required)]
    sub_tag: Option<String>,
    category_counts: BTreeMap<String, u32>,
}

/// `GET /api/work-sessions/search`.
#[derive(ToSchema)]
pub(super) struct OldFoundSessions {
    sessions: Vec<OldSession>,
    count: u32,
    /// As asked.
    query: String,
}

/// `GET /api/work-sessions/{id}`.
#[derive(ToSchema)]
pub(super) struct OldOneSession {
    session: OldSession,
    /// As asked.
    #[schema(required)]
    role: Option<Role>,
    /// As asked.
    r#type: Vec<String>,
}

/// Body of `PATCH /api/work-sessions/{id}/category`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldCategoryPatch {
    collab_category: Category,
    /// Who; what is no text counts as nobody, and only the first 200 characters are kept.
    #[schema(value_type = Option<Value>)]
    updated_by: Option<Value>,
}

/// Answer to it.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OldCategoryPatched {
    /// Always true.
    ok: bool,
    work_session_id: SessionId,
    #[schema(required)]
    r#override: Option<ManualOverride>,
}
