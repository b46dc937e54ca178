//! Reader and watcher of the agents' folders and `openclaw.json` (`contract/workspace.md`). The reader is a state
//! machine that rereads only what changed; `thread` runs it.

mod config;
mod file;
mod folders;
mod picture;
mod reader;
mod thread;

#[cfg(test)]
mod tests;

use coordination::api::{ConfigState, Unreadable};
use coordination::ids::{AgentId, TaskId};
use coordination::roster::Roster;
use coordination::workspace::{FileKind, StepsProgress, Workspace};

pub use config::{ConfigReader, LoadedConfig};
pub use file::{ReadError, read_text};
pub(crate) use folders::unclaimed;
pub use folders::{WorkspaceFolder, folder_of, folders};
pub use picture::{is_picture_type, read_picture};
pub use reader::WorkspaceReader;
pub(crate) use reader::progress;

pub(crate) use thread::spawn;
pub(crate) use thread::{FolderWatch, LookSchedule};

/// Task files read of one agent.
pub const TASKS_AN_AGENT: usize = 5_000;

/// The result of one look at the files. Everything is reported again when anything differs from the look before.
#[derive(Debug, Clone)]
pub struct Update {
    /// Agents by configuration and by folder, with names from `IDENTITY.md`.
    pub roster: Roster,
    /// State of `openclaw.json`.
    pub config: ConfigState,
    /// Content of the folders.
    pub workspace: Workspace,
    /// Files outside the agents' folders that could not be read: the configuration, the team state.
    pub unreadable: Vec<Unreadable>,
    /// What happened to which file since the look before; empty on the first look.
    pub changes: Vec<FileChange>,
}

/// One added, changed or removed file: content of the 1.x `/ws` messages (`contract/monitor-api.md` §8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// What happened.
    pub event: FileEvent,
    /// What kind of file.
    pub kind: FileKind,
    /// The agent whose file it is. Absent for files of the home.
    pub agent_id: Option<AgentId>,
    /// File name.
    pub file: String,
    /// The task, for task files.
    pub task_id: Option<TaskId>,
    /// Steps of the task, where it has any.
    pub steps: Option<StepsProgress>,
}

/// What happened to a file, in the words of the original 1.x monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileEvent {
    /// It is new.
    Add,
    /// Its content differs.
    Change,
    /// It was removed.
    Unlink,
}

impl FileEvent {
    /// Wire text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Change => "change",
            Self::Unlink => "unlink",
        }
    }
}
