//! Type `LogChanges`: when the publisher looks at the ends of the logs again.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use coordination::api::WatcherMode;
use tokio::sync::Notify;

use crate::home::HomeDir;
use crate::sources::tail::LogWatch;

/// Between two looks at the ends of the logs where nothing reports their changes.
const LOG_INTERVAL: Duration = Duration::from_millis(10);
/// The same where the system does: other files with lines are beside the folder that is watched.
const NOTIFIED_LOG_INTERVAL: Duration = Duration::from_millis(100);
/// Longest pause of notifications. Then those that are queued are taken: the queue of the system is bounded.
const MAX_PAUSE: Duration = Duration::from_millis(100);
/// Notifications that were queued come within this time after a pause.
const BACKLOG: Duration = Duration::from_millis(1);

/// Changes of the logs of a home. After a notification the publisher looks by itself as long as there are lines: until it waits
/// again, the thread of the watcher is paused, so that each line of many does not wake it.
pub(super) struct LogChanges {
    watch: LogWatch,
    notified: Arc<Notify>,
    resume: SyncSender<()>,
}

impl LogChanges {
    pub(super) fn new(home: &HomeDir, watched: bool) -> Self {
        let notified = Arc::new(Notify::new());
        let (resume, resumed) = sync_channel(1);
        let notify = notifier(Arc::clone(&notified), resumed);
        Self { watch: LogWatch::new(home.logs(), watched.then_some(notify)), notified, resume }
    }

    /// Watches the folder that has the name now.
    pub(super) fn renew(&mut self) {
        self.watch.renew();
    }

    /// Waits for one, or until the logs are to be looked at anyway.
    pub(super) async fn next(&self) {
        let interval = match self.watch.mode() {
            WatcherMode::Notified => NOTIFIED_LOG_INTERVAL,
            _ => LOG_INTERVAL,
        };
        // Full: it is not paused.
        self.resume.try_send(()).unwrap_or_default();
        tokio::select! {
            () = self.notified.notified() => {}
            () = tokio::time::sleep(interval) => {}
        }
    }
}

/// What the watcher calls for each notification.
fn notifier(notified: Arc<Notify>, resumed: Receiver<()>) -> impl FnMut() + Send + 'static {
    let mut backlog_until = None;
    move || {
        notified.notify_one();
        if backlog_until.is_some_and(|until| Instant::now() < until) {
            return;
        }
        resumed.recv_timeout(MAX_PAUSE).unwrap_or_default();
        backlog_until = Some(Instant::now() + BACKLOG);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn watcher_pauses_until_publisher_waits() {
        let wait = Duration::from_millis(20);
        let (notified, (resume, resumed)) = (Arc::new(Notify::new()), sync_channel(1));
        let mut notify = notifier(Arc::clone(&notified), resumed);
        let start = Instant::now();
        let watcher = std::thread::spawn(move || {
            notify();
            start.elapsed()
        });
        notified.notified().await;
        std::thread::sleep(wait);
        resume.send(()).expect("a watcher");
        let paused = watcher.join().expect("a thread");
        assert!(paused >= wait, "{paused:?}");
    }
}
