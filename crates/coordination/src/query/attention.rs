//! Query of the work list on the home page: decisions that wait for a person, work that is blocked between agents, and
//! doubtful categories. A line that is concluded, not written in an event or file, is marked as inferred. A line about
//! blocked or waiting work names its evidence.

mod alarms;
mod deadlocks;
mod requests;
mod sends;
mod terminals;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

pub use self::requests::answerable_approval;
pub(super) use self::sends::Stuck;
use super::card::{category, link};
use super::open_sends::OpenSends;
use super::task::{dated_status, given_up, owner, places, plan_since, submission, summary, trace};
use super::wait_graph::WaitGraph;
use crate::api::{Attention, AttentionGroup, AttentionKind, BandStanding, TaskSource};
use crate::delivery::NO_TRACE_AFTER_MS;
use crate::event::Event;
use crate::hub::{DETAIL_CHARS, Hub, TaskAt};
use crate::ids::{AgentId, TaskId};
use crate::session::ARCHIVE_AFTER_MS;
use crate::text;
use crate::title;
use crate::workspace::{Plan, TaskStatus};

/// Maximum number of lines of matters.
const MAX_LINES: usize = 40;
/// Maximum number of guesses; they are the least important.
const MAX_GUESSES: usize = 3;

/// Maximum number of lines that are new since a moment.
const MAX_NEW_LINES: usize = 200;

/// The work list, and whether it is incomplete.
pub(super) fn attention(hub: &Hub, now: i64, waits: &OpenSends<'_>) -> (Vec<Attention>, bool) {
    let (mut lines, more) = matters(hub, now, waits, MAX_LINES, |_| true);
    lines.extend(drift(hub, now));
    guesses(hub, now, &mut lines);
    (lines, more)
}

/// All lines but the guesses of the classifier, at most `most`, and whether there are more.
pub(super) fn attention_without_guesses(hub: &Hub, now: i64, most: usize) -> (Vec<Attention>, bool) {
    let (mut lines, more) = matters(hub, now, &OpenSends::new(hub, now), most, |_| true);
    lines.extend(drift(hub, now));
    (lines, more)
}

/// Lines that people or agents settle and that began to wait after `since`, at most [`MAX_NEW_LINES`].
pub(super) fn attention_since(hub: &Hub, now: i64, waits: &OpenSends<'_>, since: i64) -> Vec<Attention> {
    let is_new = |line: &Attention| {
        // A send without a trace becomes a line only after a while.
        let is_silence = line.kind == AttentionKind::NoReply && line.inferred;
        let began = if is_silence { line.since.saturating_add(NO_TRACE_AFTER_MS) } else { line.since };
        began > since && line.group() != AttentionGroup::Check
    };
    matters(hub, now, waits, MAX_NEW_LINES, is_new).0
}

/// The lines of one agent: where it is blocked, did not answer, or could help. Second: whether there are more.
pub(super) fn attention_of(hub: &Hub, now: i64, waits: &OpenSends<'_>, agent: &AgentId) -> (Vec<Attention>, bool) {
    matters(hub, now, waits, MAX_LINES, |line| {
        line.agent.as_ref() == Some(agent)
            || line.other.as_ref() == Some(agent)
            || line.unblockers.contains(agent)
            || line.cycle.contains(agent)
    })
}

/// Matters that fit, at most `most`, and whether there are more. Sorted by who can settle it, by the number of agents that
/// go on when a person does so, by that of all it holds up, by age.
fn matters(
    hub: &Hub,
    now: i64,
    waits: &OpenSends<'_>,
    most: usize,
    fits: impl Fn(&Attention) -> bool,
) -> (Vec<Attention>, bool) {
    let mut lines = written(hub, now);
    let stuck = sends::stuck(hub, now);
    let graph = WaitGraph::new(hub, waits, &lines, &stuck);
    lines.extend(deadlocks::deadlocks(hub, now, &graph));
    let (sends, mut more) = sends::join(hub, &stuck, &mut lines);
    let mut all: Vec<(Attention, Option<&Stuck<'_>>)> = Vec::new();
    all.extend(lines.drain(..).map(|line| (line, None)));
    all.extend(sends.into_iter().map(|(line, send)| (line, Some(send))));
    let mut is_held = vec![false; graph.agents.len()];
    let number = |line: &Attention| line.agent.as_ref().and_then(|agent| graph.number_of(agent));
    let for_person = |line: &Attention| number(line).filter(|_| line.group() == AttentionGroup::Person);
    all.iter().filter_map(|(line, _)| for_person(line)).for_each(|agent| is_held[agent as usize] = true);
    let freed = graph.freed(&is_held);
    for (line, _) in &mut all {
        line.held_up = number(line).map_or(0, |agent| graph.held_up(agent));
        line.freed = for_person(line).map_or(0, |agent| freed[agent as usize]);
    }
    all.retain(|(line, _)| fits(line));
    // Lines are large, so they are not moved.
    all.sort_by_cached_key(|(line, _)| (line.group(), Reverse(line.freed), Reverse(line.held_up), line.since));
    more |= all.len() > most;
    all.truncate(most);
    for (mut line, send) in all {
        if let Some(send) = send {
            send.fill(hub, &mut line);
        }
        if let Some(agent) = &line.agent {
            line.waiters = graph.waiters_of(agent).take(Attention::MAX_WAITERS).cloned().collect();
        }
        lines.push(line);
    }
    (lines, more)
}

/// Number of all lines by kind, without limit and without the guesses of the classifier; and of agents that wait for
/// another one.
pub(super) fn attention_counts(hub: &Hub, now: i64) -> (BTreeMap<AttentionKind, u64>, u64) {
    let mut lines = written(hub, now);
    let stuck = sends::stuck(hub, now);
    let graph = WaitGraph::new(hub, &OpenSends::new(hub, now), &lines, &stuck);
    let (deadlocks, waiting) = (graph.deadlocks(now).len(), graph.waiting_agents());
    let (sends, _) = sends::join(hub, &stuck, &mut lines);
    let mut counts = BTreeMap::new();
    if deadlocks > 0 {
        counts.insert(AttentionKind::Deadlock, deadlocks as u64);
    }
    for kind in lines.iter().chain(sends.iter().map(|(line, _)| line)).map(|line| line.kind) {
        *counts.entry(kind).or_default() += 1;
    }
    (counts, waiting)
}

/// Matters besides sends: tasks, plans, what agents report, and what terminals and OpenClaw's gateway wait for.
pub(super) fn written(hub: &Hub, now: i64) -> Vec<Attention> {
    let mut lines = Vec::new();
    tasks(hub, now, &mut lines);
    plans(hub, &mut lines);
    alarms::alarms(hub, now, &mut lines);
    terminals::terminals(hub, now, &mut lines);
    requests::requests(hub, now, &mut lines);
    lines
}

/// Who waits for whom at `now`; `lines` are those of [`written`].
pub(super) fn wait_graph<'h>(hub: &'h Hub, now: i64, waits: &OpenSends<'h>, lines: &[Attention]) -> WaitGraph<'h> {
    WaitGraph::new(hub, waits, lines, &sends::stuck(hub, now))
}

fn line(kind: AttentionKind, since: i64, evidence: String) -> Attention {
    Attention {
        kind,
        inferred: false,
        since,
        agent: None,
        other: None,
        unblockers: Vec::new(),
        title: String::new(),
        detail: String::new(),
        attempts: None,
        action: String::new(),
        reason: None,
        times: 1,
        messages: 0,
        held_up: 0,
        freed: 0,
        waiters: Vec::new(),
        cycle: Vec::new(),
        evidence,
        session_id: None,
        thread_id: None,
        event_id: None,
        task_id: None,
        requests: Vec::new(),
        band: None,
        approval: None,
        session_key: None,
        until: None,
    }
}

/// Tasks that are blocked, wait for approval or were given up, by file; by event of the last day where there is none.
fn tasks(hub: &Hub, now: i64, lines: &mut Vec<Attention>) {
    let mut ids: BTreeSet<&TaskId> = BTreeSet::new();
    for folder in &hub.workspace().agents {
        ids.extend(folder.tasks.iter().map(|task| &task.id));
    }
    for id in hub.indexes.task_log.decided_since(now.saturating_sub(ARCHIVE_AFTER_MS)) {
        // Where an agent's folder can be read and has no such file, the task is over, regardless of its last event.
        let readable = owner(hub, id).is_some_and(|id| hub.folder(&id).is_some());
        if !readable {
            ids.insert(id);
        }
    }
    for id in ids {
        for (agent, at) in places(hub, id) {
            lines.extend(task(hub, &agent, id, at));
        }
    }
}

fn task(hub: &Hub, agent: &AgentId, id: &TaskId, at: Option<TaskAt>) -> Option<Attention> {
    if matches!(at, Some(TaskAt::Archived { .. })) {
        return None;
    }
    let trace = trace(hub, id);
    // Most tasks do not wait: their status shows it, and no summary is made of them.
    let kind = match dated_status(hub, id, at).0 {
        TaskStatus::Blocked => AttentionKind::TaskBlocked,
        TaskStatus::PendingApproval => AttentionKind::Approval,
        status if given_up(hub, trace, status).is_some() => AttentionKind::Zombie,
        _ => return None,
    };
    let task = summary(hub, agent, id, at);
    let proof = trace.filter(|trace| kind == AttentionKind::Zombie || trace.status == task.status);
    let evidence = match (proof, task.source) {
        (Some(proof), _) => hub.event(proof.event).event_type().to_owned(),
        (None, TaskSource::File) => format!("tasks/{id}.md"),
        (None, _) => return None,
    };
    let since = task
        .blocked_since
        .or(task.approval_since)
        .or(proof.map(|proof| proof.at))
        .or(task.last_activity)
        .or(task.created);
    let blocking = task.blocking.clone().unwrap_or_default();
    let in_vain = kind == AttentionKind::TaskBlocked && blocking.escalation_state.as_deref() == Some("failed");
    let kind = if in_vain { AttentionKind::UnblockFailed } else { kind };
    let hours = task.given_up_hours;
    Some(Attention {
        agent: Some(agent.clone()),
        unblockers: blocking.unblocked_by.into_iter().map(AgentId::from).collect(),
        title: task.title.clone(),
        detail: text::preview(&blocking.blocked_reason.unwrap_or_default(), DETAIL_CHARS),
        action: text::preview(&blocking.unblocked_action.unwrap_or_default(), DETAIL_CHARS),
        attempts: if kind == AttentionKind::Zombie { hours } else { blocking.unblock_request_count },
        session_id: task.session.filter(|session| session.known).map(|session| session.work_session_id),
        event_id: proof.map(|proof| hub.id(proof.event)),
        task_id: Some(id.clone()),
        ..line(kind, since.unwrap_or(0), evidence)
    })
}

/// Pending plans.
fn plans(hub: &Hub, lines: &mut Vec<Attention>) {
    let pending = |plan: &&Plan| plan.status.eq_ignore_ascii_case("pending");
    let pending: Vec<&Plan> = hub.workspace().agents.iter().flat_map(|it| &it.plans).filter(pending).collect();
    // A plan has more detail than the task that waits for it.
    let planned: BTreeSet<&TaskId> = pending.iter().filter_map(|plan| plan.task_id.as_ref()).collect();
    lines.retain(|line| {
        line.kind != AttentionKind::Approval || line.task_id.as_ref().is_none_or(|task| !planned.contains(task))
    });
    lines.extend(pending.into_iter().map(|plan| approval(hub, plan)));
}

fn approval(hub: &Hub, plan: &Plan) -> Attention {
    let session = plan.task_id.as_ref().and_then(|task| super::task::session_of(hub, task));
    let of_task = plan.task_id.as_ref().and_then(|task| hub.inputs.tasks.description(hub.workspace(), task));
    let title = title::clean(&plan.title).or_else(|| of_task.and_then(title::clean));
    let proof = submission(hub, plan);
    let since = plan_since(hub, plan);
    let evidence = proof.map_or_else(|| format!("plans/{}.json", plan.id), |event| event.event_type().to_owned());
    Attention {
        agent: Some(plan.agent_id.clone()),
        title: title.unwrap_or_default(),
        detail: text::preview(&plan.steps.join(" · "), DETAIL_CHARS),
        session_id: session.filter(|session| hub.session(session).is_some()),
        event_id: proof.map(Event::id),
        // Only a task of the planner's own can be opened under their name.
        task_id: plan.task_id.clone().filter(|task| places(hub, task).iter().any(|(owner, _)| *owner == plan.agent_id)),
        ..line(AttentionKind::Approval, since.unwrap_or(0), evidence)
    }
}

/// The share of sessions without evidence left its band. The line dates from the begin of the recent week, so that a
/// snoozed line returns on the next day on which the share is still outside.
fn drift(hub: &Hub, now: i64) -> Option<Attention> {
    let band = super::drift::band::band(hub, now);
    let out = matches!(band.standing, BandStanding::Above | BandStanding::Below);
    let since = band.since;
    out.then(|| Attention {
        inferred: true,
        band: Some(band),
        ..line(AttentionKind::FallbackDrift, since, String::new())
    })
}

/// Sessions of the last day whose category has hardly any evidence.
fn guesses(hub: &Hub, now: i64, lines: &mut Vec<Attention>) {
    let talks = hub.recent_sessions(now).filter(|(brief, session)| brief.doubtful && session.state.bubbles > 0);
    for (_, session) in talks.take(MAX_GUESSES) {
        let category = category(hub, session);
        lines.push(Attention {
            inferred: true,
            title: link(hub, &session.id).title,
            detail: format!("{:.2}", category.confidence),
            session_id: Some(session.id.as_ref().clone()),
            ..line(AttentionKind::LowConfidence, session.state.last, String::new())
        });
    }
}
