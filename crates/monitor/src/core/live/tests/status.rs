//! Test of session status as a function of events and time, on server and client, also when the clock is set back. A
//! change caused only by passing time is published too.
//!
//! Proves (live): Status is a function of events and time on both sides, also when clocks are set back.
//! Long form: `make soak ARGS=live`.

use std::sync::Arc;
use std::time::Duration;

use coordination::api::{Cursor, SessionsQuery, StatusCounts};
use coordination::link::{LinkClient, Order};
use coordination::query;
use coordination::session::Status;

use super::super::{HubMemory, Live, Publisher, StreamRequest, poll};
use super::{LiveTestRandom, NOW, soaks, talk, virtual_time};
use crate::clock::ServerClock;

const MINUTE_MS: i64 = 60_000;
const MINUTES: u64 = 72 * 60;

/// Known facts of a session, independent of the hub.
#[derive(Clone, Copy)]
struct KnownSession {
    last: i64,
}

impl KnownSession {
    /// The rule, written down once more: a day without activity archives, to the millisecond.
    fn status(self, now: i64) -> Status {
        if now - self.last > 24 * 60 * MINUTE_MS { Status::Archived } else { Status::Active }
    }
}

fn counts(sessions: &[Option<KnownSession>], now: i64) -> StatusCounts {
    let mut counts = StatusCounts::default();
    for known in sessions.iter().flatten() {
        match known.status(now) {
            Status::Active => counts.active += 1,
            Status::Quiet => counts.quiet += 1,
            Status::Archived => counts.archived += 1,
        }
    }
    counts
}

#[test]
fn status_agrees_each_minute_despite_clock_changes() {
    let (sessions, step) = if soaks() { (1_000, 1) } else { (60, 6) };
    virtual_time().block_on(async {
        let (clock, base) = ServerClock::settable(NOW);
        let live = Arc::new(Live::new("run".to_owned(), clock, &HubMemory::default()));
        let mut publisher = Publisher::default();
        let mut random = LiveTestRandom::new(6);
        let mut known: Vec<Option<KnownSession>> = vec![None; sessions];
        publisher.restart(&live);
        let mut client = LinkClient::new(3);
        let mut way = opened(client.start(NOW));
        // Over a poll, without waiting.
        while client.connection(NOW) == coordination::link::Connection::Connecting {
            client.polled(NOW, way, poll(&live, wanted(None), Duration::ZERO).await.iter().map(frame).collect());
        }
        let (mut samples, mut sent_by_time) = (0_u64, 0_u64);
        for minute in (0..MINUTES).step_by(step) {
            // Sessions speak in the first two days, half a minute beside the samples.
            if minute < 48 * 60 {
                tokio::time::advance(Duration::from_secs(30)).await;
                let one = usize::try_from(random.below(sessions as u64)).expect("small");
                let at = clock.now_ms();
                let changes = live.write(|hub| hub.apply(vec![talk(minute + 1, one as u64, at, "a2a.send")]));
                publisher.publish(&live, &changes);
                let last = known[one].map_or(at, |known| known.last.max(at));
                known[one] = Some(KnownSession { last });
                tokio::time::advance(Duration::from_secs(60 * step as u64 - 30)).await;
            } else {
                tokio::time::advance(Duration::from_secs(60 * step as u64)).await;
            }
            if random.below(400) < step as u64 {
                let minutes = i64::try_from(random.below(180)).expect("small");
                base.fetch_sub(minutes * MINUTE_MS, std::sync::atomic::Ordering::SeqCst);
            }
            let before = live.hub().cursor().seq;
            publisher.check_time(&live);
            sent_by_time += live.hub().cursor().seq - before;
            let now = clock.now_ms();
            let frames = poll(&live, wanted(client.cursor()), Duration::ZERO).await;
            if let Some(Order::Open(reopened)) = client.polled(now, way, frames.iter().map(frame).collect()) {
                // The clock jumped: as after a sleep, the tab reopens and continues from its cursor.
                way = reopened.generation;
                let frames = poll(&live, wanted(reopened.cursor), Duration::ZERO).await;
                client.polled(now, way, frames.iter().map(frame).collect());
            }
            let view = client.view().expect("a view");
            assert_eq!(view.cursor, live.hub().cursor());
            assert_eq!(view.home.status_counts, counts(&known, now), "minute {minute}: the client's counts");
            for card in &view.sessions {
                assert_eq!(Some(card.status_at(now)), rule(&known, card.work_session_id.as_str(), now));
                assert_eq!(card.status, card.status_at(now), "minute {minute}");
            }
            samples += view.sessions.len() as u64 + check_server(&live, &known, now);
        }
        println!("{samples} statuses of {sessions} sessions over 72 h compared, {sent_by_time} sent by time alone: 0 mismatches");
        assert!(sent_by_time > 50);
        assert_eq!(counts(&known, clock.now_ms()).active, client.view().expect("view").home.status_counts.active);
    });
}

/// All cards of the server, against the rule; how many.
fn check_server(live: &Live, known: &[Option<KnownSession>], now: i64) -> u64 {
    let hub = live.hub();
    let mut query = SessionsQuery { limit: Some(200), ..SessionsQuery::default() };
    let mut count = 0;
    loop {
        let page = query::sessions(&hub, now, &query).expect("a page");
        for card in &page.sessions {
            assert_eq!(Some(card.status), rule(known, card.work_session_id.as_str(), now));
            count += 1;
        }
        match page.next {
            Some(next) => query.after = Some(next),
            None => return count,
        }
    }
}

fn rule(known: &[Option<KnownSession>], id: &str, now: i64) -> Option<Status> {
    let number: usize = id.strip_prefix("ws_")?.parse().ok()?;
    known.get(number).copied().flatten().map(|known| known.status(now))
}

fn wanted(cursor: Option<Cursor>) -> StreamRequest {
    StreamRequest { cursor, patches: true, ..StreamRequest::default() }
}

fn frame(text: &axum::extract::ws::Utf8Bytes) -> serde_json::Value {
    serde_json::from_str(text).expect("a frame")
}

fn opened(order: Option<Order>) -> u64 {
    match order {
        Some(Order::Open(opening)) => opening.generation,
        other => panic!("{other:?}"),
    }
}
