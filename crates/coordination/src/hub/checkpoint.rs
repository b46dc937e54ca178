//! Checkpoint: a saved copy of the state that is derived from a session's events, at most one per session. When an event
//! arrives late, only the events after the checkpoint are replayed, or the whole session if the event is older than the
//! checkpoint.
//!
//! After a clock is set back, all new events are late. Without a checkpoint, each would replay the whole session.

use serde::{Deserialize, Serialize};

/// A checkpoint is stored only after this many events: replaying fewer costs little.
const MIN_EVENTS: usize = 256;
/// It is replaced by a newer one when it lies further back than this part of its events: copying costs about a
/// thirtieth of deriving.
const REFRESH_DIVISOR: usize = 32;
/// Dropped after this many events without a late one.
const MAX_UNUSED_EVENTS: usize = 1_024;

/// Fewest events between a checkpoint and the first event of a removal.
const MIN_BEFORE_REMOVAL: usize = 64;
/// They are this part of the events before the removal.
const REMOVAL_DIVISOR: usize = 8;

/// Where to keep a checkpoint when the events from `first` on are removed. In a hub that goes back in time, those before
/// them are removed next.
pub(super) fn before_removal(first: usize) -> usize {
    first.saturating_sub(MIN_BEFORE_REMOVAL.max(first / REMOVAL_DIVISOR))
}

/// Checkpoint of one session's state before its latest late events. Absent for nearly all sessions.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Checkpoint<S> {
    state: Option<Box<(usize, S)>>,
    /// Event count of the session at which it is dropped.
    until: usize,
}

impl<S: Clone + Default> Checkpoint<S> {
    /// Replay start when nothing before `moved` changed: number of events, and the state after them.
    pub(super) fn resume(&mut self, moved: usize) -> (usize, S) {
        self.state = self.state.take().filter(|checkpoint| checkpoint.0 <= moved);
        self.state.as_deref().cloned().unwrap_or_default()
    }

    /// Whether a copy at `moved` is worth its cost, given a start at `folded`.
    pub(super) fn is_worth(&self, folded: usize, moved: usize) -> bool {
        moved.saturating_sub(folded) >= MIN_EVENTS.max(folded / REFRESH_DIVISOR)
    }

    pub(super) fn keep(&mut self, folded: usize, state: &S) {
        self.state = Some(Box::new((folded, state.clone())));
    }

    /// Drops the checkpoint when a session with this many events no longer needs it.
    pub(super) fn in_use(&mut self, late: bool, events: usize) {
        if late {
            self.until = events + MAX_UNUSED_EVENTS;
        } else if events > self.until {
            self.state = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Checkpoint, MAX_UNUSED_EVENTS, MIN_EVENTS};

    /// A hundred thousand events, of which the last thousand lie after a clock that was set back: each late one is
    /// followed by the events after it and never by all.
    #[test]
    fn late_events_resume_at_last_checkpoint() {
        const KNOWN: usize = 99_000;
        let mut checkpoint = Checkpoint::<usize>::default();
        let mut derived = 0;
        for late in 0..1_000 {
            let (moved, events) = (KNOWN + late, KNOWN + 1_000 + late);
            let (folded, state) = checkpoint.resume(moved);
            assert_eq!(state, folded, "the state after so many events");
            derived += events - folded;
            if checkpoint.is_worth(folded, moved) {
                checkpoint.keep(moved, &moved);
            }
            checkpoint.in_use(true, events);
        }
        // Once all of it, and then the events after the first late one.
        assert!(derived < KNOWN + 1_000 * (1_000 + 1_000), "{derived} events replayed");
    }

    #[test]
    fn stale_or_unused_checkpoint_is_dropped() {
        let mut checkpoint = Checkpoint::<usize>::default();
        assert!(!checkpoint.is_worth(0, MIN_EVENTS - 1) && checkpoint.is_worth(0, MIN_EVENTS));
        checkpoint.keep(500, &500);
        checkpoint.in_use(true, 600);
        checkpoint.in_use(false, 600 + MAX_UNUSED_EVENTS);
        assert_eq!(checkpoint.resume(500).0, 500);
        assert_eq!(checkpoint.resume(499).0, 0, "a late event lies before it");
        assert_eq!(checkpoint.resume(500).0, 0, "and it is gone");
        checkpoint.keep(500, &500);
        checkpoint.in_use(false, 601 + MAX_UNUSED_EVENTS);
        assert_eq!(checkpoint.resume(500).0, 0, "no late event came for long");
    }
}
