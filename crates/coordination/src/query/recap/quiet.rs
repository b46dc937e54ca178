//! Quiet agents of a recap: active in each of the three periods of the same length before, and not in this one.

use std::cmp::Reverse;

use super::RecapPeriod;
use crate::api::{RecapKind, RecapLine};
use crate::hub::{Hub, count};

/// Shorter periods say nothing of an agent.
const MIN_PERIOD_MS: i64 = 60 * 60_000;
/// Periods before in which it was active.
const PERIODS: i64 = 3;

/// Quiet agents, those that did the most before first.
pub(super) fn quiet(hub: &Hub, period: &RecapPeriod) -> Vec<RecapLine> {
    let length = period.now - period.since;
    if length < MIN_PERIOD_MS {
        return Vec::new();
    }
    let mut lines: Vec<(u32, RecapLine)> = Vec::new();
    // Of the configuration: helpers come and go.
    let agents = hub.roster().agents.iter().filter(|known| !known.worker).map(|known| &known.id);
    for (agent, posting) in agents.filter_map(|agent| Some((agent, hub.indexes.by_agent.get(agent)?))) {
        let own = std::slice::from_ref(agent);
        let acts = |event: &&u32| hub.spoke(**event, own) || hub.wrote(**event, own);
        // Events of the period that ends so many periods before this one.
        let of = |back: i64| {
            let until = posting.list.partition_point(|event| hub.at(*event) <= period.now - back * length);
            let since = posting.list.partition_point(|event| hub.at(*event) <= period.since - back * length);
            &posting.list[since.min(until)..until]
        };
        let was_active = (1..=PERIODS).all(|back| of(back).iter().any(|event| acts(&event)));
        if !was_active || of(0).iter().any(|event| acts(&event)) {
            continue;
        }
        let before: usize = (1..=PERIODS).map(|back| of(back).iter().filter(acts).count()).sum();
        let Some(last) = of(1).iter().rev().find(acts) else { continue };
        let line = super::event_line(hub, RecapKind::Quiet, None, *last);
        lines.push((count(before), RecapLine { agent: Some(agent.clone()), ..line }));
    }
    lines.sort_by(|(a, one), (b, other)| (Reverse(a), &one.agent).cmp(&(Reverse(b), &other.agent)));
    lines.into_iter().map(|(_, line)| line).collect()
}
