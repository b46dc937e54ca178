//! Type `ShownRequests`: the open permission requests as the hub has them, and a channel for those who wait for changes.

use coordination::hub::OpenPermission;
use tokio::sync::watch;

use crate::sink::ValueSink;

/// Open permission requests as they are shown.
#[derive(Debug)]
pub(crate) struct ShownRequests {
    hub: ValueSink<Vec<OpenPermission>>,
    shown: watch::Sender<Vec<OpenPermission>>,
}

impl ShownRequests {
    pub(super) fn new(hub: ValueSink<Vec<OpenPermission>>) -> Self {
        Self { hub, shown: watch::Sender::default() }
    }

    /// Replaces them. A mirror shows those of its machine, whose monitor holds them.
    pub(crate) fn show(&self, open: Vec<OpenPermission>) {
        let is_new = self.shown.send_if_modified(|shown| {
            let is_new = *shown != open;
            shown.clone_from(&open);
            is_new
        });
        if is_new {
            // Without a hub the monitor is shutting down.
            let _is_alive = self.hub.send(open);
        }
    }

    /// The requests now and after each change.
    pub(crate) fn watch(&self) -> watch::Receiver<Vec<OpenPermission>> {
        self.shown.subscribe()
    }
}
