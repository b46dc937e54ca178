//! Files of a home that the workspaces consist of: their kinds by name, their contents, and the [`Workspace`] that
//! follows from all of them.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::{
    AgentWorkspace, CurrentTask, HistoryEntry, Milestone, Plan, Task, Workspace, parse_current, parse_history,
    parse_milestones, parse_plan, parse_task,
};
use crate::ids::{AgentId, TaskId};

/// Kinds of files that are read or watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// `tasks/task_*.md`.
    Task,
    /// `task-history/YYYY-MM.md` and `TASK_HISTORY.md`.
    History,
    /// `CURRENT_TASK.md`.
    Current,
    /// `.openclaw/plans/*.json` and the global `plans/*.json`.
    Plan,
    /// `IDENTITY.md`.
    Identity,
    /// `MILESTONES.md` (`contract/workspace.md` §9).
    Milestones,
    /// `team-state.json`.
    TeamState,
}

impl FileKind {
    /// Files at the top of an agent's folder, in the order in which they are read.
    pub const IN_FOLDER: [(&str, Self); 4] = [
        ("CURRENT_TASK.md", Self::Current),
        ("TASK_HISTORY.md", Self::History),
        ("IDENTITY.md", Self::Identity),
        ("MILESTONES.md", Self::Milestones),
    ];
    /// Folders within an agent's folder, and the kind of the files in them.
    pub const SUBFOLDERS: [(&str, Self); 3] =
        [("tasks", Self::Task), ("task-history", Self::History), (".openclaw/plans", Self::Plan)];

    /// Whether a file of this name in the kind's own folder is one of the kind.
    #[must_use]
    pub fn takes(self, name: &str) -> bool {
        let stem = |end: &str| name.strip_suffix(end).unwrap_or_default();
        match self {
            Self::Task => valid_task_id(stem(".md")),
            Self::History => is_month(stem(".md")),
            Self::Plan => name.ends_with(".json") && !name.starts_with('.'),
            Self::Current | Self::Identity | Self::Milestones | Self::TeamState => false,
        }
    }

    /// The kind of a file by its path in an agent's folder; none for one that is not read.
    #[must_use]
    pub fn in_folder(path: &str) -> Option<Self> {
        let file = Self::IN_FOLDER.into_iter().find(|(name, _)| *name == path);
        file.map(|(_, kind)| kind).or_else(|| {
            let (folder, name) = path.rsplit_once('/')?;
            let (_, kind) = Self::SUBFOLDERS.into_iter().find(|(subfolder, _)| *subfolder == folder)?;
            kind.takes(name).then_some(kind)
        })
    }

    /// Longest file that is read, in bytes (`contract/workspace.md` §10).
    #[must_use]
    pub fn max_bytes(self) -> u64 {
        match self {
            Self::Task | Self::Current | Self::Identity | Self::Milestones => 1 << 20,
            Self::History => 32 << 20,
            Self::Plan | Self::TeamState => 4 << 20,
        }
    }
}

/// What a file holds.
#[derive(Debug, Clone)]
pub enum FileContent {
    /// An open task.
    Task(Box<Task>),
    /// Ended tasks.
    History(Vec<Arc<HistoryEntry>>),
    /// The task in focus.
    Current(CurrentTask),
    /// A plan.
    Plan(Box<Plan>),
    /// Text of `IDENTITY.md`, for [`crate::roster::Roster::set_identity`].
    Identity(String),
    /// Check lists.
    Milestones(Vec<Milestone>),
    /// Nothing that is shown.
    Nothing,
    /// It is there and cannot be read, for this cause.
    Unreadable(String),
}

impl FileContent {
    /// Parses a file. `agent` is the owner of its folder, absent for files of the home itself; `stem` is its name without
    /// the extension.
    #[must_use]
    pub fn parse(kind: FileKind, agent: Option<&AgentId>, stem: &str, text: &str) -> Self {
        match kind {
            FileKind::Task => match parse_task(TaskId::from(stem), text) {
                Some(task) => Self::Task(Box::new(task)),
                // Emptied by the gateway on purpose: that is no damaged file.
                None if text.trim().is_empty() || text.contains("*(No task)*") => Self::Nothing,
                None => Self::Unreadable("not a task".to_owned()),
            },
            FileKind::History => Self::History(parse_history(stem, text).into_iter().map(Arc::new).collect()),
            FileKind::Current => Self::Current(parse_current(text)),
            FileKind::Plan => {
                let owner = agent.cloned().or_else(|| owner_of_plan(stem)).unwrap_or_default();
                let mut plan = parse_plan(stem, &owner, text);
                if agent.is_none()
                    && let Some(id) = plan.raw.get("agentId").and_then(Value::as_str)
                {
                    plan.agent_id = AgentId::from(id);
                }
                Self::Plan(Box::new(plan))
            }
            FileKind::Identity => Self::Identity(text.to_owned()),
            FileKind::TeamState if serde_json::from_str::<Value>(text).is_err() => {
                Self::Unreadable("not JSON".to_owned())
            }
            FileKind::Milestones => Self::Milestones(parse_milestones(text)),
            FileKind::TeamState => Self::Nothing,
        }
    }
}

/// A file of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct WorkspaceFile<'a> {
    /// Its path as it is shown where it cannot be read.
    pub path: &'a str,
    /// The agent whose folder it is in; absent for files of the home itself.
    pub agent: Option<&'a AgentId>,
    /// What it holds.
    pub content: &'a FileContent,
}

impl Workspace {
    /// Puts files together, in their order. `agents` are the owners of the folders; files of others are left out.
    pub fn from_files<'a>(
        agents: impl IntoIterator<Item = &'a AgentId>,
        files: impl IntoIterator<Item = WorkspaceFile<'a>>,
    ) -> Self {
        let mut places = HashMap::new();
        let mut workspace = Self::default();
        for agent_id in agents {
            places.entry(agent_id).or_insert_with(|| {
                workspace.agents.push(AgentWorkspace { agent_id: agent_id.clone(), ..AgentWorkspace::default() });
                workspace.agents.len() - 1
            });
        }
        for WorkspaceFile { path, agent, content } in files {
            let owner = match content {
                FileContent::Plan(plan) => agent.or(Some(&plan.agent_id)),
                _ => agent,
            };
            let place = owner.and_then(|owner| places.get(owner));
            let Some(found) = place.and_then(|place| workspace.agents.get_mut(*place)) else { continue };
            match content {
                FileContent::Plan(plan) => found.plans.push(plan.as_ref().clone()),
                FileContent::Task(task) => found.tasks.push(task.as_ref().clone()),
                FileContent::History(entries) => found.history.extend(entries.iter().cloned()),
                FileContent::Current(current) => found.current = current.clone(),
                FileContent::Milestones(list) => found.milestones.clone_from(list),
                FileContent::Unreadable(cause) => found.unreadable.push((path.to_owned(), cause.clone())),
                FileContent::Identity(_) | FileContent::Nothing => {}
            }
        }
        for agent in &mut workspace.agents {
            agent.history.sort_by(|one, other| other.completed.cmp(&one.completed));
        }
        workspace
    }
}

/// A global plan belongs to the agent its name begins with (`contract/monitor-api.md` §3).
fn owner_of_plan(stem: &str) -> Option<AgentId> {
    let (agent, _) = stem.split_once('_')?;
    valid_agent_id(agent).then(|| AgentId::from(agent))
}

/// `^[a-z0-9][a-z0-9_-]{0,63}$`: nothing else reaches the file system.
#[must_use]
pub fn valid_agent_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut bytes = id.bytes();
    id.len() <= 64 && bytes.next().is_some_and(plain) && bytes.all(|byte| plain(byte) || byte == b'_' || byte == b'-')
}

/// `^task_[a-z0-9_]{1,64}$`: nothing else reaches the file system.
#[must_use]
pub fn valid_task_id(id: &str) -> bool {
    id.strip_prefix("task_").is_some_and(|rest| {
        (1..=64).contains(&rest.len())
            && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

/// `YYYY-MM`.
#[must_use]
pub fn is_month(text: &str) -> bool {
    let digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    text.len() == 7 && text.as_bytes()[4] == b'-' && [0, 1, 2, 3, 5, 6].into_iter().all(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_paths() {
        for (path, kind) in [
            ("tasks/task_1.md", Some(FileKind::Task)),
            ("tasks/notes.md", None),
            ("task-history/2026-02.md", Some(FileKind::History)),
            ("task-history/2026-2.md", None),
            (".openclaw/plans/a.json", Some(FileKind::Plan)),
            ("CURRENT_TASK.md", Some(FileKind::Current)),
            ("memory/CURRENT_TASK.md", None),
        ] {
            assert_eq!(FileKind::in_folder(path), kind, "{path}");
        }
    }
}
