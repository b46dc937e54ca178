//! Failures of a recap: sends that were refused or got no reply, by pair of agents, runs that could not start, and tasks
//! that were given up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{RecapPeriod, each_settled, event_line};
use crate::api::{RecapKind, RecapLine, RecapOutcome};
use crate::delivery::DeliveryState;
use crate::event::Event;
use crate::hub::{Hub, emitter};
use crate::ids::AgentId;

/// Failures besides those of the `waiting` sends, the most frequent first, then the newest.
pub(super) fn failures(
    hub: &Hub,
    period: &RecapPeriod,
    slots: &BTreeSet<u32>,
    events: &[u32],
    waiting: &BTreeSet<u32>,
) -> Vec<RecapLine> {
    let mut sends: BTreeMap<(AgentId, AgentId, bool), (u32, u32, i64)> = BTreeMap::new();
    each_settled(hub, slots, |send, at| {
        let refused = send.settled == Some(DeliveryState::Blocked);
        if (refused || send.settled == Some(DeliveryState::NoReply))
            && period.holds(at)
            && !waiting.contains(&send.event)
        {
            let (count, newest, newest_at) =
                sends.entry((send.from.clone(), send.to.clone(), refused)).or_insert((0, send.event, at));
            *count += 1;
            if (at, send.event) >= (*newest_at, *newest) {
                (*newest, *newest_at) = (send.event, at);
            }
        }
    });
    let mut lines: Vec<RecapLine> = sends
        .into_iter()
        .map(|((from, to, refused), (count, event, at))| {
            let outcome = if refused { RecapOutcome::Refused } else { RecapOutcome::NoReply };
            let line = event_line(hub, RecapKind::Failed, Some(outcome), event);
            RecapLine { at, count, agent: Some(from), other: Some(to), ..line }
        })
        .collect();
    let is_failure = |kind: &str| ["a2a.spawn_result", "zombie.abandoned"].contains(&kind);
    let wanted = events.iter().filter(|event| hub.indexes.kinds.may(hub.meta_of(**event).kind, is_failure));
    for event in wanted {
        let read = hub.event(*event);
        if let Some(outcome) = outcome(read) {
            let line = event_line(hub, RecapKind::Failed, Some(outcome), *event);
            let task_id = read.task_id().filter(|_| outcome == RecapOutcome::Abandoned);
            lines.push(RecapLine { agent: Some(emitter(read)), task_id, ..line });
        }
    }
    lines.sort_by_cached_key(|line| (Reverse((line.count, line.at)), line.event_id.clone()));
    lines
}

fn outcome(event: &Event) -> Option<RecapOutcome> {
    match event.event_type() {
        "a2a.spawn_result" if event.status() == Some("error") => Some(RecapOutcome::NotStarted),
        "zombie.abandoned" => Some(RecapOutcome::Abandoned),
        _ => None,
    }
}
