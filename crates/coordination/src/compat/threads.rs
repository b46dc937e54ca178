//! Response format of a work session with its threads in REST 1.x (`contract/monitor-api.md` §4.2, §4.5), and grouping
//! of its events into threads.

use std::collections::HashMap;

use super::answer::AnswerNode;
use super::enrich::PendingEvent;
use super::sessions::{SessionView, V1Session};
use crate::event::Event;
use crate::hub::{Hub, V1GroupKey};
use crate::role::Role;

/// Silence that separates two exchanges of one pair without conversation ids (`contract/monitor-api.md` D20).
const PAIR_GAP_MS: i64 = 30 * 60_000;

/// A thread: its key and its events in time order, each with whether it is shown.
struct V1Thread {
    id: String,
    events: Vec<(u32, bool)>,
}

/// One session (§4.2).
pub(super) fn written_session(view: &SessionView<'_>, session: &V1Session<'_>, now: i64) -> AnswerNode {
    let group = session.group;
    let start = session.seen.first().map_or(0, |(index, _)| view.hub.at(*index));
    let all = threads(view.hub, &session.seen);
    let shown: Vec<AnswerNode> = all.iter().filter_map(|thread| written_thread(view, thread, session)).collect();
    let event_count = session.seen.iter().filter(|(_, shown)| *shown).count();
    let is_conversation = matches!(group.key, V1GroupKey::Conversation(_));
    let id = if is_conversation { session.id.to_string() } else { format!("ws:{}", session.id) };
    let source = if session.overridden { "manual_override" } else { "event" };
    let roles = Role::ALL.into_iter().map(|role| (role.as_str(), group.roles[role as usize].into()));
    let mut out: Vec<(&'static str, AnswerNode)> = vec![
        ("id", id.into()),
        ("workSessionId", session.id.as_str().into()),
        ("status", group.status(now).as_str().into()),
        ("startTime", start.into()),
        ("lastTime", group.last_at.into()),
        ("durationMs", (group.last_at - start).into()),
        ("threadCount", shown.len().into()),
        ("eventCount", event_count.into()),
        ("collabCategory", session.category.as_str().into()),
        ("collabSubTags", session.tags.clone().into()),
        ("categorySource", source.into()),
        ("roleCounts", AnswerNode::Object(roles.collect())),
        ("threads", AnswerNode::Array(shown)),
    ];
    if is_conversation {
        out.push(("synthetic", true.into()));
    }
    if event_count != session.seen.len() {
        out.push(("totalEventCount", session.seen.len().into()));
        out.push(("totalThreadCount", all.len().into()));
    }
    AnswerNode::Object(out)
}

/// Nothing for a thread without a shown event.
fn written_thread(view: &SessionView<'_>, thread: &V1Thread, session: &V1Session<'_>) -> Option<AnswerNode> {
    let hub = view.hub;
    let ((first, _), (last, _)) = (thread.events.first()?, thread.events.last()?);
    let shown = thread.events.iter().filter(|(_, shown)| *shown);
    let shown: Vec<AnswerNode> =
        shown.map(|(index, _)| AnswerNode::Event(Box::new(PendingEvent::new(hub, view.by_v1, *index)))).collect();
    if shown.is_empty() {
        return None;
    }
    let (category, tags) = match session.by_hub {
        // All messages of a session have one category.
        true => (session.category, session.tags.clone()),
        false => {
            let members: Vec<u32> = thread.events.iter().map(|(index, _)| *index).collect();
            let (category, tagged) = hub.v1_verdict_of(&members);
            (category, view.tags_of(tagged))
        }
    };
    let opening = hub.event(*first);
    let mut out: Vec<(&'static str, AnswerNode)> = vec![("id", thread.id.clone().into())];
    out.extend(opening.conversation_id().map(|conversation| ("conversationId", conversation.into())));
    out.extend([
        ("fromAgent", opening.from_text().into()),
        ("toAgent", opening.to_text().into()),
        ("startTime", hub.at(*first).into()),
        ("lastTime", hub.at(*last).into()),
        ("eventCount", shown.len().into()),
        ("collabCategory", category.as_str().into()),
        ("collabSubTags", tags.into()),
        ("events", AnswerNode::Array(shown)),
    ]);
    Some(AnswerNode::Object(out))
}

/// Threads of a session's events, which are in time order; newest activity first.
fn threads(hub: &Hub, seen: &[(u32, bool)]) -> Vec<V1Thread> {
    let mut found: Vec<V1Thread> = Vec::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    let last_at = |thread: &V1Thread| thread.events.last().map_or(0, |(last, _)| hub.at(*last));
    for item in seen {
        let at = hub.at(item.0);
        let key = key(hub.event(item.0));
        let known = open.get(&key).copied().filter(|number| {
            !key.starts_with("pair:") || found.get(*number).is_some_and(|thread| at - last_at(thread) <= PAIR_GAP_MS)
        });
        match known.and_then(|number| found.get_mut(number)) {
            Some(thread) => thread.events.push(*item),
            None => {
                // The first exchange of a pair has the plain key; later ones are distinguished by their start.
                let id = if open.contains_key(&key) { format!("{key}:{at}") } else { key.clone() };
                open.insert(key, found.len());
                found.push(V1Thread { id, events: vec![*item] });
            }
        }
    }
    found.sort_by_key(|thread| std::cmp::Reverse(last_at(thread)));
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
