//! Work list lines of sends that have no reply or were refused, in sessions with an event within the last day. Only the
//! last send of a thread counts.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::line;
use crate::api::{Attention, AttentionKind};
use crate::delivery::DeliveryState;
use crate::hub::Tracked;
use crate::hub::{Hub, Session, Thread};
use crate::ids::{AgentId, SessionId};
use crate::query::card::titled;
use crate::query::open_sends::WaitingSend;

/// Number of texts that are compared to find equal ones: home is part of every delta, and a bad day has hundreds.
const MAX_COMPARED: usize = 256;

/// A send without a good end, before its line is written.
pub(in crate::query) struct Stuck<'a> {
    kind: AttentionKind,
    /// Inferred from silence, not written in an event.
    inferred: bool,
    /// Time at which it was settled, else the time of the send, in epoch milliseconds.
    since: i64,
    session: &'a Session,
    thread: &'a Thread,
    tracked: &'a Tracked,
}

/// All of them, the newest first.
pub(in crate::query) fn stuck(hub: &Hub, now: i64) -> Vec<Stuck<'_>> {
    let mut stuck = Vec::new();
    for (_, session) in hub.recent_sessions(now) {
        let of_thread = |thread| stuck_send(now, session, thread);
        stuck.extend(session.state.failed_threads().filter_map(of_thread));
        if let Some(state) = session.state.open() {
            let silent = state.waiting.iter().filter(|pending| now > pending.until);
            let threads = silent.map(|pending| (pending, &state.threads[pending.thread as usize]));
            let last = threads.filter(|(pending, thread)| pending.position as usize + 1 == thread.exchanges.list.len());
            stuck.extend(last.filter_map(|(_, thread)| of_thread(thread)));
        }
    }
    stuck.sort_by_key(|send| (Reverse(send.since), Reverse(send.tracked.event)));
    stuck
}

fn stuck_send<'a>(now: i64, session: &'a Session, thread: &'a Thread) -> Option<Stuck<'a>> {
    let tracked = thread.exchanges.list.last()?;
    let (kind, inferred) = match tracked.state_at(now) {
        DeliveryState::NoReply => (AttentionKind::NoReply, false),
        DeliveryState::Blocked => (AttentionKind::Blocked, false),
        DeliveryState::NoTrace => (AttentionKind::NoReply, true),
        _ => return None,
    };
    let since = tracked.settled_at().unwrap_or(tracked.sent_at);
    Some(Stuck { kind, inferred, since, session, thread, tracked })
}

/// The lines of sends, still without their texts, each with the newest send it represents. A request of an agent whose
/// task or plan in the same session has a line is counted there. Also true when there are too many to compare them all.
pub(super) fn join<'a, 'h>(
    hub: &Hub,
    stuck: &'a [Stuck<'h>],
    lines: &mut [Attention],
) -> (Vec<(Attention, &'a Stuck<'h>)>, bool) {
    let mut matters: BTreeMap<(SessionId, AgentId), usize> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        if let (Some(_), Some(session), Some(agent)) = (&line.task_id, &line.session_id, &line.agent) {
            matters.entry((session.clone(), agent.clone())).or_insert(at);
        }
    }
    let mut alike: BTreeMap<_, Vec<&Stuck<'_>>> = BTreeMap::new();
    for send in stuck {
        let matter = matters
            .get(&(send.session.id.as_ref().clone(), send.tracked.from.clone()))
            .and_then(|at| lines.get_mut(*at));
        match matter {
            Some(line) => line.messages += 1,
            None => alike.entry(send.alike()).or_default().push(send),
        }
    }
    let (mut joined, mut compared) = (Vec::new(), 0);
    let mut more = false;
    for sends in alike.into_values() {
        let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
        let alone = sends.len() == 1;
        for send in sends {
            if !alone {
                if compared == MAX_COMPARED {
                    more = true;
                    break;
                }
                compared += 1;
                // The raw text: cleaning it costs more than the rest of home.
                let text = hub.event(send.tracked.event).written_text().unwrap_or_default();
                if let Some(at) = by_text.get(text) {
                    let (line, _): &mut (Attention, _) = &mut joined[*at];
                    line.times += 1;
                    continue;
                }
                by_text.insert(text, joined.len());
            }
            joined.push((send.outline(), send));
        }
    }
    (joined, more)
}

impl<'h> Stuck<'h> {
    /// The send with its place.
    pub(in crate::query) fn send(&self) -> WaitingSend<'h> {
        WaitingSend { tracked: self.tracked, session: self.session, thread: self.thread }
    }

    /// Key of sends between the same two with the same end.
    fn alike(&self) -> (&'h AgentId, &'h AgentId, bool, bool) {
        (&self.tracked.from, &self.tracked.to, self.kind == AttentionKind::Blocked, self.inferred)
    }

    /// The fields of its line that decide its rank.
    fn outline(&self) -> Attention {
        Attention {
            inferred: self.inferred,
            agent: Some(self.tracked.from.clone()),
            other: Some(self.tracked.to.clone()),
            reason: self.tracked.reason(),
            attempts: Some(self.tracked.retries()).filter(|retries| *retries > 0),
            session_id: Some(self.session.id.as_ref().clone()),
            thread_id: Some(self.thread.id.clone()),
            ..line(self.kind, self.since, String::new())
        }
    }

    /// Fills the text of a line that is shown.
    pub(super) fn fill(&self, hub: &Hub, line: &mut Attention) {
        let own = hub.event(self.tracked.event);
        // The newest mark of this send is its evidence.
        let mut marks = self.thread.marks.iter().rev();
        let proof = marks.find(|(mark, send)| *send == self.tracked.event && is_response(hub, *mark));
        let proof = proof.map_or(own, |(mark, _)| hub.event(*mark));
        line.title = titled(hub, self.session).1;
        line.detail = crate::hub::line(own).text;
        line.event_id = Some(own.id());
        line.task_id = own.task_id();
        proof.event_type().clone_into(&mut line.evidence);
    }
}

/// The type is in a column: no line of other events is read.
fn is_response(hub: &Hub, index: u32) -> bool {
    const RESPONSE: &str = "a2a.response";
    hub.indexes.kinds.may(hub.meta_of(index).kind, |kind| kind == RESPONSE) && hub.event(index).event_type() == RESPONSE
}
