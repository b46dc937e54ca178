//! Reader of agent workspaces. It rereads a file only when the metadata of the file changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use coordination::api::{ConfigState, Unreadable};
use coordination::ids::{AgentId, TaskId};
use coordination::roster::Roster;
use coordination::workspace::{
    FileContent, FileKind, StepState, StepsProgress, Task, Workspace, WorkspaceFile, valid_task_id,
};

use super::config::ConfigReader;
use super::file::{ReadError, WorkspaceFileSignature, read_text, signature};
use super::folders::{WorkspaceFolder, folders, unclaimed};
use super::{FileChange, FileEvent, TASKS_AN_AGENT, Update};
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
    content: FileContent,
}

/// Where a file belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileSlot {
    kind: FileKind,
    /// The agent whose folder holds it; none for files of the home itself.
    agent: Option<AgentId>,
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
        for (slot, value) in self.files.values().map(|known| (&known.slot, &known.content)) {
            if let (FileContent::Identity(text), Some(agent)) = (value, &slot.agent) {
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
            for (name, kind) in FileKind::IN_FOLDER {
                look.look_at_file(folder.path.join(name), slot(kind), Ok((&opened, name)));
            }
            for (below, kind) in FileKind::SUBFOLDERS {
                look.list(&opened, (&folder.path, below), &slot(kind));
            }
        }
        let slot = |kind| FileSlot { kind, agent: None };
        // The follower of the log reports a missing or closed home.
        if let Ok(home) = self.home.open() {
            let root = self.home.root();
            look.look_at_file(root.join("team-state.json"), slot(FileKind::TeamState), Ok((&home, "team-state.json")));
            look.list(&home, (root, "plans"), &slot(FileKind::Plan));
        }
        let (files, changes) = look.done();
        self.files = files;
        changes
    }

    /// Everything known of the agents, in the order of their folders.
    fn workspace(&self, folders: &[WorkspaceFolder]) -> Workspace {
        let files: Vec<(String, &KnownFile)> =
            self.files.iter().map(|(path, known)| (self.shown(path), known)).collect();
        let files = files.iter().map(|(path, KnownFile { slot, content, .. })| WorkspaceFile {
            path,
            agent: slot.agent.as_ref(),
            content,
        });
        Workspace::from_files(folders.iter().map(|folder| &folder.agent_id), files)
    }

    /// Whether the last look read all that is there.
    pub(super) fn is_whole(&self) -> bool {
        !self.files.values().any(|known| matches!(known.content, FileContent::Unreadable(_)))
    }

    /// Files of the home itself that could not be read.
    fn unreadable(&self) -> Vec<Unreadable> {
        self.files
            .iter()
            .filter(|(_, known)| known.slot.agent.is_none())
            .filter_map(|(path, known)| match &known.content {
                FileContent::Unreadable(cause) => Some(Unreadable { path: self.shown(path), cause: cause.clone() }),
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
                let Some(content) = read(&slot, folder, name) else { return };
                let known = KnownFile { slot, signature: Some(now), content };
                self.changes.push(change(event, &path, &known));
                known
            }
            (Err(ReadError::Missing), Some(old)) => {
                self.changes.push(change(FileEvent::Unlink, &path, &old));
                return;
            }
            (Err(ReadError::Missing), None) => return,
            (Err(ReadError::Unreadable(cause)), old) => {
                let known = KnownFile { slot, signature: None, content: FileContent::Unreadable(cause) };
                if old.is_none_or(|old| old.signature.is_some()) {
                    self.changes.push(change(FileEvent::Change, &path, &known));
                }
                known
            }
        };
        self.now.insert(path, known);
    }

    /// Looks at the files of a folder that are of the slot's kind. A folder that cannot be listed is itself an entry.
    fn list(&mut self, above: &Dir, (path, below): (&Path, &str), slot: &FileSlot) {
        let path = path.join(below);
        let listed = above.folder(below).and_then(|folder| Ok((folder.names()?, folder)));
        let (names, folder) = match listed {
            Ok(listed) => listed,
            Err(error) => return self.look_at_file(path, slot.clone(), Err(error.into())),
        };
        let mut files = names.iter().filter(|name| slot.kind.takes(name));
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
fn read(slot: &FileSlot, folder: &Dir, name: &str) -> Option<FileContent> {
    let text = match read_text(folder, name, slot.kind.max_bytes()) {
        Ok(text) => text,
        Err(ReadError::Missing) => return None,
        Err(ReadError::Unreadable(cause)) => return Some(FileContent::Unreadable(cause)),
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    Some(FileContent::parse(slot.kind, slot.agent.as_ref(), stem, &text))
}

fn change(event: FileEvent, path: &Path, known: &KnownFile) -> FileChange {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plan_owner = match &known.content {
        FileContent::Plan(plan) => Some(plan.agent_id.clone()).filter(|id| !id.as_str().is_empty()),
        _ => None,
    };
    let steps = match &known.content {
        FileContent::Task(task) if !task.steps.is_empty() && event != FileEvent::Unlink => Some(progress(task)),
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
