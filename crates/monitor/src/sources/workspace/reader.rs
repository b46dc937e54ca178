//! Reader of agent workspaces. It rereads a file only when the metadata of the file changed.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coordination::api::{ConfigState, Unreadable};
use coordination::ids::{AgentId, TaskId};
use coordination::roster::Roster;
use coordination::workspace::{
    AgentWorkspace, CurrentTask, HistoryEntry, Milestone, Plan, StepState, StepsProgress, Task, Workspace,
    parse_current, parse_history, parse_milestones, parse_plan, parse_task,
};

use super::config::ConfigReader;
use super::file::{ReadError, WorkspaceFileSignature, read_text, signature};
use super::folders::{WorkspaceFolder, folders, unclaimed, valid_agent_id, valid_task_id};
use super::{FileChange, FileEvent, FileKind, HISTORY_LIMIT, PLAN_LIMIT, TASK_LIMIT, TASKS_AN_AGENT, Update};
use crate::fs::sandbox::Dir;
use crate::home::HomeDir;

/// Content of the files at the last look.
#[derive(Debug)]
pub struct WorkspaceReader {
    home: HomeDir,
    config: ConfigReader,
    /// One entry a file that exists or could not be read; shrinks when the file goes.
    files: BTreeMap<PathBuf, KnownFile>,
    /// The agents and the state of the configuration that the last update gave.
    last_reported: Option<(Roster, ConfigState)>,
}

#[derive(Debug)]
struct KnownFile {
    slot: FileSlot,
    signature: Option<WorkspaceFileSignature>,
    value: FileValue,
}

/// Where a file belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileSlot {
    kind: FileKind,
    /// The agent whose folder holds it; none for files of the home itself.
    agent: Option<AgentId>,
}

#[derive(Debug)]
enum FileValue {
    Task(Box<Task>),
    History(Vec<Arc<HistoryEntry>>),
    Current(CurrentTask),
    Plan(Box<Plan>),
    Identity(String),
    Milestones(Vec<Milestone>),
    Nothing,
    Unreadable(String),
}

impl WorkspaceReader {
    /// Has not looked yet.
    #[must_use]
    pub fn new(home: HomeDir) -> Self {
        Self { config: ConfigReader::new(home.clone()), home, files: BTreeMap::new(), last_reported: None }
    }

    /// Looks; `None` when nothing changed.
    pub fn look(&mut self) -> Option<Update> {
        let loaded = self.config.look().0.clone();
        let mut roster = loaded.roster;
        let extra = unclaimed(&self.home, &roster);
        roster.with_directories(&extra);
        let folders = folders(&self.home, &roster);
        let mut changes = self.compare(&folders);
        for (slot, value) in self.files.values().map(|known| (&known.slot, &known.value)) {
            if let (FileValue::Identity(text), Some(agent)) = (value, &slot.agent) {
                roster.set_identity(agent.as_str(), text);
            }
        }
        let now = (roster.clone(), loaded.state);
        if self.last_reported.as_ref() == Some(&now) && changes.is_empty() {
            return None;
        }
        if self.last_reported.is_none() {
            changes.clear();
        }
        self.last_reported = Some(now);
        let unreadable = loaded.problem.into_iter().chain(self.unreadable()).collect();
        let workspace = self.workspace(&folders);
        Some(Update { roster, config: loaded.state, workspace, unreadable, changes })
    }

    /// Folders worth a watch: the home, the agents' folders and what is read inside them.
    #[must_use]
    pub fn watched_folders(&self) -> Vec<PathBuf> {
        let mut all = vec![self.home.root().to_path_buf()];
        let home = self.home.open().ok();
        all.extend(home.filter(|home| home.folder("plans").is_ok()).map(|_| self.home.root().join("plans")));
        let Some((roster, _)) = &self.last_reported else { return all };
        for folder in folders(&self.home, roster) {
            let Ok(opened) = folder.open(&self.home) else {
                // A link is not read, so it is not watched either.
                all.extend(Some(folder.path).filter(|path| path.symlink_metadata().is_err()));
                continue;
            };
            let inside = ["tasks", "task-history", ".openclaw/plans"];
            // A linked folder is not read, so it is not watched either.
            let read = inside.into_iter().filter(|below| opened.folder(below).is_ok());
            all.extend(read.map(|below| folder.path.join(below)));
            all.push(folder.path);
        }
        all
    }

    /// Looks at every file to be read, in the current folders; updates the known files and returns what
    /// changed.
    fn compare(&mut self, folders: &[WorkspaceFolder]) -> Vec<FileChange> {
        let mut look = WorkspaceLook { before: std::mem::take(&mut self.files), ..WorkspaceLook::default() };
        for folder in folders {
            let slot = |kind| FileSlot { kind, agent: Some(folder.agent_id.clone()) };
            let opened = match folder.open(&self.home) {
                Ok(opened) => opened,
                Err(error) => {
                    look.look_at_file(folder.path.clone(), slot(FileKind::Identity), Err(error));
                    continue;
                }
            };
            for (name, kind) in [
                ("CURRENT_TASK.md", FileKind::Current),
                ("TASK_HISTORY.md", FileKind::History),
                ("IDENTITY.md", FileKind::Identity),
                ("MILESTONES.md", FileKind::Milestones),
            ] {
                look.look_at_file(folder.path.join(name), slot(kind), Ok((&opened, name)));
            }
            look.list(&opened, (&folder.path, "tasks"), &slot(FileKind::Task), is_task_file);
            look.list(&opened, (&folder.path, "task-history"), &slot(FileKind::History), is_month_file);
            look.list(&opened, (&folder.path, ".openclaw/plans"), &slot(FileKind::Plan), is_plan_file);
        }
        let slot = |kind| FileSlot { kind, agent: None };
        // The follower of the log reports a missing or closed home.
        if let Ok(home) = self.home.open() {
            let root = self.home.root();
            look.look_at_file(root.join("team-state.json"), slot(FileKind::TeamState), Ok((&home, "team-state.json")));
            look.list(&home, (root, "plans"), &slot(FileKind::Plan), is_plan_file);
        }
        let (files, changes) = look.done();
        self.files = files;
        changes
    }

    /// Everything known of the agents, in the order of their folders.
    fn workspace(&self, folders: &[WorkspaceFolder]) -> Workspace {
        let empty = |id: &AgentId| AgentWorkspace { agent_id: id.clone(), ..AgentWorkspace::default() };
        let mut by_agent: HashMap<&AgentId, AgentWorkspace> =
            folders.iter().map(|folder| (&folder.agent_id, empty(&folder.agent_id))).collect();
        for (path, known) in &self.files {
            let owner = match &known.value {
                FileValue::Plan(plan) => Some(known.slot.agent.as_ref().unwrap_or(&plan.agent_id)),
                _ => known.slot.agent.as_ref(),
            };
            let Some(found) = owner.and_then(|owner| by_agent.get_mut(owner)) else { continue };
            match &known.value {
                FileValue::Plan(plan) => found.plans.push(plan.as_ref().clone()),
                FileValue::Task(task) => found.tasks.push(task.as_ref().clone()),
                FileValue::History(entries) => found.history.extend(entries.iter().cloned()),
                FileValue::Current(current) => found.current = current.clone(),
                FileValue::Milestones(list) => found.milestones.clone_from(list),
                FileValue::Unreadable(cause) => found.unreadable.push((self.shown(path), cause.clone())),
                FileValue::Identity(_) | FileValue::Nothing => {}
            }
        }
        let mut agents: Vec<AgentWorkspace> =
            folders.iter().filter_map(|folder| by_agent.remove(&folder.agent_id)).collect();
        for agent in &mut agents {
            agent.history.sort_by(|one, other| other.completed.cmp(&one.completed));
        }
        Workspace { agents }
    }

    /// Files of the home itself that could not be read.
    fn unreadable(&self) -> Vec<Unreadable> {
        self.files
            .iter()
            .filter(|(_, known)| known.slot.agent.is_none())
            .filter_map(|(path, known)| match &known.value {
                FileValue::Unreadable(cause) => Some(Unreadable { path: self.shown(path), cause: cause.clone() }),
                _ => None,
            })
            .collect()
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.home.root())
            .map_or_else(|_| self.home.display(path), |below| below.display().to_string())
    }
}

/// One look at all files, with the results of the look before.
#[derive(Debug, Default)]
struct WorkspaceLook {
    before: BTreeMap<PathBuf, KnownFile>,
    now: BTreeMap<PathBuf, KnownFile>,
    changes: Vec<FileChange>,
}

impl WorkspaceLook {
    /// Looks at one file, by its name in an open folder, or notes why that cannot be.
    fn look_at_file(&mut self, path: PathBuf, slot: FileSlot, place: Result<(&Dir, &str), ReadError>) {
        let seen = place.and_then(|(folder, name)| Ok((signature(folder, name)?, folder, name)));
        let old = self.before.remove(&path);
        let known = match (seen, old) {
            (Ok((now, ..)), Some(old)) if old.signature == Some(now) && old.slot == slot => old,
            (Ok((now, folder, name)), old) => {
                let event = if old.is_some() { FileEvent::Change } else { FileEvent::Add };
                let Some(value) = read(&slot, folder, name) else { return };
                let known = KnownFile { slot, signature: Some(now), value };
                self.changes.push(change(event, &path, &known));
                known
            }
            (Err(ReadError::Missing), Some(old)) => {
                self.changes.push(change(FileEvent::Unlink, &path, &old));
                return;
            }
            (Err(ReadError::Missing), None) => return,
            (Err(ReadError::Unreadable(cause)), old) => {
                let known = KnownFile { slot, signature: None, value: FileValue::Unreadable(cause) };
                if old.is_none_or(|old| old.signature.is_some()) {
                    self.changes.push(change(FileEvent::Change, &path, &known));
                }
                known
            }
        };
        self.now.insert(path, known);
    }

    /// Looks at the files of a folder that `wants` them by name. A folder that cannot be listed is itself an entry.
    fn list(&mut self, above: &Dir, (path, below): (&Path, &str), slot: &FileSlot, wants: fn(&str) -> bool) {
        let path = path.join(below);
        let listed = above.folder(below).and_then(|folder| Ok((folder.names()?, folder)));
        let (names, folder) = match listed {
            Ok(listed) => listed,
            Err(error) => return self.look_at_file(path, slot.clone(), Err(error.into())),
        };
        let mut files = names.iter().filter(|name| wants(name));
        for name in files.by_ref().take(TASKS_AN_AGENT) {
            self.look_at_file(path.join(name), slot.clone(), Ok((&folder, name)));
        }
        // A skipped file is reported: a limit is never silent.
        let rest = files.count();
        if rest > 0 {
            let cause = format!("too many files: {rest} not read");
            self.look_at_file(path, slot.clone(), Err(ReadError::Unreadable(cause)));
        }
    }

    /// The current files, and the changes.
    fn done(mut self) -> (BTreeMap<PathBuf, KnownFile>, Vec<FileChange>) {
        // A file that was not visited has vanished from its folder, or its agent has.
        self.changes.extend(self.before.iter().map(|(path, old)| change(FileEvent::Unlink, path, old)));
        (self.now, self.changes)
    }
}

/// Reads and parses one file; nothing when it vanished meanwhile.
fn read(slot: &FileSlot, folder: &Dir, name: &str) -> Option<FileValue> {
    let limit = match slot.kind {
        FileKind::Task | FileKind::Current | FileKind::Identity | FileKind::Milestones => TASK_LIMIT,
        FileKind::History => HISTORY_LIMIT,
        FileKind::Plan | FileKind::TeamState => PLAN_LIMIT,
    };
    let text = match read_text(folder, name, limit) {
        Ok(text) => text,
        Err(ReadError::Missing) => return None,
        Err(ReadError::Unreadable(cause)) => return Some(FileValue::Unreadable(cause)),
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    Some(match slot.kind {
        FileKind::Task => match parse_task(TaskId::from(stem), &text) {
            Some(task) => FileValue::Task(Box::new(task)),
            // Emptied by the gateway on purpose: that is no damaged file.
            None if text.trim().is_empty() || text.contains("*(No task)*") => FileValue::Nothing,
            None => FileValue::Unreadable("not a task".to_owned()),
        },
        FileKind::History => FileValue::History(parse_history(&stem, &text).into_iter().map(Arc::new).collect()),
        FileKind::Current => FileValue::Current(parse_current(&text)),
        FileKind::Plan => {
            let owner = slot.agent.clone().or_else(|| owner_of_plan(&stem)).unwrap_or_default();
            let mut plan = parse_plan(&stem, &owner, &text);
            if slot.agent.is_none()
                && let Some(id) = plan.raw.get("agentId").and_then(serde_json::Value::as_str)
            {
                plan.agent_id = AgentId::from(id);
            }
            FileValue::Plan(Box::new(plan))
        }
        FileKind::Identity => FileValue::Identity(text),
        FileKind::TeamState if serde_json::from_str::<serde_json::Value>(&text).is_err() => {
            FileValue::Unreadable("not JSON".to_owned())
        }
        FileKind::Milestones => FileValue::Milestones(parse_milestones(&text)),
        FileKind::TeamState => FileValue::Nothing,
    })
}

/// A global plan belongs to the agent its name begins with (`contract/monitor-api.md` §3).
fn owner_of_plan(stem: &str) -> Option<AgentId> {
    let (agent, _) = stem.split_once('_')?;
    valid_agent_id(agent).then(|| AgentId::from(agent))
}

fn change(event: FileEvent, path: &Path, known: &KnownFile) -> FileChange {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plan_owner = match &known.value {
        FileValue::Plan(plan) => Some(plan.agent_id.clone()).filter(|id| !id.as_str().is_empty()),
        _ => None,
    };
    let steps = match &known.value {
        FileValue::Task(task) if !task.steps.is_empty() && event != FileEvent::Unlink => Some(progress(task)),
        _ => None,
    };
    FileChange {
        event,
        kind: known.slot.kind,
        agent_id: known.slot.agent.clone().or(plan_owner),
        task_id: (known.slot.kind == FileKind::Task)
            .then(|| file.strip_suffix(".md").map(TaskId::from))
            .flatten()
            .filter(|id| valid_task_id(id.as_str())),
        file,
        steps,
    }
}

/// Steps of a task by state.
pub(crate) fn progress(task: &Task) -> StepsProgress {
    let count = |state| u32::try_from(task.steps.iter().filter(|step| step.status == state).count()).unwrap_or(0);
    StepsProgress {
        total: u32::try_from(task.steps.len()).unwrap_or(0),
        done: count(StepState::Done),
        in_progress: count(StepState::InProgress),
        pending: count(StepState::Pending),
        skipped: count(StepState::Skipped),
    }
}

fn is_task_file(name: &str) -> bool {
    name.strip_suffix(".md").is_some_and(valid_task_id)
}

fn is_month_file(name: &str) -> bool {
    is_month(name.strip_suffix(".md").unwrap_or_default())
}

/// `YYYY-MM`.
pub(crate) fn is_month(text: &str) -> bool {
    let digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    text.len() == 7 && text.as_bytes()[4] == b'-' && [0, 1, 2, 3, 5, 6].into_iter().all(digit)
}

fn is_plan_file(name: &str) -> bool {
    name.ends_with(".json") && !name.starts_with('.')
}
