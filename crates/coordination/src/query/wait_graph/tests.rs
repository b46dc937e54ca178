//! Tests of the wait-for graph on random graphs, against plain reachability.
//!
//! Proves (work): On random graphs of up to 200 agents, the number of agents that each one holds up, the number that an
//! answer for one of them frees, the agents of each
//! deadlock and the length of its cycle equal those of a plain search through all waits; waits that are over, or younger
//! than a minute, make no deadlock.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

/// Between two times of waits: several of them make a wait old enough.
const STEP_MS: i64 = 10_000;

/// Who waits for whom, whether still, and since when.
type RandomWaits = Vec<(u8, u8, bool, i64)>;

fn id(number: u8) -> AgentId {
    AgentId::from(format!("agent_{number:03}"))
}

fn graph_of(pairs: &RandomWaits) -> WaitGraph<'static> {
    let mut graph = WaitGraph::default();
    for (waiter, awaited, open, since) in pairs {
        let blocked = BlockedTask {
            owner: id(*waiter),
            task: TaskId::default(),
            event: None,
            session: None,
            reason: String::new(),
            evidence: String::new(),
        };
        graph.add(&id(*waiter), &id(*awaited), *since, *open, WaitCause::Task(Rc::new(blocked)));
    }
    graph.index_waits();
    graph
}

/// Number of steps to everything that can be reached from `start`, in at least one step.
fn reached(edges: &[(u8, u8)], start: u8) -> BTreeMap<u8, u32> {
    let (mut found, mut last, mut steps) = (BTreeMap::new(), BTreeSet::from([start]), 0);
    while !last.is_empty() {
        steps += 1;
        let next = edges.iter().filter(|(from, _)| last.contains(from)).map(|(_, to)| *to);
        last = next.filter(|to| !found.contains_key(to)).collect();
        found.extend(last.iter().map(|to| (*to, steps)));
    }
    found
}

/// Length of the cycle that is closed first when these waits come one after the other, and when it is closed.
fn oldest_cycle<'p>(waits: impl Iterator<Item = &'p (u8, u8, bool, i64)>) -> (u32, i64) {
    let mut waits: Vec<_> = waits.collect();
    waits.sort_by_key(|(waiter, awaited, _, since)| (*since, *waiter, *awaited));
    let mut edges: Vec<(u8, u8)> = Vec::new();
    for (waiter, awaited, _, since) in waits {
        if let Some(back) = reached(&edges, *awaited).get(waiter) {
            return (back + 1, *since);
        }
        edges.push((*waiter, *awaited));
    }
    panic!("no cycle")
}

/// Many small graphs and some large ones; waits for oneself, waits that are over, and equal times as well.
fn pairs() -> impl Strategy<Value = RandomWaits> {
    (2_u8..=200, 0_usize..=300).prop_flat_map(|(agents, waits)| {
        let since = (0_i64..50).prop_map(|steps| steps * STEP_MS);
        proptest::collection::vec((0..agents, 0..agents, proptest::bool::weighted(0.8), since), waits)
    })
}

proptest! {
    #[test]
    fn held_up_agents_are_all_that_reach_one(pairs in pairs()) {
        let graph = graph_of(&pairs);
        let others = || pairs.iter().filter(|(waiter, awaited, ..)| waiter != awaited);
        let backwards: Vec<(u8, u8)> = others().map(|(waiter, awaited, ..)| (*awaited, *waiter)).collect();
        for agent in 0..200 {
            let mut waiting = reached(&backwards, agent);
            waiting.remove(&agent);
            prop_assert_eq!(graph.held_up_by(&id(agent)) as usize, waiting.len());
            let Some(number) = graph.number_of(&id(agent)) else { continue };
            let steps = graph.steps_from(number);
            for (other, steps) in graph.agents.iter().zip(steps).filter(|(other, _)| **other != id(agent)) {
                let expected = waiting.iter().find(|(waiter, _)| id(**waiter) == *other).map(|(_, steps)| *steps);
                prop_assert_eq!(steps, expected);
            }
            let waits = others().any(|(waiter, _, open, _)| *waiter == agent && *open);
            prop_assert_eq!(graph.roots()[number as usize], !waiting.is_empty() && !waits);
        }
    }

    #[test]
    fn freed_agents_wait_for_nobody_else(pairs in pairs(), held in proptest::collection::btree_set(0_u8..200, 0..20)) {
        let graph = graph_of(&pairs);
        let is_held = |agent: &AgentId| held.iter().any(|held| id(*held) == *agent);
        let freed = graph.freed(&graph.agents.iter().map(is_held).collect::<Vec<_>>());
        let is_open = |(waiter, awaited, open, _): &&(u8, u8, bool, i64)| {
            waiter != awaited && *open && !held.contains(waiter)
        };
        let mut waits: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
        for (waiter, awaited, ..) in pairs.iter().filter(is_open) {
            waits.entry(*waiter).or_default().insert(*awaited);
        }
        for agent in 0..200 {
            let Some(number) = graph.number_of(&id(agent)) else { continue };
            // One after the other, those go on whose every wait is over; it waits for others itself unless it is held.
            let mut going_on = BTreeSet::from([agent]);
            let mut grows = !waits.contains_key(&agent);
            while grows {
                let is_next = |waiter: &u8, awaited: &BTreeSet<u8>| {
                    !going_on.contains(waiter) && awaited.is_subset(&going_on)
                };
                let next: Vec<u8> =
                    waits.iter().filter(|(waiter, awaited)| is_next(waiter, awaited)).map(|(waiter, _)| *waiter).collect();
                grows = !next.is_empty();
                going_on.extend(next);
            }
            prop_assert_eq!(freed[number as usize] as usize, going_on.len() - 1, "agent {}", agent);
        }
    }

    #[test]
    fn deadlocks_are_the_agents_that_reach_themselves(pairs in pairs(), now in 0_i64..100) {
        let now = now * STEP_MS;
        let graph = graph_of(&pairs);
        let lasts = |(waiter, awaited, open, since): &&(u8, u8, bool, i64)| {
            waiter != awaited && *open && now - since >= DEADLOCK_MIN_AGE_MS
        };
        let edges: Vec<(u8, u8)> = pairs.iter().filter(lasts).map(|(a, b, ..)| (*a, *b)).collect();
        let reached: BTreeMap<u8, BTreeMap<u8, u32>> = (0..200).map(|agent| (agent, reached(&edges, agent))).collect();
        let group = |agent: &u8| -> BTreeSet<AgentId> {
            reached[agent].keys().filter(|other| reached[other].contains_key(agent)).map(|other| id(*other)).collect()
        };
        let in_cycle: Vec<u8> = (0..200).filter(|agent| reached[agent].contains_key(agent)).collect();
        let expected: BTreeSet<BTreeSet<AgentId>> = in_cycle.iter().map(group).collect();
        let deadlocks = graph.deadlocks(now);
        let name = |number: u32| graph.agents[number as usize].clone();
        let found: BTreeSet<BTreeSet<AgentId>> =
            deadlocks.iter().map(|deadlock| deadlock.members.iter().map(|member| name(*member)).collect()).collect();
        prop_assert_eq!(found.len(), deadlocks.len());
        prop_assert_eq!(&found, &expected);
        for Deadlock { cycle, members } in deadlocks {
            let members: BTreeSet<AgentId> = members.into_iter().map(name).collect();
            let (length, since) = oldest_cycle(pairs.iter().filter(lasts).filter(|(a, b, ..)| {
                members.contains(&id(*a)) && members.contains(&id(*b))
            }));
            prop_assert_eq!((cycle.len() as u32, cycle[0].since), (length, since));
            for (wait, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                prop_assert_eq!(wait.awaited, next.waiter);
                prop_assert!(wait.open && wait.since <= cycle[0].since, "the newest wait closed it");
            }
            let agents: BTreeSet<u32> = cycle.iter().map(|wait| wait.waiter).collect();
            prop_assert_eq!(agents.len(), cycle.len(), "no agent twice");
        }
    }
}

#[test]
fn writers_without_a_name_are_no_agent() {
    let mut graph = WaitGraph::default();
    let blocked = || {
        WaitCause::Task(Rc::new(BlockedTask {
            owner: AgentId::default(),
            task: TaskId::default(),
            event: None,
            session: None,
            reason: String::new(),
            evidence: String::new(),
        }))
    };
    for (waiter, awaited) in [("eden", "unknown"), ("unknown", "seum"), ("", "eden"), ("eden", "")] {
        graph.add(&waiter.into(), &awaited.into(), 0, true, blocked());
    }
    graph.index_waits();
    assert!(graph.agents.is_empty() && graph.waits.is_empty() && graph.deadlocks(i64::MAX).is_empty());
}

/// A chain of thousands: nothing here recurses.
#[test]
fn chain_of_many_agents_is_counted() {
    const AGENTS: u32 = 5_000;
    let edges: Vec<Vec<u32>> =
        (0..AGENTS).map(|agent| (agent + 1 < AGENTS).then_some(agent + 1).into_iter().collect()).collect();
    let components = components(&edges);
    assert_eq!(components.len(), AGENTS as usize);
    let counts = reach_counts(&edges, &components);
    assert!((0..AGENTS).all(|agent| counts[agent as usize] == AGENTS - 1 - agent));
}
