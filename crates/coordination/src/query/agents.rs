//! Agent summaries for the routes that list agents: name, state with evidence, current task, and the sends that wait
//! for the agent's answer. The module also decides which agents are listed.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::open_sends::{OpenSends, WaitingSend};
use super::task::{dated_status, places, summary, trace};
use crate::api::{AgentEvidence, AgentState, AgentSummary, EvidenceKind, Home, Origin};
use crate::event::Event;
use crate::hub::{Hub, NONE, count};
use crate::ids::{AgentId, TaskId};
use crate::schema::{AgentNow, AgentStage};
use crate::session::ARCHIVE_AFTER_MS;
use crate::text::lookalike::Faces;
use crate::title;
use crate::workspace::{AgentWorkspace, TaskStatus};

/// An agent that spoke within this time is working.
const RECENT_MS: i64 = 600_000;
/// Number of an agent's newest events that are read to find its task.
const MAX_SCANNED_EVENTS: usize = 100;

/// Configured agents in display order, then those with a folder, then those only seen in the log.
pub(super) fn agents(hub: &Hub, now: i64, waits: &OpenSends<'_>) -> Vec<AgentSummary> {
    summaries(hub, now, listed(hub, now), waits)
}

fn summaries(hub: &Hub, now: i64, ids: Vec<AgentId>, waits: &OpenSends<'_>) -> Vec<AgentSummary> {
    let faces = faces(hub);
    ids.into_iter().map(|id| agent(hub, now, id, waits, faces).0).collect()
}

/// The agents of [`agents`] that are named, in its order.
pub(super) fn named(hub: &Hub, now: i64, named: &BTreeSet<&AgentId>) -> Vec<AgentSummary> {
    let ids = listed(hub, now).into_iter().filter(|id| named.contains(id)).collect();
    summaries(hub, now, ids, &OpenSends::new(hub, now))
}

/// As [`agents`], limited to the number home lists, with their total.
pub(super) fn foremost(hub: &Hub, now: i64, waits: &OpenSends<'_>) -> (Vec<AgentSummary>, u32) {
    let mut ids = listed(hub, now);
    let total = count(ids.len());
    if ids.len() > Home::MAX_AGENTS {
        let folders = hub.workspace().agents.iter().map(|folder| &folder.agent_id);
        let known: BTreeSet<&AgentId> = hub.roster().agents.iter().map(|agent| &agent.id).chain(folders).collect();
        let last = |id: &AgentId| hub.indexes.by_agent.get(id).and_then(|posting| posting.list.last()).copied();
        // Known agents stay first, in their order.
        ids.sort_by_cached_key(|id| (!known.contains(id)).then(|| Reverse(last(id))));
        ids.truncate(Home::MAX_AGENTS);
    }
    (summaries(hub, now, ids, waits), total)
}

/// All configured agents and agents with a folder, for lookalike checks. Computed once for each change of either.
pub(super) fn faces(hub: &Hub) -> &Faces {
    hub.inputs.faces.get_or_init(|| known_faces(hub))
}

fn known_faces(hub: &Hub) -> Faces {
    let mut faces = Faces::default();
    for agent in &hub.roster().agents {
        faces.add(&agent.id, agent.name.as_deref().unwrap_or(agent.id.as_str()), agent.has_identity_name);
    }
    for folder in &hub.workspace().agents {
        if hub.roster().agent(folder.agent_id.as_str()).is_none() {
            faces.add(&folder.agent_id, folder.agent_id.as_str(), false);
        }
    }
    faces
}

/// All agents in that order, without helpers of coding agents that ended a day ago: there is a new one for each piece
/// of work.
pub(super) fn listed(hub: &Hub, now: i64) -> Vec<AgentId> {
    let is_departed = |id: &AgentId| {
        hub.live_status(id).is_some_and(|agent| {
            agent.agent_kind.as_deref() == Some("subagent")
                && agent.stage == AgentStage::Stopped
                && now.saturating_sub(agent.last_at) > ARCHIVE_AFTER_MS
        })
    };
    let mut ids = ids(hub);
    ids.retain(|id| !is_departed(id));
    ids
}

/// Whether the configuration, a folder or an event knows the agent.
pub(super) fn is_known(hub: &Hub, id: &AgentId) -> bool {
    hub.roster().agent(id.as_str()).is_some()
        || hub.indexes.by_agent.contains_key(id)
        || hub.workspace().agents.iter().any(|folder| folder.agent_id == *id)
        || hub.live_status(id).is_some()
}

/// All agents in that order.
pub(super) fn ids(hub: &Hub) -> Vec<AgentId> {
    let mut ids: Vec<AgentId> = hub.roster().agents.iter().map(|agent| agent.id.clone()).collect();
    let folders = hub.workspace().agents.iter().map(|folder| folder.agent_id.clone());
    let mut seen: Vec<AgentId> =
        hub.indexes.by_agent.keys().filter(|id| !matches!(id.as_str(), "" | "unknown")).cloned().collect();
    seen.sort();
    let mut known: BTreeSet<AgentId> = ids.iter().cloned().collect();
    for id in folders.chain(seen) {
        if known.insert(id.clone()) {
            ids.push(id);
        }
    }
    ids
}

/// An agent as lists show it, with the evidence of its state.
pub(super) fn agent(
    hub: &Hub,
    now: i64,
    id: AgentId,
    waits: &OpenSends<'_>,
    faces: &Faces,
) -> (AgentSummary, Option<AgentEvidence>) {
    let known = hub.roster().agent(id.as_str());
    let folder = hub.folder(&id);
    let newest = hub.indexes.by_agent.get(&id).and_then(|posting| posting.list.last()).map(|index| hub.at(*index));
    let acted = newest_act(hub, &id);
    let task = match folder {
        Some(folder) => focus(hub, folder, acted),
        None => by_events(hub, &id),
    };
    let terminal = hub.live_status(&id);
    let (state, evidence, state_at) = match terminal {
        Some(agent) => at_terminal(hub, &id, agent),
        None => {
            let (state, evidence) = state(hub, now, &id, folder, task.as_ref(), acted, waits);
            let at = evidence.as_ref().and_then(|evidence| evidence.at);
            (state, evidence, at)
        }
    };
    let open = folder.map_or(0, |folder| folder.tasks.iter().filter(|task| !task.status.ended()).count());
    let of_status =
        |status| folder.map_or(0, |folder| folder.tasks.iter().filter(|task| task.status == status).count());
    let moved = task
        .as_ref()
        .filter(|(_, status)| *status == TaskStatus::InProgress)
        .and_then(|(task, _)| moved(hub, &id, task));
    let acted_at = acted.map(|index| hub.at(index)).max(moved).max(terminal.map(|agent| agent.last_at));
    let task_id = task.map(|(task, _)| task);
    let queue = waits.to(&id);
    let mut summary = AgentSummary {
        name: hub.display_name(&id).unwrap_or(id.as_str()).to_owned(),
        emoji: known.and_then(|agent| agent.emoji.clone()),
        configured: known.is_some_and(|agent| agent.configured),
        main: hub.roster().is_main(id.as_str())
            || terminal.is_some_and(|agent| agent.agent_kind.as_deref() != Some("subagent")),
        origin: if terminal.is_some() { Origin::Hooks } else { Origin::Log },
        state,
        state_at,
        acted_at: acted_at.filter(|at| *at > 0),
        blocked_tasks: count(of_status(TaskStatus::Blocked)),
        queue_total: count(queue.len()),
        queue: queue.take(AgentSummary::MAX_QUEUE).map(|wait| hub.id(wait.tracked.event)).collect(),
        current_task: current_title(hub, &id, task_id.as_ref(), folder),
        current_task_id: task_id,
        task_count: count(open),
        last_time: newest.max(terminal.map(|agent| agent.last_at)).filter(|at| *at > 0),
        imitates: faces.imitated(&id).cloned(),
        statement: hub.statement_of(&id, now).cloned(),
        id,
    };
    summary.state = summary.state_by(now);
    (summary, evidence)
}

/// State by hooks (`contract/event-schema-v1_1.md` §C.5), its newest event, and since when it waits, else the time of
/// its last sign.
fn at_terminal(hub: &Hub, id: &AgentId, agent: &AgentNow) -> (AgentState, Option<AgentEvidence>, Option<i64>) {
    let state = match agent.stage {
        AgentStage::Idle => AgentState::Idle,
        AgentStage::PendingInput if agent.rests() => AgentState::Idle,
        AgentStage::Working => AgentState::Working,
        AgentStage::PendingInput => AgentState::PendingInput,
        AgentStage::InMeeting => AgentState::InMeeting,
        AgentStage::Failed => AgentState::Failed,
        AgentStage::Stopped => AgentState::Stopped,
    };
    let waits = matches!(state, AgentState::PendingInput | AgentState::Failed);
    let by_hook = hub.event_of(&agent.event_id).filter(|_| waits);
    let evidence = by_hook.or_else(|| newest_act(hub, id)).map(|index| {
        let event = of_event(hub, index);
        // A heartbeat counts as a sign, but is not an event's time.
        AgentEvidence { at: if waits { Some(agent.since) } else { event.at }, ..event }
    });
    let at = evidence.as_ref().map(|_| if waits { agent.since } else { agent.last_at });
    (state, evidence, at)
}

/// State and its evidence. A blocked or running task is stronger evidence than messages.
fn state(
    hub: &Hub,
    now: i64,
    id: &AgentId,
    folder: Option<&AgentWorkspace>,
    task: Option<&(TaskId, TaskStatus)>,
    acted: Option<u32>,
    waits: &OpenSends<'_>,
) -> (AgentState, Option<AgentEvidence>) {
    let is_recent = |at: i64| now.saturating_sub(at) <= ARCHIVE_AFTER_MS;
    match task {
        Some((task, TaskStatus::Blocked)) => return (AgentState::Blocked, Some(of_task(hub, id, task))),
        Some((task, TaskStatus::PendingApproval)) => return (AgentState::Waiting, Some(of_task(hub, id, task))),
        Some((task, TaskStatus::InProgress)) => {
            // A task begun days ago says nothing of the present; the agent's acts since then do.
            let own = of_task(hub, id, task);
            let newer = acted.filter(|index| !own.at.is_some_and(is_recent) && is_recent(hub.at(*index)));
            return (AgentState::Working, Some(newer.map_or(own, |index| of_event(hub, index))));
        }
        _ => {}
    }
    if let Some(wait) = waits.from(id).next() {
        return (AgentState::Waiting, Some(of_send(hub, wait)));
    }
    let of_event = acted.map(|index| of_event(hub, index));
    if acted.is_some_and(|index| now.saturating_sub(hub.at(index)) <= RECENT_MS) {
        return (AgentState::Working, of_event);
    }
    if folder.is_some_and(|folder| folder.current.has_task) {
        return (AgentState::Working, Some(evidence(EvidenceKind::Current, "CURRENT_TASK.md".to_owned(), None)));
    }
    (AgentState::Idle, of_event)
}

fn evidence(kind: EvidenceKind, source: String, at: Option<i64>) -> AgentEvidence {
    AgentEvidence {
        kind,
        source,
        at: at.filter(|at| *at > 0),
        event_id: None,
        session_id: None,
        thread_id: None,
        task_id: None,
        other: None,
    }
}

/// The event that decided the task's status, with its own time; else the task's file, with the time it gives. A plan that
/// waits for approval is newer than the event that asked for one.
fn of_task(hub: &Hub, agent: &AgentId, id: &TaskId) -> AgentEvidence {
    let at = places(hub, id).into_iter().find(|(owner, _)| owner == agent).and_then(|(_, at)| at);
    let task = summary(hub, agent, id, at);
    let since = match task.status {
        TaskStatus::Blocked => task.blocked_since,
        TaskStatus::PendingApproval => task.approval_since,
        _ => None,
    };
    let proof = trace(hub, id).filter(|trace| trace.status == task.status && since.is_none_or(|at| at == trace.at));
    let proof = proof.map(|trace| hub.event(trace.event));
    let since = proof.map(|event| event.at).or(since).or(task.last_activity);
    let source = proof.map_or_else(|| format!("tasks/{id}.md"), |event| event.event_type().to_owned());
    AgentEvidence {
        event_id: proof.map(Event::id),
        session_id: task.session.filter(|session| session.known).map(|session| session.work_session_id),
        task_id: Some(id.clone()),
        ..evidence(EvidenceKind::Task, source, since)
    }
}

fn of_send(hub: &Hub, wait: WaitingSend<'_>) -> AgentEvidence {
    let event = hub.event(wait.tracked.event);
    AgentEvidence {
        event_id: Some(event.id()),
        session_id: Some(wait.session.id.as_ref().clone()),
        thread_id: Some(wait.thread.id.clone()),
        other: Some(wait.tracked.to.clone()),
        ..evidence(EvidenceKind::Send, event.event_type().to_owned(), Some(event.at))
    }
}

pub(super) fn of_event(hub: &Hub, index: u32) -> AgentEvidence {
    let (event, fact) = (hub.event(index), hub.meta_of(index));
    let session = hub.session_at(fact.session);
    let thread = session.filter(|_| fact.thread != NONE).and_then(|it| it.state.threads.get(fact.thread as usize));
    AgentEvidence {
        event_id: Some(event.id()),
        session_id: session.map(|session| session.id.as_ref().clone()),
        thread_id: thread.filter(|thread| thread.is_shown()).map(|thread| thread.id.clone()),
        task_id: event.task_id(),
        ..evidence(EvidenceKind::Event, event.event_type().to_owned(), Some(event.at))
    }
}

/// The newest event in which the agent speaks or which it wrote.
pub(super) fn newest_act(hub: &Hub, id: &AgentId) -> Option<u32> {
    let list = hub.indexes.by_agent.get(id).map_or(&[][..], |posting| &posting.list);
    let own = std::slice::from_ref(id);
    list.iter().rev().take(MAX_SCANNED_EVENTS).copied().find(|index| hub.spoke(*index, own) || hub.wrote(*index, own))
}

/// Last change of the task's file or events.
fn moved(hub: &Hub, agent: &AgentId, id: &TaskId) -> Option<i64> {
    let (_, at) = places(hub, id).into_iter().find(|(owner, _)| owner == agent)?;
    dated_status(hub, id, at).1
}

/// The current task of an agent: that of its newest act, else the one whose file or events changed last, else the
/// focus of `CURRENT_TASK.md`, else the first that is under way or blocked.
fn focus(hub: &Hub, folder: &AgentWorkspace, acted: Option<u32>) -> Option<(TaskId, TaskStatus)> {
    let order = |status: TaskStatus| match status {
        TaskStatus::InProgress => Some(2),
        TaskStatus::Blocked => Some(1),
        TaskStatus::PendingApproval => Some(0),
        _ => None,
    };
    let at_hand = acted.and_then(|index| hub.event(index).task_id());
    let focused = folder.current.focus.as_ref();
    let candidates = folder.tasks.iter().filter_map(|task| {
        let is_focus = focused == Some(&task.id) && !task.status.ended();
        let order = order(task.status).or(is_focus.then_some(0))?;
        Some(((at_hand.as_ref() == Some(&task.id), moved(hub, &folder.agent_id, &task.id), is_focus, order), task))
    });
    // Of equals the first: `max_by_key` would take the last.
    let (_, task) = candidates.rev().max_by_key(|(rank, _)| *rank)?;
    Some((task.id.clone(), task.status))
}

/// Without a folder: the newest open task that its events of the last day name.
fn by_events(hub: &Hub, id: &AgentId) -> Option<(TaskId, TaskStatus)> {
    let list = hub.indexes.by_agent.get(id).map_or(&[][..], |posting| &posting.list);
    let mut seen: BTreeSet<TaskId> = BTreeSet::new();
    // The type is in a column: other events need not be read, let alone unpacked.
    let of_task = |index: &&u32| hub.indexes.kinds.may(hub.meta_of(**index).kind, |kind| kind.starts_with("task."));
    for index in list.iter().rev().take(MAX_SCANNED_EVENTS).filter(of_task) {
        let event = hub.event(*index);
        let Some(task) = event.task_id().filter(|_| event.event_type().starts_with("task.")) else { continue };
        if event.agent() != id.as_str() || !seen.insert(task.clone()) {
            continue;
        }
        // An event about another agent's task is not about its own.
        if !places(hub, &task).iter().any(|(owner, _)| owner == id) {
            continue;
        }
        let status = trace(hub, &task).map(|trace| trace.status);
        let open = |status: &TaskStatus| {
            matches!(status, TaskStatus::InProgress | TaskStatus::Blocked | TaskStatus::PendingApproval)
        };
        if let Some(status) = status.filter(open) {
            return Some((task, status));
        }
    }
    None
}

fn current_title(hub: &Hub, agent: &AgentId, task: Option<&TaskId>, folder: Option<&AgentWorkspace>) -> Option<String> {
    let of_task = task.and_then(|id| {
        let (_, at) = places(hub, id).into_iter().find(|(owner, _)| owner == agent)?;
        let title = super::task::title(hub, id, at);
        (!title.is_empty()).then_some(title)
    });
    of_task.or_else(|| folder.filter(|folder| folder.current.has_task)?.current.title.as_deref().and_then(title::clean))
}
