//! Following of opened files: appended lines of a log are read as they come, and everything is read again when another
//! file changes, a file comes or goes, or a log is rewritten.

use std::collections::{BTreeMap, HashMap};

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use local_monitor::{FileContentKind, may_be_read};

use super::chosen::MAX_FILES;
use super::handles::{Handle, stamp};
use crate::source::{AppendOutcome, ChosenFile, FilesState, append_file};

/// Between two looks at the logs.
const LOOK_MS: u32 = 1_000;
/// All other files are looked at with every this many looks.
const WHOLE_EVERY: u32 = 10;

/// Files that are followed.
pub(super) struct FilesFollower {
    /// What the person chose.
    roots: Vec<Handle>,
    /// Handle, size and time of the last change of each file, by its path; without the latter where it cannot be read.
    files: BTreeMap<String, (Handle, Option<(f64, f64)>)>,
}

/// A follower, the files that it follows, and the paths of those that could not be read.
pub(super) type FollowedFiles = (FilesFollower, Vec<ChosenFile>, Vec<String>);

impl FilesFollower {
    /// What the person chose.
    pub(super) fn roots(&self) -> &[Handle] {
        &self.roots
    }

    /// Lists what was chosen; also what could not be read.
    pub(super) async fn list(roots: Vec<Handle>) -> FollowedFiles {
        let (mut files, mut chosen, mut unread) = (BTreeMap::new(), Vec::new(), Vec::new());
        for root in &roots {
            let (below, missed) = root.files(MAX_FILES).await;
            unread.extend(missed);
            for (path, handle) in below {
                let file = handle.file().await;
                files.insert(path.clone(), (handle, file.as_ref().map(stamp)));
                match file {
                    Some(file) => chosen.push(ChosenFile { path, file }),
                    None => unread.push(path),
                }
            }
        }
        (Self { roots, files }, chosen, unread)
    }

    /// Follows while `is_current`. Ends with the files to be read again, once that is necessary. `state` says what the files
    /// are.
    pub(super) async fn follow(
        mut self,
        is_current: &impl Fn() -> bool,
        state: RwSignal<Option<FilesState>>,
    ) -> Option<FollowedFiles> {
        for round in 1_u32.. {
            TimeoutFuture::new(LOOK_MS).await;
            let kinds = kinds(state);
            let is_whole = round % WHOLE_EVERY == 0;
            let mut is_other = false;
            for (path, (handle, seen)) in &mut self.files {
                let kind = kinds.get(path.as_str()).copied();
                let is_log = kind == Some(FileContentKind::Log);
                let is_unread = matches!(
                    kind,
                    Some(FileContentKind::Transcript | FileContentKind::Database | FileContentKind::Unknown)
                );
                if is_unread || !(is_log || is_whole) {
                    continue;
                }
                let file = handle.file().await;
                if !is_current() {
                    return None;
                }
                let now = file.as_ref().map(stamp);
                match (file, *seen) {
                    _ if now == *seen => {}
                    (Some(file), Some(before)) if is_log && file.size() > before.0 => {
                        match append_file(path, file).await {
                            AppendOutcome::Read => *seen = now,
                            AppendOutcome::Busy => {}
                            AppendOutcome::Changed => is_other = true,
                        }
                    }
                    _ => is_other = true,
                }
            }
            is_other |= is_whole && self.has_new_files().await;
            if !is_current() {
                return None;
            }
            if is_other {
                let listed = Self::list(self.roots).await;
                return is_current().then_some(listed);
            }
        }
        None
    }

    async fn has_new_files(&self) -> bool {
        for root in &self.roots {
            let (files, _) = root.files(MAX_FILES).await;
            if files.iter().any(|(path, _)| may_be_read(path) && !self.files.contains_key(path)) {
                return true;
            }
        }
        false
    }
}

/// What each file is, by its path.
fn kinds(state: RwSignal<Option<FilesState>>) -> HashMap<String, FileContentKind> {
    state.with_untracked(|state| {
        let reports = state.as_ref().and_then(|state| state.reports.as_ref());
        reports.into_iter().flatten().map(|report| (report.path.clone(), report.kind)).collect()
    })
}
