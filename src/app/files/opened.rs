//! Opening of files: the page shows them instead of the monitor from then on.

use std::sync::Arc;

use coordination::api::{Delta, SNAPSHOT_SESSIONS, SessionsQuery};
use leptos::prelude::*;
use leptos::task::spawn_local;
use local_monitor::{FileContentKind, FileReport};

use super::chosen::{self, ChosenFiles, Offered};
use super::recent;
use crate::i18n::messages::FilesFailure;
use crate::queries::{Go, use_go};
use crate::routes::paths;
use crate::source::{ChosenFile, FilesNews, FilesState, open_files};
use crate::state::{
    Connection, ConnectionState, HubState, LiveChanges, OpenedFiles, PageClock, use_clock, use_connection, use_files,
    use_hub,
};

/// What opening files changes.
#[derive(Clone)]
pub(super) struct FilesOpener {
    hub: HubState,
    files: OpenedFiles,
    connection: ConnectionState,
    clock: PageClock,
    go: Go,
    /// Number of the latest offer, and of the one that is open.
    offered: StoredValue<u32>,
    opened: StoredValue<u32>,
}

impl FilesOpener {
    pub(super) fn new() -> Self {
        Self {
            hub: use_hub(),
            files: use_files(),
            connection: use_connection(),
            clock: use_clock(),
            go: use_go(),
            offered: StoredValue::new(0),
            opened: StoredValue::new(0),
        }
    }

    /// Number of what a person offers now: what is offered later takes its place.
    pub(super) fn next_number(&self) -> u32 {
        self.offered.update_value(|number| *number += 1);
        self.offered.get_value()
    }

    /// Opens what was offered in place of what is shown, and follows it. Nothing happens without any file.
    pub(super) async fn open(self, offered: Offered, number: u32) {
        let is_named = offered.is_named();
        let ChosenFiles { files, mut follower, unread, is_incomplete } = chosen::read(offered).await;
        // Listing a folder takes its time, in which the person may have opened something else.
        if self.opened.get_value() > number {
            return;
        }
        if is_incomplete {
            self.files.failure.set(Some(FilesFailure::NotFetched));
            self.connection.link.set(Connection::Offline { since: None, attempt: 1 });
            return;
        }
        let Some(name) = name_of(&files) else { return };
        self.opened.set_value(number);
        self.files.failure.set(None);
        self.files.state.set(None);
        self.files.unread.set(unread);
        self.files.name.set(Some(name.clone()));
        self.connection.compat.set(false);
        self.connection.refused.set(false);
        self.connection.link.set(Connection::Files);
        // A link into a site that shows files leads to its view, once there is something to show.
        if !is_named {
            self.hub.show_files();
            self.go.to(&paths::home());
        }
        self.read(files, false, number).await;
        if let Some(follower) = &follower {
            recent::note(&name, follower.roots(), js_sys::Date::now() as i64).await;
        }
        let (opened, state) = (self.opened, self.files.state);
        let is_current = move || opened.try_get_value() == Some(number);
        while let Some(following) = follower.take() {
            let Some((changed, files, unread)) = following.follow(&is_current, state).await else { return };
            self.files.unread.set(unread);
            self.read(files, true, number).await;
            follower = Some(changed);
        }
    }

    /// Reads files from their beginnings; `again` for those that are open. What is shown stays until they are read.
    async fn read(&self, files: Vec<ChosenFile>, again: bool, number: u32) {
        let this = self.clone();
        let on_news = Callback::new(move |news| {
            if this.opened.try_get_value() == Some(number) {
                this.take(news);
            }
        });
        if open_files(files, again, on_news).await.is_err() {
            self.files.failure.set(Some(FilesFailure::NotLoaded));
        }
    }

    fn take(&self, news: FilesNews) {
        match news {
            FilesNews::State(mut state) => {
                if state.progress.done {
                    self.show();
                }
                self.files.state.update(|shown| {
                    let before = shown.take().and_then(|before| before.reports);
                    state.reports = state.reports.take().or(before);
                    *shown = Some(state);
                });
                let failure = self.files.state.with_untracked(|state| state.as_ref().and_then(failure_of));
                let shown = self.files.failure.get_untracked();
                if shown != failure && shown.is_none_or(FilesFailure::is_of_content) {
                    self.files.failure.set(failure);
                }
            }
            FilesNews::Delta(delta) => self.take_delta(*delta),
            FilesNews::Failed => self.files.failure.set(Some(FilesFailure::Stopped)),
        }
    }

    /// Shows the files from now on, unless they are shown already.
    fn show(&self) {
        if !self.hub.shows_files() {
            self.hub.show_files();
        }
    }

    fn take_delta(&self, mut delta: Delta) {
        self.show();
        let mut change = LiveChanges::default();
        change.add(&delta);
        self.clock.set(delta.now);
        if let Some(home) = delta.home.take() {
            self.hub.take_home(home);
        }
        self.hub.take_change(change);
        let hub = self.hub;
        spawn_local(async move {
            let limit = u32::try_from(SNAPSHOT_SESSIONS).ok();
            let query = SessionsQuery { limit, ..SessionsQuery::default() };
            let Some(source) = hub.present_source() else { return };
            if let Ok(page) = source.sessions(&query).await {
                hub.recent.set(Some(Arc::new(page.sessions)));
            }
        });
    }
}

/// Why nothing of the files can be shown, though they are read.
fn failure_of(state: &FilesState) -> Option<FilesFailure> {
    let reports = state.reports.as_deref().unwrap_or_default();
    if let [FileReport { kind: FileContentKind::Evidence, error: Some(_), .. }] = reports {
        return Some(FilesFailure::UnreadableEvidence);
    }
    // What cannot be read may hold something.
    let is_whole = state.progress.done && state.events == 0 && reports.iter().all(|report| report.error.is_none());
    let all_are = |kind| !reports.is_empty() && reports.iter().all(|report| report.kind == kind);
    match is_whole {
        true if all_are(FileContentKind::Transcript) => Some(FilesFailure::NoExchanges),
        true if all_are(FileContentKind::CodingAgentTranscript) => Some(FilesFailure::CodingAgentTranscript),
        _ => None,
    }
}

/// The common folder, or the first file and how many more there are.
fn name_of(chosen: &[ChosenFile]) -> Option<String> {
    let first = &chosen.first()?.path;
    let folder = first.split_once('/').map(|(folder, _)| folder);
    let is_common = |folder: &&str| chosen.iter().all(|file| file.path.split('/').next() == Some(*folder));
    match (folder.filter(is_common), chosen.len()) {
        (Some(folder), _) => Some(folder.to_owned()),
        (None, 1) => Some(first.clone()),
        (None, count) => Some(format!("{first} +{}", count - 1)),
    }
}
