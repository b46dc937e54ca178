//! Builder of a task record from its file, its archive entry and its events.

use crate::api::{StepsProgress, TaskSource, TaskSummary};
use crate::event::{Event, Field};
use crate::hub::{DatedStatus, Hub, TaskAt, Trace, archived, emitter, open};
use crate::ids::{AgentId, SessionId, TaskId};
use crate::time::parse_iso;
use crate::title;
use crate::workspace::{HistoryEntry, Plan, StepState, Task, TaskStatus};

use super::card::link;

/// Status of a task by its events; `None` when none of them decides.
pub(super) fn trace(hub: &Hub, id: &TaskId) -> Option<Trace> {
    hub.indexes.task_log.trace(id)
}

/// All events that name the task, oldest first.
pub(super) fn events_of<'a>(hub: &'a Hub, id: &TaskId) -> &'a [u32] {
    hub.indexes.task_log.events(id)
}

/// Owner of a task when only events name it.
pub(super) fn owner(hub: &Hub, id: &TaskId) -> Option<AgentId> {
    let owner = hub.indexes.task_log.owner(id)?;
    Some(match hub.indexes.people.name(owner.agent) {
        // An agent beyond the numbered ones.
        "" => emitter(hub.event(owner.event)),
        name => AgentId::from(name),
    })
}

/// A task's places: the agent, and the position in the workspace if any.
pub(super) fn places(hub: &Hub, id: &TaskId) -> Vec<(AgentId, Option<TaskAt>)> {
    let shown = hub.inputs.tasks.places(id).iter().filter(|at| !hub.inputs.tasks.is_hidden(**at));
    let owner_of = |at: &TaskAt| hub.workspace().agents.get(at.agent()).map(|folder| folder.agent_id.clone());
    let mut out: Vec<(AgentId, Option<TaskAt>)> = shown.filter_map(|at| Some((owner_of(at)?, Some(*at)))).collect();
    if out.is_empty() {
        out.extend(owner(hub, id).map(|agent| (agent, None)));
    }
    out
}

/// Agent whose page shows an event's task: the event's own agent if the task is theirs, else the owner. `None`
/// when no file and no event with a status names the task: no list shows it then.
pub(super) fn shown_under(hub: &Hub, id: &TaskId, agent: &AgentId) -> Option<AgentId> {
    let mut owners = places(hub, id);
    owners.retain(|(_, at)| at.is_some() || trace(hub, id).is_some());
    let own = owners.iter().position(|(owner, _)| owner == agent).unwrap_or(0);
    (own < owners.len()).then(|| owners.swap_remove(own).0)
}

/// Status and newest activity of a task: the sort key of lists.
pub(super) fn dated_status(hub: &Hub, id: &TaskId, at: Option<TaskAt>) -> DatedStatus {
    if let Some(at) = at {
        return hub.inputs.tasks.dated_status(at);
    }
    let newest = events_of(hub, id).last().map(|index| hub.at(*index)).filter(|at| *at > 0);
    (trace(hub, id).map_or(TaskStatus::Unknown, |trace| trace.status), newest)
}

/// Title of a task: from its file, else from an event of hooks.
pub(super) fn title(hub: &Hub, id: &TaskId, at: Option<TaskAt>) -> String {
    let workspace = hub.workspace();
    let of_file = at.and_then(|at| open(workspace, at)).map(|file| file.description.as_str());
    let of_entry = || at.and_then(|at| archived(workspace, at)).map(|entry| entry.description.as_str());
    let of_task = of_file.or_else(of_entry).map(title::heading).filter(|title| !title.is_empty());
    let of_event = || hub.event(hub.indexes.task_log.titled(id)?).label().and_then(title::clean);
    of_task.or_else(of_event).unwrap_or_default()
}

/// The list entry of a task.
pub(super) fn summary(hub: &Hub, agent: &AgentId, id: &TaskId, at: Option<TaskAt>) -> TaskSummary {
    let trace = trace(hub, id);
    let (status, last_activity) = dated_status(hub, id, at);
    let mut task = TaskSummary {
        agent_id: agent.clone(),
        id: id.clone(),
        title: title(hub, id, at),
        status,
        source: TaskSource::Events,
        event_status: trace.map(|trace| trace.status),
        event_status_at: trace.map(|trace| trace.at),
        differs: false,
        priority: hub.indexes.task_log.priority(id),
        created: events_of(hub, id).first().map(|index| hub.at(*index)).filter(|at| *at > 0),
        last_activity,
        steps_progress: StepsProgress::default(),
        blocking: None,
        blocked_since: None,
        approval_since: None,
        given_up_hours: None,
        backlog: None,
        session: session_of(hub, id).map(|session| link(hub, &session)),
        focus: false,
        flaws: Vec::new(),
    };
    let workspace = hub.workspace();
    if let Some(file) = at.and_then(|at| open(workspace, at)) {
        fill_open(&mut task, file);
        task.focus = hub.folder(agent).is_some_and(|folder| folder.current.focus.as_ref() == Some(id));
        if let Some(session) = &file.work_session_id {
            task.session = Some(link(hub, session));
        }
    } else if let Some(entry) = at.and_then(|at| archived(workspace, at)) {
        fill_archived(&mut task, entry);
    }
    task.differs = trace.is_some_and(|trace| trace.status != task.status);
    task.given_up_hours = given_up(hub, trace, task.status).and_then(|event| event.count(Field::AgeHours));
    if task.status == TaskStatus::PendingApproval {
        let planned = pending_plan(hub, agent, id).and_then(|plan| plan_since(hub, plan));
        let by_event = trace.filter(|trace| trace.status == TaskStatus::PendingApproval).map(|trace| trace.at);
        task.approval_since = planned.or(by_event).or(task.created).or(task.last_activity);
    }
    if task.status == TaskStatus::Blocked {
        let by_event = trace.filter(|trace| trace.status == TaskStatus::Blocked).map(|trace| trace.at);
        let requested_at = task.blocking.as_ref().and_then(|blocking| blocking.last_unblock_request_at.as_deref());
        task.blocked_since = by_event.or_else(|| requested_at.and_then(parse_iso)).or(task.last_activity);
        if task.blocking.is_none() {
            task.blocking = trace.map(|trace| blocking_of(hub.event(trace.event)));
        }
        // Agents are known by lower-case ids, however a file or an event writes them.
        for id in task.blocking.iter_mut().flat_map(|blocking| &mut blocking.unblocked_by) {
            *id = id.to_lowercase();
        }
    }
    task
}

const GAVE_UP: &str = "zombie.abandoned";

/// The event by which the zombie detector gave the task up, unless a later event decided its status.
pub(super) fn given_up(hub: &Hub, trace: Option<Trace>, status: TaskStatus) -> Option<&Event> {
    let open = matches!(status, TaskStatus::Abandoned | TaskStatus::Backlog | TaskStatus::InProgress);
    let index = trace.filter(|_| open)?.event;
    // The type is in a column: another event need not be unpacked.
    let may = hub.indexes.kinds.may(hub.meta_of(index).kind, |kind| kind == GAVE_UP);
    may.then(|| hub.event(index)).filter(|event| event.event_type() == GAVE_UP)
}

/// A pending plan of the agent for its task.
fn pending_plan<'a>(hub: &'a Hub, agent: &AgentId, id: &TaskId) -> Option<&'a Plan> {
    let plans = hub.workspace().agents.iter().flat_map(|folder| &folder.plans);
    let mut own = plans.filter(|plan| plan.task_id.as_ref() == Some(id) && plan.agent_id == *agent);
    own.find(|plan| plan.status.eq_ignore_ascii_case("pending"))
}

/// Since when a plan waits: by its file, else by the event that submitted it.
pub(super) fn plan_since(hub: &Hub, plan: &Plan) -> Option<i64> {
    let by_file = plan.submitted_at.as_deref().and_then(parse_iso);
    by_file.or_else(|| submission(hub, plan).map(|event| event.at))
}

/// The event that submitted the plan, where the log has one: plans are mostly files only
/// (`contract/workspace.md` §7).
pub(super) fn submission<'a>(hub: &'a Hub, plan: &Plan) -> Option<&'a Event> {
    let named = events_of(hub, plan.task_id.as_ref()?).iter().rev().map(|index| hub.event(*index));
    named
        .filter(|event| event.event_type() == "plan.submitted")
        .find(|event| event.text(Field::PlanId).is_none_or(|id| id == plan.id))
}

fn fill_open(task: &mut TaskSummary, file: &Task) {
    task.source = TaskSource::File;
    task.priority = file.priority;
    task.created = file.created.as_deref().and_then(parse_iso).or(task.created);
    task.steps_progress = progress(file);
    task.blocking = file.blocking.clone();
    task.backlog = file.backlog.clone();
    task.flaws.clone_from(&file.flaws);
}

fn fill_archived(task: &mut TaskSummary, entry: &HistoryEntry) {
    task.source = TaskSource::History;
    task.priority = entry.priority;
    task.created = entry.started.as_deref().and_then(parse_iso).or(task.created);
}

fn progress(file: &Task) -> StepsProgress {
    let count = |state| super::page::len(&file.steps.iter().filter(|step| step.status == state).collect::<Vec<_>>());
    StepsProgress {
        total: super::page::len(&file.steps),
        done: count(StepState::Done),
        in_progress: count(StepState::InProgress),
        pending: count(StepState::Pending) + count(StepState::Unknown),
        skipped: count(StepState::Skipped),
    }
}

fn blocking_of(event: &Event) -> crate::workspace::Blocking {
    crate::workspace::Blocking {
        blocked_reason: event.reason().map(str::to_owned),
        unblocked_by: event.list("unblockedBy"),
        ..crate::workspace::Blocking::default()
    }
}

/// The session of a task by its events: the newest one that names a work session.
pub(super) fn session_of(hub: &Hub, id: &TaskId) -> Option<SessionId> {
    let by_file = hub.inputs.tasks.places(id).iter().find_map(|at| open(hub.workspace(), *at));
    by_file.and_then(|file| file.work_session_id.clone()).or_else(|| {
        events_of(hub, id)
            .iter()
            .rev()
            .find_map(|index| hub.session_at(hub.meta_of(*index).session).map(|session| session.id.as_ref().clone()))
    })
}
