//! Query of `GET /api/v2/agents/{id}/activity`: what one agent did in a period, and its open task at the end of the
//! period. At most [`MAX_EVENTS`] events are searched for that task.

use std::collections::BTreeSet;

use super::agents::of_event;
use super::task::{places, title};
use crate::api::{ActivityQuery, AgentActivity, TaskThen};
use crate::delivery::NO_TRACE_AFTER_MS;
use crate::hub::Tracked;
use crate::hub::{Hub, NONE, count, decided, order};
use crate::ids::{AgentId, TaskId};
use crate::workspace::TaskStatus;

/// Events before the end of the period that are read to find the task under way.
const MAX_EVENTS: usize = 500;

/// Activity of the agent between `query.since` and `query.until`; `None` when no event or setting knows the agent.
#[must_use]
pub fn activity(hub: &Hub, now: i64, agent: &AgentId, query: &ActivityQuery) -> Option<AgentActivity> {
    if !super::agents::is_known(hub, agent) {
        return None;
    }
    let (since, until) = (query.since.unwrap_or(i64::MIN), query.until.unwrap_or(now));
    let list = hub.indexes.by_agent.get(agent).map_or(&[][..], |posting| &posting.list);
    let end = list.partition_point(|index| hub.at(*index) <= until);
    let start = list.partition_point(|index| hub.at(*index) < since).min(end);
    let (before, within) = (&list[..start], &list[start..end]);
    let acts = |index: &&u32| acts(hub, **index, agent);
    Some(AgentActivity {
        events: count(within.iter().filter(acts).count()),
        newest: within.iter().rev().find(acts).map(|index| of_event(hub, *index)),
        task: task_then(hub, agent, &list[..end]),
        ahead: ahead(hub, agent, before, since),
        last_before: before.iter().rev().take(MAX_EVENTS).find(acts).map(|index| hub.at(*index)),
    })
}

/// The agent speaks in it or wrote it. A missing answer is reported in the name of its receiver, which did
/// nothing.
fn acts(hub: &Hub, index: u32, agent: &AgentId) -> bool {
    let own = std::slice::from_ref(agent);
    (hub.spoke(index, own) || hub.wrote(index, own))
        && !(hub.indexes.kinds.may(hub.meta_of(index).kind, |kind| kind == "a2a.response")
            && hub.event(index).missing_answer().is_some())
}

/// The newest task of the agent that these events leave open.
fn task_then(hub: &Hub, agent: &AgentId, events: &[u32]) -> Option<TaskThen> {
    let mut seen: BTreeSet<TaskId> = BTreeSet::new();
    for index in events.iter().rev().take(MAX_EVENTS).copied() {
        if !hub.wrote(index, std::slice::from_ref(agent)) || !hub.indexes.kinds.may(hub.meta_of(index).kind, is_of_task)
        {
            continue;
        }
        let event = hub.event(index);
        let Some((id, status)) = event.task_id().zip(decided(event, None)) else { continue };
        if !seen.insert(id.clone()) {
            continue;
        }
        if matches!(status, TaskStatus::InProgress | TaskStatus::Blocked | TaskStatus::PendingApproval) {
            let at = places(hub, &id).into_iter().find(|(owner, _)| owner == agent).and_then(|(_, at)| at);
            return Some(TaskThen { title: title(hub, &id, at), id, status, since: event.at });
        }
    }
    None
}

fn is_of_task(kind: &str) -> bool {
    ["task.", "backlog.", "zombie."].iter().any(|family| kind.starts_with(family))
}

/// Sends to the agent among `before` that had no answer at `since`.
fn ahead(hub: &Hub, agent: &AgentId, before: &[u32], since: i64) -> u32 {
    let first = before.partition_point(|index| hub.at(*index) < since.saturating_sub(NO_TRACE_AFTER_MS));
    let own = std::slice::from_ref(agent);
    let sends = before[first..].iter().filter(|index| hub.addresses(**index, own));
    let waits = |tracked: &Tracked| {
        !tracked.is_notification() && !tracked.one_way && tracked.settled_at().is_none_or(|at| at > since)
    };
    count(sends.filter_map(|index| send(hub, *index)).filter(|tracked| waits(tracked)).count())
}

/// The send of this event, if it is one.
fn send(hub: &Hub, index: u32) -> Option<&Tracked> {
    let fact = hub.meta_of(index);
    let session = hub.session_at(fact.session).filter(|_| fact.thread != NONE)?;
    let sends = &session.state.threads.get(fact.thread as usize)?.exchanges.list;
    let at = sends.binary_search_by(|tracked| order(hub.events(), tracked.event, index)).ok()?;
    sends.get(at)
}
