//! Guesses of task changes from tool calls that would create or complete a task (`contract/event-schema-v1_1.md` §C.2).
//! Normally a later hook confirms or denies the change. If none arrives within a minute of the call, the change is
//! assumed. A still later hook can revoke it.

use std::collections::{BTreeMap, BTreeSet};

use super::seen::{HookOrderKey, HookView};

/// How long after its call a guess waits for being confirmed.
pub(super) const GUESS_MS: i64 = 60_000;

/// A call that would make or end a task.
#[derive(Debug, Clone, PartialEq)]
struct PendingGuess {
    place: HookOrderKey,
    about: About,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum About {
    /// The digest of its subject.
    Created(String),
    /// Its id.
    Completed(String),
}

/// Pending calls, and which of them were answered or confirmed.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    /// By call id.
    pending: BTreeMap<String, PendingGuess>,
    /// The same calls by the end of their wait, in epoch milliseconds.
    waiting: BTreeSet<(i64, String)>,
    /// Ids of calls that succeeded, failed or were denied.
    answered: BTreeSet<String>,
    /// Hooks that confirm a change, by what they confirm.
    confirmed: BTreeMap<About, BTreeSet<HookOrderKey>>,
}

impl Guesses {
    /// Learns of a hook: the place of a guess that was shown and is no longer valid.
    pub(super) fn learn(&mut self, hook: &HookView<'_>, place: &HookOrderKey, clock: i64) -> Option<HookOrderKey> {
        if let Some(about) = confirms(hook) {
            self.confirmed.entry(about.clone()).or_default().insert(place.clone());
            let shown = |pending: &&PendingGuess| {
                pending.about == about && pending.place < *place && pending.place.0.saturating_add(GUESS_MS) <= clock
            };
            return self.pending.values().filter(shown).map(|pending| pending.place.clone()).min();
        }
        let call = hook.call().filter(|_| matches!(hook.tool(), "TaskCreate" | "TaskUpdate"))?;
        if hook.name() != "PreToolUse" {
            let settles = matches!(hook.name(), "PostToolUse" | "PostToolUseFailure" | "PermissionDenied");
            let new = settles && self.answered.insert(call.to_owned());
            let shown =
                self.pending.get(call).filter(|pending| new && pending.place.0.saturating_add(GUESS_MS) <= clock);
            return shown.map(|pending| pending.place.clone());
        }
        let about = match (hook.tool(), hook.input("status")) {
            ("TaskCreate", _) => About::Created(hook.input("subject_digest").unwrap_or_default().to_owned()),
            ("TaskUpdate", Some("completed")) => About::Completed(hook.input("taskId")?.to_owned()),
            _ => return None,
        };
        let pending = PendingGuess { place: place.clone(), about };
        if self.pending.get(call).is_none_or(|known| pending.place < known.place) {
            let due = pending.place.0.saturating_add(GUESS_MS);
            if let Some(known) = self.pending.insert(call.to_owned(), pending) {
                self.waiting.remove(&(known.place.0.saturating_add(GUESS_MS), call.to_owned()));
            }
            self.waiting.insert((due, call.to_owned()));
        }
        None
    }

    /// Reverts a hook that turned out to be earlier.
    pub(super) fn forget(&mut self, hook: &HookView<'_>) {
        if let Some(about) = confirms(hook)
            && let Some(places) = self.confirmed.get_mut(&about)
        {
            places.remove(&hook.place());
        }
    }

    /// A guess about a task that nothing confirmed, and its time is over.
    pub(super) fn is_accepted(&self, call: &str, clock: i64) -> bool {
        self.pending
            .get(call)
            .is_some_and(|pending| !self.is_settled(call, pending) && pending.place.0.saturating_add(GUESS_MS) <= clock)
    }

    /// The next guess whose time is not over.
    pub(super) fn due(&self, clock: i64) -> Option<i64> {
        self.open(clock).map(|pending| pending.place.0.saturating_add(GUESS_MS)).min()
    }

    /// The first guess whose time is over between two moments.
    pub(super) fn ripe(&self, before: i64, now: i64) -> Option<HookOrderKey> {
        let ripe = |pending: &&PendingGuess| pending.place.0.saturating_add(GUESS_MS) <= now;
        self.open(before).filter(ripe).map(|pending| pending.place.clone()).min()
    }

    fn open(&self, clock: i64) -> impl Iterator<Item = &PendingGuess> {
        // Only pending calls of the last minute; older ones are decided.
        let ahead = self.waiting.range((clock.saturating_add(1), String::new())..);
        let pending = ahead.filter_map(|(_, call)| Some((call, self.pending.get(call)?)));
        pending.filter(|(call, pending)| !self.is_settled(call, pending)).map(|(_, pending)| pending)
    }

    fn is_settled(&self, call: &str, pending: &PendingGuess) -> bool {
        let confirmed_at = self.confirmed.get(&pending.about).and_then(BTreeSet::last);
        self.answered.contains(call) || confirmed_at.is_some_and(|confirmed_at| *confirmed_at > pending.place)
    }
}

/// What a task's own hook confirms.
fn confirms(hook: &HookView<'_>) -> Option<About> {
    match hook.name() {
        "TaskCreated" => hook.text("subject_digest").map(|digest| About::Created(digest.to_owned())),
        "TaskCompleted" => hook.text("task_id").map(|id| About::Completed(id.to_owned())),
        _ => None,
    }
}
