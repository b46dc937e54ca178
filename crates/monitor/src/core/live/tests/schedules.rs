//! Randomised tests of a tab's connection. After any sequence of faults the tab has the server's state, with nothing
//! lost, doubled or reordered.
//!
//! Proves (live): Whatever happens to a tab's connection (cut within a frame, frozen, half-open, crash, restart, sleep,
//! clock change), the tab ends with the state of the server: nothing lost, doubled or reordered. It holds on all three
//! transports.
//! Long form: `make soak ARGS=live`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use coordination::link::Transport;
use coordination::view::HomeView;

use super::browser::Browser;
use super::net::{Net, Proxy, Strike};
use super::{LiveTestRandom, MAX_FRAMES, NOW, ServerMachine, soaks, talk, virtual_time};

/// Schedules of each transport.
fn count() -> u64 {
    if soaks() { 2_000 } else { 80 }
}

/// Counters of the schedules' events, to be sure that they occur.
#[derive(Default)]
struct Met {
    resumed: AtomicU64,
    resets: AtomicU64,
    windows: AtomicU64,
    epochs: AtomicU64,
    snapshots: AtomicU64,
    events: AtomicU64,
}

/// A life: some steps, then peace.
struct Life {
    machine: ServerMachine,
    browser: Browser,
    random: LiveTestRandom,
    number: u64,
    /// Events of the server by position, for each of its runs.
    runs: Vec<Vec<u64>>,
}

impl Life {
    fn new(proxy: Proxy, seed: u64) -> Self {
        let net = Net::new(proxy);
        let mut machine = ServerMachine::new(net.clone());
        let mut random = LiveTestRandom::new(seed);
        let history = (0..random.below(20)).map(|number| talk(number, number % 4, NOW - 600_000, "a2a.send")).collect();
        machine.append(history);
        let browser = Browser::new(net, seed);
        Self { machine, browser, random, number: 100, runs: Vec::new() }
    }

    fn append(&mut self) {
        let events = (0..=self.random.below(3))
            .map(|_| {
                self.number += 1;
                let kind = if self.random.below(2) == 0 { "a2a.send" } else { "a2a.response" };
                // Some lines come late.
                let late = if self.random.below(6) == 0 { self.random.below(3_600_000) } else { 0 };
                let at = self.machine.now() - i64::try_from(late).expect("small");
                talk(self.number, self.random.below(6), at, kind)
            })
            .collect();
        self.machine.append(events);
    }

    fn stop(&mut self, bytes: usize) {
        if let Some(server) = &self.machine.server {
            self.runs.push(server.lock().expect("lock").brought.clone());
        }
        self.machine.kill(bytes);
    }

    async fn step(&mut self) {
        let some = |random: &mut LiveTestRandom, limit: u64| Duration::from_millis(random.below(limit));
        let bytes = usize::try_from(self.random.below(4_000)).expect("small");
        match self.random.below(20) {
            0..=8 => self.append(),
            9 => self.machine.net.strike(Strike::CutAfter(bytes)),
            10 => self.machine.net.strike(Strike::HalfOpen),
            11 => {
                self.machine.net.freeze(true);
                let time = some(&mut self.random, 60_000);
                self.browser.live(time).await;
                self.append();
                self.machine.net.freeze(false);
            }
            12 => {
                self.stop(bytes);
                let time = some(&mut self.random, 40_000);
                self.browser.live(time).await;
                self.append();
                self.machine.start();
            }
            13 => {
                // Offline for so long that the missed frames are evicted.
                self.machine.net.strike(Strike::CutAfter(bytes));
                for _ in 0..MAX_FRAMES + 3 {
                    self.append();
                }
            }
            14 => {
                let hours = self.random.below(12).saturating_sub(8);
                let time = some(&mut self.random, 600_000) + Duration::from_secs(hours * 3_600);
                self.browser.sleep(time).await;
            }
            15 => self.browser.clock_set += i64::try_from(self.random.below(7_200_000)).expect("small") - 3_600_000,
            16 => self.machine.set_clock(i64::try_from(self.random.below(7_200_000)).expect("small") - 3_600_000),
            17 => {
                let order = self.browser.client.visible(self.browser.now(), false);
                self.browser.follow(order);
            }
            _ => {
                let time = some(&mut self.random, 120_000);
                self.browser.live(time).await;
            }
        }
        let time = some(&mut self.random, 1_500);
        self.browser.live(time).await;
    }

    /// The link heals and the tab reaches the state of the server.
    async fn end(&mut self, seed: u64, expected: Transport) {
        let mut last = (None, None);
        for _ in 0..900 {
            self.browser.live(Duration::from_secs(1)).await;
            let fresh = self.machine.with(|server| server.fresh());
            let held = self.browser.client.view().cloned();
            let on_transport = self.browser.transport() == Some(expected);
            if on_transport && held.as_ref().is_some_and(|held| same(held, &fresh)) {
                return;
            }
            last = (held, Some(fresh));
        }
        let shown = self.browser.client.connection(self.browser.now());
        let (held, fresh) = last;
        panic!("seed {seed}: {shown:?} and not the same after 15 min\nheld:  {held:#?}\nfresh: {fresh:#?}");
    }

    /// Events that the server sent after the tab's newest snapshot, and those that the tab counted.
    fn counted(&self) -> (u64, u64) {
        let view = self.browser.client.view().expect("a view");
        let (epoch, from) = self.browser.seen.from.clone().expect("a snapshot");
        assert_eq!(epoch, view.cursor.epoch);
        let run: usize = epoch.trim_start_matches("run").parse().expect("a run");
        let current = self.machine.with(|server| server.brought.clone());
        let brought = self.runs.get(run - 1).unwrap_or(&current);
        let (from, to) = (usize::try_from(from).expect("small"), usize::try_from(view.cursor.seq).expect("small"));
        (brought[from + 1..=to].iter().sum(), self.browser.seen.events)
    }
}

/// The same but for the moment they were made for.
fn same(held: &HomeView, fresh: &HomeView) -> bool {
    let mut held = held.clone();
    held.now = fresh.now;
    held.home.now = fresh.home.now;
    for card in &mut held.sessions {
        card.status = card.status_at(fresh.now);
    }
    held == *fresh
}

fn run(proxy: Proxy, expected: Transport) {
    let met = Met::default();
    let next = AtomicU64::new(1);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > count() {
                        return;
                    }
                    virtual_time().block_on(live(proxy, expected, seed, &met));
                }
            });
        }
    });
    let count_of = |what: &AtomicU64| what.load(Ordering::Relaxed);
    println!(
        "{} schedules over {expected:?}: {} events counted, {} resumed, {} snapshots, {} resets ({} window, {} epoch); 0 lost, doubled or reordered",
        count(),
        count_of(&met.events),
        count_of(&met.resumed),
        count_of(&met.snapshots),
        count_of(&met.resets),
        count_of(&met.windows),
        count_of(&met.epochs),
    );
    for (what, seen) in [("resumed", &met.resumed), ("window", &met.windows), ("epoch", &met.epochs)] {
        assert!(count_of(seen) > 0, "no schedule met: {what}");
    }
}

async fn live(proxy: Proxy, expected: Transport, seed: u64, met: &Met) {
    let mut life = Life::new(proxy, seed);
    for _ in 0..6 + life.random.below(14) {
        life.step().await;
    }
    let order = life.browser.client.visible(life.browser.now(), true);
    life.browser.follow(order);
    life.end(seed, expected).await;
    let (brought, counted) = life.counted();
    assert_eq!(brought, counted, "seed {seed}: events since the newest snapshot");
    let seen = &life.browser.seen;
    let reasons = |reason: &str| seen.resets.iter().filter(|one| *one == reason).count() as u64;
    met.resumed.fetch_add(u64::from(seen.resumed), Ordering::Relaxed);
    met.resets.fetch_add(seen.resets.len() as u64, Ordering::Relaxed);
    met.windows.fetch_add(reasons("window"), Ordering::Relaxed);
    met.epochs.fetch_add(reasons("epoch"), Ordering::Relaxed);
    met.snapshots.fetch_add(u64::from(seen.snapshots), Ordering::Relaxed);
    met.events.fetch_add(counted, Ordering::Relaxed);
    life.stop(0);
}

#[test]
fn socket_faults_converge_to_server_state() {
    run(Proxy::None, Transport::Socket);
}

#[test]
fn event_stream_faults_converge_to_server_state() {
    run(Proxy::RefusesUpgrades, Transport::Events);
}

#[test]
fn poll_faults_converge_to_server_state() {
    run(Proxy::Buffers, Transport::Poll);
}

#[test]
fn proxies_fall_back_to_events_or_polls() {
    for (proxy, expected, limit) in [
        (Proxy::None, Transport::Socket, 3),
        (Proxy::RefusesUpgrades, Transport::Events, 3),
        (Proxy::Buffers, Transport::Poll, 15),
    ] {
        virtual_time().block_on(async {
            let mut life = Life::new(proxy, 1);
            life.browser.live(Duration::from_secs(limit)).await;
            assert_eq!(life.browser.transport(), Some(expected), "{proxy:?}");
        });
    }
}
