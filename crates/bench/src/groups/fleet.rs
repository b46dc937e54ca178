//! Benchmarks of a fleet over one NATS server without replication, all on this machine: time until a line is in a frame of an
//! aggregator, processor time of a publisher, catching up, and memory and start of an aggregator of twenty machines. Each is
//! measured beside a control: bare messages over the same server, or one plain monitor with the same lines.

mod merged;
mod site;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bench::home::{append, event, logs, rehearsed, seeded};
use bench::live::{StreamClient, numbers};
use bench::nats::NatsConnection;
use bench::server::BenchServer;

use self::merged::{lines_of, merge_homes};
use self::site::{BenchFleet, wait_until_complete, wait_until_indexed};
use super::Setting;
use crate::figure::{Figure, alternate, percentile, short};

/// Events of the home that lines are appended to: the cost of a line does not depend on history.
const LIVE_EVENTS: u64 = 20_000;
/// Lines that are waited for one by one.
const LINES: u64 = 300;
/// Subject of the bare messages.
const BARE_SUBJECT: &str = "bench.bare";
/// Time over which processor time is measured, at rest and with lines.
const CPU_TIME: Duration = Duration::from_secs(20);
const PER_SECOND: u32 = 100;
/// After something changed, before processor time is measured.
const SETTLE: Duration = Duration::from_secs(5);
const ROUNDS: usize = 3;
/// Machines of the large fleet; together they have the events of the large log.
const MACHINES: u64 = 20;

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let mut figures = live(setting).context("lines of a running fleet")?;
    figures.push(catch_up(setting).context("catching up")?);
    figures.extend(many_machines(setting).context("twenty machines")?);
    Ok(figures)
}

/// Delay of lines and processor time of their publisher.
fn live(setting: &Setting) -> Result<Vec<Figure>> {
    let fleet = BenchFleet::start(&setting.monitor, "fleet-live")?;
    let home = rehearsed(&setting.monitor, LIVE_EVENTS, "fleet-live-home")?;
    let publisher = fleet.publisher("m", &home)?;
    let aggregator = fleet.aggregator("mirror", &[])?;
    let machine = ("m".to_owned(), lines_of(&home)?);
    wait_until_complete(&aggregator, std::slice::from_ref(&machine))?;
    wait_until_indexed(&aggregator, &[machine])?;
    let (own, bare) = delays(&fleet, &home, aggregator.port)?;
    let delay = |percent: usize| {
        let name = format!("line → frame of an aggregator, p{percent}");
        let figure = Figure::new(&name, percentile(&own, percent), "ms");
        figure.control("bare publish and subscribe", percentile(&bare, percent))
    };
    let mut figures = vec![delay(50), delay(99).noted("lines one by one; one server, no replication")];

    // The control: a monitor that reads the same lines.
    let monitor = BenchServer::start(&setting.monitor, &home, &[])?;
    monitor.wait_until_indexed()?;
    std::thread::sleep(SETTLE);
    let percent = |load: &mut dyn FnMut() -> Result<()>| {
        let (start, before) = (Instant::now(), (publisher.cpu_seconds()?, monitor.cpu_seconds()?));
        load()?;
        let seconds = start.elapsed().as_secs_f64();
        let of = |used: f64| used / seconds * 100.0;
        Ok::<_, anyhow::Error>((of(publisher.cpu_seconds()? - before.0), of(monitor.cpu_seconds()? - before.1)))
    };
    let rest = percent(&mut || {
        std::thread::sleep(CPU_TIME);
        Ok(())
    })?;
    let busy = percent(&mut || append_at_pace(&home))?;
    for (name, (own, control)) in [("publisher at rest", rest), ("publisher at 100 lines a second", busy)] {
        let note = format!("of a core, over {} s", CPU_TIME.as_secs());
        figures.push(Figure::new(name, own, "%").control("a monitor of the same home", control).noted(&note));
    }
    Ok(figures)
}

/// From before a line is written until a frame has it, and of a bare message of the same size over the same server, in turn.
fn delays(fleet: &BenchFleet, home: &Path, port: u16) -> Result<(Vec<Duration>, Vec<Duration>)> {
    let mut client = StreamClient::open_below(port, "/@m/")?;
    let mut publisher = NatsConnection::open(fleet.nats.port)?;
    let mut subscriber = NatsConnection::open(fleet.nats.port)?;
    subscriber.subscribe(BARE_SUBJECT)?;
    let (mut own, mut bare) = (Vec::new(), Vec::new());
    for number in 0..LINES {
        let line = event(number);
        let start = Instant::now();
        append(home, &line)?;
        while !numbers(&client.frame()?).any(|seen| seen == number) {}
        own.push(start.elapsed());
        // At another moment of the publisher's rhythm each time.
        std::thread::sleep(Duration::from_millis(30 + number % 7 * 7));
        let start = Instant::now();
        publisher.publish(BARE_SUBJECT, line.as_bytes())?;
        ensure!(subscriber.message()? == line.as_bytes(), "another message than was published");
        bare.push(start.elapsed());
    }
    Ok((own, bare))
}

/// Appends lines for the time of a measurement, at their pace.
fn append_at_pace(home: &Path) -> Result<()> {
    let start = Instant::now();
    for number in 0..PER_SECOND * CPU_TIME.as_secs() as u32 {
        std::thread::sleep((Duration::from_secs(1) * number / PER_SECOND).saturating_sub(start.elapsed()));
        append(home, &event(LINES + u64::from(number)))?;
    }
    Ok(())
}

/// A new aggregator and a bare consumer receive the same lines of one machine.
fn catch_up(setting: &Setting) -> Result<Figure> {
    let fleet = BenchFleet::start(&setting.monitor, "fleet-catch-up")?;
    let home = rehearsed(&setting.monitor, setting.events / 2, "fleet-catch-up-home")?;
    let machine = ("m".to_owned(), lines_of(&home)?);
    let publisher = fleet.publisher("m", &home)?;
    let bytes = logs(&home)?.1;
    fleet.wait_until_published(bytes)?;
    publisher.stop()?;
    let lines = machine.1 as f64;
    let own = || {
        let mirror = fleet.path("mirror");
        if mirror.exists() {
            std::fs::remove_dir_all(&mirror)?;
        }
        let start = Instant::now();
        let aggregator = fleet.aggregator("mirror", &[])?;
        wait_until_complete(&aggregator, std::slice::from_ref(&machine))?;
        Ok(lines / start.elapsed().as_secs_f64())
    };
    let control = || {
        let start = Instant::now();
        fleet.receive_all()?;
        Ok(lines / start.elapsed().as_secs_f64())
    };
    let rounds = alternate(ROUNDS, own, control)?;
    let figure = Figure::of_rounds("lines a new aggregator catches up on", "/s", &rounds, "bare consumer");
    let megabytes = bytes as f64 / 1e6;
    let note = format!("{} lines of one machine, {megabytes:.0} MB, from its start; no replication", short(lines));
    Ok(figure.noted(&note))
}

/// Memory and start of an aggregator of twenty machines, beside one monitor with all their lines.
fn many_machines(setting: &Setting) -> Result<Vec<Figure>> {
    let fleet = BenchFleet::start(&setting.monitor, "fleet-many")?;
    let (mut homes, mut machines) = (Vec::<PathBuf>::new(), Vec::new());
    for number in 1..=MACHINES {
        let folder = format!("fleet-many-homes/{number}");
        let home = seeded(&setting.monitor, setting.events / MACHINES, &folder, number)?;
        machines.push((format!("m{number}"), lines_of(&home)?));
        homes.push(home);
    }
    let one = fleet.path("one/.openclaw");
    merge_homes(&homes, &one)?;
    let publishers = homes.iter().zip(&machines).map(|(home, (name, _))| fleet.publisher(name, home));
    let publishers = publishers.collect::<Result<Vec<_>>>()?;
    let bytes = homes.iter().map(|home| Ok(logs(home)?.1)).sum::<Result<u64>>()?;
    fleet.wait_until_published(bytes)?;
    publishers.into_iter().try_for_each(|publisher| publisher.stop())?;

    let monitor = BenchServer::start(&setting.monitor, &one, &[])?;
    monitor.wait_until_indexed()?;
    let control = monitor.resident_mb()?;
    drop(monitor);
    let aggregator = fleet.aggregator("mirror", &[])?;
    wait_until_complete(&aggregator, &machines)?;
    wait_until_indexed(&aggregator, &machines)?;
    let memory = Figure::new("memory of an aggregator of 20 machines", aggregator.resident_mb()?, "MB");
    aggregator.stop()?;
    let each = short((setting.events / MACHINES) as f64);
    let memory = memory.control("one monitor of all their lines", control).noted(&format!("{each} events each"));

    let stores = ["store", "one-store"].map(|name| fleet.path(name).to_string_lossy().into_owned());
    let [many, single] = stores.each_ref().map(|store| ["--cache", store.as_str()]);
    // Saved when they end.
    let aggregator = fleet.aggregator("mirror", &many)?;
    wait_until_complete(&aggregator, &machines)?;
    wait_until_indexed(&aggregator, &machines)?;
    aggregator.stop()?;
    let monitor = BenchServer::start(&setting.monitor, &one, &single)?;
    monitor.wait_until_indexed()?;
    monitor.stop()?;
    let own = || {
        let start = Instant::now();
        let aggregator = fleet.aggregator("mirror", &many)?;
        wait_until_complete(&aggregator, &machines)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let control = || {
        let start = Instant::now();
        BenchServer::start(&setting.monitor, &one, &single)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let rounds = alternate(ROUNDS, own, control)?;
    let start = Figure::of_rounds("start of a replica with a store", "s", &rounds, "one monitor with a store");
    let note = format!("20 machines, {each} events each, until all is in its answers");
    Ok(vec![memory, start.noted(&note)])
}
