//! Tests of the live stream in virtual time, and the test server that they share. They use the real routes, the real
//! subscription and the tab's real client, over a simulated network with faults.

mod browser;
mod home;
mod index;
mod net;
mod replicas;
mod schedules;
mod slow;
mod status;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use coordination::event::{Event, parse_lines};
use coordination::view::HomeView;
use coordination::{query, roster};
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::{HubMemory, Live, Publisher};
use crate::clock::ServerClock;
use crate::web::{TimeoutListener, live_routes};
use net::Net;

const NOW: i64 = 1_772_000_000_000;
/// Frames that a test server keeps: few, so that falling out of the window is common.
const MAX_FRAMES: usize = 12;

/// Long counts in a soak, short ones in `cargo test`.
fn soaks() -> bool {
    std::env::var_os("TASK_HUB_SOAK").is_some()
}

/// A runtime whose time passes only when everybody waits.
fn virtual_time() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().expect("runtime")
}

/// Reproducible randomness.
struct LiveTestRandom(u64);

impl LiveTestRandom {
    fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.below(2);
        }
        random
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit.max(1)
    }
}

/// One run of the server over a log that outlives it.
struct LiveServer {
    live: Arc<Live>,
    publisher: Publisher,
    /// Events that each position brought, from 1.
    brought: Vec<u64>,
    /// Notified when home may be due.
    owing: Arc<Notify>,
    tasks: Vec<JoinHandle<()>>,
}

/// The machine that the server runs on.
struct ServerMachine {
    net: Net,
    clock: ServerClock,
    base: &'static std::sync::atomic::AtomicI64,
    log: Vec<Event>,
    runs: u32,
    server: Option<Arc<Mutex<LiveServer>>>,
}

impl ServerMachine {
    fn new(net: Net) -> Self {
        let (clock, base) = ServerClock::settable(NOW);
        let mut machine = Self { net, clock, base, log: Vec::new(), runs: 0, server: None };
        machine.start();
        machine
    }

    /// Starts the server: history first, then the doors.
    fn start(&mut self) {
        self.runs += 1;
        let live =
            Arc::new(Live::with_window(MAX_FRAMES, format!("run{}", self.runs), self.clock, &HubMemory::default()));
        live.write(|hub| {
            hub.set_roster(roster::Roster::default());
            hub.apply(self.log.clone());
        });
        let mut publisher = Publisher::default();
        publisher.restart(&live);
        let owing = Arc::<Notify>::default();
        let server = LiveServer {
            live: Arc::clone(&live),
            publisher,
            brought: vec![0],
            owing: Arc::clone(&owing),
            tasks: vec![],
        };
        let server = Arc::new(Mutex::new(server));
        let doors = TimeoutListener::new(self.net.doors(), Arc::clone(live.clients()), 1024);
        let app: axum::Router = live_routes().with_state(Arc::clone(&live)).into();
        let serving = tokio::spawn(async move { axum::serve(doors, app).await.expect("served") });
        let watched = Arc::downgrade(&server);
        let ageing = tokio::spawn(async move {
            while let Some(server) = watched.upgrade() {
                server.lock().expect("lock").check_time();
                drop(server);
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
        });
        let watched = Arc::downgrade(&server);
        let paying = tokio::spawn(async move {
            while let Some(server) = watched.upgrade() {
                let wait = server.lock().expect("lock").publish_due_home();
                drop(server);
                match wait {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => owing.notified().await,
                }
            }
        });
        server.lock().expect("lock").tasks.extend([serving, ageing, paying]);
        self.server = Some(server);
    }

    /// Kills the server; some bytes that were under way still arrive.
    fn kill(&mut self, bytes: usize) {
        self.net.down(bytes);
        if let Some(server) = self.server.take() {
            server.lock().expect("lock").tasks.iter().for_each(JoinHandle::abort);
        }
    }

    /// The log grows, whether anybody reads it or not.
    fn append(&mut self, events: Vec<Event>) {
        self.log.extend(events.iter().cloned());
        if let Some(server) = &self.server {
            server.lock().expect("lock").apply(events);
        }
    }

    fn now(&self) -> i64 {
        self.clock.now_ms()
    }

    fn set_clock(&self, by: i64) {
        self.base.fetch_add(by, std::sync::atomic::Ordering::SeqCst);
    }

    fn with<T>(&self, look: impl FnOnce(&LiveServer) -> T) -> T {
        look(&self.server.as_ref().expect("a server runs").lock().expect("lock"))
    }
}

impl LiveServer {
    fn apply(&mut self, events: Vec<Event>) {
        let changes = self.live.write(|hub| hub.apply(events));
        let count = changes.new_events().len() as u64;
        if !changes.is_empty() {
            self.publisher.publish(&self.live, &changes);
            self.brought.push(count);
            self.owing.notify_one();
        }
        self.even();
    }

    fn check_time(&mut self) {
        self.publisher.check_time(&self.live);
        self.owing.notify_one();
        self.even();
    }

    /// Publishes home when it is due; returns when to look again.
    fn publish_due_home(&mut self) -> Option<Duration> {
        self.publisher.publish_due_home(&self.live);
        self.even();
        self.publisher.home_due_in()
    }

    /// Positions that brought no events.
    fn even(&mut self) {
        let seq = usize::try_from(self.live.hub().cursor().seq).expect("small");
        self.brought.resize(seq + 1, 0);
    }

    /// The view of a tab that opens now.
    fn fresh(&self) -> HomeView {
        HomeView::from(query::snapshot(&self.live.hub(), self.live.now()))
    }
}

/// A line of talk: `number` makes it one of its own.
fn talk(number: u64, session: u64, at: i64, kind: &str) -> Event {
    let (from, to) = if kind == "a2a.send" { ("eden", "seum") } else { ("seum", "eden") };
    let line = json!({ "type": kind, "agentId": from, "ts": at, "data": {
        "fromAgent": from, "toAgent": to, "message": format!("Is release {number} out?"),
        "conversationId": format!("c{session}"), "eventRole": "conversation.main",
        "workSessionId": format!("ws_{session}"), "fromSessionType": "main", "toSessionType": "main",
    }});
    let (events, bad) = parse_lines(format!("{line}\n").as_bytes(), "log", number * 1_000);
    assert!(bad.is_empty(), "{bad:?}");
    events.into_iter().next().expect("one event")
}
