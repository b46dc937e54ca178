//! Test oracle of threads and categories in REST 1.x: the expected threads of one work session, and the expected
//! category of a group of events (`contract/monitor-api.md` §4.5, §6).

use std::borrow::Cow;
use std::collections::HashMap;

use super::ScratchLog;
use coordination::category::{Category, CategorySource};
use coordination::classify::Vote;
use coordination::event::DerivedRole;
use coordination::event::Event;
use coordination::role::Role;

/// Silence that separates two exchanges of one pair without conversation ids (`contract/monitor-api.md` D20).
const PAIR_GAP_MS: i64 = 30 * 60_000;

/// Properties noted of one event.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScratchEvent {
    pub(super) number: u32,
    pub(super) at: i64,
    pub(super) derived: DerivedRole,
    pub(super) vote: Vote,
    /// It ends its session.
    pub(super) terminal: bool,
    /// The filter shows it.
    pub(super) shown: bool,
    /// Bytes of its line.
    pub(super) bytes: usize,
}

/// A thread: its key and its events in time order, as positions.
pub(super) struct ScratchThread {
    pub(super) id: String,
    pub(super) events: Vec<usize>,
}

/// Threads of a session's events, which are in time order; newest activity first.
pub(super) fn threads(events: &(impl ScratchLog + ?Sized), seen: &[ScratchEvent]) -> Vec<ScratchThread> {
    let mut found: Vec<ScratchThread> = Vec::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    for (at, item) in seen.iter().enumerate() {
        let key = key(events.event(item.number));
        let known = open.get(&key).copied().filter(|index| {
            let last = found.get(*index).and_then(|thread| thread.events.last()).and_then(|last| seen.get(*last));
            !key.starts_with("pair:") || last.is_some_and(|last| item.at - last.at <= PAIR_GAP_MS)
        });
        match known.and_then(|index| found.get_mut(index)) {
            Some(thread) => thread.events.push(at),
            None => {
                // The first exchange of a pair has the plain key; later ones are distinguished by their start.
                let id = if open.contains_key(&key) { format!("{key}:{}", item.at) } else { key.clone() };
                open.insert(key, found.len());
                found.push(ScratchThread { id, events: vec![at] });
            }
        }
    }
    let last = |thread: &ScratchThread| thread.events.last().and_then(|at| seen.get(*at)).map_or(0, |item| item.at);
    found.sort_by_key(|thread| std::cmp::Reverse(last(thread)));
    found
}

/// First that applies: the conversation, the pair (lower-cased, D20), type and five minutes.
fn key(event: &Event) -> String {
    if let Some(conversation) = event.conversation_id() {
        return format!("conv:{conversation}");
    }
    let (from, to) = (event.from_text().to_lowercase(), event.to_text().to_lowercase());
    if from == "unknown" && to == "unknown" {
        return format!("event:{}:{}", event.event_type(), event.at.div_euclid(300_000));
    }
    if from <= to { format!("pair:{from}_{to}") } else { format!("pair:{to}_{from}") }
}

/// Category of a group and the event its tags are taken from, both from the same source: stated by hand, else the votes of
/// main messages, else other votes, else the first guess, which has no tags (`contract/monitor-api.md` D5).
pub(super) fn category<'a>(group: impl Iterator<Item = &'a ScratchEvent> + Clone) -> (Category, Option<ScratchEvent>) {
    let manual = group.clone().find(|item| item.vote.source == CategorySource::Manual);
    if let Some(item) = manual {
        return (item.vote.category, Some(*item));
    }
    for only_talk in [true, false] {
        let votes = group.clone().filter(|item| {
            item.vote.source == CategorySource::Rule && (!only_talk || item.derived.role == Role::ConversationMain)
        });
        let mut weights = [0_u32; 10];
        for item in votes.clone() {
            weights[item.vote.category.index()] += item.vote.score;
        }
        let heaviest = weights.into_iter().max().unwrap_or(0);
        let winner = Category::ALL.into_iter().find(|category| weights[category.index()] >= heaviest);
        if let (true, Some(winner)) = (heaviest > 0, winner) {
            let mut own = votes.filter(|item| item.vote.category == winner);
            // A rule's vote always has words.
            return (winner, own.next().copied());
        }
    }
    let mut group = group;
    (group.next().map_or(Category::EngineeringBuild, |item| item.vote.category), None)
}

/// The tags that an event gives its group.
pub(super) fn tags(events: &(impl ScratchLog + ?Sized), from: Option<ScratchEvent>) -> Vec<Cow<'static, str>> {
    let sub_tags =
        |item: ScratchEvent| coordination::event::category::v1(events.event(item.number), item.derived.role).sub_tags;
    from.map(sub_tags).unwrap_or_default()
}
