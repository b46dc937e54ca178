//! Thread that keeps the search index up to date. Indexing starts once the log's history has been read. A search scans
//! the events that the index does not cover.

use std::sync::Weak;
use std::sync::mpsc::{self, Receiver, SyncSender};

use crate::core::Core;

/// Events taken in at once: readers and the writer of the hub wait for about a millisecond, for longer behind a question
/// that held the index meanwhile.
const EVENTS_PER_STEP: u32 = 256;
/// Notifies the thread that the hub has changed.
#[derive(Debug)]
pub(crate) struct Wake(SyncSender<()>);

impl Wake {
    /// Costs nothing while the thread is awake.
    pub(crate) fn wake(&self) {
        // An error means that the thread is notified already.
        self.0.try_send(()).unwrap_or_default();
    }
}

/// Starts the thread; it ends when the core is dropped.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn spawn(core: Weak<Core>) -> std::io::Result<Wake> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::Builder::new().name("index".to_owned()).spawn(move || run(&core, &receiver))?;
    Ok(Wake(sender))
}

fn run(core: &Weak<Core>, woken: &Receiver<()>) {
    let mut made = Vec::new();
    loop {
        let Some(core) = core.upgrade() else { return };
        let more = core.is_ready() && core.live().index_more(EVENTS_PER_STEP, &mut made);
        drop(core);
        // The notifier belongs to the writer of the hub, which ends soon after the core is dropped.
        if !more && woken.recv().is_err() {
            return;
        }
    }
}
