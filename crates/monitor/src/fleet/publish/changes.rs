//! Type `LogChanges`: when the publisher looks at the ends of the logs again.

use std::sync::Arc;
use std::time::Duration;

use coordination::api::WatcherMode;
use tokio::sync::Notify;

use crate::home::HomeDir;
use crate::sources::tail::LogWatch;

/// Between two looks at the ends of the logs where nothing reports their changes.
const LOG_INTERVAL: Duration = Duration::from_millis(10);
/// The same where the system does: other files with lines are beside the folder that is watched.
const NOTIFIED_LOG_INTERVAL: Duration = Duration::from_millis(100);
/// Changes of the logs of a home.
pub(super) struct LogChanges {
    watch: LogWatch,
    notified: Arc<Notify>,
}

impl LogChanges {
    pub(super) fn new(home: &HomeDir, watched: bool) -> Self {
        let notified = Arc::new(Notify::new());
        let notify = Arc::clone(&notified);
        Self { watch: LogWatch::new(home.logs(), watched.then_some(move || notify.notify_one())), notified }
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
        tokio::select! {
            () = self.notified.notified() => {}
            () = tokio::time::sleep(interval) => {}
        }
    }
}
