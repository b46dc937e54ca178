//! Slow answers of a recap: those that took much longer than answers of the same agent in the two weeks before.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{DAY_MS, RecapPeriod, each_settled, event_line, events_between};
use crate::api::{RecapKind, RecapLine};
use crate::delivery::DeliveryState;
use crate::hub::{Hub, NONE};
use crate::ids::AgentId;

/// How far back the usual times are looked for.
const USUAL_DAYS: i64 = 14;
/// Answers from which something is usual.
const MIN_ANSWERS: usize = 5;
/// An answer is slow from so many times the usual time on,
const FACTOR: i64 = 5;
/// and from this time on.
const MIN_MS: i64 = 10 * 60_000;

/// Slow answers of the period, the slowest of each pair of agents; first those that took the most times as long as usual.
pub(super) fn slow(hub: &Hub, period: &RecapPeriod, slots: &BTreeSet<u32>) -> Vec<RecapLine> {
    let mut slowest: BTreeMap<(AgentId, AgentId), (i64, i64, u32)> = BTreeMap::new();
    each_settled(hub, slots, |send, at| {
        let took = at - send.sent_at;
        if send.settled == Some(DeliveryState::Answered) && period.holds(at) && took >= MIN_MS {
            let (longest, answered, event) =
                slowest.entry((send.from.clone(), send.to.clone())).or_insert((took, at, send.event));
            if took > *longest {
                (*longest, *answered, *event) = (took, at, send.event);
            }
        }
    });
    if slowest.is_empty() {
        return Vec::new();
    }
    let usual = usual_times(hub, period);
    let is_slow = |((from, to), (took, at, event)): ((AgentId, AgentId), (i64, i64, u32))| {
        let usual = *usual.get(&to).filter(|usual| took >= **usual * FACTOR)?;
        let line = event_line(hub, RecapKind::Slow, None, event);
        Some(RecapLine { at, agent: Some(from), other: Some(to), took_ms: Some(took), usual_ms: Some(usual), ..line })
    };
    let mut lines: Vec<RecapLine> = slowest.into_iter().filter_map(is_slow).collect();
    lines.sort_by_cached_key(|line| {
        let ratio = line.took_ms.unwrap_or_default() / line.usual_ms.unwrap_or_default().max(1);
        (Reverse(ratio), Reverse(line.at), line.event_id.clone())
    });
    lines
}

/// Half of the answers of an agent before the period took at most this long.
fn usual_times(hub: &Hub, period: &RecapPeriod) -> BTreeMap<AgentId, i64> {
    let before = events_between(hub, period.since - USUAL_DAYS * DAY_MS, period.since);
    let slots: BTreeSet<u32> = hub.events.timeline.list[before]
        .iter()
        .map(|event| hub.meta_of(*event).session)
        .filter(|it| *it != NONE)
        .collect();
    let mut times: BTreeMap<AgentId, Vec<i64>> = BTreeMap::new();
    each_settled(hub, &slots, |send, at| {
        let is_before = at <= period.since && at > period.since - USUAL_DAYS * DAY_MS;
        if is_before && send.settled == Some(DeliveryState::Answered) {
            times.entry(send.to.clone()).or_default().push(at - send.sent_at);
        }
    });
    times.retain(|_, times| times.len() >= MIN_ANSWERS);
    let median = |mut times: Vec<i64>| {
        let middle = (times.len() - 1) / 2;
        *times.select_nth_unstable(middle).1
    };
    times.into_iter().map(|(agent, times)| (agent, median(times))).collect()
}
