//! Gives the follower its own thread, the time to look and the watcher's hints.
//! The watcher is only a hint: a look every second finds whatever it missed.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::follower::is_log_name;
use super::{Follower, Standing};
use crate::home::Home;
use crate::ingest::{Ingest, Input};

const POLL: Duration = Duration::from_secs(1);

/// Starts following. The thread ends when nobody listens any more.
///
/// # Errors
/// When the system gives no thread.
pub fn spawn(home: Home, ingest: Ingest) -> std::io::Result<()> {
    std::thread::Builder::new().name("tail".to_owned()).spawn(move || run(home, &ingest)).map(drop)
}

fn run(home: Home, ingest: &Ingest) {
    let (hint, hints) = mpsc::sync_channel(1);
    let mut watch = Watch::new(home.logs(), hint);
    let mut follower = Follower::new(home);
    let mut last: Option<Standing> = None;
    loop {
        // Watch first, look afterwards: what is appended in between is seen by one of the two.
        watch.renew();
        let listening = match &last {
            // The history streams: it may be larger than what one message should hold.
            None => {
                let mut listening = true;
                let standing = follower.look(&mut |chunk| listening &= ingest.send(Input::Lines(chunk)));
                last = Some(standing.clone());
                listening && ingest.send(Input::Look(Vec::new(), standing))
            }
            Some(before) => {
                let mut chunks = Vec::new();
                let standing = follower.look(&mut |chunk| chunks.push(chunk));
                if chunks.is_empty() && *before == standing {
                    ingest.is_open()
                } else {
                    last = Some(standing.clone());
                    ingest.send(Input::Look(chunks, standing))
                }
            }
        };
        if !listening {
            return;
        }
        match hints.recv_timeout(POLL) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(POLL),
        }
    }
}

/// A watch on the logs folder, renewed when the folder itself is replaced. While the folder is missing the poll
/// alone finds it.
struct Watch {
    folder: PathBuf,
    watcher: Option<RecommendedWatcher>,
    watched: Option<(u64, u64)>,
}

impl Watch {
    fn new(folder: PathBuf, hint: SyncSender<()>) -> Self {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.as_ref().map_or(true, is_hint) {
                match hint.try_send(()) {
                    Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
                }
            }
        });
        if let Err(error) = &watcher {
            tracing::warn!(%error, "no file watcher: looking once a second instead");
        }
        Self { folder, watcher: watcher.ok(), watched: None }
    }

    fn renew(&mut self) {
        let now = std::fs::metadata(&self.folder).ok().map(|meta| (meta.dev(), meta.ino()));
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
                Ok(()) => self.watched = now,
                Err(error) => tracing::warn!(%error, "cannot watch the logs: looking once a second instead"),
            }
        }
    }
}

/// Only changes of log files count. Our own reading is reported too and must not wake us; and only the file's name
/// is looked at, because the home itself may be called `.openclaw` (`contract/monitor-api.md` D0).
fn is_hint(event: &notify::Event) -> bool {
    let change = !matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
    let of_log = |path: &Path| path.file_name().is_some_and(|name| is_log_name(&name.to_string_lossy()));
    event.need_rescan() || (change && (event.paths.is_empty() || event.paths.iter().any(|path| of_log(path))))
}
