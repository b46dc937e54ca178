//! Filters `is:root` and `is:deadlock` of a search query: the sends, blocked tasks, sessions and agents of the wait-for
//! graph that match, and what a person has to settle for a root.

use std::collections::HashSet;

use crate::api::AttentionGroup;
use crate::hub::Hub;
use crate::ids::{AgentId, SessionId, TaskId};
use crate::query::attention::{wait_graph, written};
use crate::query::open_sends::OpenSends;
use crate::query::wait_graph::{Wait, WaitCause};
use crate::search::IsValue;

/// What matches either filter at one moment.
#[derive(Default)]
pub(super) struct WaitStates {
    root: WaitMatches,
    deadlock: WaitMatches,
}

/// What matches one filter.
#[derive(Default)]
pub(super) struct WaitMatches {
    /// Numbers of events.
    pub(super) events: HashSet<u32>,
    pub(super) sessions: HashSet<SessionId>,
    /// With their owners.
    pub(super) tasks: HashSet<(AgentId, TaskId)>,
    pub(super) agents: HashSet<AgentId>,
}

impl WaitMatches {
    fn add(&mut self, wait: &Wait<'_>, until: u32) {
        match &wait.cause {
            WaitCause::Send(send_ref) => {
                let send = send_ref.send();
                // A later page is about the events of the first one.
                if send.tracked.event < until {
                    self.events.insert(send.tracked.event);
                    self.sessions.insert(send.session.id.as_ref().clone());
                }
            }
            WaitCause::Task(blocked) => {
                self.tasks.insert((blocked.owner.clone(), blocked.task.clone()));
                self.sessions.extend(blocked.session.clone());
            }
        }
    }
}

impl WaitStates {
    pub(super) fn new(hub: &Hub, now: i64, until: u32) -> Self {
        let open = OpenSends::new(hub, now);
        let lines = written(hub, now);
        let graph = wait_graph(hub, now, &open, &lines);
        let roots = graph.roots();
        let mut states = Self::default();
        for wait in graph.waits.iter().filter(|wait| roots[wait.awaited as usize]) {
            states.root.add(wait, until);
            states.root.agents.insert(graph.agents[wait.awaited as usize].clone());
        }
        for line in lines.iter().filter(|line| line.group() == AttentionGroup::Person) {
            let Some(agent) = &line.agent else { continue };
            if !states.root.agents.contains(agent) {
                continue;
            }
            states.root.tasks.extend(line.task_id.clone().map(|task| (agent.clone(), task)));
            states.root.sessions.extend(line.session_id.clone());
            let event = line.event_id.as_ref().and_then(|id| hub.find(id));
            states.root.events.extend(event.filter(|event| *event < until));
        }
        for deadlock in graph.deadlocks(now) {
            let is_member = |agent| deadlock.members.contains(&agent);
            let inside = |wait: &&Wait<'_>| wait.open && is_member(wait.waiter) && is_member(wait.awaited);
            graph.waits.iter().filter(inside).for_each(|wait| states.deadlock.add(wait, until));
            states.deadlock.agents.extend(deadlock.members.iter().map(|member| graph.agents[*member as usize].clone()));
        }
        states
    }

    /// What matches a value of `is:`; nothing for values that are about something else.
    pub(super) fn matches_of(&self, value: IsValue) -> Option<&WaitMatches> {
        match value {
            IsValue::Root => Some(&self.root),
            IsValue::Deadlock => Some(&self.deadlock),
            _ => None,
        }
    }
}
