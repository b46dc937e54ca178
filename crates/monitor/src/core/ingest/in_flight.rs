//! Limit on log blocks that are read ahead, before the hub has taken them in. At four blocks, reading waits, because
//! parsed blocks take much memory.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Blocks of the log that may be read ahead, of half a MiB each. More do not shorten a start, and their parsed events
/// are memory that the allocator does not give back: with twelve, the process is 20 MB larger.
pub(super) const MAX_BLOCKS_IN_FLIGHT: usize = 4;

/// How often a thread that reads ahead checks that the receiver still exists.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Blocks of the log that were sent and not yet taken in.
#[derive(Debug, Default)]
pub(super) struct InFlightLimit {
    blocks: Mutex<usize>,
    fewer: Condvar,
}

impl InFlightLimit {
    /// Waits for room and takes it. Room is also given when the receiver is gone: the send then fails.
    pub(super) fn wait(&self, open: impl Fn() -> bool) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        while *blocks >= MAX_BLOCKS_IN_FLIGHT && open() {
            blocks = self.fewer.wait_timeout(blocks, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
        *blocks += 1;
    }

    pub(super) fn done(&self) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        *blocks = blocks.saturating_sub(1);
        self.fewer.notify_one();
    }
}
