//! The agents' folders by task and by session.

use std::collections::{BTreeMap, HashMap};

use crate::ids::{SessionId, TaskId};
use crate::workspace::{HistoryEntry, Task, Workspace};

/// Where a task stands: agent and position, open or archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskAt {
    Open { agent: usize, position: usize },
    Archived { agent: usize, position: usize },
}

/// Finds tasks. Built anew with each workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkspaceIndex {
    /// Every known place of a task id, open ones first.
    pub(crate) by_task: BTreeMap<TaskId, Vec<TaskAt>>,
    /// Tasks whose file names the session.
    pub(crate) by_session: HashMap<SessionId, Vec<TaskId>>,
    /// The session that a session resumes, by what task files say.
    pub(crate) previous: HashMap<SessionId, SessionId>,
}

impl WorkspaceIndex {
    pub(crate) fn new(workspace: &Workspace) -> Self {
        let mut index = Self::default();
        for (agent, folder) in workspace.agents.iter().enumerate() {
            for (position, task) in folder.tasks.iter().enumerate() {
                index.by_task.entry(task.id.clone()).or_default().push(TaskAt::Open { agent, position });
                if let Some(session) = &task.work_session_id {
                    index.by_session.entry(session.clone()).or_default().push(task.id.clone());
                    if let Some(previous) = &task.previous_work_session_id {
                        index.previous.entry(session.clone()).or_insert_with(|| previous.clone());
                    }
                }
            }
        }
        for (agent, folder) in workspace.agents.iter().enumerate() {
            for (position, entry) in folder.history.iter().enumerate() {
                let id = archived_id(entry, position);
                index.by_task.entry(id).or_default().push(TaskAt::Archived { agent, position });
            }
        }
        index
    }

    /// What a task is called, from its file or its archive entry.
    pub(crate) fn description<'a>(&self, workspace: &'a Workspace, id: &TaskId) -> Option<&'a str> {
        self.by_task.get(id)?.iter().find_map(|at| match at {
            TaskAt::Open { .. } => open(workspace, *at).map(|task| task.description.as_str()),
            TaskAt::Archived { .. } => archived(workspace, *at).map(|entry| entry.description.as_str()),
        })
    }
}

/// The id of an archive entry; the legacy archive has none, so its month and place stand in.
pub(crate) fn archived_id(entry: &HistoryEntry, position: usize) -> TaskId {
    entry.id.clone().unwrap_or_else(|| TaskId(format!("archived_{}_{position}", entry.month)))
}

pub(crate) fn open(workspace: &Workspace, at: TaskAt) -> Option<&Task> {
    match at {
        TaskAt::Open { agent, position } => workspace.agents.get(agent)?.tasks.get(position),
        TaskAt::Archived { .. } => None,
    }
}

pub(crate) fn archived(workspace: &Workspace, at: TaskAt) -> Option<&HistoryEntry> {
    match at {
        TaskAt::Archived { agent, position } => workspace.agents.get(agent)?.history.get(position),
        TaskAt::Open { .. } => None,
    }
}
