//! Efforts that fail: helpers asked in vain for a blocked task, prompts that are put off again and again.

use std::collections::BTreeMap;

use super::super::task::{self, places, trace};
use super::{DETAIL_CHARS, line};
use crate::api::{Attention, AttentionKind};
use crate::event::{Event, Field};
use crate::hub::{Hub, TaskAt};
use crate::ids::{AgentId, TaskId};
use crate::session::ARCHIVE_AFTER_MS;
use crate::text;
use crate::workspace::TaskStatus;

/// So many back-offs within [`REPEATED_MS`] are no passing trouble; so are so many failures in a row by the event's own
/// count (`contract/events.md` §4, `continuation.backoff`).
const REPEATED: usize = 3;
const REPEATED_MS: i64 = 3_600_000;

/// Whose effort: the agent, and the task it is for.
type Effort = (AgentId, Option<TaskId>);

/// Lines of the last day.
pub(super) fn alarms(hub: &Hub, now: i64, lines: &mut Vec<Attention>) {
    let newest = hub.alarms.list.iter().rev().map(|index| hub.event(*index));
    let recent = newest.take_while(|event| now.saturating_sub(event.at) <= ARCHIVE_AFTER_MS);
    let (mut failed, mut put_off) = (BTreeMap::new(), BTreeMap::<Effort, Vec<&Event>>::new());
    for event in recent {
        let effort = (event.agent_id(), event.task_id());
        match event.event_type() {
            "unblock.failed" => _ = failed.entry(effort).or_insert(event),
            _ => put_off.entry(effort).or_default().push(event),
        }
    }
    for ((agent, id), event) in failed {
        unblock_failed(hub, agent, id, event, lines);
    }
    for ((agent, id), newest_first) in put_off {
        lines.extend(backoff(hub, agent, id, &newest_first));
    }
}

/// Every helper was asked in vain. It says more than the line of the blocked task, and takes its place.
fn unblock_failed(hub: &Hub, agent: AgentId, id: Option<TaskId>, event: &Event, lines: &mut Vec<Attention>) {
    let about = |line: &&mut Attention| {
        matches!(line.kind, AttentionKind::TaskBlocked | AttentionKind::UnblockFailed)
            && id.is_some()
            && line.task_id == id
            && line.agent.as_ref() == Some(&agent)
    };
    if let Some(stuck) = lines.iter_mut().find(about) {
        stuck.kind = AttentionKind::UnblockFailed;
        event.event_type().clone_into(&mut stuck.evidence);
        stuck.event_id = Some(event.id());
    } else if id.as_ref().is_none_or(|id| stands(hub, &agent, id, event, true)) {
        lines.push(told(hub, AttentionKind::UnblockFailed, agent, id, event));
    }
}

/// The newest three within an hour, or the third failure in a row.
fn backoff(hub: &Hub, agent: AgentId, id: Option<TaskId>, newest_first: &[&Event]) -> Option<Attention> {
    let newest = newest_first.first()?;
    let within = newest_first.iter().take_while(|event| newest.at - event.at <= REPEATED_MS).count();
    let in_a_row = newest.count(Field::ConsecutiveFailures).unwrap_or(0);
    let times = in_a_row.max(crate::hub::count(within));
    let repeated = usize::try_from(times).is_ok_and(|times| times >= REPEATED);
    let stands = id.as_ref().is_none_or(|id| stands(hub, &agent, id, newest, false));
    let first = newest_first[within - 1].at;
    (repeated && stands).then(|| Attention {
        since: first,
        attempts: Some(times),
        ..told(hub, AttentionKind::Backoff, agent, id, newest)
    })
}

/// True while nothing later settled it: the task is not over, and no event decided its status since.
fn stands(hub: &Hub, agent: &AgentId, id: &TaskId, event: &Event, blocked: bool) -> bool {
    let at = places(hub, id).into_iter().find(|(owner, _)| owner == agent).and_then(|(_, at)| at);
    if matches!(at, Some(TaskAt::Archived { .. })) {
        return false;
    }
    let of_file = at.map(|at| task::standing(hub, id, Some(at)).0);
    let decided = trace(hub, id).is_some_and(|trace| trace.at > event.at && trace.status != TaskStatus::Blocked);
    !decided && of_file.is_none_or(|status| !blocked || status == TaskStatus::Blocked)
}

fn told(hub: &Hub, kind: AttentionKind, agent: AgentId, id: Option<TaskId>, event: &Event) -> Attention {
    let at = id.as_ref().and_then(|id| places(hub, id).into_iter().find(|(owner, _)| *owner == agent)?.1);
    Attention {
        title: id.as_ref().map(|_| task::title(hub, at)).unwrap_or_default(),
        detail: text::preview(event.text(Field::Reason).unwrap_or_default(), DETAIL_CHARS),
        session_id: id
            .as_ref()
            .and_then(|id| task::session_of(hub, id))
            .filter(|session| hub.session(session).is_some()),
        event_id: Some(event.id()),
        task_id: id,
        agent: Some(agent),
        ..line(kind, event.at, event.event_type().to_owned())
    }
}
