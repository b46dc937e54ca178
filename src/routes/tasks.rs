//! URL query of the task list: grouping by status or agent, and filters by agent, status, session and text.

use coordination::ids::{AgentId, SessionId};
use coordination::workspace::TaskStatus;

use super::filters::{UrlPairs, UrlQueryWriter, agent, invalid_value, text, value};

/// How tasks are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TasksView {
    /// What needs a person first.
    #[default]
    Status,
    /// Under agents.
    Agent,
}

/// Filters of the task list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TasksFilter {
    /// Grouping.
    pub view: TasksView,
    /// Whose.
    pub agent: Option<AgentId>,
    /// One status.
    pub status: Option<TaskStatus>,
    /// Of this session.
    pub session: Option<SessionId>,
    /// Free text.
    pub q: Option<String>,
}

impl TasksFilter {
    /// Tasks of one session.
    pub fn of_session(session: &SessionId) -> Self {
        Self { session: Some(session.clone()), ..Self::default() }
    }

    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self {
            view: match text(pairs, "view").as_deref() {
                Some("agent") => TasksView::Agent,
                _ => TasksView::Status,
            },
            agent: agent(pairs, "agent"),
            status: value(pairs, "status"),
            session: text(pairs, "session").map(SessionId::from),
            q: text(pairs, "q"),
        }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("view", (self.view == TasksView::Agent).then_some("agent"));
        out.put("agent", self.agent.as_ref());
        out.put("status", self.status.map(TaskStatus::as_str));
        out.put("session", self.session.as_ref());
        out.put("q", self.q.as_ref());
        out.0
    }

    /// Parameters with an invalid value, as written.
    pub fn unknown(pairs: &UrlPairs) -> Vec<(String, String)> {
        invalid_value::<TaskStatus>(pairs, "status").into_iter().collect()
    }

    /// True when nothing narrows the list (the grouping does not).
    pub fn is_empty(&self) -> bool {
        Self { view: TasksView::Status, ..self.clone() } == Self::default()
    }
}
