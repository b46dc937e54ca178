//! Metadata of each event (role, category, work session, thread, flags), stored so that filters need not read log
//! lines. Also here: `Posting`, a sorted list of event numbers (such as those of one agent).
//!
//! Lists are sorted by time, file and position in the file. The order in which events arrive has no effect.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::Log;
use super::names::NameTable;
use crate::category::Category;
use crate::delivery::DeliveryState;
use crate::doctor::role_unstated;
use crate::event::DerivedRole;
use crate::event::{Event, Field};
use crate::role::{Role, SessionType};
use crate::text;

/// No session, no thread.
pub(crate) const NONE: u32 = u32::MAX;

/// Properties derived from one event.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct EventMeta {
    /// Derived from its line, the roster and the events around it.
    pub(crate) role: Role,
    /// Type of the session that spoke.
    pub(crate) from_type: SessionType,
    /// Type of the session that was addressed.
    pub(crate) to_type: SessionType,
    /// Its own category by the classifier in force; overrides have no effect.
    pub(crate) category: Category,
    /// Its type's number in [`super::Indexes::kinds`].
    pub(crate) kind: u16,
    /// Its session's slot, or [`NONE`].
    pub(crate) session: u32,
    /// Its thread's number in the session, or [`NONE`].
    pub(crate) thread: u32,
    /// Flags and people of the event, independent of the roster.
    pub(crate) flags: EventFlags,
    /// Its thread shows it as a bubble.
    pub(crate) bubble: bool,
}

impl EventMeta {
    pub(crate) fn new(derived: DerivedRole, kind: u16, mut flags: EventFlags) -> Self {
        flags.bits &= !RECAST;
        Self {
            role: derived.role,
            from_type: derived.from_type,
            to_type: derived.to_type,
            category: Category::EngineeringBuild,
            kind,
            session: NONE,
            thread: NONE,
            flags,
            bubble: false,
        }
    }

    /// As it was before the event was in a session.
    pub(super) fn unplaced(mut self) -> Self {
        self.undo_recast();
        Self { session: NONE, thread: NONE, bubble: false, ..self }
    }

    /// Undoes [`EventMeta::recast`]; false when there is nothing to undo.
    pub(super) fn undo_recast(&mut self) -> bool {
        let was_recast = self.flags.bits & RECAST != 0;
        self.role = self.own_role();
        self.flags.bits &= !RECAST;
        was_recast
    }

    /// Makes talk of main agents delegated work, because of events around it.
    pub(crate) fn recast(&mut self) {
        self.role = Role::DelegationSubagent;
        self.flags.bits |= RECAST;
    }

    /// Its role by its own line and the roster. REST 1.x knows no other.
    pub(crate) fn own_role(&self) -> Role {
        if self.flags.bits & RECAST != 0 { Role::ConversationMain } else { self.role }
    }
}

/// Properties of an event that filters need, so that they read no line. Derived once.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct EventFlags {
    /// Number in [`super::Indexes::people`] of the agent that spoke.
    pub(crate) speaker: u16,
    /// Number of the agent that was addressed.
    pub(crate) addressee: u16,
    /// Number of the agent that wrote the event.
    pub(crate) agent: u16,
    /// It has a label.
    pub(crate) labelled: bool,
    /// A person spoke through the agent's session.
    pub(crate) human: bool,
    /// It reports a refused send or a blocked task.
    pub(crate) blocked: bool,
    /// It reports that an answer is missing, not that it was refused.
    pub(crate) unanswered: bool,
    /// Its role is unknown, by the doctor's rule.
    pub(crate) role_unstated: bool,
    /// Rarely used flags, such as [`TERMINAL`] and [`RECAST`].
    bits: u8,
}

/// A check list could not be synchronised.
const SYNC_FAILED: u8 = 1;
/// It ends its session, by [`Event::is_terminal`].
const TERMINAL: u8 = 2;
/// It names a work session.
const NAMES_SESSION: u8 = 4;
/// It names a conversation and no work session.
const NAMES_CONVERSATION: u8 = 8;
/// Events around it made talk of it delegated work.
const RECAST: u8 = 16;

/// What an event is grouped by in REST 1.x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum V1Grouping {
    /// By its work session.
    Session,
    /// By its conversation, as it names no work session (`contract/monitor-api.md` D21).
    Conversation,
    /// It is in no session.
    None,
}

impl EventFlags {
    /// `speaker` and `addressee` are the event's.
    pub(crate) fn from_event(event: &Event, speaker: &str, addressee: &str, people: &mut NameTable) -> Self {
        let state = event.missing_answer().map(|missing| missing.state);
        Self {
            speaker: people.number(speaker),
            addressee: people.number(addressee),
            agent: people.number(event.agent()),
            labelled: event.label().is_some(),
            human: event.written_text().is_some_and(|written| text::human_prefix(written).is_some()),
            blocked: state == Some(DeliveryState::Blocked)
                || [event.status(), event.outcome()].contains(&Some("blocked")),
            unanswered: state.is_some_and(DeliveryState::is_unanswered),
            role_unstated: role_unstated(event),
            bits: Self::bits(event),
        }
    }

    fn bits(event: &Event) -> u8 {
        let mut bits = 0;
        if event.event_type() == "milestone.sync_failed" {
            bits |= SYNC_FAILED;
        }
        if event.is_terminal() {
            bits |= TERMINAL;
        }
        if event.text(Field::WorkSessionId).is_some() {
            bits |= NAMES_SESSION;
        } else if event.conversation_id().is_some() {
            bits |= NAMES_CONVERSATION;
        }
        bits
    }

    /// A check list could not be synchronised.
    pub(crate) fn is_sync_failed(self) -> bool {
        self.bits & SYNC_FAILED != 0
    }

    /// It ends its session, by [`Event::is_terminal`].
    pub(crate) fn is_terminal(self) -> bool {
        self.bits & TERMINAL != 0
    }

    /// What REST 1.x groups it by.
    pub(crate) fn grouping(self) -> V1Grouping {
        match self.bits & (NAMES_SESSION | NAMES_CONVERSATION) {
            0 => V1Grouping::None,
            NAMES_CONVERSATION => V1Grouping::Conversation,
            _ => V1Grouping::Session,
        }
    }
}

/// The one order of events.
pub(crate) fn order(events: &Log, a: u32, b: u32) -> Ordering {
    events.order(a, b)
}

/// Sorts `list`, whose first `sorted` entries are in order. Returns the first index that moved; `None` when the new
/// entries were in order, as they nearly always are.
///
/// The cost follows from the late entries and one move of the numbers after the first of them, however long the list
/// is: each is placed by a binary search, and no other entry is compared.
pub(crate) fn settle(events: &Log, list: &mut [u32], sorted: usize) -> Option<usize> {
    settle_by(list, sorted, |a, b| order(events, a, b))
}

fn settle_by(list: &mut [u32], sorted: usize, order: impl Fn(u32, u32) -> Ordering) -> Option<usize> {
    if (sorted.max(1)..list.len()).all(|at| order(list[at - 1], list[at]).is_le()) {
        return None;
    }
    let mut late = list[sorted..].to_vec();
    late.sort_by(|a, b| order(*a, *b));
    // Of the sorted entries, `end` are at their old index; after them is room for the late ones still to place.
    let mut end = sorted;
    for (others, index) in late.into_iter().enumerate().rev() {
        let place = place_from_end(&list[..end], |known| order(known, index).is_le());
        list.copy_within(place..end, place + others + 1);
        list[place + others] = index;
        end = place;
    }
    Some(end)
}

/// Number of entries that are `before`; such entries come first in the list. Cheap when that is nearly all.
fn place_from_end(list: &[u32], before: impl Fn(u32) -> bool) -> usize {
    let (mut to, mut step) = (list.len(), 1);
    let from = loop {
        let Some(at) = to.checked_sub(step) else { break 0 };
        if before(list[at]) {
            break at + 1;
        }
        (to, step) = (at, step * 2);
    };
    from + list[from..to].partition_point(|known| before(*known))
}

/// Appends to one of very many short lists: most hold one entry and the standard growth would leave room for four.
pub(crate) fn push_tight<T>(list: &mut Vec<T>, item: T) {
    reserve_tight(list);
    list.push(item);
}

/// Makes room for one more entry of such a list.
pub(crate) fn reserve_tight<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 2).max(1));
    }
}

/// An ordered list of events that knows how much of it is in order.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Posting {
    /// Event numbers; in order after [`Posting::settle`].
    pub(crate) list: Vec<u32>,
    sorted: usize,
}

impl Posting {
    pub(crate) fn push(&mut self, index: u32) {
        push_tight(&mut self.list, index);
    }

    /// Whether nothing was added since the list was sorted.
    pub(crate) fn is_settled(&self) -> bool {
        self.sorted == self.list.len()
    }

    /// Sorts the list. Returns the first index that moved, if any did.
    pub(crate) fn settle(&mut self, events: &Log) -> Option<usize> {
        let moved = settle(events, &mut self.list, self.sorted);
        self.sorted = self.list.len();
        moved
    }

    /// Removes the entries for which `leaves` is true. Returns the index of the first one.
    pub(super) fn remove_all(&mut self, leaves: impl Fn(u32) -> bool) -> Option<usize> {
        let first = self.list.iter().position(|index| leaves(*index))?;
        let unsorted = self.list[self.sorted..].iter().filter(|index| !leaves(**index)).count();
        self.list.retain(|index| !leaves(*index));
        self.sorted = self.list.len() - unsorted;
        Some(first)
    }

    /// Removes the entry at an index.
    pub(crate) fn remove_at(&mut self, at: usize) {
        self.list.remove(at);
        self.sorted -= usize::from(at < self.sorted);
    }

    /// Removes an event from a settled list.
    pub(crate) fn remove(&mut self, events: &Log, index: u32) {
        if let Ok(at) = self.list.binary_search_by(|other| order(events, *other, index)) {
            self.list.remove(at);
            self.sorted = self.list.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::settle_by;

    /// Late events among a hundred thousand: the number of comparisons depends on the late ones, not on the others.
    #[test]
    fn late_entries_are_compared_with_few() {
        const KNOWN: u32 = 100_000;
        const LATE: u32 = 100;
        let compared = Cell::new(0_u32);
        let order = |a: u32, b: u32| {
            compared.set(compared.get() + 1);
            a.cmp(&b)
        };
        // Far back and all over, just before the end, and all before the beginning.
        let spread: Vec<u32> = (0..LATE).map(|number| number * 1_999 + 1).rev().collect();
        let near: Vec<u32> = (0..LATE).map(|number| 2 * KNOWN - 2 * number - 1).collect();
        for late in [spread, near, vec![1; 1]] {
            let mut list: Vec<u32> = (1..=KNOWN).map(|number| number * 2).collect();
            list.extend(&late);
            compared.set(0);
            let moved = settle_by(&mut list, KNOWN as usize, order);
            // Sorted among themselves, and two searches of seventeen steps each at most.
            let bound = late.len() as u32 * (8 + 2 * 17 + 2);
            assert!(compared.get() <= bound, "{} comparisons for {} late entries", compared.get(), late.len());
            assert!(list.is_sorted());
            assert_eq!(moved, list.iter().position(|entry| late.contains(entry)));
        }
    }

    proptest! {
        #[test]
        fn settled_is_sorted(mut known in prop::collection::vec(0_u32..200, 0..60), added in prop::collection::vec(0_u32..200, 0..20)) {
            known.sort_unstable();
            let mut list = known.clone();
            list.extend(&added);
            let mut sorted = list.clone();
            sorted.sort_unstable();
            let was = list.clone();
            let moved = settle_by(&mut list, known.len(), |a, b| a.cmp(&b));
            prop_assert_eq!(&list, &sorted);
            prop_assert_eq!(moved.is_none(), was.is_sorted());
            // Entries before the first moved index are unchanged.
            let settled_len = moved.unwrap_or(was.len());
            prop_assert_eq!(&list[..settled_len], &was[..settled_len]);
        }
    }
}
