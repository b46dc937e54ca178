//! Type `Continuation`: changes of the newest frames by their positions in the streams of a fleet ([`crate::inputs`]). A client
//! of another process that reads the same streams continues here: it gets a snapshot and what changed since its position.
//! Without a fleet this is empty.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use coordination::api::{ChangesSince, Delta};
use tokio::time::Instant;

use crate::inputs::{InputPosition, InputReader, Looked, WrittenInputs};

/// Frames whose changes are kept.
const MAX_FRAMES: usize = 4096;
/// Sessions and threads that are named; with more, anything may have changed.
const MAX_NAMED: usize = 2_000;
/// What passing time changes comes so much earlier or later at another process, at most: each looks every 20 seconds.
const MAX_TIMER_SKEW: Duration = Duration::from_secs(30);

/// The newest changes by their positions in the inputs.
#[derive(Debug, Default)]
pub(super) struct Continuation {
    written: OnceLock<WrittenInputs>,
    state: Mutex<ContinuationState>,
}

#[derive(Debug, Default)]
struct ContinuationState {
    /// How far each reader has read.
    looked: [Option<InputPosition>; InputReader::COUNT],
    /// The hub has everything before it.
    applied: Option<InputPosition>,
    /// The published frames have everything before it.
    published: Option<InputPosition>,
    /// Clients from before it cannot continue.
    base: Option<(Instant, InputPosition)>,
    /// Changes of each frame since then.
    frames: VecDeque<RecordedChanges>,
}

#[derive(Debug)]
struct RecordedChanges {
    at: Instant,
    /// Nothing in the frame is from behind it.
    position: InputPosition,
    changes: ChangesSince,
}

impl Continuation {
    /// The home is a mirror.
    pub(super) fn follow(&self, written: WrittenInputs) {
        // A second call would be of the same home.
        self.written.set(written).unwrap_or_default();
    }

    /// A reader has read this far, and the hub has what it sent before.
    pub(super) fn note_looked(&self, looked: Looked) {
        let Some(begun) = self.written.get().and_then(WrittenInputs::begun) else { return };
        let mut state = self.state();
        // At the start of the process there were no streams yet, or others.
        if !state.base.as_ref().is_some_and(|(_, base)| begun.covers(base)) {
            state.frames.clear();
            state.base = Some((Instant::now(), begun));
        }
        if let Some(place) = state.looked.get_mut(looked.reader as usize) {
            *place = Some(looked.position);
        }
        let mut all = state.looked.iter();
        let first = all.next().cloned().flatten();
        state.applied = all.fold(first, |common, other| common?.common(other.as_ref()?));
    }

    /// The position that a frame made now has.
    pub(super) fn applied(&self) -> Option<String> {
        self.written.get()?;
        self.state().applied.as_ref().map(ToString::to_string)
    }

    /// Everything that the hub has is published.
    pub(super) fn note_published(&self) {
        if self.written.get().is_some() {
            let mut state = self.state();
            state.published = state.applied.clone();
        }
    }

    /// The position of a client that has all frames.
    pub(super) fn published(&self) -> Option<String> {
        self.written.get()?;
        self.state().published.as_ref().map(ToString::to_string)
    }

    /// Everyone starts over. To be called before the snapshot is made.
    pub(super) fn restart(&self) {
        let Some(written) = self.written.get() else { return };
        let mut state = self.state();
        state.frames.clear();
        state.base = written.begun().map(|position| (Instant::now(), position));
    }

    /// Notes what a frame changes. To be called before it is published.
    pub(super) fn record(&self, delta: &Delta) {
        let Some(position) = self.written.get().and_then(WrittenInputs::begun) else { return };
        let (mut state, at) = (self.state(), Instant::now());
        if !state.base.as_ref().is_some_and(|(_, base)| position.covers(base)) {
            // Other streams, or the first ones: only positions from here on are compared.
            state.frames.clear();
            state.base = Some((at, position));
            return;
        }
        state.frames.push_back(RecordedChanges { at, position, changes: changes_of(delta) });
        if state.frames.len() > MAX_FRAMES
            && let Some(oldest) = state.frames.pop_front()
        {
            state.base = Some((oldest.at, oldest.position));
        }
    }

    /// Whether the files here are written up to a client's position; false also for one of other streams.
    pub(super) fn has_reached(&self, position: &InputPosition) -> bool {
        self.written.get().and_then(WrittenInputs::done).is_some_and(|done| done.covers(position))
    }

    /// Whether the position is one of the streams that are read here.
    pub(super) fn is_known(&self, position: &InputPosition) -> bool {
        let done = self.written.get().and_then(WrittenInputs::done);
        done.is_some_and(|done| done.common(position).is_some())
    }

    /// What changed since a client's position; `None` when that is not known here.
    pub(super) fn since(&self, position: &InputPosition) -> Option<ChangesSince> {
        if !self.has_reached(position) {
            return None;
        }
        let state = self.state();
        let (base_at, base) = state.base.as_ref()?;
        // A frame at the very position of the client may be one that passing time made after it.
        let is_before = |frame: &RecordedChanges| position.covers(&frame.position) && *position != frame.position;
        let later = state.frames.partition_point(is_before);
        // The client had all that the streams say up to here, and not all that passing time changes.
        let known_at = later.checked_sub(1).and_then(|last| state.frames.get(last)).map_or(*base_at, |frame| frame.at);
        let is_after_base = position.covers(base) && position != base && base_at.elapsed() > MAX_TIMER_SKEW;
        let first = state.frames.partition_point(|frame| frame.at + MAX_TIMER_SKEW < known_at);
        is_after_base.then(|| joined(state.frames.range(first..).map(|frame| &frame.changes)))
    }

    fn state(&self) -> MutexGuard<'_, ContinuationState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn changes_of(delta: &Delta) -> ChangesSince {
    ChangesSince {
        sessions: delta.sessions.iter().map(|card| card.work_session_id.clone()).collect(),
        threads: delta.threads.clone(),
        events_total: delta.events_total,
        agents: delta.agents.clone(),
        views: delta.views,
        everything: delta.everything || delta.stores.is_some(),
    }
}

/// All of these changes; each session, thread and agent once.
fn joined<'a>(changes: impl Iterator<Item = &'a ChangesSince>) -> ChangesSince {
    let (mut sessions, mut threads, mut agents) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut all = ChangesSince::default();
    for one in changes {
        sessions.extend(&one.sessions);
        threads.extend(&one.threads);
        agents.extend(&one.agents);
        all.events_total = all.events_total.saturating_add(one.events_total);
        all.views |= one.views;
        all.everything |= one.everything;
    }
    all.everything |= sessions.len() + threads.len() > MAX_NAMED;
    all.sessions = sessions.into_iter().cloned().collect();
    all.threads = threads.into_iter().cloned().collect();
    all.agents = agents.into_iter().cloned().collect();
    all
}
