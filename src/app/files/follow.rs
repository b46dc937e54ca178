//! Following of opened files: appended lines of logs and transcripts are read as they come. Everything is read again when
//! another file changes, a file comes or goes, or a log is rewritten.

use std::collections::{BTreeMap, HashMap};

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use local_monitor::{FileContentKind, is_transcript_path, may_be_read};

use super::chosen::MAX_FILES;
use super::handles::{Handle, stamp};
use crate::source::{AppendOutcome, ChosenFile, FilesState, append_file};

/// Between two looks at the logs.
const LOOK_MS: u32 = 1_000;
/// All other files are looked at with every this many looks.
const WHOLE_EVERY: u32 = 10;
/// Lists of sessions and new transcripts, at most: agents at work change them all the time, and then everything is read
/// again.
const SESSIONS_EVERY: u32 = 60;
/// They are looked at after this many times as many looks as reading everything took.
const REST_FACTOR: u32 = 10;

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
        let mut reading_looks = 0;
        for round in 1_u32.. {
            TimeoutFuture::new(LOOK_MS).await;
            let kinds = kinds(state);
            let is_whole = round % WHOLE_EVERY == 0;
            let is_reading = state.with_untracked(|state| state.as_ref().is_none_or(|state| !state.progress.done));
            reading_looks += u32::from(is_reading);
            let sessions_every = SESSIONS_EVERY.max(REST_FACTOR.saturating_mul(reading_looks));
            let takes_sessions = round % sessions_every == 0;
            let mut is_other = false;
            for (path, (handle, seen)) in &mut self.files {
                let kind = kinds.get(path.as_str()).copied();
                let (is_appended, is_due) = match kind {
                    Some(FileContentKind::Log) => (true, true),
                    Some(FileContentKind::Transcript) => (true, is_whole),
                    Some(FileContentKind::Sessions) => (false, takes_sessions),
                    Some(
                        FileContentKind::CodingAgentTranscript | FileContentKind::Database | FileContentKind::Unknown,
                    ) => (false, false),
                    _ => (false, is_whole),
                };
                if !is_due {
                    continue;
                }
                let file = handle.file().await;
                if !is_current() {
                    return None;
                }
                let now = file.as_ref().map(stamp);
                match (file, *seen) {
                    _ if now == *seen => {}
                    (Some(file), Some(before)) if is_appended && file.size() > before.0 => {
                        match append_file(path, file).await {
                            AppendOutcome::Read => *seen = now,
                            AppendOutcome::Busy => {}
                            AppendOutcome::Changed => is_other = true,
                        }
                    }
                    _ => is_other = true,
                }
            }
            is_other |= (is_whole || takes_sessions) && self.has_new_files(takes_sessions).await;
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

    /// Whether files came, transcripts among them only `with_transcripts`.
    async fn has_new_files(&self, with_transcripts: bool) -> bool {
        let is_followed = |path: &str| may_be_read(path) && (with_transcripts || !is_transcript_path(path));
        for root in &self.roots {
            let (files, _) = root.files(MAX_FILES).await;
            if files.iter().any(|(path, _)| is_followed(path) && !self.files.contains_key(path)) {
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
