//! Tests of bursts (similar events in a row, shown as one line) in the flat event list: which events are joined, and
//! that no event is lost or moved.
//!
//! Proves (search): Bursts, taken apart, give the list again.

use coordination::api::{EventRow, EventsQuery, Origin};
use coordination::burst::{Burst, MIN_PAIR_EVENTS, Sameness, bursts, summary};
use coordination::query;
use proptest::prelude::*;

use super::log::{START_MS, hub, send};

const DAY: i64 = 86_400_000;

fn day(at: i64) -> i64 {
    at.div_euclid(DAY)
}

/// An event as a row, newest first by its time.
#[derive(Debug, Clone)]
struct Seed {
    pause: i64,
    kind: u8,
    to: u8,
    text: u8,
    human: bool,
    failed: bool,
}

fn rows(seeds: &[Seed]) -> Vec<EventRow> {
    let hub = hub(&[send(0, r#""message":"m""#)]);
    let one = query::events(&hub, START_MS, &EventsQuery::default()).unwrap().events.remove(0);
    let mut at = START_MS;
    let row = |(number, seed): (usize, &Seed)| {
        at -= seed.pause;
        let text = ["", "배포합니다", "다시 봅니다"][usize::from(seed.text)];
        EventRow {
            id: format!("f-{number}").as_str().into(),
            at,
            event_type: ["a2a.send", "task.updated"][usize::from(seed.kind)].to_owned(),
            to: Some(["seum", "dajim"][usize::from(seed.to)].into()),
            text: text.to_owned(),
            human: seed.human,
            outcome: seed.failed.then(|| "failed".to_owned()),
            ..one.clone()
        }
    };
    seeds.iter().enumerate().map(row).collect()
}

fn same(count: usize, pause: i64, change: impl Fn(usize, &mut Seed)) -> Vec<EventRow> {
    let seed = Seed { pause, kind: 0, to: 0, text: 0, human: false, failed: false };
    let mut seeds = vec![seed; count];
    seeds.iter_mut().enumerate().for_each(|(number, seed)| change(number, seed));
    rows(&seeds)
}

fn shapes(rows: &[EventRow]) -> Vec<(usize, Option<Sameness>)> {
    bursts(rows, day).into_iter().map(|burst| (burst.rows.len(), burst.of)).collect()
}

fn different_words(number: usize, seed: &mut Seed) {
    seed.text = 1 + (number % 2) as u8;
}

#[test]
fn close_events_of_one_pair_are_one_burst() {
    assert_eq!(shapes(&same(4, 60_000, different_words)), [(4, Some(Sameness::Pair))]);
    assert_eq!(shapes(&same(4, 60_001, different_words)).len(), 4, "too far apart");
    assert_eq!(shapes(&same(3, 1_000, different_words)).len(), 3, "too few");
    let two = same(8, 1_000, |number, seed| {
        different_words(number, seed);
        seed.to = u8::from(number >= 4);
    });
    assert_eq!(shapes(&two), [(4, Some(Sameness::Pair)); 2], "another pair is another burst");
}

#[test]
fn same_words_are_one_burst_across_receivers() {
    let broadcast = same(3, 1_800_000, |number, seed| (seed.text, seed.to) = (1, (number % 2) as u8));
    assert_eq!(shapes(&broadcast), [(3, Some(Sameness::Words))]);
    let totals = summary(&broadcast);
    assert_eq!(
        (totals.count, totals.to - totals.from, totals.addressees.len(), totals.sessions.len()),
        (3, 3_600_000, 2, 1)
    );
    assert_eq!(summary::<EventRow>(&[]).count, 0);
}

#[test]
fn failures_join_by_words_human_messages_never() {
    let failed = |change: fn(usize, &mut Seed)| {
        same(6, 1_000, move |number, seed| {
            seed.failed = true;
            change(number, seed);
        })
    };
    assert_eq!(shapes(&failed(different_words)).len(), 6);
    assert_eq!(shapes(&failed(|_, seed| seed.text = 1)), [(6, Some(Sameness::Words))]);
    let human = same(6, 1_000, |_, seed| (seed.human, seed.text) = (true, 1));
    assert_eq!(shapes(&human).len(), 6);
}

#[test]
fn log_and_transcript_events_are_separate_bursts() {
    let mut rows = same(8, 1_000, different_words);
    rows[4..].iter_mut().for_each(|row| row.origin = Origin::Transcript);
    assert_eq!(shapes(&rows), [(4, Some(Sameness::Pair)); 2]);
}

#[test]
fn burst_ends_at_midnight_and_untimed_events() {
    let mut over = same(8, 1_000, |_, seed| seed.text = 1);
    for (number, row) in over.iter_mut().enumerate() {
        row.at = DAY * 20_000 + 3_500 - 1_000 * number as i64;
    }
    assert_eq!(shapes(&over), [(4, Some(Sameness::Words)); 2]);
    over.iter_mut().for_each(|row| row.at = 0);
    assert_eq!(shapes(&over).len(), 8);
}

fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    let pause = prop_oneof![6 => 0..60_000_i64, 2 => 60_001..1_800_000_i64, 1 => 1_800_001..90_000_000_i64];
    let seed =
        (pause, 0..2_u8, prop::bool::weighted(0.2), 0..3_u8, prop::bool::weighted(0.1), prop::bool::weighted(0.1))
            .prop_map(|(pause, kind, to, text, human, failed)| {
                let kind = u8::from(kind > 0 && text == 0);
                Seed { pause, kind, to: u8::from(to), text, human, failed }
            });
    prop::collection::vec(seed, 0..60)
}

/// The first row of the longest end of the list in which all are of one type between the same agents.
fn last_of_a_kind(rows: &[EventRow]) -> usize {
    let kind = |row: &EventRow| (row.event_type.clone(), row.to.clone());
    let same = rows.iter().rev().take_while(|row| rows.last().is_some_and(|last| kind(last) == kind(row)));
    rows.len() - same.count()
}

proptest! {
    #[test]
    fn expanded_bursts_equal_the_list(seeds in seeds()) {
        let rows = rows(&seeds);
        let parts = bursts(&rows, day);
        let apart: Vec<usize> = parts.iter().flat_map(|burst| burst.rows.clone()).collect();
        prop_assert_eq!(apart, (0..rows.len()).collect::<Vec<_>>());
        for burst in &parts {
            let all = &rows[burst.rows.clone()];
            let totals = summary(all);
            prop_assert_eq!(totals.count, all.len());
            prop_assert!(all.iter().all(|row| (totals.from..=totals.to).contains(&row.at)));
            prop_assert_eq!(all.len() > 1, burst.of.is_some());
            if burst.of.is_some() {
                prop_assert!(all.iter().all(|row| !row.human && row.event_type == all[0].event_type));
                prop_assert!(all.iter().all(|row| row.outcome == all[0].outcome && day(row.at) == day(all[0].at)));
                prop_assert!(all.len() >= MIN_PAIR_EVENTS || all.iter().all(|row| row.text == all[0].text));
            }
        }
    }

    #[test]
    fn further_page_changes_only_last_burst(seeds in seeds(), cut in 0..60_usize) {
        let all = rows(&seeds);
        let page = &all[..cut.min(all.len())];
        let whole = bursts(&all, day);
        let safe = last_of_a_kind(page);
        let settled = |burst: &&Burst| {
            burst.rows.start < safe && burst.rows.start + MIN_PAIR_EVENTS <= page.len() && burst.rows.end < page.len()
        };
        for burst in bursts(page, day).iter().filter(settled) {
            prop_assert!(whole.contains(burst), "{:?} of {} rows", burst, page.len());
        }
    }
}
