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
use super::agents::{WaitingSend, Waits, is_known};
use super::attention::Stuck;
use crate::api::{Attention, AttentionKind};
use crate::hub::{FastHashMap, Hub, count};
use crate::ids::{AgentId, EventId, SessionId, TaskId};

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

/// Why an agent waits.
pub(super) enum WaitCause<'h> {
    /// It asked.
    Send(WaitingSend<'h>),
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

/// All waits of the last day.
#[derive(Default)]
pub(super) struct WaitGraph<'h> {
    /// The agents, by their number.
    pub(super) agents: Vec<AgentId>,
    numbers: FastHashMap<AgentId, u32>,
    /// The longest first.
    pub(super) waits: Vec<Wait<'h>>,
    /// For each agent those that wait for it directly, the longest wait first.
    waiters: Vec<Vec<u32>>,
    /// Agents that wait for each other, by all waits; each component comes after those that wait for it.
    components: Vec<Vec<u32>>,
    held_up: OnceCell<Vec<u32>>,
}

impl<'h> WaitGraph<'h> {
    /// The graph of open sends, of sends without a good end, and of blocked tasks among the lines of the work list.
    pub(super) fn new(hub: &Hub, waits: &Waits<'h>, lines: &[Attention], stuck: &[Stuck<'h>]) -> Self {
        let mut graph = Self::default();
        let mut by_receiver: Vec<_> = waits.to.iter().collect();
        by_receiver.sort_unstable_by_key(|(receiver, _)| *receiver);
        for send in by_receiver.into_iter().flat_map(|(_, sends)| sends) {
            graph.add_send(*send, true);
        }
        for send in stuck {
            graph.add_send(send.send(), false);
        }
        for line in lines {
            graph.add_task(hub, line);
        }
        graph.index_waits();
        graph
    }

    fn add_send(&mut self, send: WaitingSend<'h>, open: bool) {
        let (from, to) = (&send.tracked.from, &send.tracked.to);
        self.add(from, to, send.tracked.sent_at, open, WaitCause::Send(send));
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

    /// An agent that writes to another session of its own does not wait for itself. Lines that do not say who wrote them
    /// have no agent in common.
    fn add(&mut self, waiter: &AgentId, awaited: &AgentId, since: i64, open: bool, cause: WaitCause<'h>) {
        let is_named = |agent: &AgentId| !matches!(agent.as_str(), "" | "unknown");
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
        self.waiters = vec![Vec::new(); self.agents.len()];
        for wait in &self.waits {
            self.waiters[wait.awaited as usize].push(wait.waiter);
        }
        // Many waits are between few pairs.
        let mut seen = vec![0; self.agents.len()];
        for (mark, waiters) in (1_u32..).zip(&mut self.waiters) {
            waiters.retain(|waiter| std::mem::replace(&mut seen[*waiter as usize], mark) != mark);
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

    /// Agents that wait for this one directly, the longest wait first.
    pub(super) fn waiters_of(&self, agent: &AgentId) -> impl Iterator<Item = &AgentId> {
        let waiters = self.number_of(agent).and_then(|number| self.waiters.get(number as usize));
        waiters.into_iter().flatten().map(|waiter| &self.agents[*waiter as usize])
    }

    /// For each agent whether others wait for it while it waits for nobody itself. A wait that is over holds it up no more.
    pub(super) fn roots(&self) -> Vec<bool> {
        let mut roots: Vec<bool> = self.waiters.iter().map(|waiters| !waiters.is_empty()).collect();
        self.waits.iter().filter(|wait| wait.open).for_each(|wait| roots[wait.waiter as usize] = false);
        roots
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

    /// Groups of agents that wait for each other in a cycle, by open waits alone. The oldest first.
    pub(super) fn deadlocks(&self) -> Vec<Deadlock<'_, 'h>> {
        if self.components.iter().all(|members| members.len() == 1) {
            return Vec::new();
        }
        // The longest wait of each pair represents all of them.
        let mut longest: FastHashMap<(u32, u32), &Wait<'h>> = FastHashMap::default();
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); self.agents.len()];
        for wait in self.waits.iter().filter(|wait| wait.open) {
            longest.entry((wait.waiter, wait.awaited)).or_insert_with(|| {
                edges[wait.waiter as usize].push(wait.awaited);
                wait
            });
        }
        let groups = components(&edges).into_iter().filter(|members| members.len() > 1);
        let mut found: Vec<_> = groups
            .filter_map(|members| {
                let first = *members.iter().min_by_key(|member| &self.agents[**member as usize])?;
                let path = shortest_cycle(&edges, first);
                let pairs = path.iter().copied().zip(path.iter().copied().skip(1));
                let mut cycle: Vec<_> = pairs.filter_map(|pair| longest.get(&pair).copied()).collect();
                // The wait that closed it comes first.
                let closing = (0..cycle.len()).max_by_key(|at| cycle[*at].since)?;
                cycle.rotate_left(closing);
                Some(Deadlock { cycle, members })
            })
            .collect();
        found.sort_by_key(|deadlock| deadlock.cycle.first().map(|closing| closing.since));
        found
    }
}

/// Agents that wait for each other: none of them can go on by itself.
pub(super) struct Deadlock<'g, 'h> {
    /// Waits of a shortest cycle through the member that is first by id: each for the agent of the next one, the last for
    /// that of the first. The newest, which closed it, comes first.
    pub(super) cycle: Vec<&'g Wait<'h>>,
    /// Numbers of all agents that take part, through other cycles too.
    pub(super) members: Vec<u32>,
}

/// A shortest path from `start` back to it; `start` is its first and its last node. Empty without any.
fn shortest_cycle(edges: &[Vec<u32>], start: u32) -> Vec<u32> {
    let mut came_from: Vec<Option<u32>> = vec![None; edges.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for to in &edges[node as usize] {
            if *to == start {
                let mut path = vec![start, node];
                while let Some(before) = path.last().and_then(|node| came_from[*node as usize]) {
                    path.push(before);
                }
                path.reverse();
                return path;
            }
            if came_from[*to as usize].is_none() {
                came_from[*to as usize] = Some(node);
                queue.push_back(*to);
            }
        }
    }
    Vec::new()
}
