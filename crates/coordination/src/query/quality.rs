//! Query of `GET quality`: log quality over time. Each period counts events without a stated role, events that report a
//! failed milestone sync, and sessions without evidence for their category. The cost grows with the number of events in
//! the requested time range; no log line is parsed.

use super::axis::{HOUR_MS, PeriodAxis};
use crate::api::{PeriodsQuery, Quality, QualityBucket};
use crate::category::CategorySource;
use crate::hub::{Hub, NONE};

/// Maximum number of daily buckets; a longer range makes the buckets wider.
const MAX_BUCKETS: i64 = 90;

/// `GET quality`.
#[must_use]
pub fn quality(hub: &Hub, now: i64, query: &PeriodsQuery) -> Quality {
    let list = &hub.events.timeline.list;
    let timed = list.partition_point(|index| hub.at(*index) <= 0);
    let since = query.since.unwrap_or(i64::MIN).max(1);
    let first = list.partition_point(|index| hub.at(*index) < since).max(timed);
    // A time in the future (a clock was wrong) is in the newest bucket.
    let oldest = list.get(first).map(|index| hub.at(*index).min(now));
    let mut out = Quality {
        step_ms: HOUR_MS,
        buckets: Vec::new(),
        all: QualityBucket::default(),
        untimed: if query.since.is_none() { crate::hub::count(timed) } else { 0 },
        since: query.since,
        cursor: hub.cursor(),
        now,
    };
    let Some(oldest) = oldest else { return out };
    let from = query.since.filter(|since| *since > 0).map_or(oldest, |since| since.min(oldest));
    let axis = PeriodAxis::new(from, now, i64::from(query.offset_min), MAX_BUCKETS);
    out.step_ms = axis.step;
    out.buckets = (0..axis.count).map(|number| QualityBucket { at: axis.at(number), ..Default::default() }).collect();
    out.all.at = axis.at(0);
    // By slot: the bucket run in which the session occurred last, and whether it occurred at all.
    let (mut seen, mut ever) = (vec![0_u32; hub.slots() as usize], vec![0_u32; hub.slots() as usize]);
    let (mut current, mut run) = (0, 1_u32);
    for index in &list[first..] {
        let fact = hub.meta_of(*index);
        let number = axis.number(hub.at(*index));
        if number != current {
            current = number;
            run += 1;
        }
        let Some(bucket) = out.buckets.get_mut(number) else { continue };
        let (unknown, sync_failed) = (u32::from(fact.flags.role_unstated), u32::from(fact.flags.is_sync_failed()));
        let of_session = |known: &mut [u32], run: u32| {
            let known = known.get_mut(fact.session as usize).filter(|_| fact.session != NONE);
            let new = known.is_some_and(|known| std::mem::replace(known, run) != run);
            let fallback = new && falls_back(hub, fact.session);
            (u32::from(new), u32::from(fallback))
        };
        for (bucket, known, run) in [(bucket, &mut seen, run), (&mut out.all, &mut ever, 1)] {
            let (sessions, fallback) = of_session(known, run);
            bucket.events += 1;
            bucket.unknown_role += unknown;
            bucket.sync_failed += sync_failed;
            bucket.sessions += sessions;
            bucket.fallback += fallback;
        }
    }
    out
}

/// Whether the category of this session is the fallback and was not set by a person.
fn falls_back(hub: &Hub, slot: u32) -> bool {
    let manual = || hub.session_at(slot).is_some_and(|session| hub.overrides().contains_key(&session.id));
    hub.sessions.overview.brief(slot).source == CategorySource::Fallback && !manual()
}
