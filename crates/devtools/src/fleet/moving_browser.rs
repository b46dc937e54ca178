//! A browser that loses its aggregator and continues at another one: it gets no reset, and the list of what changed names
//! every session whose card differs. In the end it has what that aggregator answers.

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
use super::writer::Writer;
use super::{MIRRORED_WITHIN, Round};

const MACHINE: &str = "moving";
/// An aggregator takes browsers of others half a minute after its start.
const CONTINUES_WITHIN: Duration = Duration::from_secs(120);
/// Changes of the last half minute might be named in any case.
const ALWAYS_NAMED: Duration = Duration::from_secs(32);
const SAME_WITHIN: Duration = Duration::from_secs(20);

/// A browser that polls.
struct PollingBrowser {
    client: LinkClient,
    generation: u64,
    start: Instant,
}

impl PollingBrowser {
    fn open() -> Self {
        let mut browser = Self { client: LinkClient::new(1), generation: 0, start: Instant::now() };
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
        let answer = http::json(port, &format!("/@{MACHINE}/api/v2/live/poll?patches=true&wait=1{cursor}"))?;
        let frames = answer["frames"].as_array().cloned().unwrap_or_default();
        let now = i64::try_from(self.start.elapsed().as_millis())?;
        let order = self.client.polled(now, self.generation, frames.clone());
        self.follow(order.as_ref());
        Ok(frames)
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
        let mut browser = PollingBrowser::open();
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
    let mut browser = moved.context("no browser")?;
    retry("the browser has what the aggregator answers", SAME_WITHIN, || {
        browser.poll(second)?;
        let mut fresh = PollingBrowser::open();
        fresh.poll(second)?;
        ensure!(browser.cards()? == fresh.cards()?, "its session cards differ");
        Ok(())
    })
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
