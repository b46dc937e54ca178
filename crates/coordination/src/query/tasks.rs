//! Queries of `GET tasks` and `GET tasks/{agent}/{id}`: the task list and one task.

pub(super) mod cursor;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Bound::{Excluded, Unbounded};

use cursor::{read_cursor, write_cursor};

use super::QueryError;
use super::agents::agents;
use super::card::link;
use super::events::row;
use super::open_sends::OpenSends;
use super::page;
use super::task::{dated_status, events_of, owner, places, summary, title, trace};
use crate::api::{AgentMilestones, TaskDetail, TaskSource, TaskSummary, TasksPage, TasksQuery, Unreadable};
use crate::hub::{Holds, Hub, RANKS, TaskAt, TaskOrderKey, archived, open, rank};
use crate::ids::{AgentId, SessionId, TaskId};
use crate::search::WordFilter;
use crate::workspace::{AgentWorkspace, Plan, TaskOutcome, TaskStatus};

/// Default and maximum number of tasks of a page.
pub(super) const MAX_TASKS: u32 = 500;

/// A task in the list with its sort key; its summary is made when it is shown.
struct TaskEntry {
    place: TaskOrderKey,
    at: Option<TaskAt>,
}

/// `GET tasks`. Tasks that only events name are counted and paged from the index ([`crate::hub::TaskLog`]); tasks of
/// files and archives have a known status, so each costs a comparison. Words and sessions are filtered task by task.
///
/// # Errors
/// When the limit or the page mark is not acceptable.
pub fn tasks(hub: &Hub, now: i64, query: &TasksQuery) -> Result<TasksPage, QueryError> {
    let after = query.after.as_deref().map(read_cursor).transpose()?;
    tasks_after(hub, now, query, after.as_ref())
}

/// [`tasks`] after a place, whatever `query.after` says.
pub(super) fn tasks_after(
    hub: &Hub,
    now: i64,
    query: &TasksQuery,
    after: Option<&TaskOrderKey>,
) -> Result<TasksPage, QueryError> {
    let limit = page::limit(query.limit, MAX_TASKS, MAX_TASKS)?;
    let words = query.q.as_deref().and_then(WordFilter::read);
    let of_agent = |agent: &AgentId| query.agent.as_ref().is_none_or(|wanted| wanted == agent);
    let statuses: Vec<TaskStatus> = TaskStatus::ALL.into_iter().chain([TaskStatus::Unknown]).collect();
    let of_rank: Vec<bool> =
        statuses.iter().map(|status| query.status.is_empty() || query.status.contains(status)).collect();
    let is_shown = |(rank, _, agent, _): &TaskOrderKey| of_rank.get(*rank) == Some(&true) && of_agent(agent);
    let is_behind = |place: &TaskOrderKey| after.is_none_or(|after| place > after);
    let mut counts = TaskCounts::default();
    let mut list: Vec<TaskEntry> = Vec::new();
    if words.is_none() && query.session.is_none() {
        counts.take_board(hub);
        let behind = after.map_or(Unbounded, Excluded);
        let by_events = hub.indexes.task_log.board(behind).filter(|place| is_shown(place));
        list.extend(by_events.take(limit + 1).map(|place| TaskEntry { place: place.clone(), at: None }));
        let mut first = TopTasks { most: limit + 1, after, heap: BinaryHeap::new() };
        for (place, shelf, at) in hub.inputs.tasks.shelves() {
            let Some(AgentWorkspace { agent_id, .. }) = hub.workspace().agents.get(place) else { continue };
            let counted = counts.0.entry(agent_id.clone()).or_default();
            let is_of_agent = of_agent(agent_id);
            for (position, (status, id)) in (0..).zip(shelf.statuses().iter().zip(shelf.ids())) {
                let (at, rank) = (at(position), rank(status.0));
                if hub.inputs.tasks.is_hidden(at) {
                    continue;
                }
                counted[rank] += 1;
                if is_of_agent && of_rank.get(rank) == Some(&true) {
                    first.take((rank, Reverse(status.1), agent_id, id, at));
                }
            }
        }
        list.extend(first.entries());
    } else {
        for entry in looked_at(hub, query, words.as_ref()) {
            counts.add(&entry.place);
            if is_shown(&entry.place) && is_behind(&entry.place) {
                list.push(entry);
            }
        }
    }
    list.sort_by(|a, b| a.place.cmp(&b.place));
    let more = list.len() > limit;
    list.truncate(limit);
    let unreadable = hub.workspace().agents.iter().flat_map(|agent| &agent.unreadable);
    Ok(TasksPage {
        tasks: list.iter().map(|TaskEntry { place: (_, _, agent, id), at }| summary(hub, agent, id, *at)).collect(),
        total: counts.sum(&of_rank, of_agent),
        next: list.last().filter(|_| more).map(|entry| write_cursor(&entry.place)),
        status_counts: statuses.into_iter().map(|status| (status, counts.of_rank(rank(status), of_agent))).collect(),
        agent_counts: counts.of_agents(&of_rank),
        agents: agents(hub, now, &OpenSends::new(hub, now)),
        plans: loose_plans(hub, query),
        milestones: milestones(hub, query),
        unreadable: unreadable.map(|(path, cause)| Unreadable { path: path.clone(), cause: cause.clone() }).collect(),
        cursor: hub.cursor(),
        now,
    })
}

/// A task of a file or an archive, with its sort key.
type Filed<'a> = (usize, Reverse<Option<i64>>, &'a AgentId, &'a TaskId, TaskAt);

/// The first tasks after a place.
struct TopTasks<'a> {
    most: usize,
    after: Option<&'a TaskOrderKey>,
    /// The last on top.
    heap: BinaryHeap<Filed<'a>>,
}

impl<'a> TopTasks<'a> {
    fn take(&mut self, task: Filed<'a>) {
        let (rank, last, agent, id, _) = task;
        let is_behind = |after: &TaskOrderKey| (rank, last, agent, id) > (after.0, after.1, &after.2, &after.3);
        if self.after.is_none_or(is_behind) && (self.heap.len() < self.most || self.heap.peek() > Some(&task)) {
            self.heap.push(task);
            if self.heap.len() > self.most {
                self.heap.pop();
            }
        }
    }

    fn entries(self) -> impl Iterator<Item = TaskEntry> {
        self.heap.into_iter().map(|(rank, last, agent, id, at)| TaskEntry {
            place: (rank, last, agent.clone(), id.clone()),
            at: Some(at),
        })
    }
}

/// Number of tasks of each agent in each status, by rank.
#[derive(Default)]
struct TaskCounts(BTreeMap<AgentId, [u32; RANKS]>);

impl TaskCounts {
    /// Adds all tasks that only events name.
    fn take_board(&mut self, hub: &Hub) {
        self.0.extend(hub.indexes.task_log.counts().map(|(agent, counts)| (agent.clone(), *counts)));
    }

    fn add(&mut self, (rank, _, agent, _): &TaskOrderKey) {
        self.0.entry(agent.clone()).or_default()[*rank] += 1;
    }

    fn of_rank(&self, rank: usize, of_agent: impl Fn(&AgentId) -> bool) -> u32 {
        self.0.iter().filter(|(agent, _)| of_agent(agent)).map(|(_, counts)| counts[rank]).sum()
    }

    fn sum(&self, of_rank: &[bool], of_agent: impl Fn(&AgentId) -> bool) -> u32 {
        (0..RANKS).filter(|rank| of_rank[*rank]).map(|rank| self.of_rank(rank, &of_agent)).sum()
    }

    fn of_agents(&self, of_rank: &[bool]) -> Vec<(AgentId, u32)> {
        let sum = |counts: &[u32; RANKS]| counts.iter().zip(of_rank).filter(|(_, of)| **of).map(|(n, _)| n).sum();
        self.0.iter().map(|(agent, counts)| (agent.clone(), sum(counts))).filter(|(_, count)| *count > 0).collect()
    }
}

/// The tasks of the session, or those with the words, that match all but agent and status: those have counts of
/// their own.
fn looked_at(hub: &Hub, query: &TasksQuery, words: Option<&WordFilter>) -> Vec<TaskEntry> {
    let Some(session) = &query.session else {
        return words.map(|words| called(hub, words)).unwrap_or_default();
    };
    let by_event = hub.session(session).map(|session| &session.state.tasks);
    let named = hub.inputs.tasks.by_session.get(session).into_iter().chain(by_event).flatten();
    let ids: BTreeSet<&TaskId> = named.filter(|id| hub.inputs.tasks.is_filed(id) || trace(hub, id).is_some()).collect();
    let mut found = Vec::new();
    for id in ids {
        for (agent, at) in places(hub, id) {
            let matches_words =
                |words: &WordFilter| words.is_all(words.mask(id.as_str()) | words.mask(&title(hub, id, at)));
            if words.is_none_or(matches_words) {
                let (status, last) = dated_status(hub, id, at);
                found.push(TaskEntry { place: (rank(status), Reverse(last), agent, id.clone()), at });
            }
        }
    }
    found
}

/// Every task whose title or id holds the words.
fn called(hub: &Hub, words: &WordFilter) -> Vec<TaskEntry> {
    let mut named: BTreeMap<&TaskId, u32> = BTreeMap::new();
    for (bit, term) in (0_u32..).zip(words.terms()) {
        hub.indexes.task_log.find(term, |id, _| *named.entry(id).or_default() |= 1 << bit);
    }
    let mut found = Vec::new();
    for id in named.into_iter().filter(|(_, mask)| words.is_all(*mask)).map(|(id, _)| id) {
        let (status, last) = dated_status(hub, id, None);
        let place = owner(hub, id).map(|owner| (rank(status), Reverse(last), owner, id.clone()));
        found.extend(place.map(|place| TaskEntry { place, at: None }));
    }
    for (place, shelf, at) in hub.inputs.tasks.shelves() {
        let Some(AgentWorkspace { agent_id, .. }) = hub.workspace().agents.get(place) else { continue };
        let mut masks: BTreeMap<u32, u32> = BTreeMap::new();
        for (bit, term) in (0_u32..).zip(words.terms()) {
            let note = |holds, position, _: &str| {
                if holds != Holds::Text {
                    *masks.entry(position).or_default() |= 1 << bit;
                }
            };
            shelf.find(term, note);
        }
        for position in masks.into_iter().filter(|(_, mask)| words.is_all(*mask)).map(|(position, _)| position) {
            let at = at(position);
            if !hub.inputs.tasks.is_hidden(at) {
                let ((status, last), id) = (hub.inputs.tasks.dated_status(at), &shelf.ids()[position as usize]);
                found.push(TaskEntry {
                    place: (rank(status), Reverse(last), agent_id.clone(), id.clone()),
                    at: Some(at),
                });
            }
        }
    }
    found
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
        chain: Vec::new(),
        chain_loops: false,
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
    if let Some(own) = &detail.task.session {
        (detail.chain, detail.chain_loops) = chain(hub, &own.work_session_id);
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

/// Maximum number of sessions of a chain, to either side.
const MAX_CHAIN: usize = 20;

/// The sessions before and after one, oldest first, and whether they form a loop. Files and events are
/// written by hand and by many: a chain may well be a ring.
fn chain(hub: &Hub, own: &SessionId) -> (Vec<crate::api::SessionLink>, bool) {
    let before = |id: &SessionId| {
        let known = hub.session(id).and_then(|session| super::card::previous(hub, session));
        known.or_else(|| hub.inputs.tasks.previous.get(id).filter(|previous| *previous != id)).cloned()
    };
    let mut seen = BTreeSet::from([own.clone()]);
    let (mut ids, mut loops) = (vec![own.clone()], false);
    while let Some(previous) = before(&ids[0]).filter(|_| ids.len() <= MAX_CHAIN) {
        if !seen.insert(previous.clone()) {
            loops = true;
            break;
        }
        ids.insert(0, previous);
    }
    // Each session resumes at most one, but may be resumed by several: the chain continues with the oldest of them.
    let after = |id: &SessionId| super::card::resuming(hub, id).first().map(|next| next.id.as_ref().clone());
    let newest = ids.len() + MAX_CHAIN;
    while let Some(next) = ids.last().and_then(after).filter(|_| ids.len() < newest) {
        if !seen.insert(next.clone()) {
            break;
        }
        ids.push(next);
    }
    let alone = ids.len() < 2;
    (if alone { Vec::new() } else { ids.iter().map(|id| link(hub, id)).collect() }, loops)
}

/// Plans without a task, or with an unknown one.
fn loose_plans(hub: &Hub, query: &TasksQuery) -> Vec<Plan> {
    if query.session.is_some() || !query.status.is_empty() || query.q.is_some() || query.after.is_some() {
        return Vec::new();
    }
    let of_agent = |plan: &&Plan| query.agent.as_ref().is_none_or(|agent| plan.agent_id == *agent);
    let loose = |plan: &&Plan| {
        let owners = plan.task_id.as_ref().map(|task| places(hub, task)).unwrap_or_default();
        !owners.iter().any(|(owner, _)| *owner == plan.agent_id)
    };
    let plans = hub.workspace().agents.iter().flat_map(|folder| &folder.plans);
    let mut found: Vec<Plan> = plans.filter(of_agent).filter(loose).cloned().collect();
    found.sort_by(|a, b| b.submitted_at.cmp(&a.submitted_at));
    found
}

/// Check lists, when the agent is the only filter.
fn milestones(hub: &Hub, query: &TasksQuery) -> Vec<AgentMilestones> {
    if query.session.is_some() || !query.status.is_empty() || query.q.is_some() || query.after.is_some() {
        return Vec::new();
    }
    let folders = hub.workspace().agents.iter().filter(|folder| !folder.milestones.is_empty());
    let wanted = folders.filter(|folder| query.agent.as_ref().is_none_or(|agent| folder.agent_id == *agent));
    let milestones_of = |folder: &AgentWorkspace| AgentMilestones {
        agent_id: folder.agent_id.clone(),
        milestones: folder.milestones.clone(),
    };
    wanted.map(milestones_of).collect()
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
        if let Some(session) = hub.session_at(hub.meta_of(*index).session)
            && !out.contains(&session.id)
        {
            out.push(session.id.as_ref().clone());
        }
    }
    out
}

/// Tasks of a session: those its events name and those whose file names it, open ones first.
pub(super) fn of_session(hub: &Hub, session: &crate::hub::Session) -> Vec<TaskSummary> {
    let by_file = hub.inputs.tasks.by_session.get(&session.id).into_iter().flatten();
    let ids: BTreeSet<&TaskId> = session.state.tasks.iter().chain(by_file).collect();
    let mut list: Vec<TaskSummary> = ids
        .into_iter()
        .flat_map(|id| places(hub, id).into_iter().map(move |(agent, at)| summary(hub, &agent, id, at)))
        .filter(|task| task.source != TaskSource::Events || task.event_status.is_some())
        .collect();
    list.sort_by_cached_key(|task| (rank(task.status), std::cmp::Reverse(task.last_activity), task.id.clone()));
    list
}
