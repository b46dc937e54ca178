//! What waits for a person: each line names its evidence, and says when it is concluded rather than written.

mod alarms;
mod terminals;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::card::{category, link, titled};
use super::task::{given_up, owner, places, plan_since, standing, submission, summary, trace};
use crate::api::{Attention, AttentionKind, BandStanding, TaskSource};
use crate::delivery::{DeliveryState, Tracked};
use crate::event::Event;
use crate::hub::{DETAIL_CHARS, Hub, Session, TaskAt, Thread};
use crate::ids::{AgentId, TaskId};
use crate::session::ARCHIVE_AFTER_MS;
use crate::text;
use crate::title;
use crate::workspace::{Plan, TaskStatus};

/// Lines at most; the most urgent come first.
const MAX_LINES: usize = 40;
/// Guesses shown at most: they are the least of all worries.
const MAX_GUESSES: usize = 3;

/// All lines, most urgent kind first, newest first within.
pub(super) fn attention(hub: &Hub, now: i64) -> Vec<Attention> {
    let mut lines = Vec::new();
    tasks(hub, now, &mut lines);
    plans(hub, &mut lines);
    alarms::alarms(hub, now, &mut lines);
    terminals::terminals(hub, now, &mut lines);
    sends(hub, now, &mut lines);
    lines.extend(drift(hub, now));
    guesses(hub, now, &mut lines);
    lines.sort_by_key(|line| (rank(line.kind), Reverse(line.since)));
    lines.truncate(MAX_LINES);
    lines
}

fn rank(kind: AttentionKind) -> u8 {
    match kind {
        AttentionKind::Permission | AttentionKind::Question => 0,
        AttentionKind::UnblockFailed => 1,
        AttentionKind::TaskBlocked => 2,
        AttentionKind::AgentFailed => 3,
        AttentionKind::Blocked => 4,
        AttentionKind::NoReply => 5,
        AttentionKind::Approval => 6,
        AttentionKind::Backoff => 7,
        AttentionKind::Zombie => 8,
        AttentionKind::FallbackDrift => 9,
        AttentionKind::LowConfidence => 10,
        AttentionKind::Unknown => 11,
    }
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
        evidence,
        session_id: None,
        thread_id: None,
        event_id: None,
        task_id: None,
        band: None,
    }
}

/// Tasks that are stuck, wait for approval or were given up, by file; by event of the last day where there is none.
fn tasks(hub: &Hub, now: i64, lines: &mut Vec<Attention>) {
    let mut ids: BTreeSet<&TaskId> = BTreeSet::new();
    for folder in &hub.workspace().agents {
        ids.extend(folder.tasks.iter().map(|task| &task.id));
    }
    for id in hub.task_log.decided_since(now.saturating_sub(ARCHIVE_AFTER_MS)) {
        // Where an agent's folder can be read and has no such file, the task is over, whatever its last event says.
        let readable = owner(hub, id).is_some_and(|id| hub.workspace().agents.iter().any(|it| it.agent_id == id));
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
    // Most tasks wait for nobody: their status alone says so, and no summary is made of them.
    let kind = match standing(hub, id, at).0 {
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
        unblockers: blocking.unblocked_by.into_iter().map(AgentId).collect(),
        title: task.title.clone(),
        detail: text::preview(&blocking.blocked_reason.unwrap_or_default(), DETAIL_CHARS),
        attempts: if kind == AttentionKind::Zombie { hours } else { blocking.unblock_request_count },
        session_id: task.session.filter(|session| session.known).map(|session| session.work_session_id),
        event_id: proof.map(|proof| hub.id(proof.event)),
        task_id: Some(id.clone()),
        ..line(kind, since.unwrap_or(0), evidence)
    })
}

/// Plans nobody has decided.
fn plans(hub: &Hub, lines: &mut Vec<Attention>) {
    let pending = |plan: &&Plan| plan.status.eq_ignore_ascii_case("pending");
    let pending: Vec<&Plan> = hub.workspace().agents.iter().flat_map(|it| &it.plans).filter(pending).collect();
    // A plan says more than the task that waits for it.
    let planned: BTreeSet<&TaskId> = pending.iter().filter_map(|plan| plan.task_id.as_ref()).collect();
    lines.retain(|line| {
        line.kind != AttentionKind::Approval || line.task_id.as_ref().is_none_or(|task| !planned.contains(task))
    });
    lines.extend(pending.into_iter().map(|plan| approval(hub, plan)));
}

fn approval(hub: &Hub, plan: &Plan) -> Attention {
    let session = plan.task_id.as_ref().and_then(|task| super::task::session_of(hub, task));
    let of_task = plan.task_id.as_ref().and_then(|task| hub.tasks.description(hub.workspace(), task));
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

/// A send without a good end, before anything is written of it.
struct Stuck<'a> {
    kind: AttentionKind,
    /// Nothing says so: it is concluded from silence.
    inferred: bool,
    since: i64,
    session: &'a Session,
    thread: &'a Thread,
    tracked: &'a Tracked,
}

/// Sends of the last day without a good end that nothing later in their thread made up for. Texts are read of those only
/// that may be shown: home is part of every delta, and a bad day has hundreds.
fn sends(hub: &Hub, now: i64, lines: &mut Vec<Attention>) {
    let mut stuck = Vec::new();
    for (_, session) in hub.recent_sessions(now) {
        for thread in &session.state.threads {
            stuck.extend(thread.exchanges.list.last().and_then(|last| stuck_send(now, session, thread, last)));
        }
    }
    let mut order: Vec<_> = (0..).zip(&stuck).map(|(at, send)| (rank(send.kind), Reverse(send.since), at)).collect();
    if order.len() > MAX_LINES {
        order.select_nth_unstable(MAX_LINES);
        order.truncate(MAX_LINES);
    }
    order.sort_unstable();
    lines.extend(order.into_iter().map(|(_, _, at): (_, _, usize)| send(hub, &stuck[at])));
}

fn stuck_send<'a>(now: i64, session: &'a Session, thread: &'a Thread, tracked: &'a Tracked) -> Option<Stuck<'a>> {
    let delivery = &tracked.delivery;
    let (kind, inferred) = match delivery.state_at(tracked.sent_at, now) {
        DeliveryState::NoReply => (AttentionKind::NoReply, false),
        DeliveryState::Blocked => (AttentionKind::Blocked, false),
        DeliveryState::NoTrace => (AttentionKind::NoReply, true),
        _ => return None,
    };
    let since = delivery.settled_at.unwrap_or(tracked.sent_at);
    Some(Stuck { kind, inferred, since, session, thread, tracked })
}

fn send(hub: &Hub, stuck: &Stuck<'_>) -> Attention {
    let Stuck { kind, inferred, since, session, thread, tracked } = *stuck;
    let own = hub.event(tracked.event);
    // The newest mark that belongs to this send is what proves it.
    let proof = thread
        .marks
        .iter()
        .rev()
        .find(|(mark, send)| *send == tracked.event && is_response(hub, *mark))
        .map_or(own, |(mark, _)| hub.event(*mark));
    Attention {
        inferred,
        agent: Some(tracked.from.clone()),
        other: Some(tracked.to.clone()),
        title: titled(hub, session).1,
        detail: crate::hub::line(own).text,
        attempts: (tracked.delivery.retries > 0).then_some(tracked.delivery.retries),
        session_id: Some(session.id.clone()),
        thread_id: Some(thread.id.clone()),
        event_id: Some(own.id()),
        task_id: own.task_id(),
        ..line(kind, since, proof.event_type().to_owned())
    }
}

/// Its type stands beside the log: of other events no line is read.
fn is_response(hub: &Hub, index: u32) -> bool {
    const RESPONSE: &str = "a2a.response";
    hub.kinds.may(hub.fact(index).kind, |kind| kind == RESPONSE) && hub.event(index).event_type() == RESPONSE
}

/// The classifier finds grounds more seldom than it used to, or suspiciously often. It stands since the recent week
/// began, so that a line put away until news comes back with the next day on which it is still so.
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

/// Talks of the last day whose category hardly anything supports.
fn guesses(hub: &Hub, now: i64, lines: &mut Vec<Attention>) {
    let talks = hub.recent_sessions(now).filter(|(brief, session)| brief.doubtful && session.state.bubbles > 0);
    for (_, session) in talks.take(MAX_GUESSES) {
        let category = category(hub, session);
        lines.push(Attention {
            inferred: true,
            title: link(hub, &session.id).title,
            detail: format!("{:.2}", category.confidence),
            session_id: Some(session.id.clone()),
            ..line(AttentionKind::LowConfidence, session.state.last, String::new())
        });
    }
}
