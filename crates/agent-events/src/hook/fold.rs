//! Fold that turns the hooks of all Claude Code sessions into schema events. Each session has an incremental fold of
//! its own (`session.rs`). The fold also counts hooks: known ones by name, and those without an event by reason
//! (ignored, unknown, repeated …).

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hasher as _;
use std::sync::Arc;

use super::reduce::{is_known, is_passed_over};
use super::seen::{HookOrderKey, HookView};
use super::session::{EventPatches, HookSession};
use super::step::HookOutcome;
use crate::{AgentNow, Changed, InputKind, SchemaInput};
use protocol::api::HookCounts;

/// Running counts.
#[derive(Debug, Default)]
pub(super) struct HookTally {
    /// Number of hooks by name and by outcome.
    counts: HookCounts,
    /// Number of steps of all folds: the cost of folding.
    pub(super) steps: u64,
    /// Agents with a sign of life since [`HookFold`] was last asked for them.
    pub(super) lively: BTreeSet<String>,
}

impl HookTally {
    /// A hook's fate became another; none: it is not there.
    pub(super) fn note(&mut self, before: Option<HookOutcome>, now: Option<HookOutcome>, input: &SchemaInput) {
        match (before.is_some(), now.is_some()) {
            (false, true) => self.name(input, true),
            (true, false) => self.name(input, false),
            _ => {}
        }
        self.add(before, false);
        self.add(now, true);
    }

    fn add(&mut self, fate: Option<HookOutcome>, more: bool) {
        let counts = &mut self.counts;
        let slot = match fate {
            Some(HookOutcome::Ignored) => &mut counts.ignored,
            Some(HookOutcome::Unknown) => &mut counts.unknown,
            Some(HookOutcome::Doubled) => &mut counts.doubled,
            Some(HookOutcome::Unjoined) => &mut counts.unjoined,
            Some(HookOutcome::Emitted) | None => return,
        };
        *slot = if more { *slot + 1 } else { slot.saturating_sub(1) };
    }

    fn name(&mut self, input: &SchemaInput, more: bool) {
        let Some(hook) = HookView::from_input(input) else { return };
        let hooks = &mut self.counts.by_name;
        if is_known(hook.name()) || is_passed_over(hook.name()) {
            let count = hooks.entry(hook.name().to_owned()).or_default();
            *count = if more { *count + 1 } else { count.saturating_sub(1) };
        }
    }
}

/// Order of several reports of one key: the one received first wins, whatever it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Precedence {
    /// Time of the hook, in epoch milliseconds.
    at: i64,
    /// Only the time of arrival is known. At equal times such a report loses.
    only_arrived: bool,
    /// Time at which the monitor received it, in epoch milliseconds.
    arrived_at: i64,
    /// Hash of the whole input; decides between reports of equal times.
    content: u64,
}

impl Precedence {
    pub(crate) fn from_input(input: &SchemaInput) -> Self {
        let (only_arrived, arrived_at) = match &input.what {
            InputKind::Hook { stamp, .. } => (stamp.received_at.is_none(), stamp.arrived_at),
            InputKind::Event(_) => (true, 0),
        };
        let mut hasher = DefaultHasher::new();
        // As bytes, without their count, which is another number of bits in wasm.
        hasher.write(&serde_json::to_vec(input).unwrap_or_default());
        Self { at: input.at, only_arrived, arrived_at, content: hasher.finish() }
    }
}

/// The hooks of every session, folded: a function of the set of them and of the time that has passed.
#[derive(Debug, Default)]
pub struct HookFold {
    /// By session id. Never shrinks.
    sessions: BTreeMap<Arc<str>, HookSession>,
    /// Next time at which the clock alone changes a session, in epoch milliseconds, earliest first.
    dues: BTreeSet<(i64, Arc<str>)>,
    /// The same times, by session.
    due_of: HashMap<Arc<str>, i64>,
    /// Precedence and session of each hook, by its key. Shrinks with [`Self::evict`] only.
    places: HashMap<Box<str>, (Precedence, Arc<str>)>,
    /// Time up to which the fold is settled, in epoch milliseconds.
    clock: i64,
    tally: HookTally,
    /// Number of accepted reports: new hooks, and earlier reports of known ones.
    taken: u64,
}

/// What is new in a session: hooks by key, and places of hooks that turned out to be earlier.
type NewHooks = (BTreeMap<String, SchemaInput>, Vec<HookOrderKey>);

impl HookFold {
    /// Takes hooks in; inputs that are events of their own are passed over. The same key again changes nothing, unless
    /// it was received earlier: then it moves there.
    pub fn take(&mut self, inputs: Vec<SchemaInput>) -> Changed {
        let mut groups: BTreeMap<Arc<str>, NewHooks> = BTreeMap::new();
        for input in inputs {
            let Some(hook) = HookView::from_input(&input) else { continue };
            let session = match self.sessions.get_key_value(hook.session()) {
                Some((known, _)) => Arc::clone(known),
                None => groups
                    .get_key_value(hook.session())
                    .map_or_else(|| hook.session().into(), |(new, _)| Arc::clone(new)),
            };
            let rank = Precedence::from_input(&input);
            if let Some((known, of)) = self.places.get(&*input.key) {
                if *known <= rank {
                    continue;
                }
                let moved = (known.at, input.key.clone());
                let group = groups.entry(of.clone()).or_default();
                group.0.remove(&input.key);
                group.1.push(moved);
            }
            self.taken += 1;
            self.places.insert(input.key.as_str().into(), (rank, Arc::clone(&session)));
            groups.entry(session).or_default().0.insert(input.key.clone(), input);
        }
        let mut out = EventPatches::new();
        for (id, (inputs, moved)) in groups {
            let session = self.sessions.entry(Arc::clone(&id)).or_default();
            session.take(inputs.into_values().collect(), moved, self.clock, &mut out, &mut self.tally);
            let due = session.due(self.clock);
            self.note_due(id, due);
        }
        changed(out)
    }

    /// What only the passing of time decides: `now` in epoch milliseconds. Time never goes back.
    pub fn settle(&mut self, now: i64) -> Changed {
        let mut out = EventPatches::new();
        if now > self.clock {
            let before = std::mem::replace(&mut self.clock, now);
            // Of sessions that have nothing due until now, time decides nothing.
            let behind = self.dues.split_off(&(now.saturating_add(1), "".into()));
            for (_, id) in std::mem::replace(&mut self.dues, behind) {
                let Some(session) = self.sessions.get_mut(&id) else { continue };
                session.settle(before, now, &mut out, &mut self.tally);
                let due = session.due(now);
                self.note_due(id, due);
            }
        }
        changed(out)
    }

    /// Removes the hook with this key if its only event has the key as its id. False when there is no such hook or it
    /// made other events too. The state after it stays.
    pub(crate) fn evict(&mut self, key: &str) -> bool {
        let Some((rank, session)) = self.places.get(key) else { return false };
        let session = self.sessions.get_mut(session);
        let removed = session.is_some_and(|session| session.evict(&(rank.at, key.to_owned())));
        if removed {
            self.places.remove(key);
        }
        removed
    }

    fn note_due(&mut self, session: Arc<str>, due: Option<i64>) {
        let before = match due {
            Some(due) => self.due_of.insert(Arc::clone(&session), due),
            None => self.due_of.remove(&session),
        };
        if let Some(before) = before {
            self.dues.remove(&(before, Arc::clone(&session)));
        }
        self.dues.extend(due.map(|due| (due, session)));
    }

    /// Agents of whom there was a sign of life since this was asked last, also such as makes no event.
    pub(crate) fn take_lively(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.tally.lively)
    }

    /// When [`Self::settle`] has something to do next, in epoch milliseconds.
    #[must_use]
    pub fn due(&self) -> Option<i64> {
        self.dues.first().map(|(due, _)| *due)
    }

    /// This hook is there already, and is not later than this one would.
    #[must_use]
    pub fn knows(&self, input: &SchemaInput) -> bool {
        self.places.get(&*input.key).is_some_and(|(known, _)| *known <= Precedence::from_input(input))
    }

    /// How many there were.
    #[must_use]
    pub fn counts(&self) -> &HookCounts {
        &self.tally.counts
    }

    /// How many hooks have been read in all, each time that one was: what the fold has cost.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.tally.steps
    }

    /// Bytes of the stored hooks themselves: texts, and ids of the events that they made. Looks at all of them.
    #[must_use]
    pub fn stored_bytes(&self) -> usize {
        self.sessions.values().map(HookSession::stored_bytes).sum()
    }

    /// When a session's hooks of an agent at its terminal were received last, in epoch milliseconds: also those that make
    /// no event, such as the end of a turn (§C.2, Stop).
    pub(crate) fn active_at(&self, session: &str, agent: &AgentNow) -> Option<i64> {
        self.sessions.get(session)?.active_at(&agent.agent_id, &agent.terminal_session_id)
    }

    /// How many tellings said something new.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }
}

fn changed(out: EventPatches) -> Changed {
    let mut changed = Changed::default();
    for (id, event) in out {
        match event {
            Some(event) => changed.put.push(event),
            None => changed.removed.push(id),
        }
    }
    changed.put.sort_by(|one, other| one.place().cmp(&other.place()));
    changed
}
