//! Agents as lists show them: names, state, current task.

use std::collections::{BTreeMap, BTreeSet};

use super::task::{places, summary};
use crate::api::{AgentState, AgentSummary};
use crate::delivery::DeliveryState;
use crate::hub::{Hub, count};
use crate::ids::{AgentId, TaskId};
use crate::title;
use crate::workspace::{AgentWorkspace, TaskStatus};

/// An agent that spoke within this time is at work.
const RECENT_MS: i64 = 600_000;

/// Configured agents in display order, then those with a folder, then those only seen in the log.
pub(super) fn agents(hub: &Hub, now: i64) -> Vec<AgentSummary> {
    let mut ids: Vec<AgentId> = hub.roster().agents.iter().map(|agent| agent.id.clone()).collect();
    let folders = hub.workspace().agents.iter().map(|folder| folder.agent_id.clone());
    let mut seen: Vec<AgentId> =
        hub.by_agent.keys().filter(|id| !matches!(id.as_str(), "" | "unknown")).cloned().collect();
    seen.sort();
    for id in folders.chain(seen) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let waiting = waiting(hub, now);
    ids.into_iter().map(|id| agent(hub, now, id, &waiting)).collect()
}

/// Agents with a send that is still waited for.
fn waiting(hub: &Hub, now: i64) -> BTreeSet<AgentId> {
    let mut out = BTreeSet::new();
    for (_, session) in hub.recent_sessions(now) {
        for thread in &session.state.threads {
            for position in &thread.exchanges.open {
                let tracked = &thread.exchanges.list[*position];
                if tracked.delivery.state_at(tracked.sent_at, now) == DeliveryState::Waiting {
                    out.insert(tracked.from.clone());
                }
            }
        }
    }
    out
}

fn agent(hub: &Hub, now: i64, id: AgentId, waiting: &BTreeSet<AgentId>) -> AgentSummary {
    let known = hub.roster().agent(id.as_str());
    let folder = hub.workspace().agents.iter().find(|folder| folder.agent_id == id);
    let newest = hub.by_agent.get(&id).and_then(|posting| posting.list.last()).map(|index| hub.event(*index).at);
    let (task_id, status) = match folder.and_then(focus) {
        Some((task, status)) => (Some(task), Some(status)),
        None => by_events(hub, &id),
    };
    let spoke = spoke(hub, &id, now);
    let state = match status {
        Some(TaskStatus::Blocked) => AgentState::Blocked,
        Some(TaskStatus::PendingApproval) => AgentState::Waiting,
        Some(TaskStatus::InProgress) => AgentState::Working,
        _ if waiting.contains(&id) => AgentState::Waiting,
        _ if spoke || folder.is_some_and(|folder| folder.current.has_task) => AgentState::Working,
        _ => AgentState::Idle,
    };
    let open = folder.map_or(0, |folder| folder.tasks.iter().filter(|task| !task.status.ended()).count());
    AgentSummary {
        name: known.and_then(|agent| agent.name.clone()).unwrap_or_else(|| id.as_str().to_owned()),
        emoji: known.and_then(|agent| agent.emoji.clone()),
        configured: known.is_some_and(|agent| agent.configured),
        main: hub.roster().is_main(id.as_str()),
        state,
        current_task: current_title(hub, &id, task_id.as_ref(), folder),
        current_task_id: task_id,
        task_count: count(open),
        last_time: newest.filter(|at| *at > 0),
        id,
    }
}

/// The task an agent is at: its focus when the file still stands, else the first that is stuck or under way.
fn focus(folder: &AgentWorkspace) -> Option<(TaskId, TaskStatus)> {
    let focused = folder.current.focus.as_ref().and_then(|id| folder.tasks.iter().find(|task| task.id == *id));
    let of_status = |status| folder.tasks.iter().find(|task| task.status == status);
    let task = focused
        .filter(|task| !task.status.ended())
        .or_else(|| of_status(TaskStatus::InProgress))
        .or_else(|| of_status(TaskStatus::Blocked))
        .or_else(|| of_status(TaskStatus::PendingApproval))?;
    Some((task.id.clone(), task.status))
}

/// Without a folder: the newest open task that its events of the last day name.
fn by_events(hub: &Hub, id: &AgentId) -> (Option<TaskId>, Option<TaskStatus>) {
    if hub.workspace().agents.iter().any(|folder| folder.agent_id == *id) {
        return (None, None);
    }
    let list = hub.by_agent.get(id).map_or(&[][..], |posting| &posting.list);
    let mut seen: BTreeMap<TaskId, ()> = BTreeMap::new();
    // A hundred newest events are enough to find what an agent is at.
    for index in list.iter().rev().take(100) {
        let event = hub.event(*index);
        let Some(task) = event.task_id().filter(|_| event.event_type().starts_with("task.")) else { continue };
        if event.agent() != id.as_str() || seen.insert(task.clone(), ()).is_some() {
            continue;
        }
        // What it says of another's task is not what it is at.
        if !places(hub, &task).iter().any(|(owner, _)| owner == id) {
            continue;
        }
        let status = super::task::trace(hub, &task).map(|trace| trace.status);
        let open = matches!(status, Some(TaskStatus::InProgress | TaskStatus::Blocked | TaskStatus::PendingApproval));
        if open {
            return (Some(task), status);
        }
    }
    (None, None)
}

fn spoke(hub: &Hub, id: &AgentId, now: i64) -> bool {
    let list = hub.by_agent.get(id).map_or(&[][..], |posting| &posting.list);
    list.iter()
        .rev()
        .map(|index| hub.event(*index))
        .take_while(|event| now.saturating_sub(event.at) <= RECENT_MS)
        .any(|event| event.speaker() == *id)
}

fn current_title(hub: &Hub, agent: &AgentId, task: Option<&TaskId>, folder: Option<&AgentWorkspace>) -> Option<String> {
    let of_task = task.and_then(|id| {
        let (_, at) = places(hub, id).into_iter().find(|(owner, _)| owner == agent)?;
        let title = summary(hub, agent, id, at).title;
        (!title.is_empty()).then_some(title)
    });
    of_task.or_else(|| folder.filter(|folder| folder.current.has_task)?.current.title.as_deref().and_then(title::clean))
}
