//! Benchmark program for CPU instruction counts. `make test-full` runs it under callgrind (through `devtools`) and
//! counts each part: parsing, applying events, queries, searches, flow layout. The input is always the same: with the
//! same tools, a rise of more than a few per cent comes from the code.
//!
//! The crate is separate for two reasons: its example `schema_alike` is also built for wasm, and the counted program
//! links little besides `coordination`.
#![allow(clippy::print_stdout, reason = "its answers go to the program that started it")]
#![allow(unreachable_pub, reason = "a binary: nothing is reachable from outside")]

mod input;

use std::hint::black_box;

use coordination::api::{EventsQuery, PeriodsQuery, SearchQuery, SessionsQuery, TasksQuery, ThreadQuery};
use coordination::event::parse_lines;
use coordination::flow_layout::{LayoutOptions, layout};
use coordination::hub::Hub;
use coordination::ids::SessionId;
use coordination::query::{self, QueryError};
use coordination::search::index::SearchIndex;
use serde_json::Value;

use crate::input::NOW;

/// Lines of the counted log.
const LOG_LINES: usize = 20_000;
/// Lines that come one by one afterwards, each with its delta.
const LIVE_LINES: usize = 200;
/// Repetitions of a query: enough that the cold caches of the first one do not show.
const QUERY_REPETITIONS: usize = 20;
const LONG_SESSION: &str = "ws_0";
/// A word that many messages hold, initial consonants, operators with a word, and a word that occurs nowhere.
const SEARCHES: [(&str, &str); 4] = [
    ("search: a Korean word", "배포를"),
    ("search: initial consonants", "ㅂㅍ"),
    ("search: operators and a word", "from:eden type:a2a.send timeout"),
    ("search: a word that occurs nowhere", "zqxjkv"),
];

/// Callgrind writes its counts and starts again whenever this is entered: a part ends here.
/// Its name is also in `crates/devtools/src/gates.rs`.
#[inline(never)]
fn part_ends(name: &str, unit: &str, units: usize) {
    println!("{name}\t{unit}\t{units}");
    black_box(name);
}

/// Runs every part in a fixed order. Work between two parts is a part called `-`.
fn main() -> Result<(), String> {
    let text = input::log(LOG_LINES + LIVE_LINES);
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).nth(LOG_LINES - 1).ok_or("the log is too short")? + 1;
    let (history, live) = text.split_at(ends);
    let long = SessionId::from(LONG_SESSION);
    part_ends("-", "", 0);

    for line in history.lines() {
        let value: Value = serde_json::from_str(line).map_err(|error| format!("the control cannot read: {error}"))?;
        black_box(value);
    }
    part_ends("control: plain JSON values", "line", LOG_LINES);

    let (events, bad) = parse_lines(history.as_bytes(), "gauge", 0);
    part_ends("parse", "line", LOG_LINES);
    if events.len() != LOG_LINES || !bad.is_empty() {
        return Err(format!("{} events and {} bad lines of {LOG_LINES}", events.len(), bad.len()));
    }

    let mut hub = Hub::new();
    let mut events = events.into_iter();
    part_ends("-", "", 0);
    loop {
        // As many as the tail hands on of one piece of a file, about.
        let batch: Vec<_> = events.by_ref().take(2_000).collect();
        if batch.is_empty() {
            break;
        }
        black_box(hub.apply(batch));
    }
    part_ends("apply", "event", LOG_LINES);

    let arrived = parse_lines(live.as_bytes(), "gauge", ends as u64).0;
    part_ends("-", "", 0);
    for event in arrived {
        let changes = hub.apply(vec![event]);
        hub.advance();
        black_box(query::delta(&hub, NOW, &changes));
    }
    part_ends("live: apply and delta", "event", LIVE_LINES);
    queries(&hub, &long)?;
    searches(&hub)?;
    flow_layout(&hub, &long)
}

fn queries(hub: &Hub, long: &SessionId) -> Result<(), String> {
    let detail = query::session(hub, NOW, long).ok_or("the long session is missing")?;
    let thread = detail.threads.first().ok_or("the long session has no thread")?.thread_id.clone();
    part_ends("-", "", 0);
    repeated("query: home", || Ok(query::home(hub, NOW)))?;
    let page = SessionsQuery { limit: Some(50), ..SessionsQuery::default() };
    repeated("query: sessions, first page", || query::sessions(hub, NOW, &page))?;
    let page = SessionsQuery { q: Some("배포".to_owned()), ..SessionsQuery::default() };
    repeated("query: sessions with a word", || query::sessions(hub, NOW, &page))?;
    let page = ThreadQuery::default();
    repeated("query: a page of a thread", || query::thread_page(hub, NOW, long, &thread, &page))?;
    repeated("query: a page of events", || query::events(hub, NOW, &EventsQuery::default()))?;
    repeated("query: tasks", || query::tasks(hub, NOW, &TasksQuery::default()))?;
    let all = PeriodsQuery { since: None, offset_min: 540 };
    repeated("query: drift", || Ok(query::drift(hub, NOW, &all)))
}

fn searches(hub: &Hub) -> Result<(), String> {
    let mut index = SearchIndex::new();
    part_ends("-", "", 0);
    let full = hub.index_entries(0, u32::MAX).iter().any(|entry| !index.add(entry));
    part_ends("search: an event into the index", "event", hub.events().len());
    if full {
        return Err("the index took in less than the log".to_owned());
    }
    SEARCHES.into_iter().try_for_each(|(name, words)| {
        let page = SearchQuery { q: words.to_owned(), ..SearchQuery::default() };
        repeated(name, || query::search(hub, &index, NOW, &page))
    })
}

/// A part of so many equal queries.
fn repeated<T>(name: &str, question: impl Fn() -> Result<T, QueryError>) -> Result<(), String> {
    for _ in 0..QUERY_REPETITIONS {
        black_box(question().map_err(|error| error.to_string())?);
    }
    part_ends(name, "answer", QUERY_REPETITIONS);
    Ok(())
}

fn flow_layout(hub: &Hub, long: &SessionId) -> Result<(), String> {
    part_ends("-", "", 0);
    let flow = query::flow(hub, NOW, long).ok_or("the long session has no flow")?;
    let marks = flow.events().count();
    part_ends("query: a flow", "event", marks);
    black_box(layout(&flow, &LayoutOptions { unfolded: &|_| false, day: &|at| at / 86_400_000 }));
    part_ends("layout of a flow", "event", marks);
    drop(flow);
    part_ends("-", "", 0);
    Ok(())
}
