//! A browser tab's copy of the monitor's live state, updated by the frames of the live stream. Deltas are applied in order
//! and at most once. If frames were lost, the next delta or heartbeat shows it.

use crate::api::{Cursor, Frame, Home, SessionCard};
use crate::view::{ApplyResult, HomeView, LiveChanges};

/// What frames changed since the last call.
#[derive(Debug, Clone, PartialEq)]
pub struct TabChanges {
    /// Home, if it may differ.
    pub home: Option<Home>,
    /// The newest cards, newest first, if they may differ.
    pub recent: Option<Vec<SessionCard>>,
    /// What was touched.
    pub change: LiveChanges,
    /// The monitor's time of the newest frame.
    pub now: Option<i64>,
}

/// What came of some frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameOutcome {
    /// All were applied.
    Applied,
    /// Some are missing; the position is forgotten.
    Gap,
}

/// The tab's knowledge.
#[derive(Debug, Default)]
pub(super) struct Tab {
    /// Home and sessions as of the newest frame; none before the first snapshot and after a gap.
    view: Option<HomeView>,
    /// Position of the newest answer that was shown while there is no view.
    shown: Option<Cursor>,
    /// Changes since they were last returned.
    change: LiveChanges,
    /// Home may differ from what was last returned.
    home_touched: bool,
    /// Session cards may differ from those last returned.
    touched: bool,
    /// Server time of the newest frame since it was last returned, in epoch milliseconds.
    now: Option<i64>,
    /// Number of clients that the monitor last reported.
    client_count: Option<u64>,
}

impl Tab {
    /// Number of clients that the monitor last reported.
    pub(super) fn client_count(&self) -> Option<u64> {
        self.client_count
    }

    /// Takes note of an answer shown before the first frame.
    pub(super) fn shown(&mut self, cursor: Cursor) {
        self.shown = Some(cursor);
    }

    /// The stored view; nothing without a position.
    pub(super) fn view(&self) -> Option<&HomeView> {
        self.view.as_ref()
    }

    /// Where the stream can be continued.
    pub(super) fn cursor(&self) -> Option<Cursor> {
        self.view.as_ref().map(|view| view.cursor.clone())
    }

    /// Forgets the position, so that the next opening brings a snapshot. What is shown stays.
    pub(super) fn forget_position(&mut self) {
        self.shown = self.cursor().or(self.shown.take());
        self.view = None;
    }

    /// Applies frames in order.
    pub(super) fn apply(&mut self, frames: Vec<Frame>) -> FrameOutcome {
        for frame in frames {
            if !self.take(frame) {
                self.forget_position();
                return FrameOutcome::Gap;
            }
        }
        FrameOutcome::Applied
    }

    /// False when frames before this one are missing.
    fn take(&mut self, frame: Frame) -> bool {
        match frame {
            Frame::Snapshot(snapshot) => {
                self.now = Some(snapshot.now);
                self.client_count = snapshot.clients.or(self.client_count);
                let known = self.cursor().or(self.shown.take());
                if let Some(since) = &snapshot.changes {
                    self.change.add_since(since);
                } else if !known.is_some_and(|known| known.is_at(&snapshot.cursor)) {
                    self.change.everything = true;
                    // They may be of another run, whose positions say nothing here.
                    self.change.patches.clear();
                }
                self.view = Some(HomeView::from(*snapshot));
                self.touched = true;
                self.home_touched = true;
            }
            Frame::Delta(delta) => {
                // A way that began without a position brings a snapshot first: it was lost, or could not be read.
                let Some(view) = &mut self.view else { return false };
                match view.apply(&delta) {
                    ApplyResult::Ok => {
                        self.now = Some(delta.now);
                        self.change.add(&delta);
                        self.touched = true;
                        self.home_touched |= delta.home.is_some();
                    }
                    ApplyResult::Known => {}
                    ApplyResult::Gap => return false,
                }
            }
            Frame::Heartbeat(beat) => {
                self.now = Some(beat.now);
                self.client_count = beat.clients.or(self.client_count);
                let Some(view) = &mut self.view else { return false };
                // A link reports its position; a tab that is not there has missed frames.
                if beat.cursor.epoch != view.cursor.epoch || beat.cursor.seq > view.cursor.seq {
                    return false;
                }
                self.home_touched |= view.apply_heartbeat(&beat);
            }
            Frame::Reset(_) => self.forget_position(),
            Frame::Unknown => {}
        }
        true
    }

    /// What changed since the last call.
    pub(super) fn news(&mut self) -> TabChanges {
        let view = self.view.as_ref();
        let home = view.filter(|_| std::mem::take(&mut self.home_touched)).map(|view| view.home.clone());
        let recent = view.filter(|_| std::mem::take(&mut self.touched)).map(|view| view.sessions.clone());
        TabChanges { home, recent, change: std::mem::take(&mut self.change), now: self.now.take() }
    }
}
