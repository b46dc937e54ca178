//! Files that a person opened on this page in place of a monitor: their names, how far they are read, and requests to
//! choose some. `src/app/files` opens them.

use leptos::prelude::*;

use crate::i18n::messages::FilesFailure;
use crate::source::FilesState;

/// What is to be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilesChoice {
    /// One or more files.
    Files,
    /// All files of a folder.
    Folder,
    /// What was opened before under this name.
    Recent(String),
}

/// What was opened before and can be opened again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentFiles {
    /// Name of what was opened.
    pub name: String,
    /// When it was opened last, epoch ms by the device's clock.
    pub at: i64,
}

/// The opened files.
#[derive(Clone, Copy)]
pub struct OpenedFiles {
    /// Name of what was opened; none while a monitor is shown.
    pub name: RwSignal<Option<String>>,
    /// How far they are read.
    pub state: RwSignal<Option<FilesState>>,
    /// Why nothing more can be read.
    pub failure: RwSignal<Option<FilesFailure>>,
    /// Files and folders that the browser could not open.
    pub unread: RwSignal<Vec<String>>,
    /// The latest request to choose.
    pub choice: RwSignal<Option<FilesChoice>>,
    /// What was opened before, newest first; empty until something on the page wants it.
    pub recent: RwSignal<Vec<RecentFiles>>,
    /// Something on the page shows what was opened before.
    pub wants_recent: RwSignal<bool>,
}

impl OpenedFiles {
    pub(super) fn new() -> Self {
        Self {
            name: RwSignal::new(None),
            state: RwSignal::new(None),
            failure: RwSignal::new(None),
            unread: RwSignal::new(Vec::new()),
            choice: RwSignal::new(None),
            recent: RwSignal::new(Vec::new()),
            wants_recent: RwSignal::new(false),
        }
    }

    /// Asks the person for files.
    pub fn choose(self, choice: FilesChoice) {
        self.choice.set(Some(choice));
    }
}

/// The opened files.
pub fn use_files() -> OpenedFiles {
    expect_context()
}
