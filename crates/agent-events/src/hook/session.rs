//! Incremental fold that turns the hooks of one Claude Code session into events, in order of time. A new hook usually
//! costs one step. If a hook arrives late, or names an agent of earlier hooks, the fold resumes from a checkpoint (an
//! earlier copy of its state) or from the start. It returns only the events that changed.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::ops::Bound;

use super::fold::HookTally;
use super::names::SessionNames;
use super::seen::{HookOrderKey, HookView};
use super::state::SessionFoldState;
use super::step::{HookOutcome, step};
use crate::{SchemaEvent, SchemaInput};

/// Steps between marks.
const CHECKPOINT_INTERVAL_STEPS: u64 = 64;
/// Newest checkpoints that are all stored; older ones are thinned out.
const NEWEST_CHECKPOINTS: usize = 4;

/// Events that are put, or removed, by id.
pub(super) type EventPatches = BTreeMap<String, Option<SchemaEvent>>;

/// A hook and the events made from it. The hook is stored as text, a quarter of what it takes as values, and read again
/// only where it is folded again.
#[derive(Debug)]
struct StoredHook {
    text: Box<[u8]>,
    /// Ids of its events, and a digest of each.
    event_digests: Box<[(Box<str>, u64)]>,
    /// Result of its last fold.
    fate: Option<HookOutcome>,
}

impl StoredHook {
    fn new(input: &SchemaInput) -> Self {
        // What cannot be written is no hook that was read from JSON.
        let text = serde_json::to_vec(input).unwrap_or_default().into_boxed_slice();
        Self { text, event_digests: Box::default(), fate: None }
    }

    fn input(&self) -> Option<SchemaInput> {
        serde_json::from_slice(&self.text).ok()
    }

    fn bytes(&self) -> usize {
        let event_digests: usize =
            self.event_digests.iter().map(|(id, _)| id.len() + size_of::<(Box<str>, u64)>()).sum();
        self.text.len() + event_digests + size_of::<Self>() + size_of::<HookOrderKey>()
    }
}

/// The fold after some steps.
#[derive(Debug)]
struct SessionCheckpoint {
    steps: u64,
    at: HookOrderKey,
    state: SessionFoldState,
}

/// The hooks of one session. Grows with them.
#[derive(Debug, Default)]
pub(super) struct HookSession {
    names: SessionNames,
    /// In order of time. Shrinks with [`Self::evict`] and when a hook turns out to be earlier.
    hooks: BTreeMap<HookOrderKey, StoredHook>,
    /// State after the last folded hook.
    state: SessionFoldState,
    /// Number of folded hooks.
    steps: u64,
    /// Position of the last folded hook.
    at: Option<HookOrderKey>,
    /// States after earlier hooks, oldest first.
    checkpoints: Vec<SessionCheckpoint>,
}

impl HookSession {
    /// Takes hooks in that are not there yet; `moved` are places of hooks that turned out to be earlier.
    pub(super) fn take(
        &mut self,
        inputs: Vec<SchemaInput>,
        moved: Vec<HookOrderKey>,
        clock: i64,
        out: &mut EventPatches,
        tally: &mut HookTally,
    ) {
        let mut from: Option<HookOrderKey> = None;
        let mut note = |place: Option<HookOrderKey>| from = from.take().into_iter().chain(place).min();
        for place in moved {
            if let Some(hooks) = self.hooks.remove(&place) {
                if let Some(input) = hooks.input() {
                    HookView::from_input(&input).iter().for_each(|hook| self.names.guesses.forget(hook));
                    tally.note(hooks.fate, None, &input);
                }
                out.extend(hooks.event_digests.into_iter().map(|(id, _)| (id.into_string(), None)));
                note(Some(place));
            }
        }
        let mut fresh = BTreeMap::new();
        for input in inputs {
            let Some(hook) = HookView::from_input(&input) else { continue };
            let place = hook.place();
            note(self.names.learn(&hook, clock));
            note(Some(place.clone()));
            self.hooks.insert(place.clone(), StoredHook::new(&input));
            fresh.insert(place, input);
        }
        note(self.names.join());
        if let Some(from) = from {
            self.fold(&from, fresh, clock, out, tally);
        }
    }

    /// Removes the hook at a place if its only event has the hook's key as its id. False when there is no such hook or it
    /// made other events too. The state after it stays; a later fold from before it misses it.
    pub(super) fn evict(&mut self, place: &HookOrderKey) -> bool {
        let is_only = |hooks: &StoredHook| matches!(&*hooks.event_digests, [(id, _)] if **id == *place.1);
        self.hooks.get(place).is_some_and(is_only) && self.hooks.remove(place).is_some()
    }

    /// Bytes of the stored hooks.
    pub(super) fn stored_bytes(&self) -> usize {
        self.hooks.values().map(StoredHook::bytes).sum()
    }

    /// What only time decides: guesses between two moments of the clock.
    pub(super) fn settle(&mut self, before: i64, now: i64, out: &mut EventPatches, tally: &mut HookTally) {
        if let Some(from) = self.names.guesses.ripe(before, now) {
            self.fold(&from, BTreeMap::new(), now, out, tally);
        }
    }

    /// When the next guess is decided.
    pub(super) fn due(&self, clock: i64) -> Option<i64> {
        self.names.guesses.due(clock)
    }

    /// When an agent did anything last at a terminal, also what makes no event.
    pub(super) fn active_at(&self, agent: &str, terminal: &str) -> Option<i64> {
        self.state.active.get(agent)?.get(terminal).copied()
    }

    /// Folds again from a place on. New hooks are passed as `fresh`.
    fn fold(
        &mut self,
        from: &HookOrderKey,
        mut fresh: BTreeMap<HookOrderKey, SchemaInput>,
        clock: i64,
        out: &mut EventPatches,
        tally: &mut HookTally,
    ) {
        if self.at.as_ref().is_some_and(|at| from <= at) {
            self.back(from);
        }
        let start = self.at.clone().map_or(Bound::Unbounded, Bound::Excluded);
        for (place, hooks) in self.hooks.range_mut((start, Bound::Unbounded)) {
            let Some(input) = fresh.remove(place).or_else(|| hooks.input()) else { continue };
            let Some(hook) = HookView::from_input(&input) else { continue };
            let (events, fate) = step(&self.names, &mut self.state, hook, clock, &mut tally.lively);
            let event_digests: Box<[_]> =
                events.iter().map(|event| (event.id.as_str().into(), digest(event))).collect();
            for (id, _) in hooks.event_digests.iter().filter(|(id, _)| !event_digests.iter().any(|(new, _)| new == id))
            {
                out.insert(id.to_string(), None);
            }
            for (event, one) in events.into_iter().zip(&event_digests) {
                if !hooks.event_digests.contains(one) {
                    out.insert(event.id.clone(), Some(event));
                }
            }
            tally.note(hooks.fate, Some(fate), &input);
            (hooks.event_digests, hooks.fate) = (event_digests, Some(fate));
            self.steps += 1;
            tally.steps += 1;
            self.at = Some(place.clone());
            if self.steps.is_multiple_of(CHECKPOINT_INTERVAL_STEPS) {
                self.checkpoints.push(SessionCheckpoint {
                    steps: self.steps,
                    at: place.clone(),
                    state: self.state.clone(),
                });
                thin(&mut self.checkpoints);
            }
        }
    }

    /// Back to the last mark before a place.
    fn back(&mut self, from: &HookOrderKey) {
        while self.checkpoints.last().is_some_and(|mark| mark.at >= *from) {
            self.checkpoints.pop();
        }
        match self.checkpoints.last() {
            Some(mark) => {
                (self.state, self.steps, self.at) = (mark.state.clone(), mark.steps, Some(mark.at.clone()));
            }
            None => (self.state, self.steps, self.at) = (SessionFoldState::default(), 0, None),
        }
    }
}

/// Keeps checkpoints whose distance to the newest doubles: a replay costs about as many steps as follow its place.
fn thin(checkpoints: &mut Vec<SessionCheckpoint>) {
    let Some(newest) = checkpoints.last().map(|mark| mark.steps) else { return };
    let mut at = checkpoints.len().saturating_sub(NEWEST_CHECKPOINTS + 1);
    while at > 0 {
        let gap = checkpoints[at + 1].steps - checkpoints[at - 1].steps;
        if gap <= (newest - checkpoints[at + 1].steps) / 2 {
            checkpoints.remove(at);
        }
        at -= 1;
    }
}

/// A digest of an event, to detect a changed result.
fn digest(event: &SchemaEvent) -> u64 {
    let mut hasher = DefaultHasher::new();
    // What cannot be written is reported again each time, which costs time but is correct.
    serde_json::to_vec(event).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stay_few_and_near_the_end_dense() {
        let mut checkpoints = Vec::new();
        for steps in (1..=2_000).map(|number| number * CHECKPOINT_INTERVAL_STEPS) {
            checkpoints.push(SessionCheckpoint { steps, at: (0, String::new()), state: SessionFoldState::default() });
            thin(&mut checkpoints);
            let newest = steps;
            for pair in checkpoints.windows(2) {
                let (gap, behind) = (pair[1].steps - pair[0].steps, newest - pair[1].steps);
                assert!(gap <= behind.max(CHECKPOINT_INTERVAL_STEPS * 2), "{gap} before {behind}");
            }
        }
        assert!(checkpoints.len() < 40, "{}", checkpoints.len());
    }
}
