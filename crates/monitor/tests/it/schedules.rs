//! Tests of the log follower with random sequences of steps: a writer appends to, rotates or truncates the log, and the
//! monitor reads or is killed. Nothing is lost or read twice, and the order of each file is preserved.
//! `TASK_HUB_SEED=n` repeats one sequence.
//!
//! Proves (log): No line is lost and none is delivered twice, whatever the writer does (rotation, copytruncate,
//! truncation, removal, a restored backup) and whenever the monitor is killed. The result equals a model exactly.
//! Long form: `make soak ARGS=schedules`.

use crate::support;
use crate::world;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use coordination::event::Event;
use coordination::ids::EventId;
use serde_json::{Value, json};
use support::{PATIENCE, TestServer, count, text};
use task_monitor::home::HomeDir;
use task_monitor::sources::tail::Follower;
use world::{Sequences, World, sequences};

const STEPS: usize = 40;
/// Schedules with the built program that run at once: most of their time goes by waiting for it to look.
const AT_ONCE: usize = 6;

/// The reader in this process.
struct InProcessReader {
    follower: Follower,
    events: Vec<Event>,
    bad: usize,
}

impl InProcessReader {
    fn new(home: &Path) -> Self {
        Self { follower: Follower::new(HomeDir::new(home)), events: Vec::new(), bad: 0 }
    }

    fn look(&mut self) {
        let (events, bad) = (&mut self.events, &mut self.bad);
        self.follower.look(1, &mut |block| {
            let chunk = block.parse();
            events.extend(chunk.events);
            *bad += chunk.bad.len();
        });
    }

    fn ids(&self) -> BTreeMap<i64, EventId> {
        self.events.iter().map(|event| (event.at, event.id())).collect()
    }

    fn check(&self, world: &World, seed: u64) {
        let given = sequences(self.events.iter().map(|event| (event.id().to_string(), event.at)));
        let steps = world.log.join(" ");
        assert_eq!(given, world.expected(), "seed {seed}, steps {steps}");
        assert_eq!(self.bad, world.bad_lines(), "bad lines; seed {seed}, steps {steps}");
    }
}

fn play(seed: u64) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join(".openclaw");
    let mut world = World::new(&home, seed);
    let mut reader = InProcessReader::new(&home);
    for _ in 0..STEPS {
        world.step(false);
        if world.random.one_in(3) || world.look_due {
            world.look();
            reader.look();
            reader.check(&world, seed);
        }
        if world.random.one_in(20) {
            let lasting = world.lasting();
            world.restart();
            world.look();
            let mut next = InProcessReader::new(&home);
            next.look();
            next.check(&world, seed);
            let (before, after) = (reader.ids(), next.ids());
            for number in lasting {
                if let (Some(before), Some(after)) = (before.get(&number), after.get(&number)) {
                    let steps = world.log.join(" ");
                    assert_eq!(before, after, "the id of {number} after a restart; seed {seed}, steps {steps}");
                }
            }
            reader = next;
        }
    }
    reader.events.len()
}

/// The one schedule to repeat, by an environment variable.
fn chosen_seed() -> Option<u64> {
    std::env::var("TASK_HUB_SEED").ok().and_then(|seed| seed.parse().ok())
}

#[test]
fn every_schedule_delivers_every_line_once() {
    if let Some(seed) = chosen_seed() {
        play(seed);
        return;
    }
    let schedules = count(500, 10_000) as u64;
    let events: usize = (1..=schedules).map(play).sum();
    println!("{schedules} schedules of {STEPS} steps, {events} events in the last processes: 0 lost, 0 doubled");
    assert!(events > 0, "the schedules wrote something");
}

/// The reader in the built program, queried over REST.
struct RestMonitor {
    server: TestServer,
}

impl RestMonitor {
    fn start(home: &Path, watched: bool) -> Self {
        let watcher = if watched { "on" } else { "off" };
        Self { server: TestServer::start(&["--home", text(home), "--watcher", watcher]) }
    }

    fn events(&self) -> Sequences {
        let mut events = Vec::new();
        let mut path = "/api/v2/events?limit=500".to_owned();
        loop {
            let page = self.server.json(&path);
            for event in page["events"].as_array().expect("events") {
                let number = event["at"].as_i64().expect("a number");
                events.push((event["id"].as_str().expect("an id").to_owned(), number));
            }
            match page["next"].as_str() {
                Some(next) => path = format!("/api/v2/events?limit=500&before={next}"),
                None => break,
            }
        }
        // Answers are ordered by time; the log's order is that of the offsets.
        let mut all = sequences(events.into_iter());
        all.iter_mut().for_each(|sequence| sequence.sort_unstable());
        all.sort();
        all
    }

    /// Waits until everything on disk was looked at and the answers are those of the model.
    fn look(&self, world: &mut World, seed: u64) {
        world.look();
        let start = Instant::now();
        loop {
            let health = self.server.json("/api/v2/health");
            let met = world.sizes().iter().all(|(name, size)| {
                let same = |file: &Value| file["name"] == name.as_str() && file["bytes"] == *size;
                health["source"]["files"].as_array().is_some_and(|files| files.iter().any(same))
                    || health["following"]["copies"].as_array().is_some_and(|copies| copies.contains(&json!(name)))
            });
            let (given, expected) = (self.events(), world.expected());
            if met && given == expected && health["badLines"] == world.bad_lines() {
                return;
            }
            let steps = world.log.join(" ");
            assert!(
                start.elapsed() < PATIENCE,
                "seed {seed}, steps {steps}\n given {given:?}\nmodel {expected:?}\nbad lines {}, {} in health; {}",
                world.bad_lines(),
                health["badLines"],
                health["source"]["files"],
            );
            thread::sleep(Duration::from_millis(5));
        }
    }
}

fn play_with_kills(seed: u64) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join(".openclaw");
    let mut world = World::new(&home, seed);
    let mut monitor = RestMonitor::start(&home, seed.is_multiple_of(2));
    let mut kills = 0;
    for _ in 0..STEPS {
        // Bytes about to be destroyed must have been seen; everything else may meet the reader at any moment.
        if world.step(true) {
            monitor.look(&mut world, seed);
            world.finish_step();
        }
        if world.look_due || world.random.one_in(6) {
            monitor.look(&mut world, seed);
        }
        if world.random.one_in(15) {
            monitor.server.kill();
            kills += 1;
            monitor = RestMonitor::start(&home, world.random.one_in(2));
            world.restart();
        }
    }
    monitor.look(&mut world, seed);
    kills
}

#[test]
fn killed_monitor_reads_every_line_once_after_restart() {
    if let Some(seed) = chosen_seed() {
        play_with_kills(seed);
        return;
    }
    let schedules = count(4, 500) as u64;
    let next = AtomicU64::new(1);
    let some = || {
        let seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        seeds.take_while(|seed| *seed <= schedules).map(play_with_kills).sum::<usize>()
    };
    let kills: usize = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(some)).collect();
        workers.into_iter().map(|worker| worker.join().expect("its schedules held")).sum()
    });
    println!(
        "{schedules} schedules of {STEPS} steps against the built program, {kills} times killed: 0 lost, 0 doubled"
    );
    assert!(kills > 0, "it was killed");
}
