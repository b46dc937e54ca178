//! Wait-for graph of agents: who waits for whom, for an answer or for help with a blocked task. It tells how many agents
//! one agent holds up, directly or through others, and finds deadlocks. It costs the waits of the last day, and is built
//! for each question.

mod components;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::rc::Rc;

use self::components::{components, reach_counts};
use super::agents::is_known;
use super::attention::Stuck;
use super::grouped::Grouped;
use super::open_sends::{OpenSend, OpenSends, SendRef};
use crate::api::{Attention, AttentionKind};
use crate::hub::{FastHashMap, Hub, count};
use crate::ids::{AgentId, EventId, SessionId, TaskId};

/// A cycle of waits counts as a deadlock once the youngest of them has lasted this long. Two agents that ask each other
/// for a few seconds are about to answer.
pub(super) const DEADLOCK_MIN_AGE_MS: i64 = 60_000;

/// One agent waits for another.
pub(super) struct Wait<'h> {
    /// Number of the agent that waits.
    pub(super) waiter: u32,
    /// Number of the agent it waits for.
    pub(super) awaited: u32,
    /// Since when, epoch ms.
    pub(super) since: i64,
    /// The agent is still waiting. Otherwise the time for an answer is over, and the matter is unresolved.
    pub(super) open: bool,
    /// Why it waits.
    pub(super) cause: WaitCause<'h>,
}

impl<'h> Wait<'h> {
    /// The send it waits for an answer to, while that may still come.
    pub(super) fn open_send(&self) -> Option<OpenSend<'h>> {
        match self.cause {
            WaitCause::Send(SendRef::Open(send)) => Some(send),
            _ => None,
        }
    }
}

/// Why an agent waits.
pub(super) enum WaitCause<'h> {
    /// It asked.
    Send(SendRef<'h>),
    /// Its task is blocked.
    Task(Rc<BlockedTask>),
}

/// A task that another agent can unblock.
pub(super) struct BlockedTask {
    pub(super) owner: AgentId,
    pub(super) task: TaskId,
    /// The event that proves it.
    pub(super) event: Option<EventId>,
    pub(super) session: Option<SessionId>,
    /// Why it is blocked, as written.
    pub(super) reason: String,
    /// Event type or file that proves it.
    pub(super) evidence: String,
}

/// Two agents, of which one waits for the other. Waits are named by their place in [`WaitGraph::waits`].
pub(super) struct WaitPair {
    /// The longest wait.
    pub(super) longest: u32,
    /// The longest one that is still open.
    pub(super) longest_open: Option<u32>,
    /// Number of waits.
    pub(super) times: u32,
}

/// All waits of the last day.
#[derive(Default)]
pub(super) struct WaitGraph<'h> {
    /// The agents, by their number.
    pub(super) agents: Vec<AgentId>,
    numbers: FastHashMap<AgentId, u32>,
    /// The longest first.
    pub(super) waits: Vec<Wait<'h>>,
    /// Pairs of agents with a wait between them, by the agent that is waited for.
    pub(super) pairs: Vec<WaitPair>,
    /// For each agent those that wait for it directly, the longest wait first.
    waiters: Vec<Vec<u32>>,
    /// Agents that wait for each other, by all waits; each component comes after those that wait for it.
    components: Vec<Vec<u32>>,
    held_up: OnceCell<Vec<u32>>,
}

impl<'h> WaitGraph<'h> {
    /// The graph of open sends, of sends without a good end, and of blocked tasks among the lines.
    pub(super) fn new(hub: &Hub, sends: &OpenSends<'h>, lines: &[Attention], stuck: &[Stuck<'h>]) -> Self {
        let mut graph = Self::default();
        graph.add_open(sends);
        for stuck in stuck {
            let send = stuck.send();
            graph.add(
                &send.tracked.from,
                &send.tracked.to,
                send.tracked.sent_at,
                false,
                WaitCause::Send(SendRef::Ended(send)),
            );
        }
        for line in lines {
            graph.add_task(hub, line);
        }
        graph.index_waits();
        graph
    }

    /// As [`Self::add`] for each of them; but agents are found by their numbers: many sends may be between few.
    fn add_open(&mut self, sends: &OpenSends<'h>) {
        let mut numbers: Vec<Option<u32>> = vec![None; sends.agents.len()];
        let named: Vec<bool> = sends.agents.iter().map(|agent| is_named(agent)).collect();
        self.waits.reserve(sends.all.len());
        for send in &sends.all {
            let (from, to) = (send.from as usize, send.to as usize);
            if from == to || !named[from] || !named[to] {
                continue;
            }
            let mut number = |agent: usize| *numbers[agent].get_or_insert_with(|| self.number(sends.agents[agent]));
            let (waiter, awaited) = (number(from), number(to));
            let (since, cause) = (send.open.pending.sent_at, WaitCause::Send(SendRef::Open(send.open)));
            self.waits.push(Wait { waiter, awaited, since, open: true, cause });
        }
    }

    fn add_task(&mut self, hub: &Hub, line: &Attention) {
        let is_blocked = matches!(line.kind, AttentionKind::TaskBlocked | AttentionKind::UnblockFailed);
        let (Some(agent), Some(task), true) = (&line.agent, &line.task_id, is_blocked) else { return };
        let blocked = Rc::new(BlockedTask {
            owner: agent.clone(),
            task: task.clone(),
            event: line.event_id.clone(),
            session: line.session_id.clone(),
            reason: line.detail.clone(),
            evidence: line.evidence.clone(),
        });
        // A helper may be a person, or a name that nobody has.
        for helper in line.unblockers.iter().filter(|helper| is_known(hub, helper)) {
            self.add(agent, helper, line.since, true, WaitCause::Task(Rc::clone(&blocked)));
        }
    }

    /// An agent that writes to another session of its own does not wait for itself.
    fn add(&mut self, waiter: &AgentId, awaited: &AgentId, since: i64, open: bool, cause: WaitCause<'h>) {
        if waiter != awaited && is_named(waiter) && is_named(awaited) {
            let (waiter, awaited) = (self.number(waiter), self.number(awaited));
            self.waits.push(Wait { waiter, awaited, since, open, cause });
        }
    }

    fn number(&mut self, agent: &AgentId) -> u32 {
        if let Some(known) = self.numbers.get(agent) {
            return *known;
        }
        let number = count(self.agents.len());
        self.agents.push(agent.clone());
        self.numbers.insert(agent.clone(), number);
        number
    }

    fn index_waits(&mut self) {
        self.waits.sort_by_key(|wait| wait.since);
        let waits_for = Grouped::new(self.agents.len(), self.waits.iter().map(|wait| wait.awaited));
        self.waiters = vec![Vec::new(); self.agents.len()];
        // By waiter: the place of its newest pair.
        let mut places = vec![usize::MAX; self.agents.len()];
        for (awaited, waiters) in (0..).zip(&mut self.waiters) {
            let first = self.pairs.len();
            for index in waits_for.of(awaited).iter().copied() {
                let wait = &self.waits[index as usize];
                let place = &mut places[wait.waiter as usize];
                let is_open = wait.open.then_some(index);
                // A place before `first` is of a pair with another agent.
                match self.pairs.get_mut(*place).filter(|_| *place >= first) {
                    Some(pair) => {
                        pair.times += 1;
                        pair.longest_open = pair.longest_open.or(is_open);
                    }
                    None => {
                        *place = self.pairs.len();
                        self.pairs.push(WaitPair { longest: index, longest_open: is_open, times: 1 });
                        waiters.push(wait.waiter);
                    }
                }
            }
        }
        self.components = components(&self.waiters);
    }

    /// The number of an agent that waits or is waited for.
    pub(super) fn number_of(&self, agent: &AgentId) -> Option<u32> {
        self.numbers.get(agent).copied()
    }

    /// Number of agents that wait for this one, directly or through others.
    pub(super) fn held_up_by(&self, agent: &AgentId) -> u32 {
        self.number_of(agent).map_or(0, |number| self.held_up(number))
    }

    /// As [`Self::held_up_by`], by the number of the agent.
    pub(super) fn held_up(&self, number: u32) -> u32 {
        let held_up = self.held_up.get_or_init(|| reach_counts(&self.waiters, &self.components));
        held_up.get(number as usize).copied().unwrap_or(0)
    }

    /// The longest open wait of each pair.
    fn open_pairs(&self) -> impl Iterator<Item = &Wait<'h>> {
        self.pairs.iter().filter_map(|pair| self.waits.get(pair.longest_open? as usize))
    }

    /// Number of agents that wait for another one.
    pub(super) fn waiting_agents(&self) -> u64 {
        let mut waits = vec![false; self.agents.len()];
        self.waiters.iter().flatten().for_each(|waiter| waits[*waiter as usize] = true);
        waits.into_iter().map(u64::from).sum()
    }

    /// Agents that wait for this one directly, the longest wait first.
    pub(super) fn waiters_of(&self, agent: &AgentId) -> impl Iterator<Item = &AgentId> {
        let waiters = self.number_of(agent).and_then(|number| self.waiters.get(number as usize));
        waiters.into_iter().flatten().map(|waiter| &self.agents[*waiter as usize])
    }

    /// For each agent whether others wait for it while it waits for nobody itself. A wait that is over holds it up no more.
    pub(super) fn roots(&self) -> Vec<bool> {
        let mut roots: Vec<bool> = self.waiters.iter().map(|waiters| !waiters.is_empty()).collect();
        self.open_pairs().for_each(|wait| roots[wait.waiter as usize] = false);
        roots
    }

    /// For each agent the number of others that go on once it does: each open wait of theirs ends at it, directly or
    /// through others. An agent that `is_held` by a person is an end itself, whatever else it waits for; so is one that
    /// waits for nobody.
    pub(super) fn freed(&self, is_held: &[bool]) -> Vec<u32> {
        let waits: Vec<&Wait<'h>> = self.open_pairs().filter(|wait| !is_held[wait.waiter as usize]).collect();
        let waits_for = Grouped::new(self.agents.len(), waits.iter().map(|wait| wait.awaited));
        let mut open_waits = vec![0_u32; self.agents.len()];
        waits.iter().for_each(|wait| open_waits[wait.waiter as usize] += 1);
        let mut ends = vec![WaitEnd::Unknown; self.agents.len()];
        let mut settled: Vec<u32> = Vec::new();
        for (agent, open_waits) in (0..).zip(&open_waits) {
            if *open_waits == 0 {
                ends[agent as usize] = WaitEnd::At(agent);
                settled.push(agent);
            }
        }
        let mut freed = vec![0; self.agents.len()];
        // Agents in a cycle are never settled: nobody outside it frees them.
        while let Some(agent) = settled.pop() {
            let end = ends[agent as usize];
            if let WaitEnd::At(other) = end
                && other != agent
            {
                freed[other as usize] += 1;
            }
            for waiter in waits_for.of(agent).iter().map(|wait| waits[*wait as usize].waiter as usize) {
                ends[waiter] = if matches!(ends[waiter], WaitEnd::Unknown) || ends[waiter] == end {
                    end
                } else {
                    WaitEnd::Several
                };
                open_waits[waiter] -= 1;
                if open_waits[waiter] == 0 {
                    settled.push(count(waiter));
                }
            }
        }
        freed
    }

    /// For each agent the number of steps to it from `start`, against the direction of waiting; absent when it does not
    /// wait for `start`, not even through others.
    pub(super) fn steps_from(&self, start: u32) -> Vec<Option<u32>> {
        let mut steps = vec![None; self.agents.len()];
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((number, step)) = queue.pop_front() {
            if steps[number as usize].is_none() {
                steps[number as usize] = Some(step);
                queue.extend(self.waiters[number as usize].iter().map(|waiter| (*waiter, step + 1)));
            }
        }
        steps
    }

    /// Groups of agents that wait for each other in a cycle at `now`, by open waits that have lasted
    /// [`DEADLOCK_MIN_AGE_MS`]. A new wait between members hides no deadlock that is older. The oldest first.
    pub(super) fn deadlocks(&self, now: i64) -> Vec<Deadlock<'_, 'h>> {
        if self.components.iter().all(|members| members.len() == 1) {
            return Vec::new();
        }
        let is_lasting = |wait: &&Wait<'_>| now.saturating_sub(wait.since) >= DEADLOCK_MIN_AGE_MS;
        let lasting: Vec<&Wait<'h>> = self.open_pairs().filter(is_lasting).collect();
        let groups = components(&edges(self.agents.len(), &lasting)).into_iter().filter(|members| members.len() > 1);
        let groups: Vec<Vec<u32>> = groups.collect();
        let mut group_of = vec![None; self.agents.len()];
        for (group, members) in groups.iter().enumerate() {
            members.iter().for_each(|member| group_of[*member as usize] = Some(group));
        }
        let mut inside: Vec<Vec<&Wait<'h>>> = vec![Vec::new(); groups.len()];
        for wait in lasting {
            let (group, other) = (group_of[wait.waiter as usize], group_of[wait.awaited as usize]);
            if let Some(group) = group.filter(|_| group == other) {
                inside[group].push(wait);
            }
        }
        let waits_of_groups = groups.into_iter().zip(inside);
        let mut found: Vec<_> =
            waits_of_groups.map(|(members, waits)| Deadlock { cycle: self.oldest_cycle(waits), members }).collect();
        found.sort_by_key(|deadlock| {
            deadlock.cycle.first().map(|closing| (closing.since, &self.agents[closing.waiter as usize]))
        });
        found
    }

    /// The cycle that was closed first, and of several through that wait a shortest one. The wait that closed it comes
    /// first.
    fn oldest_cycle<'g>(&'g self, mut waits: Vec<&'g Wait<'h>>) -> Vec<&'g Wait<'h>> {
        let id = |number: u32| &self.agents[number as usize];
        waits.sort_unstable_by_key(|wait| (wait.since, id(wait.waiter), id(wait.awaited)));
        let edges = |of: &[&Wait<'_>]| edges(self.agents.len(), of);
        let has_cycle = |of: &[&Wait<'_>]| components(&edges(of)).iter().any(|members| members.len() > 1);
        // The waits before `closing` make no cycle, and those up to it do.
        let (mut closing, mut last) = (0, waits.len().saturating_sub(1));
        while closing < last {
            let middle = usize::midpoint(closing, last);
            if has_cycle(&waits[..=middle]) { last = middle } else { closing = middle + 1 }
        }
        let Some(closing_wait) = waits.get(closing).copied() else { return Vec::new() };
        let path = shortest_path(&edges(&waits[..closing]), closing_wait.awaited, closing_wait.waiter);
        let wait_of = |(waiter, awaited): (&u32, &u32)| {
            waits.iter().find(|wait| wait.waiter == *waiter && wait.awaited == *awaited).copied()
        };
        let others = path.iter().zip(path.iter().skip(1)).filter_map(wait_of);
        std::iter::once(closing_wait).chain(others).collect()
    }
}

/// The agents at which the waits of one agent end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitEnd {
    Unknown,
    /// All at this one, by its number.
    At(u32),
    Several,
}

/// Agents that wait for each other: none of them can go on by itself.
pub(super) struct Deadlock<'g, 'h> {
    /// Waits of the cycle that was closed first: each for the agent of the next one, the last for that of the first. The
    /// newest, which closed it, comes first. Newer waits between members do not change it.
    pub(super) cycle: Vec<&'g Wait<'h>>,
    /// Numbers of all agents that take part, through other cycles too.
    pub(super) members: Vec<u32>,
}

/// Lines that do not say who wrote them have no agent in common.
fn is_named(agent: &AgentId) -> bool {
    !matches!(agent.as_str(), "" | "unknown")
}

/// For each agent those it waits for by these waits.
fn edges(agents: usize, waits: &[&Wait<'_>]) -> Vec<Vec<u32>> {
    let mut edges = vec![Vec::new(); agents];
    waits.iter().for_each(|wait| edges[wait.waiter as usize].push(wait.awaited));
    edges
}

/// A shortest path; `from` is its first node and `to` its last. Empty without any.
fn shortest_path(edges: &[Vec<u32>], from: u32, to: u32) -> Vec<u32> {
    let mut came_from: Vec<Option<u32>> = vec![None; edges.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            let mut path = vec![node];
            while let Some(before) = path.last().and_then(|node| came_from[*node as usize]) {
                path.push(before);
            }
            path.reverse();
            return path;
        }
        for next in &edges[node as usize] {
            if came_from[*next as usize].is_none() && *next != from {
                came_from[*next as usize] = Some(node);
                queue.push_back(*next);
            }
        }
    }
    Vec::new()
}
