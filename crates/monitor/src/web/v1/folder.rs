//! Reader of agent folders for REST 1.x: tasks, archives, plans and the current task (`contract/workspace.md` §3–§7).
//! It reads from disk on request, with the size limits of `sources::workspace` (§10).

use std::path::PathBuf;

use coordination::ids::{AgentId, TaskId};
use coordination::roster::Roster;
use coordination::workspace::{
    CurrentTask, FileKind, HistoryEntry, Task, is_month, parse_current, parse_history, parse_plan, parse_task,
    valid_task_id,
};
use serde_json::Value;

use super::answer::V1Error;
use crate::fs::sandbox::Dir;
use crate::home::HomeDir;
use crate::sources::workspace::{ReadError, TASKS_AN_AGENT, WorkspaceFolder, folder_of, read_text};

/// Most months of archives in an answer: a century.
const MAX_MONTHS: usize = 1_200;

/// One agent's folder that exists.
#[derive(Debug)]
pub(super) struct AgentFolder {
    home: HomeDir,
    folder: WorkspaceFolder,
    /// Open handle, to which all reads are relative.
    opened: Dir,
}

impl AgentFolder {
    /// The folder of an agent; without one the agent is not found (`contract/monitor-api.md` §3).
    pub(super) fn find(home: &HomeDir, roster: &Roster, id: &str) -> Result<Self, V1Error> {
        match folder_of(home, roster, id) {
            Ok((folder, opened)) => Ok(Self { home: home.clone(), folder, opened }),
            Err(ReadError::Missing) => Err(V1Error::not_found(format!("Agent not found: {id}"))),
            // It is there: to call its agent unknown would be a lie.
            Err(ReadError::Unreadable(cause)) => Err(V1Error::unreadable(&format!("the folder of {id}"), &cause)),
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
    fn text(&self, below: &str, kind: FileKind) -> Result<Option<String>, V1Error> {
        text(&self.opened, below, kind)
    }

    /// Text of `CURRENT_TASK.md` and its fields.
    pub(super) fn current(&self) -> Result<Option<(String, CurrentTask)>, V1Error> {
        let text = self.text("CURRENT_TASK.md", FileKind::Current)?;
        Ok(text.map(|text| {
            let current = parse_current(&text);
            (text, current)
        }))
    }

    /// Names of the task files, sorted.
    pub(super) fn task_ids(&self) -> Result<Vec<TaskId>, V1Error> {
        let names = names(&self.opened, "tasks")?;
        let ids = names.iter().filter_map(|name| name.strip_suffix(".md")).filter(|id| valid_task_id(id));
        Ok(ids.take(TASKS_AN_AGENT).map(TaskId::from).collect())
    }

    /// One open task.
    pub(super) fn task(&self, id: &TaskId) -> Result<Option<Task>, V1Error> {
        let text = self.text(&format!("tasks/{id}.md"), FileKind::Task)?;
        Ok(text.and_then(|text| parse_task(id.clone(), &text)))
    }

    /// All open tasks, and the files that could not be read: they do not hide the others.
    pub(super) fn tasks(&self) -> Result<(Vec<Task>, UnreadFiles), V1Error> {
        let (mut tasks, mut unread) = (Vec::new(), UnreadFiles::default());
        for id in self.task_ids()? {
            tasks.extend(unread.note(self.task(&id)).flatten());
        }
        Ok((tasks, unread))
    }

    /// Months with an archive, newest first.
    pub(super) fn months(&self) -> Result<Vec<String>, V1Error> {
        let names = names(&self.opened, "task-history")?;
        let mut months: Vec<String> = names
            .iter()
            .filter_map(|name| name.strip_suffix(".md"))
            .filter(|name| is_month(name))
            .map(str::to_owned)
            .collect();
        months.sort_unstable_by(|one, other| other.cmp(one));
        months.truncate(MAX_MONTHS);
        Ok(months)
    }

    /// The archive of one month as written.
    pub(super) fn month(&self, month: &str) -> Result<Option<String>, V1Error> {
        self.text(&format!("task-history/{month}.md"), FileKind::History)
    }

    /// An archived task: newest month first, the first match wins.
    pub(super) fn archived(&self, id: &TaskId) -> Result<Option<HistoryEntry>, V1Error> {
        let mut unread = None;
        for month in self.months()? {
            let entries = match self.month(&month) {
                Ok(text) => text.map(|text| parse_history(&month, &text)).unwrap_or_default(),
                Err(fault) => {
                    unread = Some(fault);
                    continue;
                }
            };
            if let Some(entry) = entries.into_iter().find(|entry| entry.id.as_ref() == Some(id)) {
                return Ok(Some(entry));
            }
        }
        // It may be in the month that cannot be read.
        unread.map_or(Ok(None), Err)
    }

    /// Own plans, then the global ones that name this agent, as written; newest first. Those that could not be read
    /// do not hide the others.
    pub(super) fn plans(&self) -> Result<(Vec<Value>, UnreadFiles), V1Error> {
        let (mut plans, mut unread) = (Vec::new(), UnreadFiles::default());
        let own = names(&self.opened, ".openclaw/plans")?;
        for name in unread.within(own.iter().filter(|name| name.ends_with(".json"))) {
            if let Some(text) = unread.note(self.text(&format!(".openclaw/plans/{name}"), FileKind::Plan)).flatten() {
                plans.push(parse_plan(name.trim_end_matches(".json"), self.id(), &text).raw);
            }
        }
        let home = self.home.open().map_err(|error| V1Error::unreadable("plans", &error.kind().to_string()))?;
        let prefix = format!("{}_", self.id());
        let shared = names(&home, "plans")?;
        for name in unread.within(shared.iter().filter(|name| name.ends_with(".json"))) {
            let Some(text) = unread.note(text(&home, &format!("plans/{name}"), FileKind::Plan)).flatten() else {
                continue;
            };
            let raw = parse_plan(name.trim_end_matches(".json"), self.id(), &text).raw;
            if name.starts_with(&prefix) || raw.get("agentId").and_then(Value::as_str) == Some(self.id().as_str()) {
                plans.push(raw);
            }
        }
        let time = |plan: &Value| {
            let field = |key: &str| plan.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            field("updatedAt")
                .or_else(|| field("createdAt"))
                .or_else(|| field("submittedAt"))
                .unwrap_or_default()
                .to_owned()
        };
        plans.sort_by_key(|plan| std::cmp::Reverse(time(plan)));
        Ok((plans, unread))
    }
}

/// What could not be read of several files; the old API has no field for it, so it is added only when there is any.
#[derive(Debug, Default)]
pub(super) struct UnreadFiles(Vec<String>);

impl UnreadFiles {
    /// The read value, or nothing and a note of the cause.
    pub(super) fn note<T>(&mut self, read: Result<T, V1Error>) -> Option<T> {
        read.map_err(|fault| self.0.push(fault.text().to_owned())).ok()
    }

    /// As many as are read of a folder; the number of skipped ones is noted.
    fn within<'n>(&mut self, names: impl Iterator<Item = &'n String>) -> Vec<&'n String> {
        let mut names: Vec<&String> = names.collect();
        if names.len() > TASKS_AN_AGENT {
            self.0.push(format!("too many files: {} not read", names.len() - TASKS_AN_AGENT));
            names.truncate(TASKS_AN_AGENT);
        }
        names
    }

    /// Adds the sentences to an answer.
    pub(super) fn add_to(self, mut answer: Value) -> Value {
        if !self.0.is_empty() {
            answer["unreadable"] = self.0.into();
        }
        answer
    }
}

/// A file of the home itself.
pub(super) fn home_file(home: &HomeDir, name: &str) -> Result<Option<String>, V1Error> {
    match home.open() {
        Ok(opened) => text(&opened, name, FileKind::TeamState),
        Err(error) => optional(Err(error.into()), name),
    }
}

fn text(folder: &Dir, below: &str, kind: FileKind) -> Result<Option<String>, V1Error> {
    optional(read_text(folder, below, kind.max_bytes()), below)
}

/// Names in a folder below; nothing when there is none.
fn names(above: &Dir, below: &str) -> Result<Vec<String>, V1Error> {
    let listed = above.folder(below).and_then(|folder| folder.names());
    Ok(optional(listed.map_err(ReadError::from), below)?.unwrap_or_default())
}

/// Nothing when it is missing. Otherwise the error names the file alone, without its path.
fn optional<T>(read: Result<T, ReadError>, below: &str) -> Result<Option<T>, V1Error> {
    let name = below.rsplit_once('/').map_or(below, |(_, name)| name);
    match read {
        Ok(read) => Ok(Some(read)),
        Err(ReadError::Missing) => Ok(None),
        Err(ReadError::Unreadable(cause)) => Err(V1Error::unreadable(name, &cause)),
    }
}
