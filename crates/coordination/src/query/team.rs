//! Queries of `GET agents` and `GET agents/{id}`: the state of each agent with its evidence, open threads, and answer
//! times between pairs of agents. Open threads are sought in the sessions of the last day, answer times in those of the
//! requested period. [`avatar`] finds the picture for `GET agents/{id}/avatar`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::agents::{agent, faces, is_known, listed};
use super::attention::attention_of;
use super::card::titled;
use super::open_sends::{OpenSends, WaitingSend};
use super::{sessions, tasks};
use crate::api::{
    AgentCard, AgentDetail, AgentThread, AgentsPage, AgentsQuery, AvatarKind, AvatarSource, Pair, QueuedSend,
    SessionsQuery, TasksQuery,
};
use crate::delivery::DeliveryState;
use crate::hub::Tracked;
use crate::hub::{Hub, NONE, SendSummary, Session, Thread, count};
use crate::ids::{AgentId, ThreadId};
use crate::roster::RosterAgent;
use crate::session::Status;

/// Maximum number of pairs: the busiest.
const MAX_PAIRS: usize = 200;
/// Events of one agent that are read for its newest threads.
const MAX_SCANNED: usize = 5_000;
/// Longest `data:` picture that is sent, in bytes of its URI: an icon, not a photograph.
const MAX_DATA_URI: usize = 64 * 1024;

/// `GET agents`.
#[must_use]
pub fn agents(hub: &Hub, now: i64, query: &AgentsQuery) -> AgentsPage {
    let (mut pairs, pairs_total) = pairs(hub, now, query.since, None);
    pairs.truncate(MAX_PAIRS);
    AgentsPage { agents: cards(hub, now), pairs, pairs_total, since: query.since, cursor: hub.cursor(), now }
}

/// All agents with their evidence.
pub(super) fn cards(hub: &Hub, now: i64) -> Vec<AgentCard> {
    let waits = OpenSends::new(hub, now);
    let mut talks = open_talks(hub, now);
    listed(hub, now).into_iter().map(|id| card(hub, now, id, &waits, &mut talks)).collect()
}

/// `GET agents/{id}`; `None` when neither the configuration, a folder nor an event knows the agent.
#[must_use]
pub fn agent_detail(hub: &Hub, now: i64, id: &AgentId, query: &AgentsQuery) -> Option<AgentDetail> {
    if !is_known(hub, id) {
        return None;
    }
    let waits = OpenSends::new(hub, now);
    let (attention, attention_more) = attention_of(hub, now, &waits, id);
    let limit = Some(AgentDetail::MAX_ROWS);
    let tasks = tasks(hub, now, &TasksQuery { agent: Some(id.clone()), limit, ..TasksQuery::default() }).ok()?;
    let sessions =
        sessions(hub, now, &SessionsQuery { agent: Some(id.clone()), limit, ..SessionsQuery::default() }).ok()?;
    let (mut pairs, _) = pairs(hub, now, query.since, Some(id));
    pairs.truncate(MAX_PAIRS);
    Some(AgentDetail {
        card: card(hub, now, id.clone(), &waits, &mut open_talks(hub, now)),
        attention,
        attention_more,
        waits_for: waits.from(id).take(AgentCard::MAX_QUEUE).map(|wait| queued(hub, wait)).collect(),
        waits_for_total: count(waits.from(id).len()),
        tasks: tasks.tasks,
        tasks_total: tasks.total,
        threads: newest_threads(hub, now, id),
        sessions: sessions.sessions,
        sessions_total: sessions.total,
        pairs,
        since: query.since,
        cursor: hub.cursor(),
        now,
    })
}

fn card(hub: &Hub, now: i64, id: AgentId, waits: &OpenSends<'_>, talks: &mut Talks) -> AgentCard {
    let known = hub.roster().agent(id.as_str());
    let (talks, talks_total) = talks.remove(&id).unwrap_or_default();
    let queue = waits.to(&id).take(AgentCard::MAX_QUEUE).map(|wait| queued(hub, wait)).collect();
    let (agent, evidence) = agent(hub, now, id, waits, faces(hub));
    AgentCard {
        worker: known.map_or(!agent.main, |known| known.worker || !agent.main),
        theme: known.and_then(|known| known.theme.clone()),
        avatar: known.and_then(avatar),
        agent,
        evidence,
        talks,
        talks_total,
        queue,
    }
}

/// The newest threads between this agent and others, by its newest events.
fn newest_threads(hub: &Hub, now: i64, id: &AgentId) -> Vec<AgentThread> {
    let list = hub.indexes.by_agent.get(id).map_or(&[][..], |posting| &posting.list);
    let (mut seen, mut out) = (BTreeSet::new(), Vec::new());
    for index in list.iter().rev().take(MAX_SCANNED) {
        let fact = hub.meta_of(*index);
        let Some(session) = hub.session_at(fact.session).filter(|_| fact.thread != NONE) else { continue };
        let Some(thread) = session.state.threads.get(fact.thread as usize).filter(|thread| thread.is_shown()) else {
            continue;
        };
        let other = if thread.from == *id { &thread.to } else { &thread.from };
        let takes_part = thread.from == *id || thread.to == *id;
        if !takes_part || !seen.insert((fact.session, fact.thread)) {
            continue;
        }
        out.push(agent_thread(hub, session, thread, other, now));
        if out.len() == AgentDetail::MAX_ROWS as usize {
            break;
        }
    }
    out
}

/// Source of an agent's picture, if it may be shown.
#[must_use]
pub fn avatar(agent: &RosterAgent) -> Option<AvatarSource> {
    let written = agent.avatar.as_deref()?.trim();
    let lower = written.get(..written.len().min(16)).unwrap_or_default().to_ascii_lowercase();
    let source = |kind, url: &str| Some(AvatarSource { kind, url: url.to_owned() });
    if lower.starts_with("data:") {
        let image = lower.starts_with("data:image/") && written.len() <= MAX_DATA_URI;
        return if image { source(AvatarKind::Data, written) } else { None };
    }
    if lower.starts_with("http://") || lower.starts_with("https://") {
        // The page makes a link of it: only for addresses that a browser can open.
        return crate::markdown::host(written).and_then(|_| source(AvatarKind::Link, written));
    }
    // Any other scheme is not a path.
    let scheme = written.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'));
    if scheme || written.is_empty() { None } else { source(AvatarKind::File, "") }
}

fn queued(hub: &Hub, wait: WaitingSend<'_>) -> QueuedSend {
    let event = hub.event(wait.tracked.event);
    QueuedSend {
        id: event.id(),
        from: wait.tracked.from.clone(),
        to: wait.tracked.to.clone(),
        session_id: wait.session.id.as_ref().clone(),
        thread_id: wait.thread.id.clone(),
        sent_at: wait.tracked.sent_at,
        text: crate::hub::line(event).text,
    }
}

type Talks = BTreeMap<AgentId, (Vec<AgentThread>, u32)>;

/// Threads of the last day whose newest exchange is open, under both participants.
fn open_talks(hub: &Hub, now: i64) -> Talks {
    let mut out = Talks::new();
    for (brief, session) in hub.recent_sessions(now) {
        if brief.status(now) != Status::Active {
            continue;
        }
        for thread in session.state.threads.iter().filter(|thread| thread.is_shown()) {
            if !thread.exchanges.list.last().is_some_and(|last| open(last, now)) {
                continue;
            }
            for (agent, other) in [(&thread.from, &thread.to), (&thread.to, &thread.from)] {
                let (talks, total) = out.entry(agent.clone()).or_default();
                *total += 1;
                talks.push(agent_thread(hub, session, thread, other, now));
            }
        }
    }
    for (talks, _) in out.values_mut() {
        talks.sort_by(|a, b| (Reverse(a.last_time), &a.thread_id).cmp(&(Reverse(b.last_time), &b.thread_id)));
        talks.truncate(AgentCard::MAX_TALKS);
    }
    out
}

/// Whether it waits, was acknowledged, or was answered and may continue; failed or completed exchanges are over.
fn open(tracked: &Tracked, now: i64) -> bool {
    let state = tracked.state_at(now);
    let is_open = matches!(state, DeliveryState::Waiting | DeliveryState::Acknowledged | DeliveryState::Answered);
    is_open && !tracked.completed
}

fn agent_thread(hub: &Hub, session: &Session, thread: &Thread, other: &AgentId, now: i64) -> AgentThread {
    let last = thread.exchanges.list.last();
    AgentThread {
        session_id: session.id.as_ref().clone(),
        thread_id: thread.id.clone(),
        title: titled(hub, session).1,
        other: other.clone(),
        open: last.is_some_and(|last| open(last, now)),
        waiting: last.is_some_and(|last| last.state_at(now) == DeliveryState::Waiting),
        last_time: thread.last,
    }
}

/// Sums of one pair during the computation.
struct PairSum<'a> {
    pair: Pair,
    took: Vec<i64>,
    newest: (i64, &'a Session, u32),
}

/// Answer times of pairs since then, busiest first, and the number of pairs; for one agent only its own.
fn pairs(hub: &Hub, now: i64, since: Option<i64>, of: Option<&AgentId>) -> (Vec<Pair>, u32) {
    let since = since.unwrap_or(i64::MIN);
    let bit = of.map(|agent| hub.sessions.overview.party_bit(agent.as_str()));
    let is_wanted = |send: &SendSummary<'_>| {
        send.sent_at >= since && of.is_none_or(|agent| send.from == agent.as_str() || send.to == agent.as_str())
    };
    let mut numbers: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut sums: Vec<PairSum<'_>> = Vec::new();
    // Neighbours are nearly always of the same two: each direction's sum is looked up once for many of them.
    let mut ways: [Option<(&str, &str, usize)>; 2] = [None; 2];
    let sessions = hub.briefed().take_while(|(_, brief, _)| brief.last >= since);
    for (.., session) in sessions.filter(|(_, brief, _)| bit.is_none_or(|bit| brief.parties & bit != 0)) {
        for send in session.state.sends(&hub.indexes.people, now).filter(is_wanted) {
            let is_way = |(from, to, _): &(&str, &str, usize)| *from == send.from && *to == send.to;
            let number = match ways.iter().flatten().find(|way| is_way(way)) {
                Some((.., number)) => *number,
                None => {
                    let number = *numbers.entry((send.from, send.to)).or_insert(sums.len());
                    if number == sums.len() {
                        sums.push(PairSum::new(&send, session));
                    }
                    ways = [Some((send.from, send.to, number)), ways[0]];
                    number
                }
            };
            sums[number].add(&send, session);
        }
    }
    let total = count(sums.len());
    let mut pairs: Vec<Pair> = sums.into_iter().map(PairSum::done).collect();
    pairs.sort_by(|a, b| (Reverse(a.sends), &a.from, &a.to).cmp(&(Reverse(b.sends), &b.from, &b.to)));
    (pairs, total)
}

impl<'a> PairSum<'a> {
    fn new(send: &SendSummary<'_>, session: &'a Session) -> Self {
        let pair = Pair {
            from: send.from.into(),
            to: send.to.into(),
            sends: 0,
            answered: 0,
            blocked: 0,
            no_reply: 0,
            measured: 0,
            p50_ms: None,
            p95_ms: None,
            exchanges: 0,
            turns: 0,
            max_turns: 0,
            last_time: 0,
            session_id: session.id.as_ref().clone(),
            thread_id: ThreadId::default(),
        };
        Self { pair, took: Vec::new(), newest: (send.sent_at, session, send.thread) }
    }

    fn add(&mut self, send: &SendSummary<'_>, session: &'a Session) {
        let pair = &mut self.pair;
        pair.sends += 1;
        match send.state {
            DeliveryState::Answered => pair.answered += 1,
            DeliveryState::Blocked => pair.blocked += 1,
            DeliveryState::NoReply => pair.no_reply += 1,
            _ => {}
        }
        // Writers before 2026-02-18 wrote a send only after its answer: those have no time between the two.
        if let (true, Some(at)) = (send.has_answer, send.settled_at)
            && at > send.sent_at
            && send.sent_at > 0
        {
            self.took.push(at - send.sent_at);
        }
        if let Some(max) = send.max_turns.filter(|max| *max > 0) {
            pair.exchanges += 1;
            pair.turns = pair.turns.saturating_add(send.turns);
            pair.max_turns = pair.max_turns.saturating_add(max);
        }
        if send.sent_at > self.newest.0 {
            self.newest = (send.sent_at, session, send.thread);
        }
    }

    fn done(self) -> Pair {
        let Self { mut pair, mut took, newest: (at, session, thread) } = self;
        took.sort_unstable();
        pair.measured = count(took.len());
        pair.p50_ms = rank(&took, 50);
        pair.p95_ms = rank(&took, 95);
        pair.last_time = at;
        pair.session_id = session.id.as_ref().clone();
        let thread = session.state.read(|state| state.threads.get(thread as usize).map(|thread| thread.id.clone()));
        pair.thread_id = thread.unwrap_or_default();
        pair
    }
}

/// The nearest-rank percentile of a sorted list: the smallest value that `percent` of a hundred do not exceed.
fn rank(sorted: &[i64], percent: usize) -> Option<i64> {
    let place = (sorted.len() * percent).div_ceil(100);
    sorted.get(place.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let list: Vec<i64> = (1..=20).collect();
        assert_eq!((rank(&list, 50), rank(&list, 95)), (Some(10), Some(19)));
        assert_eq!((rank(&[7], 50), rank(&[7], 95), rank(&[], 50)), (Some(7), Some(7), None));
        assert_eq!(rank(&[1, 9], 95), Some(9));
    }

    #[test]
    fn avatar_is_image_link_or_file() {
        let kind = |written: &str| {
            let agent = RosterAgent { avatar: Some(written.to_owned()), ..RosterAgent::default() };
            avatar(&agent).map(|found| (found.kind, !found.url.is_empty()))
        };
        assert_eq!(kind("data:image/png;base64,AAAA"), Some((AvatarKind::Data, true)));
        assert_eq!(kind("data:text/html,<script>"), None);
        assert_eq!(kind(&format!("data:image/png;base64,{}", "A".repeat(MAX_DATA_URI))), None);
        assert_eq!(kind("HTTPS://example.org/a.png"), Some((AvatarKind::Link, true)));
        assert_eq!(kind("https://\"><script>alert(1)</script>"), None, "no browser can go there");
        assert_eq!(kind("javascript:alert(1)"), None);
        assert_eq!(kind("file:///etc/passwd"), None);
        assert_eq!(kind(" "), None);
        assert_eq!(kind("avatars/eden.png"), Some((AvatarKind::File, false)));
    }
}
