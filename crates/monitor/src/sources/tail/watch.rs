//! Type `LogWatch`: the system's notifications of changes in the folder of logs.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use coordination::api::WatcherMode;
use coordination::event::is_log_name;
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// A watch on the logs folder, renewed when the folder itself is replaced. While the folder is missing the poll
/// alone finds it.
#[derive(Debug)]
pub(crate) struct LogWatch {
    folder: PathBuf,
    off: bool,
    watcher: Option<RecommendedWatcher>,
    watched: Option<(u64, u64)>,
    /// The folder for which there is no watch.
    refused: Option<(u64, u64)>,
}

impl LogWatch {
    /// `notify` is called after each change of a log; without it nothing is watched.
    pub(crate) fn new(folder: PathBuf, notify: Option<impl FnMut() + Send + 'static>) -> Self {
        let Some(mut notify) = notify else {
            return Self { folder, off: true, watcher: None, watched: None, refused: None };
        };
        let place = folder.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.as_ref().map_or(true, |event| is_hint(event, &place)) {
                notify();
            }
        });
        if let Err(error) = &watcher {
            tracing::warn!(%error, "no file watcher: looking at the logs regularly instead");
        }
        Self { folder, off: false, watcher: watcher.ok(), watched: None, refused: None }
    }

    /// Whether changes are reported.
    pub(crate) fn mode(&self) -> WatcherMode {
        match self.watched {
            _ if self.off => WatcherMode::Off,
            Some(_) => WatcherMode::Notified,
            None => WatcherMode::Polling,
        }
    }

    /// Watches the folder that has the name now.
    pub(crate) fn renew(&mut self) {
        // The follower does not follow a link in its place, so it is not watched either.
        let seen = std::fs::symlink_metadata(&self.folder).ok().filter(std::fs::Metadata::is_dir);
        let now = seen.map(|meta| (meta.dev(), meta.ino()));
        if now == self.watched {
            return;
        }
        let Some(watcher) = &mut self.watcher else { return };
        if self.watched.take().is_some()
            && let Err(error) = watcher.unwatch(&self.folder)
        {
            tracing::debug!(%error, "the replaced folder was not watched any more");
        }
        if now.is_some() {
            match watcher.watch(&self.folder, RecursiveMode::NonRecursive) {
                Ok(()) => (self.watched, self.refused) = (now, None),
                Err(error) => {
                    if self.refused != now {
                        tracing::warn!(%error, "cannot watch the logs: looking at them regularly instead");
                    }
                    self.refused = now;
                }
            }
        }
    }
}

/// Only changes of log files and of their `folder` itself count, or that the system lost some (its queue was full): a
/// look finds those too, because it goes over all files whatever woke it. Our own reading is reported too and must not
/// wake us; and only the file's name is looked at, because the home itself may be called `.openclaw`
/// (`contract/monitor-api.md` D0).
fn is_hint(event: &notify::Event, folder: &Path) -> bool {
    let change = !matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
    let is_log = |path: &Path| path.file_name().is_some_and(|name| is_log_name(&name.to_string_lossy()));
    let counts = |path: &Path| is_log(path) || path == folder;
    event.need_rescan() || (change && (event.paths.is_empty() || event.paths.iter().any(|path| counts(path))))
}

#[cfg(test)]
mod tests {
    use notify::event::{Flag, ModifyKind};

    use super::*;

    #[test]
    fn own_reads_are_not_change_hints() {
        let folder = Path::new("/x/.openclaw/logs");
        let is_hint = |event: &notify::Event| is_hint(event, folder);
        let event = |kind, name: &str| notify::Event::new(kind).add_path(folder.join(name));
        assert!(is_hint(&notify::Event::new(EventKind::Other).set_flag(Flag::Rescan)), "the queue was full");
        assert!(is_hint(&event(EventKind::Modify(ModifyKind::Any), "coordination-events.ndjson")));
        assert!(is_hint(&event(
            EventKind::Create(notify::event::CreateKind::File),
            "coordination-events-2026-01.ndjson"
        )));
        assert!(!is_hint(&event(EventKind::Modify(ModifyKind::Any), "gateway.log")));
        assert!(!is_hint(&event(EventKind::Access(AccessKind::Read), "coordination-events.ndjson")));
        let replaced = notify::Event::new(EventKind::Remove(notify::event::RemoveKind::Folder)).add_path(folder.into());
        assert!(is_hint(&replaced), "another folder may take its place");
    }
}
