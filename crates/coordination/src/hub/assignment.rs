//! Assignment of events to sessions: by work session id, else by conversation id. An `a2a` (agent to agent) event
//! without either id goes to a synthetic session, usually one of its sender and recipient; a pause of over 30 minutes
//! begins a new one. Other events get no session (defects D20 and D21 in `contract/monitor-api.md`).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Log;
use super::event_meta::{EventMeta, NONE, Posting, V1Grouping, order, push_tight};
use super::hash_map::FastHashMap;
use super::number_set::NumberSet;
use super::session_table::SessionTable;
use super::thread::ThreadKey;
use crate::event::Event;
use crate::ids::SessionId;
use crate::merge::PREFIX;
use crate::session::PAIR_GAP_MS;

/// Events that name a conversation but no work session, and the session their conversation belongs to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Conversation {
    /// Number of the earliest event of the conversation that names a work session.
    home: Option<u32>,
    /// Its events without work session. Most conversations have none.
    unassigned: Option<Box<UnassignedEvents>>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct UnassignedEvents {
    /// In order of arrival.
    list: Vec<u32>,
    /// Number of events that are placed in `target`.
    placed: usize,
    /// Slot of the session in which they are placed.
    target: Option<u32>,
}

/// Events of a pair of agents that name neither work session nor conversation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct PairEvents {
    list: Posting,
    /// Number of events, from the first on, that are placed in a session.
    placed: usize,
}

/// Assigns events to sessions. Grows with the log.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SessionAssigner {
    /// By conversation id. Never shrinks.
    conversations: FastHashMap<Box<str>, Conversation>,
    /// By thread key of the two agents. An entry leaves with its last event.
    pairs: FastHashMap<String, PairEvents>,
    /// Conversations with new events. Emptied by [`SessionAssigner::settle`].
    touched_conversations: BTreeSet<String>,
    /// Pairs with new or withdrawn events. Emptied by [`SessionAssigner::settle`].
    touched_pairs: BTreeSet<String>,
    /// Events that left a session, by its slot. Emptied by [`SessionAssigner::settle`].
    moved: BTreeMap<u32, BTreeSet<u32>>,
    /// The withdrawn homes of conversations. Emptied by [`SessionAssigner::settle`].
    lost_homes: BTreeMap<String, u32>,
}

/// State that placing reads and changes.
pub(crate) struct AssignCtx<'a> {
    pub(crate) events: &'a Log,
    /// By event number.
    pub(crate) meta: &'a mut [EventMeta],
    pub(crate) sessions: &'a mut SessionTable,
    /// Slots of the sessions that changed.
    pub(crate) touched: &'a mut BTreeSet<u32>,
}

impl SessionAssigner {
    /// Notes a new event; events whose place depends on others are placed by [`SessionAssigner::settle`].
    pub(crate) fn note(&mut self, index: u32, ctx: &mut AssignCtx<'_>) {
        let event = &ctx.events[index as usize];
        let conversation = event.conversation_id();
        if let Some(id) = event.work_session_id() {
            let made = id.as_str().starts_with(PREFIX);
            let slot = ctx.sessions.slot(id, made);
            self.put(index, slot, ctx);
            if let Some(conversation) = conversation.filter(|_| may_be_home(event)) {
                self.note_home(index, conversation, ctx.events);
            }
        } else if let Some(id) = conversation {
            self.conversations.entry(id.into()).or_default().unassigned.get_or_insert_default().list.push(index);
            self.touched_conversations.insert(id.to_owned());
        } else if event.event_type().starts_with("a2a.") {
            match ThreadKey::from_event(event) {
                ThreadKey::Pair(key) => {
                    self.pairs.entry(key.clone()).or_default().list.push(index);
                    self.touched_pairs.insert(key);
                }
                key => {
                    let slot = ctx.sessions.slot(SessionId::from(format!("thread:{}", key.as_str())), true);
                    self.put(index, slot, ctx);
                }
            }
        }
    }

    /// Removes a withdrawn event. It leaves its session when the others are placed.
    pub(crate) fn forget(&mut self, index: u32, event: &Event, meta: &mut [EventMeta]) {
        if let (None, Some(id)) = (event.work_session_id(), event.conversation_id())
            && let Some(unassigned) = self.conversations.get_mut(id).and_then(|known| known.unassigned.as_deref_mut())
            && let Some(at) = unassigned.list.iter().position(|other| *other == index)
        {
            unassigned.list.remove(at);
            unassigned.placed -= usize::from(at < unassigned.placed);
        }
        if let Some(id) = event.conversation_id().filter(|_| event.work_session_id().is_some())
            && let Some(known) = self.conversations.get_mut(id).filter(|known| known.home == Some(index))
        {
            known.home = None;
            self.lost_homes.insert(id.to_owned(), index);
        }
        if event.work_session_id().is_none()
            && event.conversation_id().is_none()
            && event.event_type().starts_with("a2a.")
            && let ThreadKey::Pair(key) = ThreadKey::from_event(event)
            && let Some(pair) = self.pairs.get_mut(&key)
            && let Some(at) = pair.list.list.iter().position(|other| *other == index)
        {
            // The exchanges after it may begin elsewhere without it.
            pair.list.remove_at(at);
            pair.placed = pair.placed.min(at);
            self.touched_pairs.insert(key);
        }
        let fact = &mut meta[index as usize];
        let before = std::mem::replace(&mut fact.session, NONE);
        fact.thread = NONE;
        fact.bubble = false;
        if before != NONE {
            self.moved.entry(before).or_default().insert(index);
        }
    }

    /// Removes many withdrawn events. Those whose place depends on them are placed by [`SessionAssigner::settle`].
    /// `timeline` has all others in order.
    pub(super) fn forget_all(&mut self, withdrawn: &NumberSet, timeline: &[u32], events: &Log) {
        let leaves = |index: u32| withdrawn.contains(index);
        let is_newest = |home: u32| timeline.last().is_none_or(|last| order(events, *last, home).is_lt());
        self.conversations.iter_mut().for_each(|(id, known)| {
            if let Some(home) = known.home.filter(|home| leaves(*home)) {
                known.home = None;
                // Nothing after it is left to be the next one, so that only events of the conversation need a place.
                if !is_newest(home) || known.unassigned.is_some() {
                    self.lost_homes.insert(id.to_string(), home);
                }
            }
            if let Some(unassigned) = known.unassigned.as_deref_mut() {
                let placed = &unassigned.list[..unassigned.placed];
                unassigned.placed -= placed.iter().filter(|index| leaves(**index)).count();
                unassigned.list.retain(|index| !leaves(*index));
            }
        });
        self.pairs.iter_mut().for_each(|(key, pair)| {
            if let Some(first) = pair.list.remove_all(leaves) {
                pair.placed = pair.placed.min(first);
                self.touched_pairs.insert(key.clone());
            }
        });
    }

    /// Finds the next home of conversations whose home was withdrawn. Costs the events after it in the one order of
    /// events: nothing when the newest were withdrawn.
    fn find_homes(&mut self, timeline: &[u32], ctx: &AssignCtx<'_>) {
        let lost = std::mem::take(&mut self.lost_homes);
        let after = |home: u32| timeline.partition_point(|index| order(ctx.events, *index, home).is_lt());
        let Some(first) = lost.values().map(|home| after(*home)).min() else { return };
        let mut later: Vec<u32> = timeline[first..].to_vec();
        later.retain(|index| ctx.meta[*index as usize].flags.grouping() == V1Grouping::Session);
        later.sort_unstable();
        ctx.events.visit(later, |index, event| {
            if let Some(id) = event.conversation_id().filter(|id| may_be_home(event) && lost.contains_key(*id)) {
                self.note_home(index, id, ctx.events);
            }
        });
        self.touched_conversations.extend(lost.into_keys());
    }

    /// Events of a conversation that name no work session, in order of arrival.
    pub(crate) fn unassigned(&self, id: &str) -> &[u32] {
        let known = self.conversations.get(id).and_then(|known| known.unassigned.as_deref());
        known.map_or(&[], |unassigned| &unassigned.list)
    }

    /// The same of all conversations.
    pub(crate) fn all_unassigned(&self) -> impl Iterator<Item = (&str, &[u32])> {
        let all = self.conversations.iter();
        all.filter_map(|(id, known)| Some((&**id, known.unassigned.as_deref()?.list.as_slice())))
    }

    fn note_home(&mut self, index: u32, id: &str, events: &Log) {
        let Some(known) = self.conversations.get_mut(id) else {
            self.conversations.insert(id.into(), Conversation { home: Some(index), unassigned: None });
            return;
        };
        if known.home.is_none_or(|home| order(events, index, home).is_lt()) {
            known.home = Some(index);
            // Only events without a work session follow it.
            if known.unassigned.is_some() {
                self.touched_conversations.insert(id.to_owned());
            }
        }
    }

    /// Places the noted events, and moves those that a late event showed to belong elsewhere. `timeline` has all events
    /// in order.
    pub(crate) fn settle(&mut self, timeline: &[u32], ctx: &mut AssignCtx<'_>) {
        self.find_homes(timeline, ctx);
        for id in std::mem::take(&mut self.touched_conversations) {
            self.place_conversation(&id, ctx);
        }
        for key in std::mem::take(&mut self.touched_pairs) {
            self.place_pair(&key, ctx);
        }
        for (slot, withdrawn) in std::mem::take(&mut self.moved) {
            ctx.sessions.slots[slot as usize].remove(|index| withdrawn.contains(&index));
            ctx.touched.insert(slot);
        }
    }

    fn place_conversation(&mut self, id: &str, ctx: &mut AssignCtx<'_>) {
        let Some(known) = self.conversations.get_mut(id) else { return };
        let home = known.home;
        let Some(known) = known.unassigned.as_deref_mut().filter(|known| !known.list.is_empty()) else { return };
        // The event that names a work session is in it; its line may be packed by now.
        let target = match home {
            Some(home) => ctx.meta[home as usize].session,
            None => ctx.sessions.slot(SessionId::from(format!("conv:{id}")), true),
        };
        let from = if known.target == Some(target) { known.placed } else { 0 };
        let news = known.list[from..].to_vec();
        known.placed = known.list.len();
        known.target = Some(target);
        for index in news {
            self.put(index, target, ctx);
        }
    }

    fn place_pair(&mut self, key: &str, ctx: &mut AssignCtx<'_>) {
        let Some(mut pair) = self.pairs.remove(key) else { return };
        if pair.list.list.is_empty() {
            return;
        }
        // Exchanges are split from the front, so those before the first late event stay as they are.
        let from = pair.list.settle(ctx.events).unwrap_or(pair.placed).min(pair.placed);
        let mut last = from.checked_sub(1).map(|before| {
            let index = pair.list.list[before];
            (index, ctx.meta[index as usize].session)
        });
        for index in pair.list.list[from..].iter().copied() {
            let at = ctx.events.at(index);
            let same = last.filter(|(newest, _)| at - ctx.events.at(*newest) <= PAIR_GAP_MS);
            let slot = match same {
                Some((_, slot)) => slot,
                None => ctx.sessions.slot(SessionId::from(format!("thread:{key}:{at}")), true),
            };
            self.put(index, slot, ctx);
            last = Some((index, slot));
        }
        pair.placed = pair.list.list.len();
        self.pairs.insert(key.to_owned(), pair);
    }

    fn put(&mut self, index: u32, slot: u32, ctx: &mut AssignCtx<'_>) {
        let before = ctx.meta[index as usize].session;
        if before == slot {
            return;
        }
        if before != NONE {
            self.moved.entry(before).or_default().insert(index);
        }
        ctx.meta[index as usize].session = slot;
        push_tight(&mut ctx.sessions.slots[slot as usize].events, index);
        ctx.touched.insert(slot);
    }
}

/// Whether an event that names a work session attracts those of its conversation that name none. Events of transcripts
/// depend on those of the log, so they do not.
fn may_be_home(event: &Event) -> bool {
    event.origin().is_log()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::event::{Event, parse_lines};
    use crate::hub::Hub;

    fn sends(minutes: &[i64]) -> Vec<Event> {
        let line = |at: &i64| {
            let at = 1_771_500_000_000 + at * 60_000;
            format!("{{\"type\":\"a2a.send\",\"ts\":{at},\"data\":{{\"fromAgent\":\"eden\",\"toAgent\":\"seum\"}}}}\n")
        };
        parse_lines(minutes.iter().map(line).collect::<String>().as_bytes(), "f", 0).0
    }

    fn sessions(hub: &Hub) -> Vec<(String, usize)> {
        hub.sessions().map(|session| (session.id.to_string(), session.events.len())).collect()
    }

    #[test]
    fn withdrawn_pair_event_leaves_its_session() {
        let all = sends(&[0, 20, 45, 100]);
        for withdrawn in 0..4_u32 {
            let mut hub = Hub::new();
            hub.apply(all[..3].to_vec());
            if withdrawn == 3 {
                hub.apply(all[3..].to_vec());
            }
            hub.insert(Vec::new(), &BTreeSet::from([withdrawn]), true);
            if withdrawn != 3 {
                hub.apply(all[3..].to_vec());
            }
            let mut expected = Hub::new();
            let others = (0..).zip(&all).filter(|(number, _)| *number != withdrawn);
            expected.apply(others.map(|(_, event)| event.clone()).collect());
            assert_eq!(sessions(&hub), sessions(&expected), "without {withdrawn}");
        }
    }
}
