//! `GET tasks` and `GET tasks/{agent}/{id}`.

use std::collections::BTreeSet;

use super::agents::agents;
use super::card::link;
use super::events::row;
use super::page::{holds, len};
use super::task::{events_of, places, summary};
use crate::api::{TaskDetail, TaskSource, TaskSummary, TasksPage, TasksQuery, Unreadable};
use crate::hub::{Hub, TaskAt, archived, open};
use crate::ids::{AgentId, SessionId, TaskId};
use crate::workspace::{Plan, TaskOutcome, TaskStatus};

/// Most tasks of one answer: what is open comes first, so that only old ended ones can be left out.
const MAX_TASKS: usize = 500;

/// `GET tasks`.
#[must_use]
pub fn tasks(hub: &Hub, now: i64, query: &TasksQuery) -> TasksPage {
    let text = query.q.as_deref().map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty());
    let mut ids: BTreeSet<&TaskId> = hub.tasks.by_task.keys().collect();
    ids.extend(hub.task_log.traced());
    let mut list: Vec<TaskSummary> = Vec::new();
    for id in ids {
        if query.session.as_ref().is_some_and(|session| !names(hub, id, session)) {
            continue;
        }
        for (agent, at) in places(hub, id) {
            if query.agent.as_ref().is_some_and(|wanted| *wanted != agent) {
                continue;
            }
            let task = summary(hub, &agent, id, at);
            let found = |text: &String| holds(&task.title, text) || holds(id.as_str(), text);
            if text.as_ref().is_none_or(found) {
                list.push(task);
            }
        }
    }
    let status_counts = TaskStatus::ALL
        .into_iter()
        .map(|status| (status, len(&list.iter().filter(|task| task.status == status).collect::<Vec<_>>())))
        .collect();
    list.retain(|task| query.status.is_empty() || query.status.contains(&task.status));
    list.sort_by_cached_key(|task| {
        (rank(task.status), std::cmp::Reverse(task.last_activity), task.agent_id.clone(), task.id.clone())
    });
    let total = len(&list);
    list.truncate(MAX_TASKS);
    let unreadable = hub.workspace().agents.iter().flat_map(|agent| &agent.unreadable);
    TasksPage {
        tasks: list,
        total,
        status_counts,
        agents: agents(hub, now),
        unreadable: unreadable.map(|(path, cause)| Unreadable { path: path.clone(), cause: cause.clone() }).collect(),
        cursor: hub.cursor(),
        now,
    }
}

fn rank(status: TaskStatus) -> usize {
    TaskStatus::ALL.iter().position(|known| *known == status).unwrap_or(TaskStatus::ALL.len())
}

/// The task belongs to this session by its file or by an event.
fn names(hub: &Hub, id: &TaskId, session: &SessionId) -> bool {
    hub.tasks.by_session.get(session).is_some_and(|tasks| tasks.contains(id))
        || hub.session(session).is_some_and(|session| session.state.tasks.contains(id))
}

/// `GET tasks/{agent}/{id}`.
#[must_use]
pub fn task(hub: &Hub, now: i64, agent: &AgentId, id: &TaskId) -> Option<TaskDetail> {
    let (agent, at) = places(hub, id).into_iter().find(|(owner, _)| owner == agent)?;
    let mut detail = TaskDetail {
        task: summary(hub, &agent, id, at),
        description: String::new(),
        context: None,
        steps: Vec::new(),
        progress: Vec::new(),
        outcome: None,
        plans: plans(hub, &agent, id),
        previous_session: None,
        origin: None,
        path: None,
        events: events_of(hub, id).iter().map(|index| row(hub, *index)).collect(),
        sessions: sessions(hub, id),
        cursor: hub.cursor(),
        now,
    };
    if let Some(file) = at.and_then(|at| open(hub.workspace(), at)) {
        detail.description.clone_from(&file.description);
        detail.context.clone_from(&file.context);
        detail.steps.clone_from(&file.steps);
        detail.progress.clone_from(&file.progress);
        detail.outcome.clone_from(&file.outcome);
        detail.previous_session = file.previous_work_session_id.as_ref().map(|session| link(hub, session));
        detail.origin.clone_from(&file.source);
    } else if let Some(entry) = at.and_then(|at| archived(hub.workspace(), at)) {
        detail.description.clone_from(&entry.description);
        detail.context.clone_from(&entry.context);
        detail.progress.clone_from(&entry.progress);
        detail.outcome = Some(TaskOutcome {
            kind: entry.status.as_str().to_owned(),
            summary: entry.summary.clone(),
            ..TaskOutcome::default()
        });
    }
    detail.path = at.map(|at| path(hub, &agent, id, at));
    Some(detail)
}

/// The file's path below the agent's folder.
fn path(hub: &Hub, agent: &AgentId, id: &TaskId, at: TaskAt) -> String {
    let folder = hub
        .roster()
        .agent(agent.as_str())
        .and_then(|known| known.workspace.as_deref())
        .and_then(|path| path.trim_end_matches('/').rsplit('/').next())
        .map_or_else(|| format!("workspace-{agent}"), str::to_owned);
    match archived(hub.workspace(), at) {
        Some(entry) if entry.month == "TASK_HISTORY" => format!("{folder}/TASK_HISTORY.md"),
        Some(entry) => format!("{folder}/task-history/{}.md", entry.month),
        None => format!("{folder}/tasks/{id}.md"),
    }
}

fn plans(hub: &Hub, agent: &AgentId, id: &TaskId) -> Vec<Plan> {
    let mut found: Vec<Plan> = hub
        .workspace()
        .agents
        .iter()
        .flat_map(|folder| &folder.plans)
        .filter(|plan| plan.task_id.as_ref() == Some(id) && plan.agent_id == *agent)
        .cloned()
        .collect();
    found.sort_by(|a, b| b.submitted_at.cmp(&a.submitted_at));
    found
}

/// Sessions whose events name the task, newest first.
fn sessions(hub: &Hub, id: &TaskId) -> Vec<SessionId> {
    let mut out: Vec<SessionId> = Vec::new();
    for index in events_of(hub, id).iter().rev() {
        if let Some(session) = hub.session_at(hub.fact(*index).session)
            && !out.contains(&session.id)
        {
            out.push(session.id.clone());
        }
    }
    out
}

/// Tasks of a session: those its events name and those whose file names it, open ones first.
pub(super) fn of_session(hub: &Hub, session: &crate::hub::Session) -> Vec<TaskSummary> {
    let by_file = hub.tasks.by_session.get(&session.id).into_iter().flatten();
    let ids: BTreeSet<&TaskId> = session.state.tasks.iter().chain(by_file).collect();
    let mut list: Vec<TaskSummary> = ids
        .into_iter()
        .flat_map(|id| places(hub, id).into_iter().map(move |(agent, at)| summary(hub, &agent, id, at)))
        .filter(|task| task.source != TaskSource::Events || task.event_status.is_some())
        .collect();
    list.sort_by_cached_key(|task| (rank(task.status), std::cmp::Reverse(task.last_activity), task.id.clone()));
    list
}
