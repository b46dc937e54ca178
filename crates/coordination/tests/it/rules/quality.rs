//! Tests of the data quality query. By period (such as an hour or a day), it counts events of unknown role, sessions
//! with a fallback category, and failures to synchronise milestones (`milestone.sync_failed`). Events without a time
//! are counted separately.
//!
//! Proves (categories): Each event with a time counts in exactly one period of the log quality.

use coordination::api::{PeriodsQuery, Quality};
use coordination::hub::Hub;
use coordination::query;
use proptest::prelude::*;

use super::log::{START_MS, hub, line, send};

const HOUR: i64 = 3_600_000;

fn ask(hub: &Hub, now: i64, since: Option<i64>) -> Quality {
    query::quality(hub, now, &PeriodsQuery { since, offset_min: 540 })
}

const ROLE: &str = r#""eventRole":"conversation.main","fromSessionType":"main","toSessionType":"main""#;

#[test]
fn quality_counts_unknown_roles_and_failed_syncs() {
    let with_role = send(0, &format!(r#"{ROLE},"workSessionId":"a","message":"배포 서버 장애 확인""#));
    let without = send(HOUR, r#""workSessionId":"b","message":"음""#);
    let strange = line("custom.thing", "eden", START_MS + HOUR + 1, r#""workSessionId":"b""#);
    let observed =
        line("custom.thing", "eden", START_MS + HOUR + 2, r#""workSessionId":"b","eventRole":"system.observability""#);
    let sync = line("milestone.sync_failed", "eden", START_MS + HOUR + 3, r#""taskId":"t""#);
    let untimed = line("task.updated", "eden", 0, r#""taskId":"t""#);
    let hub = hub(&[with_role, without, strange, observed, sync, untimed]);
    let found = ask(&hub, START_MS + HOUR + 10, None);
    assert_eq!((found.step_ms, found.buckets.len(), found.untimed), (HOUR, 2, 1));
    let first = found.buckets[0];
    assert_eq!((first.events, first.unknown_role, first.sessions, first.fallback, first.sync_failed), (1, 0, 1, 0, 0));
    let second = found.buckets[1];
    assert_eq!((second.events, second.unknown_role, second.sync_failed), (4, 2, 1));
    assert!(second.fallback >= 1 && second.fallback <= second.sessions, "nothing tells what 음 is about");
    assert_eq!((found.all.events, found.all.unknown_role, found.all.sync_failed), (5, 2, 1));
}

#[test]
fn buckets_are_hours_then_local_days() {
    let midnight_in_seoul = 1_771_426_800_000;
    let at = |at: i64| line("task.updated", "eden", at, r#""taskId":"t""#);
    let hub = hub(&[at(midnight_in_seoul - 1), at(midnight_in_seoul), at(midnight_in_seoul + 70 * HOUR)]);
    let now = midnight_in_seoul + 71 * HOUR;
    let found = ask(&hub, now, None);
    assert_eq!(found.step_ms, 24 * HOUR);
    assert_eq!(found.buckets.iter().map(|bucket| bucket.events).collect::<Vec<_>>(), [1, 1, 0, 1]);
    assert_eq!(found.buckets[1].at, midnight_in_seoul);
    let day = ask(&hub, now, Some(now - 24 * HOUR));
    assert_eq!((day.step_ms, day.all.events), (HOUR, 1));
    assert!(ask(&hub, now, Some(now)).buckets.is_empty(), "no events, no axis");
}

proptest! {
    #[test]
    fn timed_events_fill_gapless_buckets(
        times in prop::collection::vec(0..400_000_i64, 1..60),
        since in prop::option::of(0..400_000_i64),
        ahead in -1_000..10_000_i64,
        offset_min in -840..841_i32,
    ) {
        let minute = 60_000;
        let lines: Vec<String> = times.iter().map(|at| {
            line("a2a.send", "eden", START_MS + at * minute, r#""fromAgent":"eden","toAgent":"seum","message":"m""#)
        }).collect();
        let hub = hub(&lines);
        let now = START_MS + (times.iter().max().unwrap() + ahead) * minute;
        let since = since.map(|since| START_MS + since * minute);
        let found = query::quality(&hub, now, &PeriodsQuery { since, offset_min });
        let wanted = times.iter().filter(|at| since.is_none_or(|since| START_MS + **at * minute >= since)).count();
        let sum = |of: fn(&coordination::api::QualityBucket) -> u32| found.buckets.iter().map(of).sum::<u32>();
        prop_assert_eq!(sum(|bucket| bucket.events) as usize, wanted);
        prop_assert_eq!(found.all.events as usize, wanted);
        prop_assert_eq!(sum(|bucket| bucket.unknown_role), found.all.unknown_role);
        prop_assert!(sum(|bucket| bucket.sessions) >= found.all.sessions);
        prop_assert!(found.buckets.len() <= 100);
        for two in found.buckets.windows(2) {
            prop_assert_eq!(two[1].at - two[0].at, found.step_ms);
        }
        for bucket in &found.buckets {
            prop_assert!(bucket.unknown_role <= bucket.events && bucket.fallback <= bucket.sessions);
        }
    }
}
