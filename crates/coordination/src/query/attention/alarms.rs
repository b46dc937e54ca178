//! Work list entries for repeated failures of the last day: blocked tasks for which every helper was asked without
//! success (`unblock.failed`), and agents whose automatic continuation failed three times in a row or within an hour
//! (`continuation.backoff`).

use std::collections::BTreeMap;

use super::super::task::{self, places, trace};
use super::line;
use crate::api::{Attention, AttentionKind};
use crate::hub::{Alarm, Hub, TaskAt};
use crate::ids::{AgentId, TaskId};
use crate::session::ARCHIVE_AFTER_MS;
use crate::workspace::TaskStatus;

/// This many back-offs within [`REPEATED_MS`] are a lasting failure; so is this many failures in a row by the event's
/// own count (`contract/events.md` §4, `continuation.backoff`).
const MIN_REPEATS: usize = 3;
const REPEATED_MS: i64 = 3_600_000;

/// The agent of an effort, and its task.
type Effort<'a> = (&'a AgentId, Option<&'a TaskId>);
/// An alarm and its event.
type AlarmEvent<'a> = (u32, &'a Alarm);

/// Lines of the last day.
pub(super) fn alarms(hub: &Hub, now: i64, lines: &mut Vec<Attention>) {
    let recent =
        hub.indexes.alarms.newest().take_while(|(index, _)| now.saturating_sub(hub.at(*index)) <= ARCHIVE_AFTER_MS);
    let (mut failed, mut put_off) = (BTreeMap::new(), BTreeMap::<Effort<'_>, Vec<AlarmEvent<'_>>>::new());
    for (index, alarm) in recent {
        let effort = (&alarm.agent, alarm.task.as_ref());
        match alarm.in_vain {
            true => _ = failed.entry(effort).or_insert((index, alarm)),
            false => put_off.entry(effort).or_default().push((index, alarm)),
        }
    }
    for sign in failed.into_values() {
        unblock_failed(hub, sign, lines);
    }
    for ((agent, task), newest_first) in put_off {
        // A task with a line covers its prompts too.
        let has_line =
            |line: &Attention| task.is_some() && line.task_id.as_ref() == task && line.agent.as_ref() == Some(agent);
        if !lines.iter().any(has_line) {
            lines.extend(backoff(hub, &newest_first));
        }
    }
}

/// Every helper was asked without success. Replaces the line of the blocked task, because it has more detail.
fn unblock_failed(hub: &Hub, sign: AlarmEvent<'_>, lines: &mut Vec<Attention>) {
    let (index, alarm) = sign;
    let about = |line: &&mut Attention| {
        matches!(line.kind, AttentionKind::TaskBlocked | AttentionKind::UnblockFailed)
            && alarm.task.is_some()
            && line.task_id == alarm.task
            && line.agent.as_ref() == Some(&alarm.agent)
    };
    if let Some(stuck) = lines.iter_mut().find(about) {
        stuck.kind = AttentionKind::UnblockFailed;
        alarm.event_type().clone_into(&mut stuck.evidence);
        stuck.event_id = Some(hub.id(index));
    } else if is_unresolved(hub, sign) {
        lines.push(alarm_line(hub, AttentionKind::UnblockFailed, sign));
    }
}

/// The newest three within an hour, or the third failure in a row.
fn backoff(hub: &Hub, newest_first: &[AlarmEvent<'_>]) -> Option<Attention> {
    let newest = *newest_first.first()?;
    let is_within = |(index, _): &&AlarmEvent<'_>| hub.at(newest.0) - hub.at(*index) <= REPEATED_MS;
    let within = newest_first.iter().take_while(is_within);
    let first = hub.at(within.clone().last()?.0);
    let times = newest.1.in_a_row.max(crate::hub::count(within.count()));
    let repeated = usize::try_from(times).is_ok_and(|times| times >= MIN_REPEATS);
    (repeated && is_unresolved(hub, newest)).then(|| Attention {
        since: first,
        attempts: Some(times),
        ..alarm_line(hub, AttentionKind::Backoff, newest)
    })
}

/// True while nothing later settled it: the task is open, and no event decided its status since.
fn is_unresolved(hub: &Hub, (index, alarm): AlarmEvent<'_>) -> bool {
    let Some(id) = &alarm.task else { return true };
    let at = places(hub, id).into_iter().find(|(owner, _)| *owner == alarm.agent).and_then(|(_, at)| at);
    if matches!(at, Some(TaskAt::Archived { .. })) {
        return false;
    }
    let of_file = at.map(|at| task::dated_status(hub, id, Some(at)).0);
    let decided = trace(hub, id).is_some_and(|trace| trace.at > hub.at(index) && trace.status != TaskStatus::Blocked);
    !decided && of_file.is_none_or(|status| !alarm.in_vain || status == TaskStatus::Blocked)
}

fn alarm_line(hub: &Hub, kind: AttentionKind, (index, alarm): AlarmEvent<'_>) -> Attention {
    let id = alarm.task.as_ref();
    let at = id.and_then(|id| places(hub, id).into_iter().find(|(owner, _)| *owner == alarm.agent)?.1);
    Attention {
        title: id.map(|id| task::title(hub, id, at)).unwrap_or_default(),
        detail: alarm.reason.to_string(),
        session_id: id.and_then(|id| task::session_of(hub, id)).filter(|session| hub.session(session).is_some()),
        event_id: Some(hub.id(index)),
        task_id: id.cloned(),
        agent: Some(alarm.agent.clone()),
        ..line(kind, hub.at(index), alarm.event_type().to_owned())
    }
}
