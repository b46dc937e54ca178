//! OS thread that runs the workspace reader: on notifications of the file watcher and about every two seconds. Also
//! holds that watcher, `FolderWatch`; the transcript thread uses it, too.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::{Update, WorkspaceReader};
use crate::home::HomeDir;

const POLL: Duration = Duration::from_secs(2);
/// Looks without a notification or a change after which the folders to watch are listed again: a new folder is reported
/// by the watch on its parent, so this is only for watches that failed.
const QUIET_LOOKS: u32 = 15;
/// One save is several steps (write, rename); they are looked at together.
const SETTLE: Duration = Duration::from_millis(20);

/// Starts reading and watching. `sink` gets every update and returns false when its receiver is gone.
///
/// # Errors
/// When the system gives no thread.
pub fn spawn(home: HomeDir, sink: impl FnMut(Update) -> bool + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name("workspace".to_owned()).spawn(move || run(home, sink)).map(drop)
}

fn run(home: HomeDir, mut sink: impl FnMut(Update) -> bool) {
    let (hint, hints) = mpsc::sync_channel(1);
    let mut watch = FolderWatch::new(hint);
    let mut reader = WorkspaceReader::new(home);
    let mut quiet_looks = QUIET_LOOKS;
    loop {
        // Watch first, look afterwards: a write in between is seen by one of the two.
        if quiet_looks == QUIET_LOOKS {
            watch.follow(reader.watched_folders());
            quiet_looks = 0;
        }
        if let Some(update) = reader.look() {
            quiet_looks = QUIET_LOOKS;
            if !sink(update) {
                return;
            }
        } else {
            quiet_looks = (quiet_looks + 1).min(QUIET_LOOKS);
        }
        match hints.recv_timeout(POLL) {
            Ok(()) => {
                quiet_looks = QUIET_LOOKS;
                std::thread::sleep(SETTLE);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(POLL),
        }
    }
}

/// Watches on single folders, never on whole trees: a workspace is a git repository and may hold anything.
pub(crate) struct FolderWatch {
    watcher: Option<RecommendedWatcher>,
    followed: BTreeSet<PathBuf>,
}

impl FolderWatch {
    pub(crate) fn new(hint: SyncSender<()>) -> Self {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.as_ref().map_or(true, is_hint) {
                match hint.try_send(()) {
                    Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
                }
            }
        });
        if let Err(error) = &watcher {
            tracing::warn!(%error, "no file watcher: looking at the workspaces every two seconds instead");
        }
        Self { watcher: watcher.ok(), followed: BTreeSet::new() }
    }

    pub(crate) fn follow(&mut self, folders: Vec<PathBuf>) {
        let Some(watcher) = &mut self.watcher else { return };
        let now: BTreeSet<PathBuf> = folders.into_iter().filter(|folder| folder.is_dir()).collect();
        for removed in self.followed.difference(&now) {
            if let Err(error) = watcher.unwatch(removed) {
                tracing::debug!(%error, "a removed folder had no watch any more");
            }
        }
        let mut followed: BTreeSet<PathBuf> = self.followed.intersection(&now).cloned().collect();
        for new in now.difference(&self.followed) {
            match watcher.watch(new, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    followed.insert(new.clone());
                }
                Err(error) => tracing::debug!(%error, "a folder is looked at every two seconds instead of watched"),
            }
        }
        self.followed = followed;
    }
}

/// Our own reading is reported too and must not wake us.
fn is_hint(event: &notify::Event) -> bool {
    event.need_rescan()
        || !matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write))
}
