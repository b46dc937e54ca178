//! Session list of REST 1.x (`contract/monitor-api.md` §4.2), ordered by last activity. Events with the same work
//! session id form one session. Events without one are grouped by conversation id; the original 1.x monitor left them
//! out (defect D21 in the same document).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::OnceLock;

use crate::category::Category;
use crate::event::Event;
use crate::hub::{EventMeta, Hub, Log, NONE, V1Grouping};
use crate::role::Role;
use crate::session::{ARCHIVE_AFTER_MS, Status};

/// What the events of a group have in common.
#[derive(Debug, Clone)]
pub(crate) enum V1GroupKey {
    /// The work session in this slot, which the events name.
    Session(u32),
    /// A conversation whose events name no work session.
    Conversation(Box<str>),
}

/// One session of REST 1.x in brief.
#[derive(Debug)]
pub(crate) struct V1Group {
    pub(crate) key: V1GroupKey,
    /// Time of its newest event, in epoch milliseconds.
    pub(crate) last_at: i64,
    /// Its newest event; of several at one time the one that arrived last.
    last: u32,
    /// Its event that arrived first: decides the order of sessions of equal time.
    first: u32,
    /// Its newest event ends the session.
    ended: bool,
    /// Number of events by role.
    pub(crate) roles: [u32; 4],
    /// Bit set of its types: their numbers modulo 64.
    pub(crate) kinds: u64,
    /// Its category by the votes of `v1`, with the event that gives its tags. Emptied by each change.
    pub(super) verdict: OnceLock<(Category, Option<u32>)>,
}

/// Position in the order: newest first.
type V1Order = (Reverse<i64>, u32);

impl V1Group {
    fn empty(key: V1GroupKey) -> Self {
        Self {
            key,
            last_at: i64::MIN,
            last: NONE,
            first: NONE,
            ended: false,
            roles: [0; 4],
            kinds: 0,
            verdict: OnceLock::new(),
        }
    }

    fn order(&self) -> V1Order {
        (Reverse(self.last_at), self.first)
    }

    /// Number of its events.
    pub(crate) fn count(&self) -> u32 {
        self.roles.iter().sum()
    }

    pub(crate) fn has_role(&self, role: Role) -> bool {
        self.roles[role as usize] > 0
    }

    /// Status at `now`.
    pub(crate) fn status(&self, now: i64) -> Status {
        Status::at(self.last_at, self.ended, now)
    }

    fn add(&mut self, index: u32, meta: &EventMeta, at: i64) {
        self.roles[meta.own_role() as usize] += 1;
        self.kinds |= 1 << (meta.kind % 64);
        self.first = self.first.min(index);
        if self.last == NONE || (at, index) > (self.last_at, self.last) {
            (self.last_at, self.last, self.ended) = (at, index, meta.flags.is_terminal());
        }
        self.verdict = OnceLock::new();
    }
}

/// All groups. Grows with the sessions.
#[derive(Debug, Default)]
pub(crate) struct V1Groups {
    /// By group number. A group without events is free.
    list: Vec<V1Group>,
    /// Numbers of the free groups.
    free: Vec<u32>,
    /// Group number by slot of the session; [`NONE`] where a slot has no group.
    by_slot: Vec<u32>,
    /// Group number by conversation id.
    by_conversation: HashMap<Box<str>, u32>,
    /// Group numbers, newest group first.
    order: BTreeMap<V1Order, u32>,
    /// Groups with a withdrawn event.
    marked: BTreeSet<u32>,
}

impl V1Groups {
    pub(super) fn new(hub: &Hub) -> Self {
        let mut groups = Self::default();
        for slot in 0..hub.slots() {
            let mut group = V1Group::empty(V1GroupKey::Session(slot));
            hub.v1_session_members(slot).for_each(|index| group.add(index, hub.meta_of(index), hub.at(index)));
            groups.enter(group);
        }
        for (id, members) in hub.sessions.assigner.all_unassigned() {
            let mut group = V1Group::empty(V1GroupKey::Conversation(id.into()));
            members.iter().for_each(|index| group.add(*index, hub.meta_of(*index), hub.at(*index)));
            groups.enter(group);
        }
        groups
    }

    fn enter(&mut self, group: V1Group) {
        if group.count() == 0 {
            return;
        }
        let number = self.number(&group.key);
        self.order.insert(group.order(), number);
        self.list[number as usize] = group;
    }

    /// Its group's number; a new one where it has none.
    fn number(&mut self, key: &V1GroupKey) -> u32 {
        if let Some(number) = self.known(key) {
            return number;
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.list.push(V1Group::empty(key.clone()));
            crate::hub::count(self.list.len() - 1)
        });
        self.list[number as usize] = V1Group::empty(key.clone());
        match key {
            V1GroupKey::Session(slot) => {
                let slot = *slot as usize;
                self.by_slot.resize(self.by_slot.len().max(slot + 1), NONE);
                self.by_slot[slot] = number;
            }
            V1GroupKey::Conversation(id) => drop(self.by_conversation.insert(id.clone(), number)),
        }
        number
    }

    fn known(&self, key: &V1GroupKey) -> Option<u32> {
        match key {
            V1GroupKey::Session(slot) => self.by_slot.get(*slot as usize).copied().filter(|number| *number != NONE),
            V1GroupKey::Conversation(id) => self.by_conversation.get(id).copied(),
        }
    }

    /// Adds an event that is in its session.
    pub(super) fn add(&mut self, index: u32, meta: &EventMeta, log: &Log) {
        let Some(key) = key_of(meta, || &log[index as usize]) else { return };
        let number = self.number(&key);
        let group = &mut self.list[number as usize];
        let before = group.order();
        group.add(index, meta, log.at(index));
        let now = group.order();
        if now != before {
            self.order.remove(&before);
            self.order.insert(now, number);
        }
    }

    /// Marks the group of an event that is about to be withdrawn.
    pub(super) fn mark(&mut self, index: u32, meta: &EventMeta, log: &Log) {
        let key = key_of(meta, || &log[index as usize]);
        self.marked.extend(key.and_then(|key| self.known(&key)));
    }

    pub(super) fn take_marked(&mut self) -> BTreeSet<u32> {
        std::mem::take(&mut self.marked)
    }

    /// Derives a group again from its members.
    pub(super) fn recount(
        &mut self,
        number: u32,
        members: impl Fn(&V1GroupKey) -> Vec<u32>,
        meta: &[EventMeta],
        log: &Log,
    ) {
        let before = &self.list[number as usize];
        let mut group = V1Group::empty(before.key.clone());
        self.order.remove(&before.order());
        members(&group.key).into_iter().for_each(|index| group.add(index, &meta[index as usize], log.at(index)));
        if group.count() > 0 {
            self.order.insert(group.order(), number);
        } else {
            match &group.key {
                V1GroupKey::Session(slot) => self.by_slot[*slot as usize] = NONE,
                V1GroupKey::Conversation(id) => drop(self.by_conversation.remove(id)),
            }
            self.free.push(number);
        }
        self.list[number as usize] = group;
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// All, newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &V1Group> {
        self.order.values().map(|number| &self.list[*number as usize])
    }

    /// Those that are not archived at `now`, newest first.
    pub(crate) fn recent(&self, now: i64) -> impl Iterator<Item = &V1Group> {
        self.order.range(..=archive_edge(now)).map(|(_, number)| &self.list[*number as usize])
    }

    /// Those that are archived at `now`, newest first.
    pub(crate) fn archived(&self, now: i64) -> impl Iterator<Item = &V1Group> {
        let older = self.order.range((Excluded(archive_edge(now)), Unbounded));
        older.map(|(_, number)| &self.list[*number as usize])
    }

    /// Until when no status changes by time alone; inclusive.
    pub(crate) fn unchanged_until(&self, now: i64) -> i64 {
        let next = self.order.range(..=archive_edge(now)).next_back();
        next.map_or(i64::MAX, |((Reverse(last), _), _)| last.saturating_add(ARCHIVE_AFTER_MS))
    }

    /// The group of a work session.
    pub(crate) fn of_slot(&self, slot: u32) -> Option<&V1Group> {
        self.known(&V1GroupKey::Session(slot)).map(|number| &self.list[number as usize])
    }

    /// The group of a conversation.
    pub(crate) fn of_conversation(&self, id: &str) -> Option<&V1Group> {
        self.by_conversation.get(id).map(|number| &self.list[*number as usize])
    }

    /// Whether one is before the other in the order.
    pub(crate) fn is_before(one: &V1Group, other: &V1Group) -> bool {
        one.order() < other.order()
    }
}

/// The last place in the order that is not archived at `now`.
fn archive_edge(now: i64) -> V1Order {
    (Reverse(now.saturating_sub(ARCHIVE_AFTER_MS)), NONE)
}

fn key_of<'a>(meta: &EventMeta, event: impl FnOnce() -> &'a Event) -> Option<V1GroupKey> {
    match meta.flags.grouping() {
        V1Grouping::Session => (meta.session != NONE).then_some(V1GroupKey::Session(meta.session)),
        V1Grouping::Conversation => event().conversation_id().map(|id| V1GroupKey::Conversation(id.into())),
        V1Grouping::None => None,
    }
}
