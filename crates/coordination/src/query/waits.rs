//! Query of `GET waits`: who waits for whom, and since when. For one agent: those that wait for it, directly or through
//! others. Costs the waits of the last day.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::attention::{wait_graph, written};
use super::open_sends::OpenSends;
use super::wait_graph::{Wait, WaitCause, WaitGraph};
use crate::api::{Attention, AttentionGroup, PendingDecision, WaitEdge, WaitKind, WaitingAgent, WaitsPage, WaitsQuery};
use crate::delivery::DeliveryState;
use crate::hub::{Hub, count};
use crate::ids::AgentId;

/// Maximum number of agents, and of pairs of them.
const MAX_AGENTS: usize = 300;
const MAX_WAITS: usize = 600;

/// `GET waits`.
#[must_use]
pub fn waits(hub: &Hub, now: i64, query: &WaitsQuery) -> WaitsPage {
    let open = OpenSends::new(hub, now);
    let lines = written(hub, now);
    let graph = wait_graph(hub, now, &open, &lines);
    let steps = match &query.agent {
        Some(agent) => graph.number_of(agent).map_or_else(Vec::new, |number| graph.steps_from(number)),
        None => vec![Some(0); graph.agents.len()],
    };
    let steps = |number: u32| steps.get(number as usize).copied().flatten();
    let mut numbers: Vec<u32> = (0..count(graph.agents.len())).filter(|number| steps(*number).is_some()).collect();
    numbers.sort_by_cached_key(|number| {
        (steps(*number), Reverse(graph.held_up(*number)), &graph.agents[*number as usize])
    });
    let agents_total = count(numbers.len());
    numbers.truncate(MAX_AGENTS);
    let (pairs, waits_total) = pairs(&graph, &numbers, steps);
    let mut elsewhere = vec![0; graph.agents.len()];
    for wait in graph.waits.iter().filter(|wait| wait.open && steps(wait.awaited).is_none()) {
        elsewhere[wait.waiter as usize] += 1;
    }
    let (roots, mut deadlocked) = (graph.roots(), vec![false; graph.agents.len()]);
    for member in graph.deadlocks(now).iter().flat_map(|deadlock| &deadlock.members) {
        deadlocked[*member as usize] = true;
    }
    let mut decisions = pending_decisions(&lines);
    let agents = numbers.iter().map(|number| {
        let id = graph.agents[*number as usize].clone();
        WaitingAgent {
            steps: steps(*number).filter(|_| query.agent.is_some()),
            held_up: graph.held_up(*number),
            waits_elsewhere: elsewhere[*number as usize],
            person: decisions.remove(&id),
            root: roots[*number as usize],
            deadlock: deadlocked[*number as usize],
            id,
        }
    });
    let agents = agents.collect();
    let id = |number: u32| graph.agents[number as usize].clone();
    let waits = pairs.into_iter().map(|(wait, times)| WaitEdge {
        from: id(wait.waiter),
        to: id(wait.awaited),
        times,
        queue: wait.open_send().and_then(|send| open.queue_position(send)),
        ..edge(hub, now, wait)
    });
    WaitsPage { agents, agents_total, waits: waits.collect(), waits_total, cursor: hub.cursor(), now }
}

/// The longest wait of each pair of these agents, with the number of waits between the two. Where not all fit, those on a
/// shortest way to the requested agent come first. Second: the number of all pairs.
fn pairs<'g, 'h>(
    graph: &'g WaitGraph<'h>,
    agents: &[u32],
    steps: impl Fn(u32) -> Option<u32>,
) -> (Vec<(&'g Wait<'h>, u32)>, u32) {
    let mut is_listed = vec![false; graph.agents.len()];
    agents.iter().for_each(|number| is_listed[*number as usize] = true);
    // The waits are in the order of time already: ten thousand pairs are not sorted.
    let mut times = vec![0; graph.waits.len()];
    graph.pairs.iter().for_each(|pair| times[pair.longest as usize] = pair.times);
    let is_shown = |(wait, times): &(&Wait<'_>, u32)| {
        *times > 0 && is_listed[wait.waiter as usize] && is_listed[wait.awaited as usize]
    };
    let mut pairs: Vec<(&Wait<'_>, u32)> = graph.waits.iter().zip(times).filter(is_shown).collect();
    let total = count(pairs.len());
    if pairs.len() > MAX_WAITS {
        let mut has_way = vec![false; graph.agents.len()];
        let is_way = |(wait, _): &(&Wait<'_>, u32)| {
            let is_nearer = steps(wait.awaited).map(|steps| steps + 1) == steps(wait.waiter);
            is_nearer && !std::mem::replace(&mut has_way[wait.waiter as usize], true)
        };
        let (ways, others): (Vec<_>, Vec<_>) = pairs.into_iter().partition(is_way);
        pairs = ways.into_iter().chain(others).take(MAX_WAITS).collect();
        pairs.sort_by_key(|(wait, _)| wait.since);
    }
    (pairs, total)
}

/// By agent: what a person has to settle for it.
fn pending_decisions(lines: &[Attention]) -> BTreeMap<AgentId, PendingDecision> {
    let mut decisions: BTreeMap<AgentId, PendingDecision> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.group() == AttentionGroup::Person) {
        let Some(agent) = &line.agent else { continue };
        let own = PendingDecision { kind: line.kind, since: line.since, total: 1 };
        decisions
            .entry(agent.clone())
            .and_modify(|known| {
                // Nothing says since when a wait with 0 lasts.
                let is_older = own.since > 0 && (known.since == 0 || own.since < known.since);
                let oldest = if is_older { own } else { *known };
                *known = PendingDecision { total: known.total + 1, ..oldest };
            })
            .or_insert(own);
    }
    decisions
}

fn edge(hub: &Hub, now: i64, wait: &Wait<'_>) -> WaitEdge {
    let edge = WaitEdge { since: wait.since, ..WaitEdge::default() };
    match &wait.cause {
        WaitCause::Send(send_ref) => {
            let send = send_ref.send();
            let event = hub.event(send.tracked.event);
            WaitEdge {
                kind: match send.tracked.state_at(now) {
                    DeliveryState::Waiting => WaitKind::Reply,
                    DeliveryState::Blocked => WaitKind::Refused,
                    _ => WaitKind::NoReply,
                },
                text: crate::hub::line(event).text,
                session_id: Some(send.session.id.as_ref().clone()),
                thread_id: Some(send.thread.id.clone()),
                event_id: Some(event.id()),
                ..edge
            }
        }
        WaitCause::Task(blocked) => WaitEdge {
            kind: WaitKind::Task,
            text: blocked.reason.clone(),
            session_id: blocked.session.clone(),
            event_id: blocked.event.clone(),
            task_id: Some(blocked.task.clone()),
            ..edge
        },
    }
}
