//! State of a coding agent, such as working or stopped, and the fold that derives it from events
//! (`contract/event-schema-v1_1.md` §C.5). [`Beat`] classifies the age of its newest event (§A.5).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::key::segment;
use super::{Kind, SchemaEvent};

/// Since its last event an agent is active for less than this.
pub(super) const ACTIVE_MS: i64 = 60_000;
/// And idle for less than this.
pub(super) const IDLE_MS: i64 = 600_000;

/// Sessions of one terminal that are known; only those can be resumed at another one.
const MAX_SESSIONS: usize = 32;

/// Characters of a name that are shown.
const MAX_NAME_CHARS: usize = 64;

/// State of an agent (§C.5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AgentStage {
    /// Known, and at nothing.
    #[default]
    Idle,
    /// At work.
    Working,
    /// Waits for a person.
    PendingInput,
    /// Talks with others.
    InMeeting,
    /// Came to an error.
    Failed,
    /// Ended; only a start revives it.
    Stopped,
}

/// Freshness of an agent's state (§A.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Beat {
    /// An event within the last minute.
    Active,
    /// An event within ten minutes.
    Idle,
    /// No event for longer.
    Silent,
}

impl Beat {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Idle => "idle",
            Self::Silent => "silent",
        }
    }
}

/// How long an agent has been silent, in words. Both times in epoch milliseconds; a time in the future is fresh.
#[must_use]
pub fn beat(last_at: i64, now: i64) -> Beat {
    match now.saturating_sub(last_at) {
        age if age < ACTIVE_MS => Beat::Active,
        age if age < IDLE_MS => Beat::Idle,
        _ => Beat::Silent,
    }
}

/// An agent at a terminal after its last event there, by time and id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AgentNow {
    /// `team/agent`.
    pub agent_id: String,
    /// Workspace of its last event.
    pub workspace_id: String,
    /// Terminal of its last event.
    pub terminal_session_id: String,
    /// Its state.
    pub stage: AgentStage,
    /// When it came to it, in epoch milliseconds.
    pub since: i64,
    /// Time of its last event, in epoch milliseconds.
    pub last_at: i64,
    /// The event that brought it there.
    pub event_id: String,
    /// What it waits for: `permission`, `question`, `idle`, as `payload.reason` says. Only while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<String>,
    /// The tool that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The task it is at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The agent or person it waits for or meets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_agent_id: Option<String>,
    /// `leader`, `teammate` or `subagent`, where an event gives it (`payload.agent_kind`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_kind: Option<String>,
    /// `team/name` as people wrote both, where that is not what the id says: ids know no letters but Latin ones (§C.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl AgentNow {
    /// What people call it.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.agent_id)
    }

    /// It waits for the next prompt, which is what every agent does when it is done.
    #[must_use]
    pub fn rests(&self) -> bool {
        self.stage == AgentStage::PendingInput && self.waiting_for.as_deref() == Some("idle")
    }
}

/// An agent's state while its events are read in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AgentFold {
    now: AgentNow,
    /// State without waits and meetings.
    base: Base,
    /// Why it waits, if it waits.
    blocked: Option<AgentStage>,
    /// It is in a meeting.
    meeting: bool,
    /// Id of the running tool call, if it has one.
    call: Option<String>,
    /// Time of the last event by session, in epoch milliseconds; the newest [`MAX_SESSIONS`] sessions.
    sessions: BTreeMap<String, i64>,
    /// The session of the last event.
    session: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Idle,
    Working,
    Stopped,
}

/// Agents whose state an event can change: its own, and those of a meeting.
pub(super) fn concerns(event: &SchemaEvent) -> Vec<&str> {
    if matches!(event.kind, Kind::Heartbeat | Kind::SchemaError) {
        // Neither is a sign of life: one is derived from the last event, the other is about an input.
        return Vec::new();
    }
    let mut agents = vec![event.agent_id.as_str()];
    if matches!(event.kind, Kind::MeetingStarted | Kind::MeetingEnded) {
        let named = event.payload.get("participants").and_then(serde_json::Value::as_array);
        let named = named.into_iter().flatten().filter_map(serde_json::Value::as_str);
        // What is written any other way names a person or a room.
        agents.extend(named.filter(|name| name.contains('/')));
        agents.extend(event.target_agent_id.as_deref());
        agents.sort_unstable();
        agents.dedup();
    }
    agents
}

/// The names of an event's team and agent, where their writer gives them and the id differs.
fn written(event: &SchemaEvent) -> Option<String> {
    let (team_id, agent) = event.agent_id.split_once('/')?;
    let workspace = event.workspace_id.strip_prefix("repo_").unwrap_or(&event.workspace_id);
    let mut teams = [event.text("team_name"), Some(workspace)].into_iter().flatten();
    let matches_name = |name: &str, id: &str| name == id || segment(name) == id;
    let team = teams.find(|team| matches_name(team, team_id)).unwrap_or(team_id);
    let name = event.text("agent_name").map(str::trim).filter(|name| matches_name(name, agent)).unwrap_or(agent);
    let short = |name: &str| name.trim().chars().take(MAX_NAME_CHARS).collect::<String>();
    let shown = format!("{}/{}", short(team), short(name));
    (shown != event.agent_id).then_some(shown)
}

/// An agent reports that it has nothing to do and waits.
fn rests(event: &SchemaEvent) -> bool {
    event.kind == Kind::AgentBlocked && event.text("reason") == Some("idle")
}

impl AgentFold {
    /// An agent that nothing is known of.
    pub(super) fn new(agent_id: &str) -> Self {
        let now = AgentNow {
            agent_id: agent_id.to_owned(),
            workspace_id: String::new(),
            terminal_session_id: String::new(),
            stage: AgentStage::Idle,
            since: 0,
            last_at: 0,
            event_id: String::new(),
            waiting_for: None,
            tool: None,
            task_id: None,
            target_agent_id: None,
            agent_kind: None,
            name: None,
        };
        Self {
            now,
            base: Base::Idle,
            blocked: None,
            meeting: false,
            call: None,
            sessions: BTreeMap::new(),
            session: None,
        }
    }

    pub(super) fn now(&self) -> &AgentNow {
        &self.now
    }

    /// The session of its last event.
    pub(super) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Its newest sessions here, with the time of each one's last event.
    pub(super) fn sessions(&self) -> impl Iterator<Item = (&str, i64)> {
        self.sessions.iter().map(|(session, at)| (session.as_str(), *at))
    }

    /// Takes the next event in order.
    pub(super) fn step(&mut self, event: &SchemaEvent) {
        let first = self.now.workspace_id.is_empty();
        let before = (self.now.stage, self.now.waiting_for.clone());
        self.now.workspace_id.clone_from(&event.workspace_id);
        self.now.terminal_session_id.clone_from(&event.terminal_session_id);
        self.now.last_at = event.ts;
        if event.agent_id == self.now.agent_id {
            self.session.clone_from(&event.session_id);
            self.note_session(event);
        }
        if event.agent_id == self.now.agent_id {
            if let Some(kind) = event.text("agent_kind") {
                self.now.agent_kind = Some(kind.to_owned());
            }
            self.now.name = written(event).or_else(|| self.now.name.take());
        }
        if self.base == Base::Stopped && rests(event) {
            // A teammate's turn ended, as a subagent's life does; that it waits for the next word distinguishes them.
            self.base = Base::Idle;
        }
        if self.base != Base::Stopped || event.kind == Kind::AgentStarted {
            self.change(event);
        }
        self.now.stage = match (self.base, self.blocked) {
            (Base::Stopped, _) => AgentStage::Stopped,
            (_, Some(stage)) => stage,
            _ if self.meeting => AgentStage::InMeeting,
            (Base::Working, None) => AgentStage::Working,
            (Base::Idle, None) => AgentStage::Idle,
        };
        // Another wait begins again, although the stage is the same.
        if first || before != (self.now.stage, self.now.waiting_for.clone()) {
            self.now.since = event.ts;
            self.now.event_id.clone_from(&event.id);
        }
    }

    /// Notes the event's session, and forgets the oldest of too many.
    fn note_session(&mut self, event: &SchemaEvent) {
        let Some(session) = &event.session_id else { return };
        self.sessions.insert(session.clone(), event.ts);
        if self.sessions.len() > MAX_SESSIONS {
            let oldest =
                self.sessions.iter().min_by_key(|(session, at)| (**at, *session)).map(|(oldest, _)| oldest.clone());
            oldest.map(|oldest| self.sessions.remove(&oldest));
        }
    }

    fn change(&mut self, event: &SchemaEvent) {
        match &event.kind {
            Kind::AgentStarted => {
                self.free();
                self.base = Base::Working;
            }
            Kind::AgentStopped => {
                self.free();
                self.base = Base::Stopped;
                self.now.task_id = None;
            }
            Kind::AgentBlocked => self.block(event),
            Kind::AgentUnblocked => {
                self.unblock();
                self.base = Base::Working;
            }
            Kind::MeetingStarted => {
                self.meeting = true;
                let others = [Some(event.agent_id.as_str()), event.target_agent_id.as_deref()];
                let own = self.now.agent_id.as_str();
                self.now.target_agent_id = others.into_iter().flatten().find(|it| *it != own).map(str::to_owned);
            }
            Kind::MeetingEnded => {
                self.meeting = false;
                self.now.target_agent_id = None;
            }
            Kind::ToolStarted => {
                self.base = Base::Working;
                self.now.tool = event.text("tool_name").map(str::to_owned);
                self.call = event.text("tool_use_id").map(str::to_owned);
            }
            Kind::ToolSucceeded | Kind::ToolFailed => self.tool_ended(event),
            Kind::TaskStarted => {
                self.base = Base::Working;
                self.now.task_id.clone_from(&event.task_id);
            }
            Kind::TaskCompleted | Kind::TaskFailed if self.now.task_id == event.task_id => self.now.task_id = None,
            _ => {}
        }
    }

    fn block(&mut self, event: &SchemaEvent) {
        let failed = event.text("state") == Some("failed");
        self.blocked = Some(if failed { AgentStage::Failed } else { AgentStage::PendingInput });
        self.now.waiting_for = event.text("reason").filter(|_| !failed).map(str::to_owned);
        self.now.target_agent_id.clone_from(&event.target_agent_id);
    }

    fn unblock(&mut self) {
        if self.blocked.take().is_some() {
            self.now.target_agent_id = None;
        }
        self.now.waiting_for = None;
    }

    fn free(&mut self) {
        self.unblock();
        self.meeting = false;
        self.now.tool = None;
        self.call = None;
        self.now.target_agent_id = None;
    }

    /// Only the tool that runs ends: calls may run in parallel, and their ends may come late.
    fn tool_ended(&mut self, event: &SchemaEvent) {
        let same = match (&self.call, event.text("tool_use_id")) {
            (Some(call), Some(ended)) => call == ended,
            _ => self.now.tool.as_deref() == event.text("tool_name"),
        };
        if same {
            self.now.tool = None;
            self.call = None;
        }
    }
}
