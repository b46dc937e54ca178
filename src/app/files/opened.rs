//! Opening of files: the page shows them instead of the monitor from then on.

use std::sync::Arc;

use coordination::api::{Delta, SNAPSHOT_SESSIONS, SessionsQuery};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::chosen::ChosenFiles;
use crate::queries::{Go, use_go};
use crate::routes::paths;
use crate::source::{ChosenFile, FilesNews, open_files};
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
    /// Number of the latest opening: what follows the files of an earlier one ends.
    opening: StoredValue<u32>,
}

impl FilesOpener {
    pub(super) fn new() -> Self {
        Self {
            hub: use_hub(),
            files: use_files(),
            connection: use_connection(),
            clock: use_clock(),
            go: use_go(),
            opening: StoredValue::new(0),
        }
    }

    /// Opens files in place of what is shown, and follows them. Nothing happens without any.
    pub(super) async fn open(self, chosen: ChosenFiles) {
        let ChosenFiles { files, follower, is_incomplete } = chosen;
        if is_incomplete {
            self.files.has_failed.set(true);
            self.connection.link.set(Connection::Offline { since: None, attempt: 1 });
            return;
        }
        let Some(name) = name_of(&files) else { return };
        let opening = self.opening.with_value(|opening| opening + 1);
        self.opening.set_value(opening);
        self.files.has_failed.set(false);
        self.files.state.set(None);
        self.files.name.set(Some(name));
        self.hub.show_files();
        self.connection.compat.set(false);
        self.connection.refused.set(false);
        self.connection.link.set(Connection::Files);
        self.go.to(&paths::home());
        self.read(files).await;
        let mut follower = follower;
        let opened = self.opening;
        let is_current = move || opened.try_get_value() == Some(opening);
        while let Some(following) = follower.take() {
            let Some((changed, files)) = following.follow(is_current).await else { return };
            self.read(files).await;
            follower = Some(changed);
        }
    }

    /// Reads files from their beginnings. What is shown stays until the first of them is read.
    async fn read(&self, files: Vec<ChosenFile>) {
        let this = self.clone();
        let on_news = Callback::new(move |news| this.take(news));
        if open_files(files, on_news).await.is_err() {
            self.files.has_failed.set(true);
        }
    }

    fn take(&self, news: FilesNews) {
        match news {
            FilesNews::State(state) => self.files.state.set(Some(state)),
            FilesNews::Delta(delta) => self.take_delta(*delta),
            FilesNews::Failed => self.files.has_failed.set(true),
        }
    }

    fn take_delta(&self, mut delta: Delta) {
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
