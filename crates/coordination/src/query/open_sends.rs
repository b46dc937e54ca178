//! Messages between agents that still wait for an answer, in the order of their events, by sender and by receiver. It costs
//! the threads of the last day that hold one, and is built for each question.

use crate::delivery::DeliveryState;
use crate::hub::{FastHashMap, Hub, Session, Thread, Tracked, count};
use crate::ids::AgentId;

/// A send that still waits for its answer.
#[derive(Clone, Copy)]
pub(super) struct WaitingSend<'a> {
    pub(super) tracked: &'a Tracked,
    pub(super) session: &'a Session,
    pub(super) thread: &'a Thread,
}

/// An open send, with the numbers of its agents in [`OpenSends::agents`].
pub(super) struct OpenSend<'a> {
    pub(super) send: WaitingSend<'a>,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// Every send that still waits.
#[derive(Default)]
pub(super) struct OpenSends<'a> {
    /// Oldest first.
    pub(super) all: Vec<OpenSend<'a>>,
    /// Senders and receivers, by their number.
    pub(super) agents: Vec<&'a AgentId>,
    numbers: FastHashMap<&'a AgentId, u32>,
    /// By number of the sender: indexes in [`Self::all`].
    from: Vec<Vec<u32>>,
    /// By number of the receiver, as well.
    to: Vec<Vec<u32>>,
}

impl<'a> OpenSends<'a> {
    pub(super) fn new(hub: &'a Hub, now: i64) -> Self {
        let mut found: Vec<WaitingSend<'a>> = Vec::new();
        let mut sessions: Vec<&Session> = hub.recent_sessions(now).map(|(_, session)| session).collect();
        // The oldest first, so that hardly any send is out of order.
        sessions.reverse();
        for session in sessions {
            for thread in session.state.unsettled_threads() {
                let open = thread.exchanges.open.iter().map(|position| &thread.exchanges.list[*position]);
                let waiting = open.filter(|tracked| tracked.state_at(now) == DeliveryState::Waiting);
                found.extend(waiting.map(|tracked| WaitingSend { tracked, session, thread }));
            }
        }
        found.sort_by(|a, b| {
            let (a, b) = (a.tracked, b.tracked);
            a.sent_at.cmp(&b.sent_at).then_with(|| crate::hub::order(hub.events(), a.event, b.event))
        });
        let mut sends = Self { all: Vec::with_capacity(found.len()), ..Self::default() };
        for (index, send) in (0_u32..).zip(found) {
            let (from, to) = (sends.number(&send.tracked.from), sends.number(&send.tracked.to));
            sends.from[from as usize].push(index);
            sends.to[to as usize].push(index);
            sends.all.push(OpenSend { send, from, to });
        }
        sends
    }

    fn number(&mut self, agent: &'a AgentId) -> u32 {
        let next = count(self.agents.len());
        let number = *self.numbers.entry(agent).or_insert(next);
        if number == next {
            self.agents.push(agent);
            self.from.push(Vec::new());
            self.to.push(Vec::new());
        }
        number
    }

    /// Those that an agent sent, oldest first.
    pub(super) fn from<'s>(&'s self, agent: &AgentId) -> impl ExactSizeIterator<Item = WaitingSend<'a>> + use<'s, 'a> {
        self.listed(&self.from, agent)
    }

    /// Those that wait for an agent, oldest first.
    pub(super) fn to<'s>(&'s self, agent: &AgentId) -> impl ExactSizeIterator<Item = WaitingSend<'a>> + use<'s, 'a> {
        self.listed(&self.to, agent)
    }

    fn listed<'s>(
        &'s self,
        lists: &'s [Vec<u32>],
        agent: &AgentId,
    ) -> impl ExactSizeIterator<Item = WaitingSend<'a>> + use<'s, 'a> {
        let list = self.numbers.get(agent).and_then(|number| lists.get(*number as usize));
        list.map_or(&[][..], Vec::as_slice).iter().map(|index| self.all[*index as usize].send)
    }
}
