//! Following of opened files: appended lines of a log are read as they come, and everything is read again when another
//! file changes, a file comes or goes, or a log is rewritten.

use std::collections::BTreeMap;

use gloo_timers::future::TimeoutFuture;
use web_sys::File;

use super::chosen::MAX_FILES;
use super::handles::{Handle, stamp};
use crate::source::{AppendOutcome, ChosenFile, append_file};

/// Between two looks at the logs.
const LOOK_MS: u32 = 1_000;
/// All other files are looked at with every this many looks.
const WHOLE_EVERY: u32 = 10;

/// Files that are followed.
pub(super) struct FilesFollower {
    /// What the person chose.
    roots: Vec<Handle>,
    /// Handle, size and time of the last change of each file, by its path.
    files: BTreeMap<String, (Handle, (f64, f64))>,
}

/// How a file changed.
enum FileNews {
    None,
    /// It is a log, and longer than before.
    Longer(File),
    Other,
}

impl FilesFollower {
    /// Lists what was chosen.
    pub(super) async fn list(roots: Vec<Handle>) -> (Self, Vec<ChosenFile>) {
        let mut files = BTreeMap::new();
        let mut chosen = Vec::new();
        for root in &roots {
            for (path, handle) in root.files(MAX_FILES.saturating_sub(files.len())).await {
                let Some(file) = handle.file().await else { continue };
                files.insert(path.clone(), (handle, stamp(&file)));
                chosen.push(ChosenFile { path, file });
            }
        }
        (Self { roots, files }, chosen)
    }

    /// Follows while `is_current`. Ends with the files to be read again, once that is necessary.
    pub(super) async fn follow(mut self, is_current: impl Fn() -> bool) -> Option<(Self, Vec<ChosenFile>)> {
        for round in 1_u32.. {
            TimeoutFuture::new(LOOK_MS).await;
            if !is_current() {
                return None;
            }
            let is_whole = round % WHOLE_EVERY == 0;
            let mut is_other = false;
            for (path, (handle, seen)) in &mut self.files {
                if !is_whole && !is_log(path) {
                    continue;
                }
                match change(path, handle, *seen).await {
                    FileNews::None => {}
                    FileNews::Longer(file) => {
                        let longer = stamp(&file);
                        match append_file(path, file).await {
                            AppendOutcome::Read => *seen = longer,
                            AppendOutcome::Busy => {}
                            AppendOutcome::Changed => is_other = true,
                        }
                    }
                    FileNews::Other => is_other = true,
                }
            }
            if is_other || (is_whole && self.has_new_files().await) {
                return Some(Self::list(self.roots).await);
            }
        }
        None
    }

    async fn has_new_files(&self) -> bool {
        for root in &self.roots {
            let files = root.files(MAX_FILES).await;
            if files.iter().any(|(path, _)| !self.files.contains_key(path)) {
                return true;
            }
        }
        false
    }
}

async fn change(path: &str, handle: &Handle, seen: (f64, f64)) -> FileNews {
    match handle.file().await {
        Some(file) if stamp(&file) == seen => FileNews::None,
        Some(file) if is_log(path) && file.size() > seen.0 => FileNews::Longer(file),
        _ => FileNews::Other,
    }
}

fn is_log(path: &str) -> bool {
    path.ends_with(".ndjson")
}
