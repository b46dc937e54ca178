//! Assignment of transcript exchanges (requests between agents with their answers) to work sessions and threads. Ids in
//! the transcript are used where they exist.
//!
//! An exchange without a work session id belongs to the work session of the request that its agent was handling. If no
//! such request is known, it joins the work session of the newest exchange that the same prompt caused or, without a
//! known prompt, of the newest exchange between the same two OpenClaw sessions. If that work session has had no event
//! for half an hour, a new one begins.
//!
//! In a work session, two agents have one thread (`contract/events.md` §3.1). A delegated run has its own thread.

use std::collections::HashMap;

use super::TranscriptExchange;
use super::place::synthetic;
use crate::session::PAIR_GAP_MS;
use crate::transcript::exchanges::{ExchangeEvent, ExchangeParty, TranscriptLineRef};

/// A work session as it grows.
struct SessionGroup {
    session: String,
    last: i64,
    /// Threads of pairs.
    pairs: HashMap<(String, String), String>,
}

/// Exchanges in order of their beginnings, with the ids of their events. Later exchanges never change the group of an
/// earlier one.
pub(super) fn grouped(all: Vec<(Vec<ExchangeEvent>, Vec<String>)>) -> Vec<TranscriptExchange> {
    let mut lines: HashMap<(&str, u64), usize> = HashMap::new();
    for (at, (events, _)) in all.iter().enumerate() {
        for line in events.iter().flat_map(|event| &event.written) {
            // A note about several children is in the results of all: the first one takes it.
            lines.entry(line_of(line)).or_insert(at);
        }
    }
    let mut groups: Vec<SessionGroup> = Vec::new();
    let mut named: HashMap<String, usize> = HashMap::new();
    let mut roots: HashMap<(&str, u64), usize> = HashMap::new();
    let mut sides: HashMap<(String, String), usize> = HashMap::new();
    let mut places: Vec<(usize, String)> = Vec::with_capacity(all.len());
    for (at, (events, ids)) in all.iter().enumerate() {
        let first = &events[0];
        let start = first.at_ms;
        let cause = events.iter().find_map(|event| event.cause.as_ref());
        let above = cause.and_then(|line| lines.get(&line_of(line))).filter(|above| **above < at);
        let sides_key = sides_of(first);
        let fresh = |group: &usize| start.saturating_sub(groups[*group].last) <= PAIR_GAP_MS;
        let explicit = first.context.work_session.clone();
        let known = match (&explicit, above, cause) {
            (Some(session), _, _) => named.get(session).copied(),
            (None, Some(above), _) => Some(places[*above].0),
            (None, None, Some(line)) => roots.get(&line_of(line)).copied().filter(fresh),
            (None, None, None) => sides.get(&sides_key).copied().filter(fresh),
        };
        let group = known.unwrap_or_else(|| {
            let session = explicit.unwrap_or_else(|| synthetic(&ids[0]));
            named.insert(session.clone(), groups.len());
            groups.push(SessionGroup { session, last: start, pairs: HashMap::new() });
            groups.len() - 1
        });
        if let (None, Some(line)) = (above, cause) {
            roots.insert(line_of(line), group);
        }
        sides.insert(sides_key, group);
        let end = events.iter().map(|event| event.at_ms).max().unwrap_or(start);
        let held = &mut groups[group];
        held.last = held.last.max(end);
        let own = || synthetic(&ids[0]);
        let conversation = match &first.context.conversation {
            Some(named) => named.clone(),
            None if events.iter().any(|event| super::is_child(event.kind)) => own(),
            None => held.pairs.entry(agents_of(first)).or_insert_with(own).clone(),
        };
        places.push((group, conversation));
    }
    let sessions: Vec<String> = places.iter().map(|(group, _)| groups[*group].session.clone()).collect();
    let placed = all.into_iter().zip(places).zip(sessions);
    placed
        .map(|(((events, ids), (_, conversation)), session)| TranscriptExchange { events, ids, session, conversation })
        .collect()
}

fn line_of(line: &TranscriptLineRef) -> (&str, u64) {
    (&line.session_id, line.place)
}

fn agents_of(event: &ExchangeEvent) -> (String, String) {
    let (one, other) = (event.from.agent.clone(), event.to.agent.clone());
    if one <= other { (one, other) } else { (other, one) }
}

/// The two sessions, in order.
fn sides_of(event: &ExchangeEvent) -> (String, String) {
    let side = |party: &ExchangeParty| party.key.as_ref().map_or_else(|| party.agent.clone(), |key| key.to_lowercase());
    let (one, other) = (side(&event.from), side(&event.to));
    if one <= other { (one, other) } else { (other, one) }
}
