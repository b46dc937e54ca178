//! Tests of the hub of a past moment, with the fixture logs ("stories") as input: it answers like a fresh hub that was
//! fed with exactly the events known at that moment, wherever it stood before.
//!
//! Proves (past): The answers of any past moment equal those of a fresh hub that was fed with exactly the events known
//! then, by event time and by arrival, whichever moments were asked for before, in small steps back and forth, and with
//! late, transcript and hook events.

use std::collections::BTreeMap;

use coordination::api::{CategoryChange, KnownBy, ManualOverride, PastMoment, SessionsQuery};
use coordination::category::Category;
use coordination::event::Event;
use coordination::hub::{Hub, PastHub};
use coordination::ids::SessionId;
use coordination::merge::TranscriptExchanges;
use coordination::query::{self, ChangeRecord};
use coordination::schema::hook::Capture;
use coordination::schema::{AgentsChanged, Changed, Ledger};

use crate::hooks::{NOW as HOOKS_NOW, story as hooks_story};
use crate::merge_law::{self, MergeRandom, found, homes};
use crate::packed::{answers_at, events, packing, stories, taught};

/// The events that were known at a moment, in their order.
fn known(log: &[Event], moment: PastMoment) -> Vec<Event> {
    let mut newest = 0;
    let is_known = |event: &&Event| {
        newest = newest.max(event.at);
        let time = if moment.known_by == KnownBy::Arrival || event.at == 0 { newest } else { event.at };
        time <= moment.at
    };
    log.iter().filter(is_known).cloned().collect()
}

fn move_to(past: &mut PastHub, present: &Hub, moment: PastMoment) {
    past.prepare(present, moment, BTreeMap::new());
    past.settle();
}

/// Answers without the newest time of the log, which the monitor sets in a present hub.
fn comparable(hub: &Hub, now: i64) -> Vec<String> {
    let mut hub = hub.clone();
    hub.set_source(coordination::api::SourceInfo::default());
    answers_at(&hub, now).iter().map(|answer| without_count(answer)).collect()
}

/// The page mark of a search begins with the number of events, those that were not known then included.
fn without_count(answer: &str) -> String {
    match answer.split_once(r#""next":""#) {
        Some((before, mark)) if answer.starts_with(r#"{"hits""#) => {
            format!("{before}{}", mark.trim_start_matches(|digit: char| digit.is_ascii_hexdigit()))
        }
        _ => answer.to_owned(),
    }
}

fn same(past: &Hub, fresh: &Hub, now: i64, what: &str) {
    for (number, (past, fresh)) in comparable(past, now).iter().zip(comparable(fresh, now)).enumerate() {
        assert_eq!(*past, fresh, "{what}: answer {number}");
    }
}

/// A moment at, just before or just after an event, or between the first and the last one.
fn moment(log: &[Event], random: &mut MergeRandom) -> PastMoment {
    let near = log[random.below(log.len())].at + i64::try_from(random.below(3)).unwrap() - 1;
    let times = || log.iter().map(|event| event.at).filter(|at| *at > 0);
    let (first, last) = (times().min().unwrap_or_default(), times().max().unwrap_or_default());
    let span = usize::try_from(last - first).unwrap();
    let anywhere = first + i64::try_from(random.below(span + 2)).unwrap();
    PastMoment { at: if random.below(2) == 0 { near } else { anywhere }, known_by: KnownBy::ALL[random.below(2)] }
}

fn hold(story: &str, mut log: Vec<Event>, moments: usize, seed: u64) {
    log.dedup_by(|a, b| a.id() == b.id());
    let mut random = MergeRandom(seed);
    let mut present = packing(2_000, 3);
    present.apply(log.clone());
    drop(present.put_packed(present.pack(usize::MAX)));
    let mut past = PastHub::default();
    for number in 0..moments {
        let moment = moment(&log, &mut random);
        move_to(&mut past, &present, moment);
        let mut fresh = Hub::new();
        fresh.apply(known(&log, moment));
        let what = format!("{story}, seed {seed}, number {number}: {moment:?}");
        assert_eq!(past.hub().event_count(), fresh.event_count(), "{what}");
        if number % 50 == 0 {
            same(past.hub(), &fresh, moment.at, &what);
        }
        let all = SessionsQuery { limit: Some(200), ..SessionsQuery::default() };
        let brief = |hub: &Hub| {
            let mut home = query::home(hub, moment.at);
            home.source = coordination::api::SourceInfo::default();
            (home, query::sessions(hub, moment.at, &all).unwrap())
        };
        assert_eq!(brief(past.hub()), brief(&fresh), "{what}");
    }
}

/// Compares a hub that is moved by a few events at a time, back, back, and forth, from some moment on.
fn scrub(story: &str, mut log: Vec<Event>, steps: usize, seed: u64) {
    log.dedup_by(|a, b| a.id() == b.id());
    let mut times: Vec<i64> = log.iter().map(|event| event.at).collect();
    times.sort_unstable();
    let mut random = MergeRandom(seed);
    let mut present = packing(2_000, 3);
    present.apply(log.clone());
    drop(present.put_packed(present.pack(usize::MAX)));
    let (mut past, mut place) = (PastHub::default(), times.len() - 1);
    for number in 0..steps {
        let far = random.below(6);
        place = if number % 3 == 2 { (place + far).min(times.len() - 1) } else { place.saturating_sub(far) };
        let moment = PastMoment { at: times[place], known_by: KnownBy::ALL[number / 9 % 2] };
        move_to(&mut past, &present, moment);
        let mut fresh = Hub::new();
        fresh.apply(known(&log, moment));
        let what = format!("{story}, seed {seed}, step {number}: {moment:?}");
        assert_eq!(past.hub().event_count(), fresh.event_count(), "{what}");
        let all = SessionsQuery { limit: Some(200), ..SessionsQuery::default() };
        let sessions = |hub: &Hub| query::sessions(hub, moment.at, &all).unwrap();
        assert_eq!(sessions(past.hub()), sessions(&fresh), "{what}");
        if number % 20 == 19 {
            same(past.hub(), &fresh, moment.at, &what);
        }
    }
}

#[test]
fn small_steps_answer_like_fresh_hub() {
    for (number, story) in stories().iter().enumerate() {
        let log = events(story);
        if !log.is_empty() && log.len() < 1_000 {
            scrub(story, log, 100, 1 + number as u64);
        }
    }
}

/// A session of thousands of events is derived from its checkpoints in both directions.
#[test]
fn long_session_steps_back_and_forth() {
    let line = |number: i64| {
        let (from, to) = if number % 2 == 0 { ("eden", "seum") } else { ("seum", "eden") };
        let kind = if number % 2 == 0 { "a2a.send" } else { "a2a.response" };
        let data = format!(
            r#"{{"fromAgent":"{from}","toAgent":"{to}","workSessionId":"ws_1","conversationId":"c{}","message":"배포 {number}"}}"#,
            number / 40
        );
        format!(
            "{{\"type\":\"{kind}\",\"agentId\":\"{from}\",\"ts\":{},\"data\":{data}}}\n",
            1_771_500_000_000 + number * 20_000
        )
    };
    let lines: String = (0..1_500).map(line).collect();
    scrub("a long session", coordination::event::parse_lines(lines.as_bytes(), "f0", 0).0, 60, 11);
}

#[test]
fn any_moment_answers_like_fresh_hub_of_known_events() {
    for (number, story) in stories().iter().enumerate() {
        let log = events(story);
        if log.is_empty() {
            continue;
        }
        hold(story, log, 500, 1 + number as u64);
    }
}

/// Lines that arrive late are known by event time before they are known by arrival.
#[test]
fn late_lines_are_known_by_arrival_later() {
    let mut log = events("everything");
    let moved = log.remove(3);
    let (at, newest) = (moved.at, log.iter().map(|event| event.at).max().unwrap());
    log.push(moved);
    let mut present = Hub::new();
    present.apply(log.clone());
    let mut past = PastHub::default();
    let mut count = |at, known_by| {
        move_to(&mut past, &present, PastMoment { at, known_by });
        past.hub().event_count()
    };
    assert_eq!(count(at, KnownBy::Time), count(at, KnownBy::Arrival) + 1);
    assert_eq!(count(newest, KnownBy::Time), count(newest, KnownBy::Arrival));
    hold("a late line", log, 20, 77);
}

/// Checkpoints, from which going back starts, hold what they should.
#[test]
fn long_history_goes_back_and_forth() {
    let story = events("everything");
    let step = story.iter().map(|event| event.at).max().unwrap() - story.iter().map(|event| event.at).min().unwrap();
    let mut lines = String::new();
    for round in 0..(9_000 / story.len() as i64 + 1) {
        for event in &story {
            // Each round has sessions of its own.
            let at = event.at + round * (step + 60_000);
            let mut line: serde_json::Value = serde_json::from_str(&event.raw).unwrap();
            line["timestampMs"] = at.into();
            line["timestamp"] = coordination::time::to_iso(at).into();
            lines.push_str(&line.to_string().replace("ws_", &format!("ws_{round}_")));
            lines.push('\n');
        }
    }
    let log = coordination::event::parse_lines(lines.as_bytes(), "f0", 0).0;
    assert!(log.len() > 8_192);
    hold("a long history", log, 10, 5);
}

#[test]
fn later_events_and_other_settings_are_taken() {
    let log = events("trouble");
    let (before, after) = log.split_at(log.len() / 2);
    let mut present = Hub::new();
    present.apply(after.to_vec());
    let at = log.iter().map(|event| event.at).max().unwrap();
    let mut past = PastHub::default();
    let moment = PastMoment { at, known_by: KnownBy::Time };
    move_to(&mut past, &present, moment);
    present.apply(before.to_vec());
    let rules = present.evaluate_rules(taught());
    present.apply_rules(rules);
    move_to(&mut past, &present, moment);
    let mut fresh = Hub::new();
    let rules = fresh.evaluate_rules(taught());
    fresh.apply_rules(rules);
    fresh.apply(after.to_vec());
    fresh.apply(before.to_vec());
    same(past.hub(), &fresh, at, "late lines and rules");
}

/// Exchanges of transcripts are merged up to the moment.
#[test]
fn transcripts_are_known_up_to_the_moment() {
    for (number, home) in homes().iter().enumerate() {
        let mut random = MergeRandom(3 + number as u64);
        let talk = found(home, |length| length);
        let log = merge_law::log(&talk, &mut random, false, 3);
        let mut present = Hub::new();
        present.apply(log.clone());
        present.sync_transcripts(TranscriptExchanges::new(talk.clone()));
        let mut past = PastHub::default();
        for _ in 0..40 {
            let moment = moment(&log, &mut random);
            move_to(&mut past, &present, moment);
            let mut fresh = Hub::new();
            fresh.apply(known(&log, moment));
            let until = talk.iter().filter(|event| event.at_ms <= moment.at).cloned().collect();
            fresh.sync_transcripts(TranscriptExchanges::new(until));
            let mut past = past.hub().clone();
            past.set_source(coordination::api::SourceInfo::default());
            assert_eq!(merge_law::answers(&past), merge_law::answers(&fresh), "{moment:?}");
        }
    }
}

#[test]
fn hook_events_are_known_by_their_times() {
    let mut ledger = Ledger::default();
    ledger.take(hooks_story(Capture::Full));
    ledger.settle(HOOKS_NOW);
    let put: Vec<_> = ledger.timeline().events().cloned().collect();
    let changed = Changed { put, removed: Vec::new(), evicted: Vec::new() };
    let mut present = Hub::new();
    present.apply_agent_events(&changed, AgentsChanged(BTreeMap::new()));
    let log: Vec<Event> = present.events().iter().cloned().collect();
    assert!(log.len() > 3, "{}", log.len());
    let (mut past, mut random) = (PastHub::default(), MergeRandom(9));
    for _ in 0..50 {
        let moment = PastMoment { known_by: KnownBy::Time, ..moment(&log, &mut random) };
        move_to(&mut past, &present, moment);
        let mut fresh = Hub::new();
        fresh.apply(known(&log, moment));
        same(past.hub(), &fresh, moment.at, &format!("{moment:?}"));
    }
}

/// Categories by hand are those of that moment, also where they were changed or taken back since.
#[test]
fn categories_by_hand_are_those_of_the_moment() {
    let change = |minute: u32, session: &str, to: Option<Category>| CategoryChange {
        at: format!("2026-07-01T09:{minute:02}:00Z"),
        work_session_id: SessionId::from(session.to_owned()),
        from: None,
        to: to.map(|category| category.as_str().to_owned()),
        by: Some("eden".to_owned()),
        reason: None,
        request_id: String::new(),
        undo_of: None,
        found: false,
    };
    let changes = vec![
        change(0, "ws_1", Some(Category::DocsKnowledge)),
        change(5, "ws_1", Some(Category::LegalCompliance)),
        change(7, "ws_2", Some(Category::DocsKnowledge)),
        change(9, "ws_1", None),
    ];
    let record = ChangeRecord { changes, bad_lines: 0 };
    let at = |minute: i64| {
        let start = coordination::time::parse_iso("2026-07-01T09:00:00Z").unwrap();
        let overrides: BTreeMap<SessionId, ManualOverride> = record.overrides_at(start + minute * 60_000);
        overrides.into_iter().map(|(id, manual)| (id.to_string(), manual.collab_category)).collect::<Vec<_>>()
    };
    let (docs, legal) = (Category::DocsKnowledge, Category::LegalCompliance);
    assert_eq!(at(-1), []);
    assert_eq!(at(0), [("ws_1".to_owned(), docs)]);
    assert_eq!(at(6), [("ws_1".to_owned(), legal)]);
    assert_eq!(at(8), [("ws_1".to_owned(), legal), ("ws_2".to_owned(), docs)]);
    assert_eq!(at(10), [("ws_2".to_owned(), docs)]);
}
