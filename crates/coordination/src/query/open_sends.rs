//! Messages between agents that still wait for an answer, in the order of their events, by sender and by receiver. It costs
//! the threads of the last day that hold one, and is built for each question.

use super::grouped::Grouped;
use crate::hub::{FastHashMap, FoldState, Hub, PendingSend, Session, Thread, Tracked, count};
use crate::ids::AgentId;

/// A send that still waits for its answer.
#[derive(Clone, Copy)]
pub(super) struct WaitingSend<'a> {
    pub(super) tracked: &'a Tracked,
    pub(super) session: &'a Session,
    pub(super) thread: &'a Thread,
}

/// An open send whose thread is looked up when it is shown: few of ten thousand are.
#[derive(Clone, Copy)]
pub(super) struct OpenSend<'a> {
    pub(super) pending: &'a PendingSend,
    session: &'a Session,
    state: &'a FoldState,
}

impl<'a> OpenSend<'a> {
    /// The send with its place.
    pub(super) fn send(self) -> WaitingSend<'a> {
        let thread = &self.state.threads[self.pending.thread as usize];
        let tracked = &thread.exchanges.list[self.pending.position as usize];
        WaitingSend { tracked, session: self.session, thread }
    }
}

/// A send that was not answered: not yet, or not in time.
pub(super) enum SendRef<'a> {
    Open(OpenSend<'a>),
    Ended(WaitingSend<'a>),
}

impl<'a> SendRef<'a> {
    /// The send with its place.
    pub(super) fn send(&self) -> WaitingSend<'a> {
        match self {
            Self::Open(open) => open.send(),
            Self::Ended(send) => *send,
        }
    }
}

/// An open send, with the numbers of its agents in [`OpenSends::agents`].
pub(super) struct NumberedSend<'a> {
    pub(super) open: OpenSend<'a>,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// Every send that still waits.
#[derive(Default)]
pub(super) struct OpenSends<'a> {
    /// Oldest first.
    pub(super) all: Vec<NumberedSend<'a>>,
    /// Senders and receivers, by their number.
    pub(super) agents: Vec<&'a AgentId>,
    numbers: FastHashMap<&'a AgentId, u32>,
    /// By number of the sender: indexes in [`Self::all`].
    from: Grouped,
    /// By number of the receiver, as well.
    to: Grouped,
}

impl<'a> OpenSends<'a> {
    pub(super) fn new(hub: &'a Hub, now: i64) -> Self {
        let mut found: Vec<OpenSend<'_>> = Vec::new();
        let mut sessions: Vec<&Session> = hub.recent_sessions(now).map(|(_, session)| session).collect();
        // The oldest first, so that hardly any send is out of order.
        sessions.reverse();
        for session in sessions {
            // A packed state has no send that waits.
            let Some(state) = session.state.open() else { continue };
            let waiting = state.waiting.iter().filter(|pending| now <= pending.until);
            found.extend(waiting.map(|pending| OpenSend { pending, session, state }));
        }
        found.sort_by(|OpenSend { pending: a, .. }, OpenSend { pending: b, .. }| {
            a.sent_at.cmp(&b.sent_at).then_with(|| crate::hub::order(hub.events(), a.event, b.event))
        });
        let mut sends = Self { all: Vec::with_capacity(found.len()), ..Self::default() };
        let mut known = vec![None; hub.indexes.people.len()];
        for open in found {
            let flags = hub.meta_of(open.pending.event).flags;
            let from = sends.numbered(&mut known, flags.speaker, || &open.send().tracked.from);
            let to = sends.numbered(&mut known, flags.addressee, || &open.send().tracked.to);
            sends.all.push(NumberedSend { open, from, to });
        }
        let agents = sends.agents.len();
        sends.from = Grouped::new(agents, sends.all.iter().map(|send| send.from));
        sends.to = Grouped::new(agents, sends.all.iter().map(|send| send.to));
        sends
    }

    /// As [`Self::number`], by the agent's number in [`crate::hub::Indexes::people`], which costs less than its name.
    fn numbered(&mut self, known: &mut [Option<u32>], person: u16, agent: impl FnOnce() -> &'a AgentId) -> u32 {
        match known.get_mut(usize::from(person)) {
            Some(number) => *number.get_or_insert_with(|| self.number(agent())),
            // There are more agents than numbers.
            None => self.number(agent()),
        }
    }

    fn number(&mut self, agent: &'a AgentId) -> u32 {
        let next = count(self.agents.len());
        let number = *self.numbers.entry(agent).or_insert(next);
        if number == next {
            self.agents.push(agent);
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

    /// Position of a send among all that wait for its receiver, from 1.
    pub(super) fn queue_position(&self, send: OpenSend<'_>) -> Option<u32> {
        let queue = self.indexes(&self.to, &send.send().tracked.to);
        let is_it = |index: &u32| self.all[*index as usize].open.pending.event == send.pending.event;
        queue.iter().position(is_it).map(|before| count(before) + 1)
    }

    fn listed<'s>(
        &'s self,
        groups: &'s Grouped,
        agent: &AgentId,
    ) -> impl ExactSizeIterator<Item = WaitingSend<'a>> + use<'s, 'a> {
        self.indexes(groups, agent).iter().map(|index| self.all[*index as usize].open.send())
    }

    fn indexes<'s>(&self, groups: &'s Grouped, agent: &AgentId) -> &'s [u32] {
        self.numbers.get(agent).map_or(&[][..], |number| groups.of(*number))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::delivery::DeliveryState;
    use crate::event::parse_lines;

    const START_MS: i64 = 1_771_500_000_000;
    const AGENTS: [&str; 3] = ["eden", "seum", "miri"];

    /// An event between two agents: a send, an answer, an empty answer, a refusal, a time-out or the end of the exchange.
    fn line((minutes, kind, from, to, conversation): (i64, usize, usize, usize, u8)) -> String {
        let (name, more) = [
            ("a2a.send", r#","message":"확인 부탁""#),
            ("a2a.response", r#","message":"네""#),
            ("a2a.response", r#","outcome":"no_reply""#),
            ("a2a.response", r#","outcome":"blocked""#),
            ("a2a.retry", r#","attempt":1"#),
            ("a2a.complete", ""),
        ][kind];
        let (from, to, at) = (AGENTS[from], AGENTS[to], START_MS + minutes * 60_000);
        format!(
            r#"{{"type":"{name}","agentId":"{from}","ts":{at},"data":{{"fromAgent":"{from}","toAgent":"{to}","conversationId":"c{conversation}","eventRole":"conversation.main","workSessionId":"ws_{}"{more}}}}}"#,
            conversation / 2
        )
    }

    /// The events of all sends that wait, by a look at every thread of every session.
    fn scanned(hub: &Hub, now: i64) -> Vec<u32> {
        let threads = hub.sessions().flat_map(|session| &session.state.threads);
        let sends = threads.flat_map(|thread| &thread.exchanges.list);
        let mut found: Vec<u32> = sends
            .filter(|tracked| tracked.state_at(now) == DeliveryState::Waiting)
            .map(|tracked| tracked.event)
            .collect();
        found.sort_by(|a, b| crate::hub::order(hub.events(), *a, *b));
        found
    }

    proptest! {
        /// Events come late, too, so that sessions are folded again from a checkpoint or from the start.
        #[test]
        fn open_sends_equal_a_scan_of_all_threads(
            batches in prop::collection::vec(
                prop::collection::vec((0_i64..40, 0_usize..6, 0_usize..3, 0_usize..3, 0_u8..6), 1..12), 1..6,
            ),
            later in 0_i64..30,
        ) {
            let mut hub = Hub::new();
            for (number, batch) in batches.into_iter().enumerate() {
                let text: String = batch.into_iter().map(|event| line(event) + "\n").collect();
                hub.apply(parse_lines(text.as_bytes(), &format!("f{number}"), 0).0);
                let now = START_MS + (40 + later) * 60_000;
                let sends = OpenSends::new(&hub, now);
                let found: Vec<u32> = sends.all.iter().map(|send| send.open.send().tracked.event).collect();
                prop_assert_eq!(&found, &scanned(&hub, now));
                for agent in AGENTS.map(AgentId::from) {
                    let own = |list: Vec<WaitingSend<'_>>| list.iter().map(|send| send.tracked.event).collect::<Vec<_>>();
                    let of = |is: &dyn Fn(&Tracked) -> bool| {
                        own(sends.all.iter().map(|send| send.open.send()).filter(|send| is(send.tracked)).collect())
                    };
                    prop_assert_eq!(own(sends.from(&agent).collect()), of(&|tracked| tracked.from == agent));
                    prop_assert_eq!(own(sends.to(&agent).collect()), of(&|tracked| tracked.to == agent));
                }
                for session in hub.sessions() {
                    let failed: Vec<_> = session.state.failed_threads().map(|thread| &thread.id).collect();
                    let scanned = session.state.threads.iter().filter(|thread| thread.exchanges.has_failed());
                    prop_assert_eq!(failed, scanned.map(|thread| &thread.id).collect::<Vec<_>>());
                }
            }
        }
    }
}
