//! Tests of parallel parsing: one parser thread and several give the same result.
//!
//! Proves (log): One parser thread and several give the same answers, however the log is cut into blocks.

use std::fs;
use std::path::{Path, PathBuf};

use coordination::api::{
    AgentsQuery, DelegationsQuery, EventsQuery, PeriodsQuery, SearchQuery, SessionsQuery, TasksQuery, ThreadQuery,
};
use coordination::hub::Hub;
use coordination::query;
use coordination::search::index::SearchIndex;
use serde_json::{Value, json};

use super::super::Chunk;
use super::tail_fixture::TailFixture;
use super::{LIVE, MONTH};
use crate::core::status::ReadStatus;
use crate::workers::{Deferred, WorkerPool};

const NOW: i64 = 1_772_000_000_000;

/// Every log of the fixtures one after the other, with invalid lines between them, and some of them twice.
fn log() -> String {
    let mut files: Vec<PathBuf> = Vec::new();
    for story in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")).expect("stories") {
        if let Ok(logs) = fs::read_dir(story.expect("a story").path().join("logs")) {
            files.extend(logs.map(|file| file.expect("a log").path()));
        }
    }
    files.sort();
    let mut log = String::new();
    for (number, file) in files.iter().enumerate() {
        log += &String::from_utf8_lossy(&fs::read(file).expect("readable"));
        log += match number % 4 {
            0 => "no line at all\n",
            1 => "{\"type\":\"a2a.send\",\"ts\":5}{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":6,\"data\":{}}\n",
            2 => "\u{feff}{\"type\":\"task.updated\",\"ts\":1771000000000,\"data\":{\"taskId\":\"t\"}}\r\n",
            _ => "[1,2]\n\n",
        };
    }
    log.clone() + &log
}

/// All that was made of a log, by one thread or by several.
struct LogReplay {
    hub: Hub,
    reading: ReadStatus,
    bad: Vec<Value>,
}

impl LogReplay {
    fn from_fixture(fixture: &mut TailFixture, workers: &WorkerPool, joined: bool, cuts: &[(&str, &str)]) -> Self {
        let mut made = Self { hub: Hub::new(), reading: ReadStatus::default(), bad: Vec::new() };
        for (name, bytes) in cuts {
            fixture.append(name, bytes);
            let mut deferred = Vec::new();
            fixture.follower.look(NOW, &mut |block| deferred.push(workers.submit(move || block.parse())));
            let mut chunks: Vec<Chunk> = Vec::new();
            for chunk in deferred.into_iter().map(Deferred::take) {
                // As the writer does when the last block took long.
                let before = chunks.last_mut().filter(|_| joined);
                let other = match before {
                    Some(before) => before.join(chunk),
                    None => Some(chunk),
                };
                chunks.extend(other);
            }
            for chunk in chunks {
                made.reading.examine(&chunk);
                made.bad.extend(chunk.bad.iter().map(|line| json!(line)));
                made.hub.apply(chunk.events);
            }
        }
        made
    }

    /// Every answer, position and finding.
    fn answers(&self) -> Vec<Value> {
        let hub = &self.hub;
        let since = PeriodsQuery { since: None, offset_min: 540 };
        let mut answers = vec![
            json!(hub.events().iter().map(|event| (event.id(), event.at, &event.raw)).collect::<Vec<_>>()),
            json!(self.bad),
            json!(self.reading.doctor.report()),
            json!(query::snapshot(hub, NOW)),
            json!(query::quality(hub, NOW, &since)),
            json!(query::drift(hub, NOW, &since)),
            json!(query::agents(hub, NOW, &AgentsQuery::default())),
            json!(query::tasks(hub, NOW, &TasksQuery::default()).expect("tasks")),
            json!(query::events(hub, NOW, &EventsQuery::default()).expect("events")),
            json!(query::all_delegations(hub, NOW, &DelegationsQuery::default()).expect("delegations")),
        ];
        let search_query = SearchQuery { q: "배포".to_owned(), ..SearchQuery::default() };
        answers.push(json!(query::search(hub, &SearchIndex::new(), NOW, &search_query).expect("found")));
        let page = SessionsQuery { limit: Some(200), ..SessionsQuery::default() };
        for card in query::sessions(hub, NOW, &page).expect("sessions").sessions {
            let id = card.work_session_id;
            let detail = query::session(hub, NOW, &id).expect("it was listed");
            for thread in &detail.threads {
                let page = ThreadQuery::default();
                answers.push(json!(query::thread_page(hub, NOW, &id, &thread.thread_id, &page).expect("a page")));
            }
            answers.extend([json!(detail), json!(query::flow(hub, NOW, &id))]);
        }
        answers
    }
}

/// Cuts a text at places that look random and are the same for the same seed, inside lines and characters' bounds.
fn cut(text: &str, blocks: usize, seed: u64) -> Vec<&str> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut places: Vec<usize> = (1..blocks)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.floor_char_boundary(usize::try_from(state >> 16).unwrap_or_default() % text.len())
        })
        .collect();
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

#[test]
fn parallel_parsing_equals_single_thread() {
    let log = log();
    let middle = log.len() / 2 + log[log.len() / 2..].find('\n').expect("a line") + 1;
    let (archive, live) = log.split_at(middle);
    let whole = LogReplay::from_fixture(
        &mut TailFixture::new(),
        &WorkerPool::with_threads(0),
        false,
        &[(MONTH, archive), (LIVE, live)],
    )
    .answers();
    assert!(log.len() > 3 * 512 * 1024, "{} bytes are several blocks", log.len());
    assert!(whole[1].as_array().expect("bad lines").len() > 10, "and some lines are bad");
    for (seed, threads, joined) in [(1, 3, false), (2, 1, true), (3, 0, false)] {
        let cuts = cut(live, 7, seed);
        let steps: Vec<_> = std::iter::once((MONTH, archive)).chain(cuts.into_iter().map(|cut| (LIVE, cut))).collect();
        let made = LogReplay::from_fixture(&mut TailFixture::new(), &WorkerPool::with_threads(threads), joined, &steps)
            .answers();
        assert_eq!(made.len(), whole.len(), "{threads} threads");
        for (part, (made, whole)) in made.iter().zip(&whole).enumerate() {
            assert!(made == whole, "{threads} threads, part {part}:\n{made}\n{whole}");
        }
    }
}
