//! `GET tasks` and `GET tasks/{agent}/{id}`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::QueryError;
use super::agents::agents;
use super::card::link;
use super::events::row;
use super::page::{self, len};
use super::params::invalid;
use super::task::{events_of, places, standing, summary, title};
use crate::api::{TaskDetail, TaskSource, TaskSummary, TasksPage, TasksQuery, Unreadable};
use crate::hub::{Hub, TaskAt, archived, open};
use crate::ids::{AgentId, SessionId, TaskId};
use crate::text::Needle;
use crate::workspace::{Plan, TaskOutcome, TaskStatus};

/// Tasks of a page when no limit is given, and at most.
const MAX_TASKS: u32 = 500;

/// A task in the list, by what puts it there; its summary is made when it is shown.
struct Entry<'a> {
    agent: AgentId,
    id: &'a TaskId,
    at: Option<TaskAt>,
    status: TaskStatus,
    last: Option<i64>,
}

type Key = (usize, Reverse<Option<i64>>, AgentId, TaskId);

impl Entry<'_> {
    /// What is open comes first, the newest activity first within a status.
    fn key(&self) -> Key {
        (rank(self.status), Reverse(self.last), self.agent.clone(), self.id.clone())
    }
}

/// `GET tasks`.
///
/// # Errors
/// When the limit or the page mark is not acceptable.
pub fn tasks(hub: &Hub, now: i64, query: &TasksQuery) -> Result<TasksPage, QueryError> {
    let limit = page::limit(query.limit, MAX_TASKS, MAX_TASKS)?;
    let after = query.after.as_deref().map(read_mark).transpose()?;
    let mut list = Vec::new();
    let mut statuses = TaskStatus::ALL.map(|status| (status, 0));
    let mut agents_with: BTreeMap<AgentId, u32> = BTreeMap::new();
    for entry in matching(hub, query) {
        let of_agent = query.agent.as_ref().is_none_or(|wanted| *wanted == entry.agent);
        let of_status = query.status.is_empty() || query.status.contains(&entry.status);
        if of_agent && let Some((_, count)) = statuses.iter_mut().find(|(status, _)| *status == entry.status) {
            *count += 1;
        }
        if of_status {
            *agents_with.entry(entry.agent.clone()).or_default() += 1;
        }
        if of_agent && of_status {
            list.push(entry);
        }
    }
    list.sort_by_cached_key(Entry::key);
    let start = after.map_or(0, |after| list.partition_point(|entry| entry.key() <= after));
    let shown = list.get(start..list.len().min(start + limit)).unwrap_or_default();
    let unreadable = hub.workspace().agents.iter().flat_map(|agent| &agent.unreadable);
    Ok(TasksPage {
        tasks: shown.iter().map(|entry| summary(hub, &entry.agent, entry.id, entry.at)).collect(),
        total: len(&list),
        next: shown.last().filter(|_| start + shown.len() < list.len()).map(|entry| write_mark(&entry.key())),
        status_counts: statuses.to_vec(),
        agent_counts: agents_with.into_iter().collect(),
        agents: agents(hub, now),
        unreadable: unreadable.map(|(path, cause)| Unreadable { path: path.clone(), cause: cause.clone() }).collect(),
        cursor: hub.cursor(),
        now,
    })
}

/// Every task to which all but agent and status fits: those have counts of their own.
fn matching<'a>(hub: &'a Hub, query: &TasksQuery) -> Vec<Entry<'a>> {
    let needle = query.q.as_deref().and_then(Needle::new);
    let mut ids: BTreeSet<&TaskId> = hub.tasks.by_task.keys().collect();
    ids.extend(hub.task_log.traced());
    let mut found = Vec::new();
    for id in ids {
        if query.session.as_ref().is_some_and(|session| !names(hub, id, session)) {
            continue;
        }
        for (agent, at) in places(hub, id) {
            let says = |needle: &Needle| needle.is_in(id.as_str()) || needle.is_in(&title(hub, at));
            if needle.as_ref().is_none_or(says) {
                let (status, last) = standing(hub, id, at);
                found.push(Entry { agent, id, at, status, last });
            }
        }
    }
    found
}

/// A place in the list as text: rank, time, and agent and task, parted by the length of the agent's id.
fn write_mark((rank, Reverse(last), agent, id): &Key) -> String {
    let last = last.map(|last| last.to_string()).unwrap_or_default();
    format!("{rank}.{last}.{}.{agent}{id}", agent.as_str().len())
}

fn read_mark(text: &str) -> Result<Key, QueryError> {
    let mut parts = text.splitn(4, '.');
    let mark = (|| {
        let rank = parts.next()?.parse().ok()?;
        let last = parts.next().filter(|last| !last.is_empty()).map(|last| last.parse().ok());
        let length: usize = parts.next()?.parse().ok()?;
        let (agent, id) = parts.next()?.split_at_checked(length)?;
        let last = match last {
            Some(last) => Some(last?),
            None => None,
        };
        Some((rank, Reverse(last), AgentId::from(agent), TaskId::from(id)))
    })();
    mark.ok_or_else(|| invalid("after", "not a page mark of an earlier answer"))
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
