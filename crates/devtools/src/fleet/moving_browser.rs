//! A browser that loses its aggregator and continues at another one: it gets no reset, and the list of what changed names
//! every session whose card differs. In the end it has what that aggregator answers, and so has a browser that moved all
//! the time while faults happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bench::http;
use coordination::api::SessionCard;
use coordination::link::{LinkClient, OpenRequest, Order};
use coordination::view::LiveChanges;
use serde_json::Value;

use super::cluster::Cluster;
use super::plan::SplitMix;
use super::process::retry;
use super::site::TestFleet;
use super::writer::Writer;
use super::{MIRRORED_WITHIN, Round};

const MACHINE: &str = "moving";
/// An aggregator takes browsers of others half a minute after its start.
const CONTINUES_WITHIN: Duration = Duration::from_secs(120);
/// Changes of the last half minute might be named in any case.
const ALWAYS_NAMED: Duration = Duration::from_secs(32);
const SAME_WITHIN: Duration = Duration::from_secs(20);

/// Between two polls of a browser that moves while faults happen.
const PAUSE: Duration = Duration::from_millis(200);
/// It stays for fewer polls than this.
const MOST_POLLS: usize = 12;

/// A browser that polls.
struct PollingBrowser {
    machine: String,
    client: LinkClient,
    generation: u64,
    start: Instant,
}

impl PollingBrowser {
    /// A browser that shows a machine.
    fn open(machine: &str) -> Self {
        let machine = machine.to_owned();
        let mut browser = Self { machine, client: LinkClient::new(1), generation: 0, start: Instant::now() };
        let order = browser.client.start(0);
        browser.follow(order.as_ref());
        browser
    }

    /// The next frames are those of a connection that is to be opened.
    fn follow(&mut self, order: Option<&Order>) {
        if let Some(Order::Open(OpenRequest { generation, .. })) = order {
            self.generation = *generation;
        }
    }

    /// One poll; its frames.
    fn poll(&mut self, port: u16) -> Result<Vec<Value>> {
        let cursor = self.client.cursor().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let answer = http::json(port, &format!("/@{}/api/v2/live/poll?patches=true&wait=1{cursor}", self.machine))?;
        let frames = answer["frames"].as_array().cloned().unwrap_or_default();
        let now = i64::try_from(self.start.elapsed().as_millis())?;
        let order = self.client.polled(now, self.generation, frames.clone());
        self.follow(order.as_ref());
        Ok(frames)
    }

    /// Waits until it has what a browser gets that is opened at this aggregator.
    fn ensure_current(&mut self, port: u16) -> Result<()> {
        retry("the browser has what the aggregator answers", SAME_WITHIN, || {
            self.poll(port)?;
            let mut fresh = Self::open(&self.machine);
            fresh.poll(port)?;
            ensure!(self.cards()? == fresh.cards()?, "its session cards differ");
            Ok(())
        })
    }

    fn cards(&self) -> Result<&[SessionCard]> {
        Ok(&self.client.view().context("no view")?.sessions)
    }
}

/// The browser reads the machine at the first aggregator, and then at the second.
pub(super) fn story(round: &Round, cluster: &Cluster) -> Result<()> {
    // By a fixed clock, passing time looks like a clock that is set again and again, and changes everything.
    let mut fleet = round.fleet(cluster, "moving")?.with_running_clock();
    fleet.add_machine(MACHINE, round.copied("everything", "moving")?)?;
    ["first", "second"].into_iter().try_for_each(|name| fleet.add_aggregator(name))?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    let (mut random, mut writer) = (SplitMix(round.seed), Writer::default());
    let [first, second] = [fleet.aggregators[0].port, fleet.aggregators[1].port];
    let mut moved = None;
    retry("a browser continues at another aggregator", CONTINUES_WITHIN, || {
        let mut browser = PollingBrowser::open(MACHINE);
        retry("a position in the streams", SAME_WITHIN, || {
            browser.poll(first)?;
            let inputs = browser.client.cursor().and_then(|cursor| cursor.inputs);
            ensure!(inputs.is_some(), "the frames have no position in the streams");
            Ok(())
        })?;
        writer.append(&fleet, &mut random)?;
        browser.poll(first)?;
        // Lines that it never sees at the first one, so long ago that only its position says so.
        writer.append(&fleet, &mut random)?;
        fleet.wait_until_mirrored(SAME_WITHIN)?;
        std::thread::sleep(ALWAYS_NAMED);
        let before = browser.cards()?.to_vec();
        browser.client.news();
        let frames = browser.poll(second)?;
        let change = browser.client.news().change;
        let kind = frames.first().map(|frame| frame["type"].clone()).unwrap_or_default();
        ensure!(
            kind == "snapshot" && change.moved && !change.everything,
            "the first frame is {kind}; moved: {}, everything: {}",
            change.moved,
            change.everything
        );
        ensure_named(&before, browser.cards()?, &change)?;
        moved = Some(browser);
        Ok(())
    })?;
    moved.context("no browser")?.ensure_current(second)
}

/// A thread with a browser that shows a machine, and moves to another aggregator every few polls and whenever one does
/// not answer.
pub(super) struct MovingBrowser {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<(PollingBrowser, u64)>,
}

impl MovingBrowser {
    /// Starts at the first aggregator of a fleet.
    pub(super) fn start(fleet: &TestFleet, machine: &str, mut random: SplitMix) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (is_ended, mut browser) = (Arc::clone(&is_over), PollingBrowser::open(machine));
        let ports: Vec<u16> = fleet.aggregators.iter().map(|aggregator| aggregator.port).collect();
        let thread = std::thread::spawn(move || {
            let (mut at, mut moves, mut stays) = (0, 0, MOST_POLLS);
            while !is_ended.load(Ordering::SeqCst) {
                let is_answered = browser.poll(ports[at]).is_ok();
                stays -= 1;
                if !is_answered || stays == 0 {
                    at = (at + 1 + random.below(ports.len() - 1)) % ports.len();
                    stays = 1 + random.below(MOST_POLLS - 1);
                    moves += 1;
                }
                std::thread::sleep(PAUSE);
            }
            (browser, moves)
        });
        Self { is_over, thread }
    }

    /// Stops it, once nothing changes any more, and moves it to each aggregator once more; how often it moved before.
    ///
    /// # Errors
    /// When it has something else than a browser that is opened there.
    pub(super) fn finish(self, fleet: &TestFleet) -> Result<u64> {
        self.is_over.store(true, Ordering::SeqCst);
        let (mut browser, moves) = self.thread.join().map_err(|_| anyhow::anyhow!("the browser panicked"))?;
        ensure!(moves > 0, "the browser never moved");
        for aggregator in &fleet.aggregators {
            browser.ensure_current(aggregator.port).with_context(|| format!("a browser that moved {moves} times"))?;
        }
        Ok(moves)
    }
}

/// Whether the changes name every session whose card differs.
fn ensure_named(before: &[SessionCard], after: &[SessionCard], change: &LiveChanges) -> Result<()> {
    let mut changed = 0;
    for card in after.iter().filter(|card| !before.contains(card)) {
        let id = &card.work_session_id;
        ensure!(change.touches_session(id), "session {id} changed and is not named");
        changed += 1;
    }
    ensure!(changed > 0, "no session changed");
    Ok(())
}
