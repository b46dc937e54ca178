//! Bursts of the flat list: what is joined, and the law that nothing is lost or moved by it.
//!
//! Proves (search): Bursts, taken apart, give the list again.

use coordination::api::{EventRow, EventsQuery, Origin};
use coordination::burst::{Burst, LEAST_OF_PAIR, Sameness, bursts, summary};
use coordination::query;
use proptest::prelude::*;

use super::log::{T, hub, send};

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
    let one = query::events(&hub, T, &EventsQuery::default()).unwrap().events.remove(0);
    let mut at = T;
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

fn told(rows: &[EventRow]) -> Vec<(usize, Option<Sameness>)> {
    bursts(rows, day).into_iter().map(|burst| (burst.rows.len(), burst.of)).collect()
}

fn different_words(number: usize, seed: &mut Seed) {
    seed.text = 1 + (number % 2) as u8;
}

#[test]
fn events_of_one_type_between_two_agents_within_a_short_time_are_one_line() {
    assert_eq!(told(&same(4, 60_000, different_words)), [(4, Some(Sameness::Pair))]);
    assert_eq!(told(&same(4, 60_001, different_words)).len(), 4, "too far apart");
    assert_eq!(told(&same(3, 1_000, different_words)).len(), 3, "too few");
    let two = same(8, 1_000, |number, seed| {
        different_words(number, seed);
        seed.to = u8::from(number >= 4);
    });
    assert_eq!(told(&two), [(4, Some(Sameness::Pair)); 2], "another pair is another burst");
}

#[test]
fn the_same_words_are_one_line_over_a_longer_while_and_to_whomever() {
    let broadcast = same(3, 1_800_000, |number, seed| (seed.text, seed.to) = (1, (number % 2) as u8));
    assert_eq!(told(&broadcast), [(3, Some(Sameness::Words))]);
    let told = summary(&broadcast);
    assert_eq!((told.count, told.to - told.from, told.addressees.len(), told.sessions.len()), (3, 3_600_000, 2, 1));
    assert_eq!(summary::<EventRow>(&[]).count, 0);
}

#[test]
fn what_went_wrong_is_joined_with_its_own_words_only_and_what_a_person_said_with_nothing() {
    let failed = |change: fn(usize, &mut Seed)| {
        same(6, 1_000, move |number, seed| {
            seed.failed = true;
            change(number, seed);
        })
    };
    assert_eq!(told(&failed(different_words)).len(), 6);
    assert_eq!(told(&failed(|_, seed| seed.text = 1)), [(6, Some(Sameness::Words))]);
    let human = same(6, 1_000, |_, seed| (seed.human, seed.text) = (true, 1));
    assert_eq!(told(&human).len(), 6);
}

#[test]
fn what_the_log_has_and_what_only_transcripts_tell_of_are_different_lines() {
    let mut rows = same(8, 1_000, different_words);
    rows[4..].iter_mut().for_each(|row| row.origin = Origin::Transcript);
    assert_eq!(told(&rows), [(4, Some(Sameness::Pair)); 2]);
}

#[test]
fn no_burst_reaches_over_midnight_or_holds_events_without_a_time() {
    let mut over = same(8, 1_000, |_, seed| seed.text = 1);
    for (number, row) in over.iter_mut().enumerate() {
        row.at = DAY * 20_000 + 3_500 - 1_000 * number as i64;
    }
    assert_eq!(told(&over), [(4, Some(Sameness::Words)); 2]);
    over.iter_mut().for_each(|row| row.at = 0);
    assert_eq!(told(&over).len(), 8);
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
    fn bursts_lose_nothing_keep_the_order_and_taken_apart_give_the_list(seeds in seeds()) {
        let rows = rows(&seeds);
        let parts = bursts(&rows, day);
        let apart: Vec<usize> = parts.iter().flat_map(|burst| burst.rows.clone()).collect();
        prop_assert_eq!(apart, (0..rows.len()).collect::<Vec<_>>());
        for burst in &parts {
            let all = &rows[burst.rows.clone()];
            let told = summary(all);
            prop_assert_eq!(told.count, all.len());
            prop_assert!(all.iter().all(|row| (told.from..=told.to).contains(&row.at)));
            prop_assert_eq!(all.len() > 1, burst.of.is_some());
            if burst.of.is_some() {
                prop_assert!(all.iter().all(|row| !row.human && row.event_type == all[0].event_type));
                prop_assert!(all.iter().all(|row| row.outcome == all[0].outcome && day(row.at) == day(all[0].at)));
                prop_assert!(all.len() >= LEAST_OF_PAIR || all.iter().all(|row| row.text == all[0].text));
            }
        }
    }

    #[test]
    fn a_further_page_changes_only_what_stands_at_the_end(seeds in seeds(), cut in 0..60_usize) {
        let all = rows(&seeds);
        let page = &all[..cut.min(all.len())];
        let whole = bursts(&all, day);
        let safe = last_of_a_kind(page);
        let settled = |burst: &&Burst| {
            burst.rows.start < safe && burst.rows.start + LEAST_OF_PAIR <= page.len() && burst.rows.end < page.len()
        };
        for burst in bursts(page, day).iter().filter(settled) {
            prop_assert!(whole.contains(burst), "{:?} of {} rows", burst, page.len());
        }
    }
}
