//! Supervisor of the thread that writes coding agents' events to the journal. After a panic it waits with backoff and
//! restarts the thread, which reads its state from the journal. Meanwhile the monitor refuses posted events, and hooks
//! write to the drop file `logs/hook-events.ndjson` instead.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::IngestRequest;
use super::writer::{JournalWriter, LastReported};
use crate::fs::durable::WriteError;

/// The rest before the first new beginning; each further one is twice as long.
pub(super) const MIN_RESTART_DELAY: Duration = Duration::from_secs(1);
/// And the longest.
const MAX_RESTART_DELAY: Duration = Duration::from_secs(60);

/// Runs until all senders are dropped. `begin` makes a thread's whole state.
pub(super) fn run(begin: impl Fn(LastReported) -> JournalWriter, inbox: &Receiver<IngestRequest>, first: Duration) {
    let (mut delay, mut before) = (first, LastReported::default());
    loop {
        let (mut writer, began) = (begin(before), Instant::now());
        if catch_unwind(AssertUnwindSafe(|| writer.run(inbox))).is_ok() {
            return;
        }
        before = writer.on_panic();
        // Its state is not used again.
        drop(writer);
        if began.elapsed() > MAX_RESTART_DELAY {
            delay = first;
        }
        if !reject_until(inbox, Instant::now() + delay) {
            return;
        }
        delay = (delay * 2).min(MAX_RESTART_DELAY);
    }
}

/// Refuses requests until then. False when all senders are dropped.
fn reject_until(inbox: &Receiver<IngestRequest>, until: Instant) -> bool {
    loop {
        match inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(IngestRequest { answer, .. }) => {
                let cause = "the monitor made a mistake in reading the journal; it starts again";
                // The requester may have disconnected.
                drop(answer.send(Err(WriteError::not_committed_because(cause))));
            }
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}
