//! Files that a person opened on this page in place of a monitor: their names, how far they are read, and requests to
//! choose some. `src/app/files` opens them.

use leptos::prelude::*;

use crate::source::FilesState;

/// What is to be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesChoice {
    /// One or more files.
    Files,
    /// All files of a folder.
    Folder,
}

/// The opened files.
#[derive(Clone, Copy)]
pub struct OpenedFiles {
    /// Name of what was opened; none while a monitor is shown.
    pub name: RwSignal<Option<String>>,
    /// How far they are read.
    pub state: RwSignal<Option<FilesState>>,
    /// They cannot be read any further: the worker has ended.
    pub has_failed: RwSignal<bool>,
    /// The latest request to choose.
    pub choice: RwSignal<Option<FilesChoice>>,
}

impl OpenedFiles {
    pub(super) fn new() -> Self {
        Self {
            name: RwSignal::new(None),
            state: RwSignal::new(None),
            has_failed: RwSignal::new(false),
            choice: RwSignal::new(None),
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
