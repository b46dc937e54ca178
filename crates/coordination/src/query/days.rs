//! Query of `GET days`: days with events, counted in a clock's own days.

use std::cmp::Ordering;

use crate::api::{DaysQuery, EventDay, EventDays, MAX_EVENT_DAYS};
use crate::hub::Hub;

const DAY_MS: i64 = 86_400_000;
const MINUTE_MS: i64 = 60_000;

/// `GET days`. Costs all events, a few nanoseconds each. Events without a usable time, and those in the future, count
/// on no day.
#[must_use]
pub fn days(hub: &Hub, now: i64, query: &DaysQuery) -> EventDays {
    let offset = i64::from(query.offset_min) * MINUTE_MS;
    let times = hub.events.timeline.list.iter().map(|event| hub.events.log.at(*event));
    let mut known = times.filter(|at| (1..=now).contains(at)).peekable();
    let first = known.peek().copied();
    let mut days: Vec<EventDay> = Vec::new();
    let (mut last, mut previous, mut next) = (None, None, None);
    for at in known {
        last = Some(at);
        if let Some(near) = query.near {
            match at.cmp(&near) {
                Ordering::Less => previous = last,
                Ordering::Greater => next = next.or(last),
                Ordering::Equal => {}
            }
        }
        let start = (at + offset).div_euclid(DAY_MS) * DAY_MS - offset;
        match days.last_mut().filter(|day| day.at == start) {
            Some(day) => day.events += 1,
            None => days.push(EventDay { at: start, events: 1 }),
        }
    }
    days.drain(..days.len().saturating_sub(MAX_EVENT_DAYS));
    EventDays { first, last, previous, next, days, cursor: hub.cursor(), now }
}

#[cfg(test)]
mod tests {
    use super::{DAY_MS, days};
    use crate::api::DaysQuery;
    use crate::event::parse_lines;
    use crate::hub::Hub;

    #[test]
    fn days_begin_where_the_clock_says() {
        let line = |at: &str| format!("{{\"type\":\"note\",\"agentId\":\"eden\",\"timestamp\":\"{at}\"}}\n");
        let log: String =
            ["2026-07-01T14:59:00Z", "2026-07-01T15:01:00Z", "2026-07-02T14:00:00Z", "2026-09-01T00:00:00Z"]
                .map(line)
                .concat();
        let mut hub = Hub::new();
        hub.apply(parse_lines(log.as_bytes(), "f", 0).0);
        let now = crate::time::parse_iso("2026-08-01T00:00:00Z").unwrap();
        let seen = crate::time::parse_iso("2026-07-01T15:01:00Z");
        let seoul = days(&hub, now, &DaysQuery { offset_min: 540, near: seen });
        let counts: Vec<u32> = seoul.days.iter().map(|day| day.events).collect();
        assert_eq!(counts, [1, 2], "midnight in Seoul is 15:00 UTC; what lies in the future is left out");
        assert_eq!(seoul.days[1].at - seoul.days[0].at, DAY_MS);
        assert_eq!(crate::time::to_iso(seoul.days[1].at), "2026-07-01T15:00:00.000Z");
        assert_eq!(seoul.last, crate::time::parse_iso("2026-07-02T14:00:00Z"));
        assert_eq!(seoul.previous, crate::time::parse_iso("2026-07-01T14:59:00Z"));
        assert_eq!(seoul.next, seoul.last);
        let utc = days(&hub, now, &DaysQuery::default());
        assert_eq!(utc.days.iter().map(|day| day.events).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(days(&Hub::new(), now, &DaysQuery::default()).first, None);
    }
}
