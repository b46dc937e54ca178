//! Thread that tails the coordination log. It runs the follower (`follower.rs`) when the file watcher reports a change,
//! and at times of its own, because the watcher can miss changes ([`LookSchedule`]).

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::time::{Duration, Instant};

use coordination::api::WatcherMode;
use coordination::event::is_log_name;
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::{Follower, LineBlock, LogCheckpoint, LogStatus};
use crate::clock::ServerClock;
use crate::home::HomeDir;
use crate::inputs::LookReport;
use crate::sources::workspace::LookSchedule;

/// Between two looks without a notification, at least and at most.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
const MAX_LOOK_INTERVAL: Duration = Duration::from_secs(8);
/// How often a request for a checkpoint, or the end of the receiver, is noticed.
const POLL: Duration = Duration::from_secs(1);
/// Blocks of one look that are sent together with the status of the files after it.
const MAX_BLOCKS: usize = 4;

/// Receiver of the follower's results. Each method returns false when the receiver is gone.
pub trait Output: Send + 'static {
    /// Passes on one block of complete lines; may wait, so that memory stays bounded.
    #[must_use]
    fn block(&self, block: LineBlock) -> bool;

    /// Passes on all blocks of one look, and the state of the files after it.
    #[must_use]
    fn look(&self, blocks: Vec<LineBlock>, status: LogStatus) -> bool;

    /// Whether there is a receiver.
    #[must_use]
    fn is_open(&self) -> bool;

    /// Whether a checkpoint is requested. Each request is answered once, when one can be made.
    #[must_use]
    fn takes_checkpoint(&self) -> bool {
        false
    }

    /// Passes on a checkpoint that covers exactly the blocks passed on so far.
    #[must_use]
    fn checkpoint(&self, _: LogCheckpoint) -> bool {
        self.is_open()
    }
}

/// Starts following; with `watched` unset by looking once a second only. `start` gives the follower of the home, or
/// nothing when the monitor has ended. The thread ends when nobody listens any more.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn spawn(
    home: HomeDir,
    clock: ServerClock,
    watched: bool,
    start: impl FnOnce() -> Option<Follower> + Send + 'static,
    output: impl Output,
    report: LookReport,
) -> std::io::Result<()> {
    let work = move || {
        if let Some(follower) = start() {
            run(&home, clock, watched, follower, (&output, report));
        }
    };
    std::thread::Builder::new().name("tail".to_owned()).spawn(work).map(drop)
}

fn run(
    home: &HomeDir,
    clock: ServerClock,
    watched: bool,
    mut follower: Follower,
    (output, mut report): (&impl Output, LookReport),
) {
    let (hint, hints) = mpsc::sync_channel(1);
    let mut watch = LogWatch::new(home.logs(), watched.then_some(hint));
    let mut last: Option<LogStatus> = None;
    let mut schedule = LookSchedule::between(LOOK_INTERVAL, MAX_LOOK_INTERVAL);
    let (mut is_notified, mut is_checkpoint_due) = (true, false);
    loop {
        // Watch first, look afterwards: lines appended in between are seen by one of the two.
        watch.renew();
        let begun = report.begin();
        let (listening, has_changed) = match &last {
            // The history streams: it may be larger than what one message should hold.
            None => {
                let mut listening = true;
                let mut status = follower.look(clock.now_ms(), &mut |block| listening &= output.block(block));
                status.following.watcher = watch.mode();
                last = Some(status.clone());
                (listening && output.look(Vec::new(), status), true)
            }
            Some(before) => {
                let (mut blocks, mut listening) = (Vec::new(), true);
                // A burst streams too.
                let mut status = follower.look(clock.now_ms(), &mut |block| {
                    blocks.push(block);
                    if blocks.len() > MAX_BLOCKS {
                        blocks.drain(..).for_each(|block| listening &= output.block(block));
                    }
                });
                status.following.watcher = watch.mode();
                if blocks.is_empty() && *before == status {
                    (output.is_open(), false)
                } else {
                    last = Some(status.clone());
                    (listening && output.look(blocks, status), true)
                }
            }
        };
        if !listening {
            return;
        }
        report.end(begun.filter(|_| last.as_ref().is_some_and(|status| status.unreadable.is_empty())));
        if (is_checkpoint_due || output.takes_checkpoint())
            && let Some(checkpoint) = follower.checkpoint()
            && !output.checkpoint(checkpoint)
        {
            return;
        }
        let is_watched = watch.mode() == WatcherMode::Notified;
        let due = Instant::now() + schedule.after_look(is_notified, has_changed, is_watched);
        (is_notified, is_checkpoint_due) = (false, false);
        while !is_notified && !is_checkpoint_due && Instant::now() < due {
            match hints.recv_timeout(POLL.min(due.saturating_duration_since(Instant::now()))) {
                Ok(()) => is_notified = true,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(POLL),
            }
            if !output.is_open() {
                return;
            }
            is_checkpoint_due = output.takes_checkpoint();
        }
    }
}

/// A watch on the logs folder, renewed when the folder itself is replaced. While the folder is missing the poll
/// alone finds it.
struct LogWatch {
    folder: PathBuf,
    off: bool,
    watcher: Option<RecommendedWatcher>,
    watched: Option<(u64, u64)>,
}

impl LogWatch {
    /// Without a place for hints nothing is watched.
    fn new(folder: PathBuf, hint: Option<SyncSender<()>>) -> Self {
        let Some(hint) = hint else { return Self { folder, off: true, watcher: None, watched: None } };
        let place = folder.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.as_ref().map_or(true, |event| is_hint(event, &place)) {
                match hint.try_send(()) {
                    Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
                }
            }
        });
        if let Err(error) = &watcher {
            tracing::warn!(%error, "no file watcher: looking once a second instead");
        }
        Self { folder, off: false, watcher: watcher.ok(), watched: None }
    }

    fn mode(&self) -> WatcherMode {
        match self.watched {
            _ if self.off => WatcherMode::Off,
            Some(_) => WatcherMode::Notified,
            None => WatcherMode::Polling,
        }
    }

    fn renew(&mut self) {
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
                Ok(()) => self.watched = now,
                Err(error) => tracing::warn!(%error, "cannot watch the logs: looking once a second instead"),
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
