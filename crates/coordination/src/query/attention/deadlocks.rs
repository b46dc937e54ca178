//! Work list lines of deadlocks: agents that wait for each other in a cycle, by open sends and blocked tasks. The wait
//! that closed the cycle is the evidence.

use super::super::card::titled;
use super::super::wait_graph::{Deadlock, WaitCause, WaitGraph};
use super::{MAX_LINES, line};
use crate::api::{Attention, AttentionKind};
use crate::hub::Hub;

/// The oldest ones, one more than fit on the list.
pub(super) fn deadlocks(hub: &Hub, now: i64, graph: &WaitGraph<'_>) -> Vec<Attention> {
    let found = graph.deadlocks(now);
    found.iter().take(MAX_LINES + 1).filter_map(|deadlock| deadlock_line(hub, graph, deadlock)).collect()
}

fn deadlock_line(hub: &Hub, graph: &WaitGraph<'_>, deadlock: &Deadlock<'_, '_>) -> Option<Attention> {
    let closing = deadlock.cycle.first()?;
    let waiters = deadlock.cycle.iter().map(|wait| graph.agents[wait.waiter as usize].clone());
    let cycle: Vec<_> = waiters.collect();
    let line = Attention {
        inferred: true,
        agent: cycle.first().cloned(),
        cycle,
        ..line(AttentionKind::Deadlock, closing.since, String::new())
    };
    Some(match &closing.cause {
        WaitCause::Send(send_ref) => {
            let send = send_ref.send();
            let event = hub.event(send.tracked.event);
            Attention {
                title: titled(hub, send.session).1,
                detail: crate::hub::line(event).text,
                evidence: event.event_type().to_owned(),
                session_id: Some(send.session.id.as_ref().clone()),
                thread_id: Some(send.thread.id.clone()),
                event_id: Some(event.id()),
                ..line
            }
        }
        WaitCause::Task(blocked) => Attention {
            detail: blocked.reason.clone(),
            evidence: blocked.evidence.clone(),
            session_id: blocked.session.clone(),
            event_id: blocked.event.clone(),
            task_id: Some(blocked.task.clone()),
            ..line
        },
    })
}
