//! Tests of the times at which the live stream publishes frames. The home page's data follows a change within 100 ms,
//! or within eight times the time that computing it takes, if that is longer. Many or slow clients delay frames, up to
//! a limit.
//!
//! Proves (live): A change reaches a tab at once. The home page's data follows within 100 ms, or within eight times the
//! time that computing it takes, if that is longer. It is never left out of date.

use std::sync::Arc;
use std::time::Duration;

use coordination::api::{Frame, Unreadable};
use coordination::hub::Changes;
use coordination::query;
use coordination::view::{ApplyResult, HomeView, SharedState};
use serde_json::Value;
use tokio::time::Instant;

use super::super::channel::NextFrame;
use super::super::publisher::HOME_INTERVAL;
use super::super::{CloseReason, HubMemory, Live, Next, Publisher, StreamRequest, Subscription};
use super::{LiveTestRandom, NOW, soaks, talk, virtual_time};
use crate::clock::ServerClock;

/// From which a tab comes back.
const PLACES: u64 = 200;

/// A hub, its published frames, and time that passes as it does for the writer of the hub.
struct HomeFixture {
    live: Arc<Live>,
    publisher: Publisher,
    number: u64,
    /// A tab that has every frame at once.
    view: HomeView,
    /// What its frames' differences are put into.
    shared: SharedState,
    /// Since when its home differs from that of a new tab.
    lacking: Option<Instant>,
    /// Homes that it got.
    homes: u64,
    /// The newest of them.
    last_home_at: Instant,
}

impl HomeFixture {
    fn new() -> Self {
        let live = Arc::new(Live::new("run".to_owned(), ServerClock::settable(NOW).0, &HubMemory::default()));
        let mut publisher = Publisher::default();
        publisher.restart(&live);
        let view = HomeView::from(query::snapshot(&live.hub(), live.now()));
        let shared = live.shared().clone().expect("a snapshot is published");
        Self { live, publisher, number: 0, view, shared, lacking: None, homes: 0, last_home_at: Instant::now() }
    }

    fn speak(&mut self, sessions: u64, random: &mut LiveTestRandom) {
        self.number += 1;
        let event = talk(self.number, random.below(sessions), self.live.now(), "a2a.send");
        let changes = self.live.write(|hub| hub.apply(vec![event]));
        self.publisher.publish(&self.live, &changes);
        self.observe();
    }

    /// A file beside the log cannot be read, or can be again: only home shows it.
    fn trouble(&mut self, path: &str) {
        self.live.write(|hub| {
            let mut source = hub.source().clone();
            source.unreadable = vec![Unreadable { path: path.to_owned(), cause: "EACCES".to_owned() }];
            hub.set_source(source);
        });
        self.publisher.publish(&self.live, &Changes::default());
        self.observe();
    }

    /// Time passes. The writer wakes when home is due, as `ingest` does.
    async fn pass(&mut self, mut time: Duration) {
        while let Some(wait) = self.publisher.home_due_in().filter(|wait| *wait <= time) {
            tokio::time::advance(wait).await;
            time -= wait;
            self.publisher.publish_due_home(&self.live);
            assert_ne!(self.publisher.home_due_in(), Some(Duration::ZERO), "home is due and not sent");
            self.observe();
        }
        tokio::time::advance(time).await;
        self.observe();
    }

    /// Compares the tab's view with the guarantees for any moment.
    fn observe(&mut self) {
        let (mut view, mut shared) = (self.view.clone(), self.shared.clone());
        let homes = self.follow(&mut view, &mut shared);
        if homes > 0 {
            let gap = std::mem::replace(&mut self.last_home_at, Instant::now()).elapsed();
            assert!(homes == 1 && gap >= HOME_INTERVAL, "{homes} homes {gap:?} after the one before");
        }
        self.homes += homes;
        let fresh = self.fresh();
        assert_eq!((&view.sessions, &view.cursor), (&fresh.sessions, &fresh.cursor));
        self.lacking = if home_equals(&view, &fresh) { None } else { self.lacking.or(Some(Instant::now())) };
        let since = self.lacking.map(|since| since.elapsed()).unwrap_or_default();
        assert!(since <= HOME_INTERVAL, "home is {since:?} behind");
        assert!(self.lacking.is_none() || self.publisher.home_due_in().is_some(), "home is forgotten");
        (self.view, self.shared) = (view, shared);
    }

    fn fresh(&self) -> HomeView {
        HomeView::from(query::snapshot(&self.live.hub(), self.live.now()))
    }

    /// Applies the frames after `view`; returns how many homes came.
    fn follow(&self, view: &mut HomeView, shared: &mut SharedState) -> u64 {
        let mut homes = 0;
        while let NextFrame::Frame(frame) = self.live.channel.next_after(view.cursor.seq) {
            let Value::Object(mut fields) = serde_json::from_str(&frame.text.text).expect("JSON") else {
                panic!("a frame is an object")
            };
            shared.complete(&mut fields).expect("it follows what the tab holds");
            let Ok(Frame::Delta(delta)) = Frame::from_value(Value::Object(fields)) else {
                panic!("only deltas follow")
            };
            assert_eq!(delta.home.is_some(), frame.whole);
            homes += u64::from(delta.home.is_some());
            assert_eq!(view.apply(&delta), ApplyResult::Ok);
        }
        homes
    }
}

/// Equal but for the time of making, and the read position of the source.
fn home_equals(held: &HomeView, fresh: &HomeView) -> bool {
    let mut held = held.home.clone();
    (held.now, held.cursor) = (fresh.home.now, fresh.home.cursor.clone());
    held == fresh.home
}

#[test]
fn home_follows_changes_within_its_interval() {
    virtual_time().block_on(async {
        let (mut fixture, mut random) = (HomeFixture::new(), LiveTestRandom::new(11));
        // What tabs know that lost their link at each position.
        let mut lost = vec![(fixture.view.clone(), fixture.shared.clone())];
        let mut parts = 0_u64;
        let steps = if soaks() { 6_000 } else { PLACES };
        for step in 0..steps {
            match random.below(12) {
                0 => fixture.trouble(&format!("tasks/{step}.md")),
                _ => fixture.speak(5, &mut random),
            }
            parts += u64::from(fixture.lacking.is_some());
            if step % (steps / PLACES) == 0 {
                lost.push((fixture.view.clone(), fixture.shared.clone()));
            }
            // A busy stream with pauses.
            let limit = if random.below(10) == 0 { 400 } else { 30 };
            fixture.pass(Duration::from_millis(random.below(limit))).await;
        }
        fixture.pass(HOME_INTERVAL).await;
        assert_eq!(
            (fixture.publisher.home_due_in(), fixture.lacking),
            (None, None),
            "everything is sent before the stream is idle"
        );
        assert!(parts > steps / 2, "the stream seldom leaves home out: {parts} times");
        let (fresh, places) = (fixture.fresh(), lost.len());
        for (mut tab, mut shared) in lost {
            let from = tab.cursor.seq;
            if fixture.live.channel.continues(from) {
                fixture.follow(&mut tab, &mut shared);
                assert!(tab.sessions == fresh.sessions && home_equals(&tab, &fresh), "back from position {from}");
            }
        }
        println!("{places} places to come back to, {} homes, {parts} times one was due", fixture.homes);
    });
}

#[test]
fn first_change_after_pause_includes_home() {
    virtual_time().block_on(async {
        let (mut fixture, mut random) = (HomeFixture::new(), LiveTestRandom::new(3));
        fixture.pass(HOME_INTERVAL).await;
        fixture.speak(1, &mut random);
        assert_eq!(fixture.homes, 1);
        let here = fixture.view.cursor.seq;
        fixture.trouble("tasks/a.md");
        assert_eq!(fixture.view.cursor.seq, here, "no frame before home is due");
        fixture.pass(HOME_INTERVAL).await;
        assert_eq!((fixture.homes, fixture.view.cursor.seq), (2, here + 1));
        assert_eq!(fixture.view.home.source.unreadable.len(), 1);
        // A snapshot for all includes the home that was due.
        fixture.speak(1, &mut random);
        assert!(fixture.publisher.home_due_in().is_some());
        fixture.publisher.restart(&fixture.live);
        assert_eq!(fixture.publisher.home_due_in(), None);
    });
}

#[test]
fn a_stream_that_is_closed_ends_with_home() {
    virtual_time().block_on(async {
        let (mut fixture, mut random) = (HomeFixture::new(), LiveTestRandom::new(5));
        let mut rested = Subscription::open(&fixture.live, StreamRequest::default()).await;
        assert!(matches!(rested.next().await, Next::Frame(_)), "the snapshot");
        let mut subscriber = Subscription::open(&fixture.live, StreamRequest::default()).await;
        assert!(matches!(subscriber.next().await, Next::Frame(_)), "the snapshot");
        fixture.speak(1, &mut random);
        assert!(fixture.publisher.home_due_in().is_some(), "home was sent just now");
        assert!(matches!(subscriber.next().await, Next::Frame(text) if !text.contains("\"home\"")));
        fixture.live.close();
        assert!(matches!(rested.next().await, Next::End(CloseReason::Closing)), "it got home and nothing since");
        let ending = tokio::spawn(async move { (subscriber.next().await, subscriber.next().await) });
        fixture.pass(HOME_INTERVAL).await;
        let (last, end) = ending.await.expect("it ends");
        assert!(matches!(last, Next::Frame(text) if text.contains("\"home\"")), "sessions and home of one moment");
        assert!(matches!(end, Next::End(CloseReason::Closing)), "{end:?}");
    });
}

#[test]
fn coalescing_delay_grows_with_clients_under_load() {
    virtual_time().block_on(async {
        let (mut fixture, mut random) = (HomeFixture::new(), LiveTestRandom::new(7));
        let mut rests = Vec::new();
        let mut places = Vec::new();
        for clients in [0, 100, 1_000] {
            let more =
                (places.len()..clients).map(|_| fixture.live.clients().enter(coordination::link::Transport::Socket));
            places.extend(more.collect::<Vec<_>>());
            fixture.pass(Duration::from_secs(1)).await;
            assert_eq!(
                fixture.publisher.coalesce_delay(&fixture.live),
                Duration::ZERO,
                "the first one after a pause goes at once"
            );
            fixture.speak(1, &mut random);
            rests.push(fixture.publisher.coalesce_delay(&fixture.live));
        }
        assert!(rests[0] < rests[1] && rests[1] < rests[2], "{rests:?}");
        assert!(rests[1] <= Duration::from_millis(5) && rests[2] <= Duration::from_millis(25), "{rests:?}");
    });
}

#[test]
fn publishing_waits_boundedly_for_slow_crowd() {
    virtual_time().block_on(async {
        let (mut fixture, mut random) = (HomeFixture::new(), LiveTestRandom::new(9));
        let (mut clients, mut places) = (Vec::new(), Vec::new());
        for _ in 0..200 {
            places.extend(fixture.live.clients().enter(coordination::link::Transport::Socket));
            let mut client = Subscription::open(&fixture.live, StreamRequest::default()).await;
            assert!(matches!(client.next().await, Next::Frame(_)), "the snapshot");
            clients.push(client);
        }
        let busy = async |fixture: &mut HomeFixture,
                          takers: usize,
                          clients: &mut [Subscription],
                          random: &mut LiveTestRandom| {
            fixture.pass(Duration::from_secs(1)).await;
            fixture.speak(1, random);
            for client in &mut clients[..takers] {
                assert!(matches!(client.next().await, Next::Frame(_)));
            }
            let start = Instant::now();
            loop {
                match fixture.publisher.coalesce_delay(&fixture.live) {
                    Duration::ZERO => return start.elapsed(),
                    coalesce_delay => tokio::time::advance(coalesce_delay).await,
                }
            }
        };
        // Frames that idle clients have not taken stay in their queues.
        let none = busy(&mut fixture, 0, &mut clients, &mut random).await;
        for client in &mut clients {
            assert!(matches!(client.next().await, Next::Frame(_)));
        }
        let most = busy(&mut fixture, 150, &mut clients, &mut random).await;
        assert!(most < Duration::from_millis(10), "three of four have it: {most:?}");
        assert!(none > most * 4 && none <= Duration::from_millis(50), "{none:?} beside {most:?}");
    });
}
