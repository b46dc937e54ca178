//! An agent's folder as REST 1.x asks for it: read from disk at the moment of asking, within the same limits as
//! the watcher (`contract/workspace.md` §3–§7, §10).

use std::fs;
use std::path::{Path, PathBuf};

use coordination::ids::{AgentId, TaskId};
use coordination::roster::Roster;
use coordination::workspace::{CurrentTask, HistoryEntry, Task, parse_current, parse_history, parse_plan, parse_task};
use serde_json::Value;

use super::answer::Fault;
use crate::home::Home;
use crate::workspace::{
    Folder, HISTORY_LIMIT, PLAN_LIMIT, ReadError, TASK_LIMIT, TASKS_AN_AGENT, folder_of, is_month, read_text,
    valid_task_id,
};

/// One agent's folder that exists.
#[derive(Debug)]
pub(super) struct AgentFolder {
    home: Home,
    folder: Folder,
}

impl AgentFolder {
    /// The folder of an agent; without one the agent is not found (`contract/monitor-api.md` §3).
    pub(super) fn find(home: &Home, roster: &Roster, id: &str) -> Result<Self, Fault> {
        match folder_of(home, roster, id) {
            Some(folder) => Ok(Self { home: home.clone(), folder }),
            None => Err(Fault::not_found(format!("Agent not found: {id}"))),
        }
    }

    pub(super) fn id(&self) -> &AgentId {
        &self.folder.agent_id
    }

    /// Its absolute path.
    pub(super) fn path(&self) -> PathBuf {
        std::path::absolute(&self.folder.path).unwrap_or_else(|_| self.folder.path.clone())
    }

    /// A file's text; nothing when there is none.
    fn text(&self, path: &Path, limit: u64) -> Result<Option<String>, Fault> {
        optional(read_text(&self.folder.path, path, limit), path)
    }

    /// Text of `CURRENT_TASK.md` and what it says.
    pub(super) fn current(&self) -> Result<Option<(String, CurrentTask)>, Fault> {
        let text = self.text(&self.folder.path.join("CURRENT_TASK.md"), TASK_LIMIT)?;
        Ok(text.map(|text| {
            let current = parse_current(&text);
            (text, current)
        }))
    }

    /// Names of the task files, sorted.
    pub(super) fn task_ids(&self) -> Result<Vec<TaskId>, Fault> {
        let names = self.names("tasks")?;
        let ids = names.iter().filter_map(|name| name.strip_suffix(".md")).filter(|id| valid_task_id(id));
        Ok(ids.take(TASKS_AN_AGENT).map(TaskId::from).collect())
    }

    /// One open task.
    pub(super) fn task(&self, id: &TaskId) -> Result<Option<Task>, Fault> {
        let text = self.text(&self.folder.path.join("tasks").join(format!("{id}.md")), TASK_LIMIT)?;
        Ok(text.and_then(|text| parse_task(id.clone(), &text)))
    }

    /// All open tasks. One file that cannot be read does not hide the others.
    pub(super) fn tasks(&self) -> Result<Vec<Task>, Fault> {
        Ok(self.task_ids()?.iter().filter_map(|id| self.task(id).ok().flatten()).collect())
    }

    /// Months with an archive, newest first.
    pub(super) fn months(&self) -> Result<Vec<String>, Fault> {
        let names = self.names("task-history")?;
        let mut months: Vec<String> = names
            .iter()
            .filter_map(|name| name.strip_suffix(".md"))
            .filter(|name| is_month(name))
            .map(str::to_owned)
            .collect();
        months.sort_unstable_by(|one, other| other.cmp(one));
        Ok(months)
    }

    /// The archive of one month as written.
    pub(super) fn month(&self, month: &str) -> Result<Option<String>, Fault> {
        self.text(&self.folder.path.join("task-history").join(format!("{month}.md")), HISTORY_LIMIT)
    }

    /// An archived task: newest month first, the first match wins.
    pub(super) fn archived(&self, id: &TaskId) -> Result<Option<HistoryEntry>, Fault> {
        for month in self.months()? {
            let entries = self.month(&month)?.map(|text| parse_history(&month, &text)).unwrap_or_default();
            if let Some(entry) = entries.into_iter().find(|entry| entry.id.as_ref() == Some(id)) {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Own plans, then the global ones that name this agent, as written; newest first.
    pub(super) fn plans(&self) -> Result<Vec<Value>, Fault> {
        let mut plans = Vec::new();
        let own = self.folder.path.join(".openclaw/plans");
        for name in self.names(".openclaw/plans")?.iter().filter(|name| name.ends_with(".json")) {
            if let Some(text) = self.text(&own.join(name), PLAN_LIMIT)? {
                plans.push(parse_plan(name.trim_end_matches(".json"), self.id(), &text).raw);
            }
        }
        let shared = self.home.root().join("plans");
        let prefix = format!("{}_", self.id());
        for name in names(&shared)?.iter().filter(|name| name.ends_with(".json")) {
            let path = shared.join(name);
            let Some(text) = optional(read_text(self.home.root(), &path, PLAN_LIMIT), &path)? else { continue };
            let raw = parse_plan(name.trim_end_matches(".json"), self.id(), &text).raw;
            if name.starts_with(&prefix) || raw.get("agentId").and_then(Value::as_str) == Some(self.id().as_str()) {
                plans.push(raw);
            }
        }
        let time = |plan: &Value| {
            let of = |key: &str| plan.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            of("updatedAt").or_else(|| of("createdAt")).or_else(|| of("submittedAt")).unwrap_or_default().to_owned()
        };
        plans.sort_by_key(|plan| std::cmp::Reverse(time(plan)));
        Ok(plans)
    }

    fn names(&self, below: &str) -> Result<Vec<String>, Fault> {
        names(&self.folder.path.join(below))
    }
}

/// A file of the home itself.
pub(super) fn home_file(home: &Home, name: &str) -> Result<Option<String>, Fault> {
    let path = home.root().join(name);
    optional(read_text(home.root(), &path, PLAN_LIMIT), &path)
}

fn optional(read: Result<String, ReadError>, path: &Path) -> Result<Option<String>, Fault> {
    match read {
        Ok(text) => Ok(Some(text)),
        Err(ReadError::Missing) => Ok(None),
        Err(ReadError::Unreadable(cause)) => Err(Fault::unreadable(&file_name(path), &cause)),
    }
}

fn names(folder: &Path) -> Result<Vec<String>, Fault> {
    match fs::read_dir(folder) {
        Ok(entries) => {
            let mut names: Vec<String> =
                entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.sort_unstable();
            Ok(names)
        }
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(Fault::unreadable(&file_name(folder), &error.kind().to_string())),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
