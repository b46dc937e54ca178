//! `GET quality`: how well the log tells what its events are, over time. Costs the events of the time asked for.

use std::collections::HashSet;

use crate::api::{Quality, QualityBucket, QualityQuery};
use crate::category::CategorySource;
use crate::doctor::role_untold;
use crate::hub::{Hub, NONE};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Up to this long, a bucket is an hour.
const HOURS_UP_TO: i64 = 2 * DAY_MS;
/// Buckets at most: what lies longer ago makes them wider.
const MAX_BUCKETS: i64 = 90;

/// `GET quality`.
#[must_use]
pub fn quality(hub: &Hub, now: i64, query: &QualityQuery) -> Quality {
    let list = &hub.timeline.list;
    let timed = list.partition_point(|index| hub.event(*index).at <= 0);
    let since = query.since.unwrap_or(i64::MIN).max(1);
    let first = list.partition_point(|index| hub.event(*index).at < since).max(timed);
    // What lies in the future (a clock was wrong) is in the newest bucket.
    let oldest = list.get(first).map(|index| hub.event(*index).at.min(now));
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
    let axis = Axis::new(from, now, i64::from(query.offset_min));
    out.step_ms = axis.step;
    out.buckets = (0..axis.count).map(|number| QualityBucket { at: axis.at(number), ..Default::default() }).collect();
    out.all.at = axis.at(0);
    let mut seen = HashSet::new();
    let mut ever = HashSet::new();
    let mut current = 0;
    for index in &list[first..] {
        let (event, fact) = (hub.event(*index), hub.fact(*index));
        let number = axis.number(event.at);
        if number != current {
            current = number;
            seen.clear();
        }
        let Some(bucket) = out.buckets.get_mut(number) else { continue };
        let unknown = u32::from(role_untold(event));
        let sync_failed = u32::from(event.event_type() == "milestone.sync_failed");
        let of_session = |known: &mut HashSet<u32>| {
            let new = fact.session != NONE && known.insert(fact.session);
            let fallback = new && falls_back(hub, fact.session);
            (u32::from(new), u32::from(fallback))
        };
        for (bucket, known) in [(bucket, &mut seen), (&mut out.all, &mut ever)] {
            let (sessions, fallback) = of_session(known);
            bucket.events += 1;
            bucket.unknown_role += unknown;
            bucket.sync_failed += sync_failed;
            bucket.sessions += sessions;
            bucket.fallback += fallback;
        }
    }
    out
}

/// Nothing told the category of this session, and no person did.
fn falls_back(hub: &Hub, slot: u32) -> bool {
    let manual = || hub.session_at(slot).is_some_and(|session| hub.overrides().contains_key(&session.id));
    hub.overview.brief(slot).source == CategorySource::Fallback && !manual()
}

/// Buckets on whole hours or days of the reader's clock.
struct Axis {
    start: i64,
    step: i64,
    count: usize,
}

impl Axis {
    fn new(from: i64, now: i64, offset_min: i64) -> Self {
        let length = now.saturating_sub(from).max(0);
        let step = if length <= HOURS_UP_TO {
            HOUR_MS
        } else {
            // Room for the days that are cut at both ends.
            DAY_MS * (length / DAY_MS + 2).div_euclid(MAX_BUCKETS).max(0).saturating_add(1)
        };
        let offset = offset_min * 60_000;
        let start = (from + offset).div_euclid(step) * step - offset;
        let count = now.max(from).saturating_sub(start) / step + 1;
        Self { start, step, count: usize::try_from(count).unwrap_or(1) }
    }

    fn at(&self, number: usize) -> i64 {
        self.start + self.step * i64::try_from(number).unwrap_or_default()
    }

    fn number(&self, at: i64) -> usize {
        usize::try_from((at - self.start) / self.step).unwrap_or_default().min(self.count - 1)
    }
}
