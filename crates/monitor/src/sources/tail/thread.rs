//! Thread that tails the coordination log. It runs the follower (`follower.rs`) when the file watcher reports a change,
//! and at times of its own, because the watcher can miss changes ([`LookSchedule`]).

use std::sync::mpsc::{self, RecvTimeoutError, TrySendError};
use std::time::{Duration, Instant};

use coordination::api::WatcherMode;

use super::{Follower, LineBlock, LogCheckpoint, LogStatus, LogWatch};
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
    let notify = move || match hint.try_send(()) {
        Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
    };
    let mut watch = LogWatch::new(home.logs(), watched.then_some(notify));
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
